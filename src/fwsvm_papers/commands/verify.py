"""The command `fwsvm verify`, which compares the results of a run with the released results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from fwsvm_papers.commands.checkout import DEFAULT_RUNS, require_checkout, require_config
from fwsvm_papers.pipeline import release as releases
from fwsvm_papers.pipeline.artefacts import read_inputs, released_inputs
from fwsvm_papers.pipeline.config import load_config
from fwsvm_papers.result_files import markdown_rows

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "results", nargs="?", metavar="DIR", help="the results of a run, e.g. results/paper"
    )
    source.add_argument("--config", metavar="FILE", help="use the results of this configuration")
    parser.add_argument(
        "--released",
        default=DEFAULT_RUNS,
        metavar="DIR",
        help="the released results; default: %(default)s",
    )
    parser.add_argument(
        "--show",
        action="store_true",
        help="list every mean that differs from the released mean by more than its tolerance",
    )
    parser.epilog = (
        "The command compares means over the repetitions, such as the mean accuracy, with the"
        " released means. The exit status is 1 if more than 1 % of the means differ by more than"
        " their tolerance. Times do not change the exit status."
    )
    parser.set_defaults(run=_verify)


def _verify(args: argparse.Namespace) -> int:
    if args.config:
        require_config(args.config)
    own = args.results or f"results/{load_config(args.config)['profile']}"
    require_checkout("verify", args.released)
    runs, released = (
        read_inputs({"runs": released_inputs(folder)["runs"]})["runs"]
        for folder in (own, args.released)
    )
    compared, pairs = releases.compare_runs(runs, released)
    print(
        f"{len(pairs)} of {len(runs)} runs in {own} have the same settings as a run in"
        f" {args.released}."
    )
    if compared.empty:
        print("There is nothing to compare.")
        return 0
    names, verdicts = list(releases.TOLERANCES), list(releases.VERDICTS)
    seconds = pairs.groupby("dataset")["time_ratio"].median()
    last = ("all", pairs["time_ratio"].median())
    rows = []
    for dataset, ratio in (*seconds.items(), last):
        of_dataset = compared if dataset == "all" else compared[compared["dataset"] == dataset]
        counts = pd.crosstab(of_dataset["verdict"], of_dataset["column"]).reindex(
            verdicts, fill_value=0
        )
        limited = (of_dataset["verdict"] == "at a limit").sum() // len(names)
        texts = [" / ".join(map(str, counts[name])).removesuffix(" / 0 / 0") for name in names]
        rows.append([dataset, *texts, limited, f"{ratio:.2f}"])
    print(
        "Each entry counts means over repetitions. The first number counts the means that are equal"
        " to the released means. The second number counts the means that differ from the released"
        " means, but within the tolerance. The third number counts the means that differ by more"
        " than the tolerance. If all means are equal to the released means, the entry has only the"
        " first number. The column 'at a limit' counts the groups of repetitions that are not"
        " compared, because one of their runs ended at a limit. The column 'time' has the median"
        " ratio of the CPU time of a run to the CPU time of the released run.\n"
    )
    print(
        markdown_rows(
            ["data set", *names, "at a limit", "time"], rows, "l" + "r" * (len(names) + 2)
        )
    )
    wrong, judged = (
        compared[compared["verdict"] == "different"],
        compared["verdict"].isin(verdicts).sum(),
    )
    print(
        f"\n{len(wrong)} of {judged} means differ from the released means by more than the"
        " tolerance"
    )
    if args.show and len(wrong):
        shown = [
            "experiment",
            "dataset",
            "protocol",
            "method",
            "task_size",
            "C",
            "column",
            "ours",
            "released",
        ]
        print(f"\n{wrong[shown].to_string(index=False)}")
    return int(len(wrong) > 0.01 * judged)
