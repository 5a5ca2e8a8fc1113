"""`fwsvm claims`: what the papers state in numbers, and whether our runs show it."""

import json
import shutil
import textwrap
from pathlib import Path

from fwsvm.claims.judging import OUTCOMES
from fwsvm.commands.results import DEFAULT_RUNS, require_checkout
from fwsvm.pipeline.claims import PAPERS, STUDY, evaluate_claims, paper_verdict, totals
from fwsvm.pipeline.inputs import read_inputs, released_inputs
from fwsvm.studies.benchmark.significance import test_protocols
from fwsvm.studies.registry import WITH_DETAILS

NARROWEST, WIDEST = 60, 120
"""Columns of the terminal between which lines are wrapped."""

_PARTS = ("threshold", "printed", "note", "effect", "flags")


def configure(parser):
    """Declare the arguments of the command on an `argparse.ArgumentParser`."""
    parser.add_argument(
        "--runs", default=DEFAULT_RUNS, metavar="DIR", help="folder with runs.tsv(.gz); default: %(default)s"
    )
    parser.add_argument("--paper", choices=list(PAPERS), help="only the claims of this paper")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    form.add_argument("--brief", action="store_true", help="print one sentence per paper, as a list in Markdown")
    parser.epilog = "To be run in the checkout. docs/results.md describes how a claim is judged."
    parser.set_defaults(run=run)


def run(args):
    """Evaluate and print. Returns 0."""
    if args.runs == DEFAULT_RUNS:
        require_checkout("claims", DEFAULT_RUNS)
    files = released_inputs(Path(args.runs))
    inputs = read_inputs({name: files[name] for name in ("runs", "tests", *WITH_DETAILS) if name in files})
    runs = inputs.pop("runs")
    tests = inputs.pop("tests") if "tests" in inputs else test_protocols(runs)
    table = evaluate_claims(runs, tests, inputs)
    if args.paper:
        table = table[table["paper"] == args.paper]
    if args.json:
        claims = json.loads(table.to_json(orient="records"))
        content = {"claims": claims, "totals": totals(table).to_dict("records")}
        print(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))
    elif args.brief:
        print("\n".join(f"* {paper_verdict(table, paper)}" for paper in table["paper"].unique()))
    else:
        print(format_claims(table, min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)))
    return 0


def format_claims(table, width):
    """Lay claims out as text: a block per claim, a section per paper, and the totals at the end."""
    lines = []
    for paper, of_paper in table.groupby("paper", sort=False):
        lines += [*textwrap.wrap(paper_verdict(table, paper), width), "=" * min(width, 60), ""]
        for claim_id, group in of_paper.groupby("id", sort=False):
            lines += [*_block(claim_id, group.to_dict("records"), width), ""]
    lines += ["totals", "======"]
    counted = totals(table)
    names = [f"{r['paper']} {'' if r['protocol'] == STUDY else r['protocol']}" for r in counted.to_dict("records")]
    text = counted[list(OUTCOMES)].set_axis(names).to_string(col_space=8)
    return "\n".join([*lines, *(line.rstrip() for line in text.splitlines())])


def _block(claim_id, rows, width):
    first = next(row for row in rows if row["headline"])
    yield f"{claim_id}: {first['outcome']}"
    yield from _wrapped("", first["statement"], width)
    for name in _PARTS:
        if first[name]:
            yield from _wrapped(f"{name}: ", first[name], width)
    if first["p_holm"] == first["p_holm"]:
        yield from _wrapped("p after Holm: ", f"{first['p_holm']:.3g}", width)
    for row in rows:
        name = "ours" if row["protocol"] == STUDY else row["protocol"]
        ours = ", ".join(part for part in (row["outcome"] if len(rows) > 1 else "", row["ours"]) if part)
        reason = f"({row['reason']})" if ours and row["reason"] else row["reason"]
        yield from _wrapped(f"{name if ours else 'why'}: ", " ".join(filter(None, (ours, reason))), width)


def _wrapped(label, text, width):
    return textwrap.wrap(
        text, width, initial_indent=f"  {label}", subsequent_indent=" " * (4 if label else 2), break_on_hyphens=False
    )
