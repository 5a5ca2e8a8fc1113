"""`fwsvm summary`: the results of a run in one plain-text table."""

from pathlib import Path

from fwsvm.base.errors import UserError
from fwsvm.base.result_files import read_whole_json
from fwsvm.commands.checkout import add_profile_options, profile_of
from fwsvm.pipeline.artefacts import SKIPPED
from fwsvm.pipeline.inputs import read_inputs, released_inputs
from fwsvm.reporting.artefact import NotDrawableError
from fwsvm.studies.summary.artefacts import summary_text

_FIRST_TABLES = ("summary.md", "frandi2013-table2.md")
_FIRST_FIGURES = ("frandi2013-fig3.svg", "frandi2013-fig5.svg", "tsang2005-fig2.svg")


def configure(parser):
    add_profile_options(parser)
    parser.epilog = "To be run in the checkout, after the pipeline; `--profile released` shows the committed results."


def run(args):
    """Print the table."""
    profile = profile_of(args)
    folder = Path("results", profile)
    found = sorted(path.parent.name for path in Path("results").glob("*/runs.tsv*"))
    if profile not in found:
        there = f"results has runs of {', '.join(found)}" if found else "results has no runs"
        raise UserError(f"{folder}: there are no runs here (no runs.tsv); {there}; `make run` makes those of demo")
    files = {name: path for name, path in released_inputs(folder).items() if name in ("runs", "descriptions")}
    inputs = read_inputs(files)
    try:
        print(summary_text(inputs["runs"], inputs["descriptions"]))
    except NotDrawableError as error:
        print(f"no summary: it {error}")
    print()
    print("\n".join(_made(folder, Path("figures", profile), len(inputs["runs"]))))


def _made(folder, figures, runs):
    """Lines that list what the run has made, and what to open first."""
    tables, charts = sorted((folder / "tables").glob("*.md")), sorted(figures.glob("*.svg"))
    yield f"made: {runs} training runs in {folder}/runs.tsv, {len(tables)} tables in {folder}/tables,"
    yield f"      {len(charts)} figures in {figures}"
    if (folder / SKIPPED).is_file() and (skipped := read_whole_json(folder / SKIPPED)):
        what = "table or figure has" if len(skipped) == 1 else "tables and figures have"
        yield f"not drawn: {len(skipped)} {what} no data in this run; {folder}/{SKIPPED} gives the reasons"
    wanted = [figures / name for name in _FIRST_FIGURES if figures / name in charts] or charts
    first = [*(path for path in map((folder / "tables").joinpath, _FIRST_TABLES) if path in tables), *wanted[:1]]
    if first:
        yield "open first: " + "\n            ".join(map(str, first))
