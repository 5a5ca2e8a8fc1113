"""Copy the results and figures of a full run, in files that are small enough to be committed."""

import gzip
from pathlib import Path

from fwsvm.base.errors import UserError
from fwsvm.base.result_files import read_whole_json, write_atomically
from fwsvm.pipeline.config import check_name
from fwsvm.pipeline.inputs import read_inputs, released_inputs
from fwsvm.studies.registry import WITH_DETAILS

LARGEST_FILE = 2_000_000  # bytes
LARGEST_SUM = 20_000_000  # in bytes, of all released files together

_FOLDERS = ("describe", "params", "params-poly", "tables")
_ENDINGS = (".tsv", ".json", ".csv", ".md", ".tex", ".png")

LISTING = "files.txt"  # This file lists the files of a release. The next release removes only these.


def release(profile, name):
    """Copy the results and figures of a profile; return the files written."""
    results, figures = Path("results", check_name(profile)), Path("figures", profile)
    to_results, to_figures = Path("results", check_name(name)), Path("figures", name)
    if not (results / "runs.tsv").is_file():
        raise UserError(f"{results} has no runs.tsv, so there is nothing to release; run the pipeline first")
    if results.resolve() == to_results.resolve() or (to_results / "cells").exists():
        raise UserError(f"{to_results} has the results of a run, which a release would replace; choose another name")
    contents = {to_results / path: content for path, content in _results(results).items()}
    contents |= {to_figures / path: content for path, content in figures_to_release(figures).items()}
    check_sizes(contents)
    listing = to_results / LISTING
    outdated = set(map(Path, listing.read_text().splitlines())) - set(contents) if listing.is_file() else set()
    for path in outdated:
        if path.parts[:2] in (to_results.parts, to_figures.parts) and ".." not in path.parts:
            path.unlink(missing_ok=True)
    for path, content in contents.items():
        write_atomically(path, content)
    write_atomically(listing, "".join(f"{path.as_posix()}\n" for path in sorted(contents)).encode())
    return sorted(contents)


def _results(folder):
    """Map the path of each released result file to its content. Damaged files raise an error."""
    read_inputs(released_inputs(folder))
    files = list(folder.iterdir())
    for name in _FOLDERS:
        files += (folder / name).rglob("*")
    contents = {}
    for path in sorted(path for path in files if path.suffix in _ENDINGS):
        if path.suffix == ".json":
            read_whole_json(path, list if path.stem in WITH_DETAILS else dict)
        content, name = path.read_bytes(), path.relative_to(folder).as_posix()
        large = len(content) > LARGEST_FILE
        contents[name + ".gz" * large] = gzip.compress(content, mtime=0) if large else content
    return contents


def figures_to_release(folder):
    """Map file names to contents: every caption that has a picture, the picture, and its numbers."""
    contents = {}
    for caption in sorted(Path(folder).glob("*.md")):
        pictures = [path for path in map(caption.with_suffix, (".svg", ".png")) if path.is_file()]
        if not pictures:  # It is a gallery, or its picture is missing.
            continue
        picture = next((path for path in pictures if path.stat().st_size <= LARGEST_FILE), pictures[-1])
        numbers = caption.with_suffix(".csv")
        contents |= {path.name: path.read_bytes() for path in (picture, numbers) if path.is_file()}
        contents[caption.name] = caption.read_bytes().replace(
            f"({caption.stem}.svg)".encode(), f"({picture.name})".encode()
        )
    return contents


def check_sizes(contents):
    """Refuse files that are too large to be committed."""
    if large := [str(path) for path, content in contents.items() if len(content) > LARGEST_FILE]:
        raise UserError(f"too large to release (at most {LARGEST_FILE / 1e6:g} MB each): {', '.join(large)}")
    if (total := sum(map(len, contents.values()))) > LARGEST_SUM:
        raise UserError(f"{total / 1e6:.1f} MB are too much to release (at most {LARGEST_SUM / 1e6:g} MB together)")
