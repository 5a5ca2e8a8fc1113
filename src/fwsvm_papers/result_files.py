"""Functions that write result files, and that check result files when they read them. A file is
written completely or not at all.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import shlex
import zlib
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.inputs.errors import DataError
from fwsvm.inputs.files import UNFINISHED, whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

CHECKSUM = "content_sha256"  # the key of the checksum in JSON files of results


def write_atomically(path: str | os.PathLike, content: bytes) -> None:
    """Write `content` to a temporary file and rename it to `path`, so that no incomplete file is
    visible.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def write_json(content: object, path: str | os.PathLike) -> None:
    """Write a JSON file completely or not at all.

    If `content` is a dict, the file also has a checksum of the dict, which `read_whole_json`
    checks.
    """
    content = with_checksum(content) if isinstance(content, dict) else content
    write_atomically(path, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())


def write_tables(tables: Mapping[str, bytes], record: dict, record_path: str | os.PathLike) -> None:
    """Write `tables`, a mapping from the path of each file to its content in bytes.

    Also write the JSON file `record_path`, with `record` and the checksums of the tables.
    """
    sums = {
        Path(path).name: hashlib.sha256(content).hexdigest() for path, content in tables.items()
    }
    write_json(record | {"sha256": sums}, record_path)
    for path, content in tables.items():
        write_atomically(path, content)


def remove_leftovers(*folders: str | os.PathLike) -> None:
    """Remove temporary files from `folders` and their subfolders. Such files remain if a process is
    killed while it writes.

    Call this function only while no process writes into these folders.
    """
    for folder in folders:
        for path in Path(folder).rglob(f".*{UNFINISHED}"):
            path.unlink(missing_ok=True)


def read_whole_json(path: str | os.PathLike, kind: type = dict) -> Any:
    """Return the content of a JSON file of results, without the checksum. The content must have the
    type `kind`. The file can be compressed (``.json.gz``).

    If there is no such file, or if the file is damaged, a DataError is raised. A file counts as
    damaged if it cannot be read, if it is not valid JSON, if its content has another type, or if
    its checksum is wrong. For a damaged file, the message says how to restore the file.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        found: Any = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise damaged_result(path, f"it is not valid JSON: {error}") from error
    if not isinstance(found, kind):
        raise damaged_result(
            path, f"its JSON value has type {type(found).__name__} instead of {kind.__name__}"
        )
    if not isinstance(found, dict) or CHECKSUM not in found:  # earlier versions wrote no checksums
        return found
    try:
        return without_checksum(found)
    except ValueError as error:
        raise damaged_result(path, str(error)) from error


def with_checksum(content: Mapping) -> dict:
    """Return a copy of a mapping with JSON types only (for example lists instead of arrays), and
    with the further key `CHECKSUM`.

    The value of this key is a hash of all other keys and their values.
    """
    plain = json.loads(json.dumps(content, default=lambda value: value.tolist()))
    return plain | {CHECKSUM: _checksum(plain)}


def without_checksum(content: Mapping) -> dict:
    """Return a mapping without its checksum. If the mapping has no checksum, or if its content was
    changed after the checksum was computed, raise a ValueError.
    """
    own = {name: value for name, value in content.items() if name != CHECKSUM}
    if CHECKSUM not in content:
        raise ValueError("it has no checksum")
    if content[CHECKSUM] != _checksum(own):
        raise ValueError("its content was changed after it was written")
    return own


def _checksum(content: Mapping) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def damaged_result(path: str | os.PathLike, what: str) -> DataError:
    """Return the error for a damaged result file. Its message says how to restore the file."""
    path, name = Path(path), shlex.quote(str(path))
    # The released results are committed to the repository, so git can restore them.
    committed = [Path(root, "released").resolve() for root in ("results", "figures")]
    if any(path.resolve().is_relative_to(folder) for folder in committed):
        advice = f"Restore it with `git checkout -- {name}`"
    else:
        # The command must name the damaged file. Without the name, Snakemake would not make this
        # file again as long as the files that are made from it exist.
        command = f"`.venv/bin/snakemake --cores all {name} --configfile FILE`"
        advice = (
            f"Remove it with `rm {name}`, and make it again with {command}, where FILE is the"
            " configuration of the run"
        )
    return DataError(f"{path}: the file is damaged: {what}. {advice}")


def delimited_text(frame: pd.DataFrame, separator: str = ",") -> str:
    """Return a table as text, with numbers in full precision."""
    # pandas writes floats in NumPy's print format. Some libraries switch the whole process to
    # NumPy's old print format, so the new format is set here.
    with np.printoptions(legacy=False):
        return frame.to_csv(sep=separator, index=False, lineterminator="\n")


def markdown_rows(header: Sequence, rows: Iterable[Sequence], align: Sequence[str]) -> str:
    """Return a Markdown table of texts. The caller must have escaped the special characters of
    Markdown in these texts.

    `align` has "l" (left) or "r" (right) for each column.
    """
    rule = ["---:" if side == "r" else "---" for side in align]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [header, rule, *rows])


def versions(*packages: str) -> dict[str, str | None]:
    """Return the versions of Python and of each package.

    The key of Python's version is "python". If a package is not installed, its version is None.
    """
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    return found


def hash_of_settings(settings: Any) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
