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


def read_whole_json(path: str | os.PathLike, kind: type = dict):
    """Content of a JSON file of results, compressed or not.

    Parameters
    ----------
    kind : {dict, list}
        What the content must be.

    Raises
    ------
    DataError
        If the file is missing or damaged: empty, cut short, or another thing; the message says what to do.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    try:
        return whole_json(gzip.decompress(content) if Path(path).suffix == ".gz" else content, kind)
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise damaged_result(path, str(error)) from error


def whole_json(content: bytes, kind: type = dict):
    """What a JSON file holds; a ValueError says what is wrong: it is empty, cut short, or another thing."""
    if not content:
        raise ValueError("it is empty")
    try:
        found = json.loads(content)
    except ValueError as error:
        raise ValueError(f"it is not a whole JSON file: {error}") from error
    if not isinstance(found, kind):
        raise ValueError(f"it holds a {type(found).__name__}, not a {kind.__name__}")
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
