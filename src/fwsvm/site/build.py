"""Writing the report."""

from __future__ import annotations

import os
from pathlib import Path

from fwsvm.base.result_files import write_atomically
from fwsvm.site.content import Content
from fwsvm.site.pages import Pages

ENTRY = "index.html"


def write_site(results: str | os.PathLike, figures: str | os.PathLike, folder: str | os.PathLike) -> Path:
    """Write the report of a run into a folder; it needs no network and opens from a file.

    Parameters
    ----------
    results, figures : path-like
        ``results/<profile>`` and ``figures/<profile>``.
    folder : path-like
        What an earlier report left there goes.

    Returns
    -------
    Path
        The entry page.

    Raises
    ------
    UserError
        If there are no runs in `results`.
    """
    folder = Path(folder)
    files = {folder / name: text for name, text in Pages(Content(results, figures)).files()}
    for path in [path for path in folder.rglob("*") if path.is_file() and path not in files]:
        path.unlink()
    for path, text in files.items():
        write_atomically(path, text if isinstance(text, bytes) else text.encode())
    return folder / ENTRY
