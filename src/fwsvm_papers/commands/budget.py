"""The command `fwsvm budget`, which counts the runs of a configuration and estimates their time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm.inputs.errors import UserError
from fwsvm_papers.commands.checkout import SCHEMA, require_checkout, require_config
from fwsvm_papers.pipeline import budget as costs
from fwsvm_papers.pipeline.config import DEFAULT_CONFIG, check_config, load_config
from fwsvm_papers.pipeline.data import missing_sets

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        default=DEFAULT_CONFIG,
        metavar="FILE",
        help="the configuration; default: %(default)s",
    )
    parser.add_argument(
        "--results",
        metavar="DIR",
        help="folder of results with measured times; default: results/<profile>",
    )
    columns = (
        f"columns by which jobs are grouped: one or more of {', '.join(costs.JOB)}; default:"
        " %(default)s"
    )
    parser.add_argument("--by", default="experiment,protocol", metavar="A,B", help=columns)
    least = "also print a lower bound on the wall time on N cores, computed from measured times"
    parser.add_argument("--cores", type=int, metavar="N", help=least)
    parser.epilog = (
        "Run this command in a checkout (a git clone). Data sets that an earlier run could not"
        " download are not counted."
    )
    parser.set_defaults(run=_budget)


def _budget(args: argparse.Namespace) -> None:
    require_checkout("budget", DEFAULT_CONFIG, SCHEMA)
    require_config(args.config)
    configuration = check_config(load_config(args.config), SCHEMA, args.config)
    results = args.results or f"results/{configuration.config['profile']}"
    by = [name.strip() for name in args.by.split(",")]
    if args.results and not Path(args.results).is_dir():
        raise UserError(f"--results {args.results}: there is no such folder")
    if repeated := [name for name in by if by.count(name) > 1]:
        raise UserError(f"--by: {repeated[0]!r} occurs more than once")
    if unknown := [name for name in by if name not in costs.JOB]:
        raise UserError(f"--by: {unknown[0]!r} is not one of {', '.join(costs.JOB)}")
    if args.cores is not None and args.cores < 1:
        raise UserError(f"--cores {args.cores}: at least 1 core is needed")
    table = costs.costs(configuration, results)
    print(costs.markdown(costs.summary(table, by), by))
    longest = table.groupby(["experiment", "dataset"])["job_s"].sum().max()
    total = table["job_s"].sum()
    if not total:
        print(
            f"\nThe folder {results} has no measured times; use `--results results/released` for"
            " the times of the released run."
        )
    elif args.cores:
        least = max(total / args.cores, longest)
        shared, alone = f"{least / 60:.0f} min", f"{total / 60:.0f} min"
        print(
            f"\nOn {args.cores} cores, the run takes at least {shared} if several jobs run at the"
            f" same time, and {alone} if all jobs run one after the other."
        )
    if missing := [name for name in configuration.datasets if name in missing_sets(results)]:
        print(
            "\nThese data sets are not counted, because an earlier run could not download them:"
            f" {', '.join(missing)}."
        )
