"""Functions that write and open prepared data, which consist of array files and the file
`meta.json`. Parallel jobs map the array files into memory.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
import scipy.sparse

from fwsvm.inputs.errors import DataError
from fwsvm.inputs.files import CHUNK, whole_file
from fwsvm_papers.result_files import with_checksum, without_checksum

Features = np.ndarray | scipy.sparse.csr_matrix
META = "meta.json"
_STRUCTURE = ("indices", "indptr")
ARRAYS = (
    "y_train.npy",
    "y_test.npy",
    *(
        f"{name}{part}.npy"
        for name in ("X_train", "X_test")
        for part in ("", ".indices", ".indptr")
    ),
)


Points: TypeAlias = np.ndarray | scipy.sparse.csr_matrix


@dataclasses.dataclass(frozen=True)
class Built:
    """The points (float64, dense or CSR) and the labels of a data set, with facts about how the
    data set was built. Without a test part, `X_test` and `y_test` are None.
    """

    X_train: Points
    y_train: np.ndarray
    X_test: Points | None = None
    y_test: np.ndarray | None = None
    facts: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A prepared data set, with its arrays, the content of its `meta.json`, and the folder of its
    files. The labels `y_train` and `y_test` are positions in the list ``meta["classes"]``.
    """

    X_train: Points
    y_train: np.ndarray
    X_test: Points
    y_test: np.ndarray
    meta: dict
    folder: Path


def require_two_classes(prepared: Prepared, study: str) -> None:
    """Raise a DataError if the data set does not have two classes."""
    name, classes = prepared.meta["name"], len(prepared.meta["classes"])
    if classes != 2:
        raise DataError(
            f"{name} has {classes} classes, but the study {study} needs two; remove {name} from the"
            " study's list of data sets"
        )


def two_largest_classes(prepared: Prepared) -> list:
    """Return X, y, X_test, y_test of the two largest training classes.

    The two largest classes are those with the most training points. In y and y_test, +1 replaces
    the larger of the two labels, and -1 replaces the other label.
    """
    y, y_test = np.asarray(prepared.y_train), np.asarray(prepared.y_test)
    labels, counts = np.unique(y, return_counts=True)
    first, second = sorted(labels[np.argsort(-counts, kind="stable")[:2]], reverse=True)
    parts = []
    for X, given in ((prepared.X_train, y), (prepared.X_test, y_test)):
        kept = np.flatnonzero((given == first) | (given == second))
        whole = len(kept) == len(given)
        parts += [X if whole else X[kept], np.where(given[kept] == first, 1.0, -1.0)]
    return parts


def prepared_files(folder: str | Path) -> list[Path]:
    """List the files of a prepared data set, `meta.json` first."""
    return [Path(folder) / name for name in (META, *ARRAYS)]


def write_prepared(
    folder: str | Path,
    X_train: Points,
    y_train: np.ndarray,
    X_test: Points,
    y_test: np.ndarray,
    meta: dict,
) -> None:
    """Write prepared data to a folder.

    If there is an old `meta.json`, it is removed before the arrays are written. The new `meta.json`
    is written after the arrays. Therefore, `meta.json` exists only if all arrays are complete.
    """
    folder = Path(folder)
    arrays = {"y_train.npy": y_train, "y_test.npy": y_test}
    for name, X in (("X_train", X_train), ("X_test", X_test)):
        is_dense = meta["storage"] == "dense"
        arrays[f"{name}.npy"] = np.asarray(X if is_dense else X.data)
        for part in _STRUCTURE:
            arrays[f"{name}.{part}.npy"] = (
                np.zeros(0, dtype=np.int32) if is_dense else getattr(X, part)
            )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / META).unlink(missing_ok=True)
    for name, array in arrays.items():
        with whole_file(folder / name) as temporary, open(temporary, "wb") as stream:
            np.save(stream, array, allow_pickle=False)
    meta = with_checksum(meta | {"crc32": {name: _crc32(folder / name) for name in arrays}})
    with whole_file(folder / META) as temporary:
        temporary.write_text(json.dumps(meta, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read_meta(folder: str | Path) -> dict:
    """Return the content of `meta.json` in a folder. If the file is missing or damaged, raise a
    DataError.
    """
    path = Path(folder) / META
    with _damaged(path):
        meta = json.loads(path.read_text(encoding="utf-8"))
        if not {"m", "t", "n", "K", "storage", "digest", "sources", "crc32"} <= meta.keys():
            raise ValueError("a key is missing; perhaps another version of fwsvm wrote the file")
        return without_checksum(meta)


def open_prepared(folder: str | Path) -> Prepared:
    """Return the prepared data in a folder. The arrays are mapped into memory, so that several
    processes share this memory. If a file is missing or damaged, raise a DataError.
    """
    folder = Path(folder)
    meta = read_meta(folder)
    for name in ARRAYS:
        with _damaged(folder / name):
            if _crc32(folder / name) != meta["crc32"].get(name):
                raise ValueError(
                    "the content of the file has changed since the data set was prepared"
                )
    m, t, n = meta["m"], meta["t"], meta["n"]
    return Prepared(
        X_train=_load_matrix(folder, "X_train", (m, n), meta["storage"]),
        y_train=_load(folder / "y_train.npy"),
        X_test=_load_matrix(folder, "X_test", (t, n), meta["storage"]),
        y_test=_load(folder / "y_test.npy"),
        meta=meta,
        folder=folder,
    )


@contextlib.contextmanager
def _damaged(path: str | Path) -> Iterator[None]:
    """Turn an error in the `with` block into a DataError that names the damaged file."""
    try:
        yield
    except (OSError, ValueError, EOFError, AttributeError) as error:
        raise DataError(f"{path} is missing or damaged ({error})") from error


def _crc32(path: Path) -> int:
    """Return the CRC-32 checksum of a file.

    The function reads the whole file, which takes about 0.4 s per GB. After that, the file is in
    the cache of the operating system, so training reads it faster.
    """
    checksum = 0
    with open(path, "rb") as stream:
        while chunk := stream.read(CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return checksum


def _load(path: Path) -> np.ndarray:
    """Return the array in a file, mapped into memory in the mode copy-on-write.

    Processes share the memory of the array until one of them writes to it. The mode read-only is
    not used, because read-only arrays have another numba type, for which the loops would be
    compiled again.
    """
    with _damaged(path):
        return np.load(path, mmap_mode="c", allow_pickle=False).view(np.ndarray)


def _load_matrix(folder: Path, name: str, shape: tuple[int, int], storage: str) -> Points:
    path = folder / f"{name}.npy"
    if storage == "dense":
        return _load(path)
    parts = _load(path), *(_load(folder / f"{name}.{part}.npy") for part in _STRUCTURE)
    with _damaged(path):
        X = scipy.sparse.csr_matrix(parts, shape=shape, copy=False)
        X.has_canonical_format = True
        return X
