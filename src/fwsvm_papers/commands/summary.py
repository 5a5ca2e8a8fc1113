"""Print the results of a run in one table (`fwsvm summary`), and the overview after a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm_papers.commands.checkout import add_profile_options, chosen_profile
from fwsvm_papers.pipeline.artefacts import read_inputs, released_inputs
from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.site.comparison import answers
from fwsvm_papers.site.content import Content
from fwsvm_papers.site.pages import Pages
from fwsvm_papers.studies.benchmark.grid_ends import advice, ends_by_dataset
from fwsvm_papers.studies.summary.artefacts import summary_text

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    add_profile_options(parser)
    parser.set_defaults(run=_summary)


def _summary(args: argparse.Namespace) -> None:
    profile = chosen_profile(args)
    print(overview(f"results/{profile}", f"figures/{profile}", most_lines=float("inf")))
    print(*advice(ends_by_dataset(f"results/{profile}")), sep="\n")


def overview(results: str | Path, figures: str | Path, most_lines: float = 60) -> str:
    """List the files of a run.

    If its summary has at most `most_lines` lines, put it and the main results first.
    """
    folder, figures = Path(results), Path(figures)
    files = released_inputs(folder)
    inputs = read_inputs({name: files[name] for name in ("runs", "descriptions")})
    try:
        summary = summary_text(inputs["runs"], inputs["descriptions"])
    except NotDrawableError as error:
        summary = f"no summary: it {error}"
    content = Content(folder, figures)
    lines = [summary, "", *_findings(content)] if summary.count("\n") < most_lines else []
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
    if content.skipped:
        lines.append(
            f"not drawn  {len(content.skipped)} tables or figures without data; the file of each"
            " gives the reason"
        )
    return "\n".join(lines)


def _findings(content: Content) -> list[str]:
    """Compare FW with CVM on the first three data sets, and count the papers' statements that
    are reproduced.
    """
    pages, lines = Pages(content), []
    for name, rows in list(pages.table.groupby("dataset", sort=False))[:3]:
        times = rows.drop_duplicates("method").set_index("method")["printed_time"]
        for place, (words, fast, own, cvm) in enumerate(answers(rows, "fw")[:3]):
            printed = (
                f" (printed {times['cvm'] / times['fw']:.2g})"
                if times["cvm"] * times["fw"] > 0
                else ""
            )
            shown = (
                f"{printed}, with {own['accuracy']:.1f} % accuracy (CVM: {cvm['accuracy']:.1f} %)"
            )
            lines.append(
                f"  {fast} as fast: {words}"
                if place
                else f"{name}: FW is {fast} as fast as CVM{shown}: {words}"
            )
    verdicts = [claim["verdict"] for claim in pages.claims if claim["verdict"] != "not run"]
    reproduced = f"{verdicts.count('reproduced')} of the {len(verdicts)}"
    return (
        [*lines, f"reproduced: {reproduced} statements that this run can test"]
        if verdicts
        else lines
    )
