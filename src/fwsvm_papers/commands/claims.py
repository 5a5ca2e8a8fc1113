"""The command `fwsvm claims`, which judges the papers' quantitative statements by our runs."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from fwsvm_papers.claims.claim import OUTCOMES, STUDY
from fwsvm_papers.claims.evaluation import PAPERS, evaluate_claims, paper_verdict, totals
from fwsvm_papers.commands.checkout import DEFAULT_RUNS, require_checkout
from fwsvm_papers.pipeline.artefacts import read_inputs, released_inputs
from fwsvm_papers.studies.benchmark.significance import test_protocols
from fwsvm_papers.studies.registry import WITH_DETAILS

if TYPE_CHECKING:
    import argparse

    import pandas as pd


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--runs",
        default=DEFAULT_RUNS,
        metavar="DIR",
        help="folder with runs.tsv(.gz); default: %(default)s",
    )
    parser.add_argument(
        "--paper", choices=list(PAPERS), help="show only the statements of this paper"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    form.add_argument(
        "--brief", action="store_true", help="print a short text per paper, as a list in Markdown"
    )
    parser.epilog = (
        "Run this command in a checkout (a git clone). A claim is a quantitative statement of a"
        " paper. docs/results.md describes how we judge it."
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.runs == DEFAULT_RUNS:
        require_checkout("claims", DEFAULT_RUNS)
    files = released_inputs(Path(args.runs))
    inputs = read_inputs(
        {name: files[name] for name in ("runs", "tests", *WITH_DETAILS) if name in files}
    )
    runs = inputs.pop("runs")
    tests = inputs.pop("tests") if "tests" in inputs else test_protocols(runs)
    table = evaluate_claims(runs, tests, inputs)
    if args.paper:
        table = table[table["paper"] == args.paper]
    if args.json:
        claims = json.loads(table.to_json(orient="records"))
        content = {"claims": claims, "totals": totals(table).to_dict("records")}
        print(json.dumps(content, indent=2, allow_nan=False))
    elif args.brief:
        print("\n".join(f"* {paper_verdict(table, paper)}" for paper in table["paper"].unique()))
    else:
        _print(table, min(max(shutil.get_terminal_size().columns, 60), 120))
    return 0


def _print(table: pd.DataFrame, width: int) -> None:
    """Print a section for each paper, with a block of lines for each claim.

    At the end, print the totals.
    """
    for paper, of_paper in table.groupby("paper", sort=False):
        print(textwrap.fill(paper_verdict(table, paper), width), "=" * 60, "", sep="\n")
        for claim_id, rows in of_paper.groupby("id", sort=False):
            head = rows[rows["headline"]].iloc[0]
            print(f"{claim_id}: {head['outcome']}")
            wrap = textwrap.TextWrapper(
                width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
            )
            print(wrap.fill(head["statement"]))
            wrap.subsequent_indent = "    "
            for label, text in _lines(head, rows):
                wrap.initial_indent = f"  {label}: "
                print(wrap.fill(text))
            print()
    counted = totals(table)
    names = counted["paper"] + " " + counted["protocol"].replace(STUDY, "")
    counts = counted[list(OUTCOMES)].set_axis(names).rename_axis(None)
    counts.columns = pd.MultiIndex.from_tuples(outcome.rpartition(" ")[::2] for outcome in OUTCOMES)
    text = counts.to_string(col_space=8, sparsify=False)
    print("totals\n======", *map(str.rstrip, text.splitlines()), sep="\n")


def _lines(head: dict, rows: pd.DataFrame) -> Iterator[tuple[str, str]]:
    for name in ("threshold", "sensitivity", "printed", "note", "effect", "flags"):
        if head[name]:
            yield name, head[name]
    if head["p_holm"] == head["p_holm"]:
        yield "p after Holm", f"{head['p_holm']:.3g}"
    for row in rows.to_dict("records"):
        name = "ours" if row["protocol"] == STUDY else row["protocol"]
        ours = ", ".join(
            part for part in (row["outcome"] if len(rows) > 1 else "", row["ours"]) if part
        )
        reason = f"({row['reason']})" if ours and row["reason"] else row["reason"]
        if row["outcome_requested"]:
            ours += (
                f"; judged by requested kernel values: {row['outcome_requested']},"
                f" {row['ours_requested']}"
            )
        yield name if ours else "reason", " ".join(filter(None, (ours, reason)))
    if head["ours_authors"]:
        yield (
            "authors' program, on another machine",
            f"{head['outcome_authors']}, {head['ours_authors']}",
        )
