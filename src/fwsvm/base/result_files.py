"""Result files: written whole or not at all, and damage is noticed when they are read."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import zlib
from pathlib import Path

from fwsvm.base.errors import DataError
from fwsvm.base.files import whole_file


def write_atomically(path: str | os.PathLike, content: bytes) -> None:
    """Write `content` to `path` under a temporary name first, so that nobody ever finds half a file."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def read_whole_json(path: str | os.PathLike, kind: type | None = None):
    """Content of a JSON file of results, compressed or not.

    Parameters
    ----------
    kind : type, optional
        ``dict`` or ``list``: what the content must be.

    Raises
    ------
    DataError
        If the file is missing or damaged: empty, cut short, or another thing; the message says what to do.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    if not content:
        raise damaged_result(path, "it is empty")
    try:
        found = json.loads(gzip.decompress(content) if Path(path).suffix == ".gz" else content)
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise damaged_result(path, f"it is not a whole JSON file: {error}") from error
    if kind is not None and not isinstance(found, kind):
        raise damaged_result(path, f"it holds a {type(found).__name__}, not a {kind.__name__}")
    return found


def damaged_result(path: str | os.PathLike, what: str) -> DataError:
    """Return the error of a damaged file of results, which names the command that makes it again."""
    path = Path(path)
    if "released" in path.parts:
        advice = f"`git checkout -- {shlex.quote(str(path))}` brings it back"
    else:
        # As a target: Snakemake does not miss an intermediate file while everything made from it is there.
        name = shlex.quote(str(path))
        advice = f"remove it with `rm {name}` and make it again with `snakemake --cores all {name} --configfile FILE`"
        advice += ", where FILE is the configuration of the run"
    return DataError(f"{path}: the file is damaged: {what}; {advice}")
