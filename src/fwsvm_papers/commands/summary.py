"""The command `fwsvm summary`, which prints the results of a run in one table. This module also has
the overview that is shown after a run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm_papers.commands.checkout import add_profile_options, chosen_profile
from fwsvm_papers.pipeline.artefacts import read_inputs, released_inputs
from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.reporting.text import counted, listing
from fwsvm_papers.site.comparison import answers
from fwsvm_papers.site.content import Content
from fwsvm_papers.site.pages import Pages
from fwsvm_papers.studies.benchmark.grid_ends import advice, ends_by_dataset
from fwsvm_papers.studies.summary.artefacts import summary_text

if TYPE_CHECKING:
    import argparse

_COMPARED = 3  # number of data sets on which the end of a run compares FW with CVM


def configure(parser: argparse.ArgumentParser) -> None:
    add_profile_options(parser)
    parser.set_defaults(run=_summary)


def _summary(args: argparse.Namespace) -> None:
    profile = chosen_profile(args)
    print(overview(f"results/{profile}", f"figures/{profile}", most_lines=float("inf")))
    print(*advice(ends_by_dataset(f"results/{profile}")), sep="\n")


def overview(results: str | Path, figures: str | Path, most_lines: float = 60) -> str:
    """Return a text that says where the files of a run are.

    If the summary of the run has at most `most_lines` lines, the text begins with the summary and
    the main results.
    """
    folder, figures = Path(results), Path(figures)
    files = released_inputs(folder)
    inputs = read_inputs({name: files[name] for name in ("runs", "descriptions")})
    try:
        summary = summary_text(inputs["runs"], inputs["descriptions"])
    except NotDrawableError as error:
        summary = f"no summary, because the summary {error}"
    content = Content(folder, figures)
    lines = []
    if summary.count("\n") < most_lines:
        outcome = _outcome(content)
        lines = [summary, "", *outcome] if outcome else [summary]
    page = folder / "site/index.html"
    tables = folder / "tables"
    drawn = [one for variants in content.drawn.values() for one in variants]
    charts = sum(one.data.kind == "figure" for one in drawn)
    lines += ["", f"browse     {page.resolve().as_uri()}"] if page.is_file() else [""]
    lines.append(
        f"tables     {len(drawn) - charts} in {tables}; the summary is {tables / 'summary.md'}"
    )
    lines += (
        [f"figures    {charts} in {figures}; the list is {figures / 'README.md'}"] if charts else []
    )
    lines.append(f"runs       {len(inputs['runs']):,} in {files['runs']}")
    if content.missing:
        lines.append(f"left out   data sets that are not available: {listing(content.missing)}")
    if content.skipped:
        lines.append(
            f"not drawn  {len(content.skipped)} tables or figures, because the run has no data for"
            " them; the JSON file of each table or figure names the missing data"
        )
    return "\n".join(lines)


def _outcome(content: Content) -> list[str]:
    """Return lines that compare FW with CVM on the first three data sets, under at most three
    protocols each, and lines that count the reproduced statements of the papers.

    If there are more data sets, a line says how many, and where they are. If the verdicts of the
    released run are known, a line with their count is added.
    """
    pages, lines = Pages(content), []
    compared = [
        (name, rows, found)
        for name, rows in pages.table.groupby("dataset", sort=False)
        if (found := answers(rows, "fw"))
    ]
    for name, rows, found in compared[:_COMPARED]:
        times = rows.drop_duplicates("method").set_index("method")["printed_time"]
        for place, (words, fast, own, cvm) in enumerate(found[:3]):
            printed = (
                f" (printed {times['cvm'] / times['fw']:.2g})"
                if times["cvm"] * times["fw"] > 0
                else ""
            )
            if place:
                lines.append(f"  {words}: FW is {fast} as fast as CVM{_far(FW=own, CVM=cvm)}")
            else:
                lines.append(
                    f"{name}, {words}: FW is {fast} as fast as CVM{printed}{_far(FW=own, CVM=cvm)}"
                )
                accuracies = own["accuracy"], cvm["accuracy"]
                lines.append("  accuracy: FW {:.1f} %, CVM {:.1f} %".format(*accuracies))
    if others := compared[_COMPARED:]:
        page = content.results / "site/summary.html"
        words = counted(len(others), "more data set")
        lines.append(f"{words}: times in the table above, speed-ups in {page}")
    return [*lines, *_statements(pages.claims)]


def _far(**rows: dict) -> str:
    """Return a text that names the methods that stopped at a relative gap above 1. If there are no
    such methods, return an empty text.
    """
    far = [label for label, row in rows.items() if row["relative_gap"] > 1]
    return (
        f"; {listing(far)} stopped with a relative gap above 1, that is, far from the optimum"
        if far
        else ""
    )


def _statements(claims: list[dict]) -> list[str]:
    """Return lines with the number of statements that a run reproduces, and with the number that
    the released run reproduces.
    """
    tested = [claim for claim in claims if claim["verdict"] != "not run"]
    if not tested:
        return []
    count = sum(claim["verdict"] == "reproduced" for claim in tested)
    line = (
        f"This run reproduces {count} of the {len(tested)} statements of the papers that it can"
        " test."
    )
    released = [dict(claim["beside"]).get("released run") for claim in tested]
    known = [verdict for verdict in released if verdict]
    if not known:
        return [line]
    differing = sum(claim["differs"] for claim in tested)
    return [
        f"{line} The released run reproduces {known.count('reproduced')} of these {len(known)}.",
        f"  {counted(differing, 'verdict')} differ{'s' * (differing == 1)} from those of the"
        " released run, because this run is small. The verdicts of the released run are the valid"
        " ones.",
    ]
