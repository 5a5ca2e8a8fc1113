"""`fwsvm budget`: how many runs a configuration asks for, what they may take, and what they took."""

from pathlib import Path

from fwsvm.base.errors import UserError
from fwsvm.base.markdown import markdown_rows
from fwsvm.commands.checkout import require_checkout
from fwsvm.pipeline.budget import costs, markdown, summary
from fwsvm.pipeline.config import check_config, load_config
from fwsvm.pipeline.healing import missing_sets
from fwsvm.pipeline.schedule import processes, schedule

SCHEMA = "workflow/schemas/config.schema.yaml"
DIMENSIONS = ("experiment", "protocol", "dataset", "method")


def configure(parser):
    """Declare the arguments of the command on an `argparse.ArgumentParser`."""
    parser.add_argument("--config", default="config/paper.yaml", metavar="FILE", help="default: %(default)s")
    parser.add_argument("--results", metavar="DIR", help="results to measure by; default: results/<profile>")
    parser.add_argument(
        "--by",
        default="experiment,protocol",
        metavar="A,B",
        help=f"what the rows are, of {', '.join(DIMENSIONS)}; default: %(default)s",
    )
    parser.add_argument(
        "--cores", type=int, metavar="N", help="what tuning and training would take on so many, by the measured times"
    )
    parser.epilog = "To be run in the checkout. Data sets that an earlier run could not have are left out."


def run(args):
    """Print the table as Markdown. Returns 0."""
    require_checkout("budget", args.config, SCHEMA)
    study = check_config(load_config(args.config), SCHEMA, args.config)
    results = args.results or f"results/{study.config['profile']}"
    if args.results and not Path(args.results).is_dir():
        raise UserError(f"--results {args.results}: there is no such folder")
    by = [name.strip() for name in args.by.split(",")]
    unknown = [name for name in by if name not in DIMENSIONS]
    if unknown:
        raise UserError(f"--by: {unknown[0]!r} is not one of {', '.join(DIMENSIONS)}")
    table = costs(study, results if Path(results).is_dir() else None)
    if args.cores is not None:
        return _print_schedules(study, table, args.cores)
    print(markdown(summary(table, by), by))
    known = missing_sets(results, strict=True)
    if missing := [name for name in study.datasets if name in known]:
        print(f"\nWithout {', '.join(missing)}, which could not be had.")
    return 0


def _print_schedules(study, table, cores):
    """Print what the measured jobs would take on so many cores, with and without `timing: exclusive`."""
    if cores < 1:
        raise UserError(f"--cores {cores}: at least 1 is wanted")
    jobs = processes(study, table)
    if not jobs:
        raise UserError("--cores needs measured times: no run is there yet; name a folder with --results")
    rows = []
    for timing in ("exclusive", "shared"):
        for number in sorted({1, cores}):
            found = schedule(jobs, number, timing == "exclusive")
            rows.append([timing, number, *(f"{seconds / 60:.0f}" for seconds in found)])
    heads = ("wall", "sum of all", "with the machine to themselves", "longest chain")
    print(markdown_rows(["timing", "cores", *(f"{head}, min" for head in heads)], rows, "lrrrrr"))
    return 0
