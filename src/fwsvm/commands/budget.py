"""`fwsvm budget`: how many runs a configuration asks for, what they may take, and what they took."""

from pathlib import Path

from fwsvm.base.errors import UserError
from fwsvm.commands.checkout import require_checkout
from fwsvm.pipeline.budget import JOB, costs, markdown, summary
from fwsvm.pipeline.config import check_config, load_config
from fwsvm.pipeline.data import missing_sets

SCHEMA = "workflow/schemas/config.schema.yaml"


def configure(parser):
    parser.add_argument("--config", default="config/paper.yaml", metavar="FILE", help="default: %(default)s")
    parser.add_argument("--results", metavar="DIR", help="results to measure by; default: results/<profile>")
    parser.add_argument(
        "--by",
        default="experiment,protocol",
        metavar="A,B",
        help=f"what the rows are, of {', '.join(JOB)}; default: %(default)s",
    )
    parser.add_argument("--cores", type=int, metavar="N", help="the least wall time on N cores, by the measured times")
    parser.epilog = "To be run in the checkout. Data sets that an earlier run did not get are left out."


def run(args):
    """Print the table as Markdown."""
    require_checkout("budget", args.config, SCHEMA)
    configuration = check_config(load_config(args.config), SCHEMA, args.config)
    results = args.results or f"results/{configuration.config['profile']}"
    if args.results and not Path(args.results).is_dir():
        raise UserError(f"--results {args.results}: there is no such folder")
    by = [name.strip() for name in args.by.split(",")]
    if unknown := [name for name in by if name not in JOB]:
        raise UserError(f"--by: {unknown[0]!r} is not one of {', '.join(JOB)}")
    if args.cores is not None and args.cores < 1:
        raise UserError(f"--cores {args.cores}: at least 1 core is needed")
    table = costs(configuration, results)
    print(markdown(summary(table, by), by))
    if args.cores:
        longest, total = table.groupby(["experiment", "dataset"])["job_s"].sum().max(), table["job_s"].sum()
        least = max(total / args.cores, longest)
        shared, alone = f"{least / 60:.0f} min", f"{total / 60:.0f} min"
        print(f"\nOn {args.cores} cores at least {shared} if jobs share the machine, {alone} one at a time.")
    if missing := [name for name in configuration.datasets if name in missing_sets(results)]:
        print(f"\nWithout {', '.join(missing)}: an earlier run did not get their files.")
