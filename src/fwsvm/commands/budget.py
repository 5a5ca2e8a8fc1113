"""`fwsvm budget`: how many runs a configuration asks for, what they may take, and what they took."""

from pathlib import Path

from fwsvm.base.errors import UserError
from fwsvm.commands.checkout import require_checkout
from fwsvm.pipeline.budget import costs, markdown, missing_sets, summary
from fwsvm.pipeline.config import check_config, load_config

SCHEMA = "workflow/schemas/config.schema.yaml"
DIMENSIONS = ("experiment", "selection", "dataset", "method")


def configure(parser):
    """Declare the arguments of the command on an `argparse.ArgumentParser`."""
    parser.add_argument("--config", default="config/paper.yaml", metavar="FILE", help="default: %(default)s")
    parser.add_argument("--results", metavar="DIR", help="results to measure by; default: results/<profile>")
    parser.add_argument(
        "--by",
        default="experiment,selection",
        metavar="A,B",
        help=f"what the rows are, of {', '.join(DIMENSIONS)}; default: %(default)s",
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
    print(markdown(summary(costs(study, results if Path(results).is_dir() else None), by), by))
    if missing := [name for name in study.datasets if name in missing_sets(results)]:
        print(f"\nWithout {', '.join(missing)}, which could not be had.")
    return 0
