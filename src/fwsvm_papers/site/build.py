"""Functions that write the report of a run, and the gallery of its figures. The gallery is a file
README.md, which GitHub shows.
"""

import os
from pathlib import Path

from fwsvm.inputs.errors import UserError
from fwsvm_papers.reporting.tables import ArtefactData, read_artefact_data
from fwsvm_papers.result_files import write_atomically
from fwsvm_papers.site import markup
from fwsvm_papers.site.content import Content
from fwsvm_papers.site.pages import Pages
from fwsvm_papers.studies.about import BEYOND, about, artefacts, papers

GALLERY = "README.md"
_FIRST = "<!-- Written by "  # the first words of each gallery
_HEAD = (
    _FIRST
    + """\
{by}. -->

# Figures

Each figure of the papers is drawn from our runs, with the printed numbers next to ours. The title
of a picture leads to its caption and its numbers. `make report` writes pages with all figures,
tables, statements and runs.
"""
)


def write_site(
    results: str | os.PathLike,
    figures: str | os.PathLike,
    folder: str | os.PathLike,
    docs: str = "",
) -> Path:
    """Write the report of a run into `folder`, and return the path of its first page.

    If `docs` is not empty, it is the address of the documentation, and the pages have a link to it.
    Files in the folder that are not part of the new report are removed.
    """
    folder = Path(folder)
    files = {folder / name: text for name, text in Pages(Content(results, figures), docs).files()}
    for path in [path for path in folder.rglob("*") if path.is_file() and path not in files]:
        path.unlink()
    for path, text in files.items():
        write_atomically(path, text if isinstance(text, bytes) else text.encode())
    return folder / "index.html"


def check_gallery(figures: str | os.PathLike) -> None:
    """Raise a UserError if the folder of figures has a ``README.md`` that is not a gallery."""
    path = Path(figures, GALLERY)
    if path.is_file() and not path.read_bytes().startswith(_FIRST.encode()):
        raise UserError(
            f"{path} was not written by fwsvm and would be replaced; name another folder of figures"
        )


def write_gallery(figures: str | os.PathLike, by: str = "the pipeline") -> Path:
    """Write ``README.md`` into a folder of figures. `by` says what wrote it.

    The file shows the pictures of each paper, and the pictures beyond the papers, with their titles
    and findings. A picture without a finding has the first sentence of its caption instead.
    """
    figures = Path(figures)
    data = {path.stem: read_artefact_data(path) for path in sorted(figures.glob("*.json"))}
    known = [name for name in artefacts() if name in data]
    order = [*known, *sorted(set(data) - set(known))]
    parts = [_HEAD.format(by=by)]
    for paper in (BEYOND, *papers()):
        rows = [
            row
            for name in order
            if about(name).paper == paper and (row := _row(figures, data[name]))
        ]
        title = papers()[paper]["short"] if paper in papers() else "Beyond the papers"
        if rows:
            parts.append("\n".join([f"## {title}", "", "| | |", "| --- | --- |", *rows, ""]))
    write_atomically(figures / GALLERY, "\n".join(parts).encode())
    return figures / GALLERY


def _row(figures: Path, data: ArtefactData) -> str:
    """Return a row of the gallery.

    Return an empty string instead if the artefact was skipped, is a variant, or has no picture.
    """
    files = [figures / f"{data.id}{ending}" for ending in (".svg", ".png")]
    picture = next((file for file in files if file.is_file()), None)
    if data.skipped or data.protocol or picture is None:
        return ""
    entry = about(data.id)
    takeaway = data.finding or markup.first_sentence(data.words)
    takeaway = takeaway.replace("`", "").replace("|", "\\|")
    number = f"{entry.number}. " if entry.number else ""
    image = (
        f'<a href="{picture.name}"><img src="{picture.name}" width="320" alt="{entry.title}"></a>'
    )
    return f"| {image} | **{number}[{entry.title}]({data.id}.md)**<br>{takeaway} |"
