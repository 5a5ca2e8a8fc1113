"""`fwsvm claims`: what the papers state in numbers, and whether our runs show it."""

import json
import shutil
import textwrap
from pathlib import Path

import pandas as pd

from fwsvm.commands.checkout import require_checkout
from fwsvm.pipeline.claims import HEADLINE, OUTCOMES, PAPERS, STUDY, evaluate_claims, totals
from fwsvm.pipeline.release import released_inputs
from fwsvm.runs.details import read_details
from fwsvm.runs.table import read_runs
from fwsvm.studies.benchmark.significance import test_selections
from fwsvm.studies.registry import WITH_DETAILS

DEFAULT_RUNS = "results/released"
NARROWEST, WIDEST = 60, 120
"""Columns of the terminal between which lines are wrapped."""


def configure(parser):
    """Declare the arguments of the command on an `argparse.ArgumentParser`."""
    parser.add_argument(
        "--runs", default=DEFAULT_RUNS, metavar="DIR", help="folder with runs.tsv(.gz); default: %(default)s"
    )
    parser.add_argument("--paper", choices=list(PAPERS), help="only the claims of this paper")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.epilog = "To be run in the checkout. docs/claims.md says how a claim is judged."


def run(args):
    """Evaluate and print. Returns 0."""
    if args.runs == DEFAULT_RUNS:
        require_checkout("claims", DEFAULT_RUNS)
    files = released_inputs(Path(args.runs))
    runs = read_runs(files["runs"])
    tests = pd.read_csv(files["tests"], sep="\t") if "tests" in files else test_selections(runs)
    details = {name: read_details(files[name]) for name in WITH_DETAILS if name in files}
    table = evaluate_claims(runs, tests, details)
    if args.paper:
        table = table[table["paper"] == args.paper]
    if args.json:
        content = {"claims": table.to_dict("records"), "totals": totals(table).to_dict("records")}
        print(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        width = min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)
        print(format_claims(table, width))
    return 0


def format_claims(table, width):
    """Lay claims out as text.

    Parameters
    ----------
    table : DataFrame
        Result of `evaluate_claims`, or some of its rows.
    width : int
        Characters of a line.

    Returns
    -------
    str
        A block per claim, a section per paper, and the totals at the end.
    """
    lines = []
    for paper, of_paper in table.groupby("paper", sort=False):
        lines += [f"{paper}", "=" * len(paper), ""]
        for claim_id, group in of_paper.groupby("id", sort=False):
            lines += [*_block(claim_id, group.to_dict("records"), width), ""]
    return "\n".join([*lines, *_totals(totals(table), width)])


def _block(claim_id, rows, width):
    first = next(row for row in rows if row["headline"])
    yield f"{claim_id}: {first['outcome']}"
    yield from _wrapped("", first["statement"], width)
    yield from _wrapped("rule: ", first["rule"], width)
    if first["printed"]:
        yield from _wrapped("printed: ", first["printed"], width)
    if first["note"]:
        label = "note (printed numbers contradict each other): " if first["printed_inconsistent"] else "note: "
        yield from _wrapped(label, first["note"], width)
    for row in rows:
        name = "ours" if row["selection"] == STUDY else row["selection"]
        said = ", ".join(part for part in (row["outcome"] if len(rows) > 1 else "", row["ours"]) if part)
        reason = f"({row['reason']})" if said and row["reason"] else row["reason"]
        yield from _wrapped(f"{name if said else 'why'}: ", " ".join(filter(None, (said, reason))), width)


def _wrapped(label, text, width):
    return textwrap.wrap(
        text, width, initial_indent=f"  {label}", subsequent_indent=" " * (4 if label else 2), break_on_hyphens=False
    )


def _totals(counted, width):
    yield from ("totals", "======")
    names = [f"{row['paper']} {'' if row['selection'] == STUDY else row['selection']}".strip()
             for row in counted.to_dict("records")]  # fmt: skip
    wide = max(map(len, names))
    yield " " * wide + "".join(f"  {outcome:>14}" for outcome in OUTCOMES)
    for name, row in zip(names, counted.to_dict("records"), strict=True):
        yield f"{name:<{wide}}" + "".join(f"  {row[outcome]:>14}" for outcome in OUTCOMES)
    yield from textwrap.wrap(f"The headline takes {HEADLINE} for claims about the benchmark.", width)
