"""Run the benchmark and write its results, tables and figure; `--resume` continues after Ctrl-C."""

import argparse
import sys
from pathlib import Path

from threadpoolctl import threadpool_limits

from fwsvm.inputs.errors import UserError, for_terminal, print_all_letters
from fwsvm.inputs.files import check_output, check_output_folder
from fwsvm_papers.bench import race_figure, report
from fwsvm_papers.bench.runner import Record, run
from fwsvm_papers.datasets.prepare import PREPARED, RAW
from fwsvm_papers.pipeline.warm_up import warm_up


def main(argv=None):
    """Run the benchmark, write the report, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m fwsvm_papers.bench", description="Compare training times."
    )
    parser.add_argument("--quick", action="store_true", help="run one small case")
    parser.add_argument(
        "--resume", action="store_true", help="measure the missing rows of an interrupted run"
    )
    parser.add_argument("--data-dir", default="data", metavar="DIR", help="default: %(default)s")
    parser.add_argument(
        "--output", default="results/bench", metavar="DIR", help="default: %(default)s"
    )
    args = parser.parse_args(argv)
    # time limit: CPU seconds per training run
    args.repeats, args.time_limit = (2, 20.0) if args.quick else (3, 180.0)
    stem = Path(args.output) / ("quick" if args.quick else "race")
    print_all_letters()
    try:
        _check_outputs(stem, args)
        record = Record(stem.with_suffix(".json"), args, resume=args.resume)
        return _measure(args, record, stem)
    except UserError as error:
        message = str(error)
    except OSError as error:  # for example, the disk is full
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    print(f"fwsvm_papers.bench: error: {for_terminal(message)}", file=sys.stderr)
    return 2


def _check_outputs(stem, args):
    """Before hours of measuring, raise an error if a file cannot be written or is one of the
    data files.
    """
    check_output_folder(stem.parent, "--output")
    for ending in (".json", ".csv", ".md", ".svg", ".pdf", ".png"):
        if stem.with_suffix(ending).exists():
            check_output(
                stem.with_suffix(ending),
                "--output:",
                [Path(args.data_dir, part) for part in (RAW, PREPARED)],
            )


def _measure(args, record, stem):
    status = 0
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
