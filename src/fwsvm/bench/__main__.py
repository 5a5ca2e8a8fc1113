"""Run the benchmark and write its results, tables and figure; `--resume` continues after Ctrl-C."""

import argparse
import sys
from pathlib import Path

from threadpoolctl import threadpool_limits

from fwsvm.base.errors import UserError
from fwsvm.bench import race_figure, report
from fwsvm.bench.runner import Record, run
from fwsvm.pipeline.warm_up import warm_up


def main(argv=None):
    """Run the benchmark, write the report, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m fwsvm.bench", description="Compare training times.")
    parser.add_argument("--quick", action="store_true", help="run one small case")
    parser.add_argument("--resume", action="store_true", help="measure the missing rows of an interrupted run")
    parser.add_argument("--data-dir", default="data", metavar="DIR", help="default: %(default)s")
    parser.add_argument("--output", default="results/bench", metavar="DIR", help="default: %(default)s")
    args = parser.parse_args(argv)
    args.repeats, args.time_limit = (2, 20.0) if args.quick else (3, 180.0)  # time limit: CPU seconds per training run
    stem = Path(args.output) / ("quick" if args.quick else "race")
    status = 0
    try:
        record = Record(stem.with_suffix(".json"), args, resume=args.resume)
    except UserError as error:
        print(f"fwsvm.bench: {error}", file=sys.stderr)
        return 2
    try:
        with threadpool_limits(1):
            print("compiling", file=sys.stderr, flush=True)
            warm_up()
            run(args, record)
    except KeyboardInterrupt:
        print("interrupted; --resume measures the missing rows", file=sys.stderr)
        status = 130
    if record.rows().empty:
        return status or 1
    paths = [*report.write_tables(record, stem), *race_figure.write(record, stem)]
    print(*paths, sep="\n")
    for name, reason in record.missing.items():
        print(f"left out: {name}: {reason}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
