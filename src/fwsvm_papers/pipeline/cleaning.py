"""Functions that remove the results of one profile, or the prepared data of one data set."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import time
from pathlib import Path

from fwsvm.inputs.errors import DataError, UserError
from fwsvm.inputs.files import UNFINISHED
from fwsvm_papers.datasets.prepare import PREPARED, RAW
from fwsvm_papers.datasets.schema import did_you_mean
from fwsvm_papers.datasets.storage import META, prepared_files
from fwsvm_papers.pipeline.config import RELEASED, check_name
from fwsvm_papers.result_files import read_whole_json

LOCKS = ".snakemake/locks"
_HASH = "[0-9a-f]{16}"
_HOUR_S = 3600


def check_unlocked() -> None:
    """Raise a UserError if Snakemake has locked the current folder, because a running job of
    Snakemake could need files that would be removed.
    """
    if Path(LOCKS).is_dir() and any(Path(LOCKS).iterdir()):
        advice = "wait until the run ends; if no run is active, use `.venv/bin/snakemake --unlock`"
        raise UserError(f"a run of Snakemake has locked this folder ({LOCKS}): {advice}")


def of_profile(profile: str, data_dir: str | Path) -> tuple[list[Path], dict[Path, list[str]]]:
    """Return the folders of a profile that can be removed, and a dict of folders that are shared.

    The folders of a profile contain its results, its figures, and prepared data that no other
    profile uses.

    The profile can share prepared data with other profiles. The dict maps each folder of shared
    data to the names of the other profiles.
    """
    if check_name(profile).lower() == RELEASED:
        raise UserError(
            f"results/{RELEASED} and figures/{RELEASED} are committed to the repository, so this"
            " command does not remove them"
        )
    known = {path.name for root in ("results", "figures") for path in Path(root).glob("*/")} - {
        RELEASED
    }
    if profile not in known:
        raise UserError(
            f"there is no folder results/{profile}; {did_you_mean(profile, sorted(known))}"
        )
    own, shared = _digests(profile), {}
    others = {name: _digests(name) for name in sorted(known - {profile})}
    folders = [path for root in ("results", "figures") if (path := Path(root, profile)).is_dir()]
    for folder in sorted(Path(data_dir, PREPARED).glob(f"*/*/{META}")):
        digest = _read(folder).get("digest")
        if digest in own:
            users = [name for name, digests in others.items() if digest in digests]
            if users:
                shared[folder.parent] = users
            else:
                folders.append(folder.parent)
    return folders, shared


def of_dataset(dataset: str, data_dir: str | Path) -> list[Path]:
    """List the folders with prepared data of a data set.

    There can be several folders, because the pipeline and `fwsvm train` use different folders, and
    each subset has its own folder.
    """
    root = Path(data_dir, PREPARED)
    names: dict[str, list[Path]] = {}
    folders = {path.parent for path in (*root.glob("*/*.npy"), *root.glob("*/*/*.npy"))}
    for folder in sorted(folders):
        names.setdefault(_name_in(folder), []).append(folder)
    if dataset not in names:
        raise UserError(
            f"{root} has no data of {dataset!r}; {did_you_mean(dataset, sorted(names))}"
        )
    return names[dataset]


def unfinished(data_dir: str | Path) -> list[Path]:
    """List the temporary files of raw and prepared data. Such a file remains if a process is killed
    while it writes.

    Files that changed within the last hour are left out, because a process can still write to them.
    """
    folders = Path(data_dir, RAW), Path(data_dir, PREPARED)
    found = [path for folder in folders for path in folder.rglob(f".*{UNFINISHED}")]
    return sorted(path for path in found if time.time() - path.lstat().st_mtime > _HOUR_S)


def size(folder: Path) -> int:
    """Return the total size (bytes) of the files that `remove` would remove from a folder. The
    argument can also be one file.
    """
    return sum(path.lstat().st_size for path in _files(folder))


def remove(folder: Path) -> None:
    """Remove a folder or a file.

    If the folder has prepared data, the files of these data are removed, and the folder is removed
    only if it has no other files. If the folder is a symbolic link, only the link is removed.
    """
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif _is_prepared(folder):
        for path in _files(folder):
            path.unlink()
        with contextlib.suppress(OSError):  # an error means that the folder has other files
            folder.rmdir()
    else:
        shutil.rmtree(folder)


def _files(folder: Path) -> list[Path]:
    if folder.is_symlink() or folder.is_file():
        return [folder]
    if _is_prepared(folder):
        return [path for path in prepared_files(folder) if path.is_file()]
    return [path for path in folder.rglob("*") if path.is_symlink() or path.is_file()]


def _is_prepared(folder: Path) -> bool:
    return any(path.is_file() for path in prepared_files(folder))


def _name_in(folder: Path) -> str:
    """Return the name of the data set whose arrays are in a folder.

    The name is read from `meta.json`. If `meta.json` does not give a name, it is the name of the
    folder without the hash at its end.
    """
    name = _read(folder / META).get("name")
    return name if isinstance(name, str) else re.sub(f"-{_HASH}$", "", folder.name)


def _read(path: Path) -> dict:
    """Return the mapping in a JSON file. If the file is damaged or missing, return an empty
    mapping.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digests(profile: str) -> set[str]:
    """Return the digests of the prepared data that the finished jobs of a profile used."""
    records = [
        _read(path).get("record") or {}
        for path in Path("results", profile, "cells").rglob("*.json")
    ]
    with contextlib.suppress(DataError):
        records += (
            read_whole_json(Path("results", profile, "provenance.json")).get("jobs", {}).values()
        )
    return {record["data_digest"] for record in records if record.get("data_digest")}
