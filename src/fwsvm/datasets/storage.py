"""Prepared data on disk: arrays that parallel jobs map into memory, and `meta.json`, written last.

Every data set has the same files, dense or sparse. `X_train.npy` holds the matrix itself or, of a sparse one, its
values; the two files of the sparse matrix' structure are empty where it is dense. `meta.json` has the size and a
checksum of each, compared whenever the data are opened. The checksum is of the whole file up to 64 MiB, and above of
64 blocks of 1 MiB from its beginning to its end, so that opening large data stays quick.
"""

import dataclasses
import json
import shlex
import zlib
from pathlib import Path

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.base.files import whole_file

META = "meta.json"
DENSE_DENSITY = 0.3
SMALL_VALUES = 100_000
_STRUCTURE = ("indices", "indptr")
ARRAYS = (
    "y_train.npy",
    "y_test.npy",
    *(f"{name}{part}.npy" for name in ("X_train", "X_test") for part in ("", ".indices", ".indptr")),
)
"""Names of the arrays of every prepared data set."""

_BLOCK, _BLOCKS = 2**20, 64
_NEEDED = {"m": int, "t": int, "n": int, "K": int, "storage": str, "digest": str, "sources": list, "arrays": dict}


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A prepared data set.

    Attributes
    ----------
    X_train, X_test : float64 ndarray (C order) or scipy.sparse.csr_matrix (int32 indices)
        Shapes (m, n) and (t, n).
    y_train, y_test : int64 ndarrays of class codes 0..K-1, the classes in ascending order of their labels
    meta : dict
        The content of `meta.json`.
    folder : Path
    """

    X_train: np.ndarray | scipy.sparse.csr_matrix
    y_train: np.ndarray
    X_test: np.ndarray | scipy.sparse.csr_matrix
    y_test: np.ndarray
    meta: dict
    folder: Path


def choose_storage(X_train):
    """``dense`` if over 30 % of the values are not zero, or they are 100,000 at most; else ``csr``."""
    values = X_train.shape[0] * X_train.shape[1]
    return "dense" if density(X_train) > DENSE_DENSITY or values <= SMALL_VALUES else "csr"


def density(X):
    """Share of the values that are not zero."""
    stored = X.count_nonzero() if scipy.sparse.issparse(X) else np.count_nonzero(X)
    return stored / max(1, X.shape[0] * X.shape[1])


def convert(X, storage):
    """The matrix as float64 C-ordered array (``dense``) or canonical CSR with int32 indices (``csr``)."""
    if storage == "dense":
        return np.ascontiguousarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64)
    X = scipy.sparse.csr_matrix(X, dtype=np.float64)
    X.sum_duplicates()
    X.eliminate_zeros()
    X.indices = X.indices.astype(np.int32, copy=False)
    if X.nnz <= np.iinfo(np.int32).max:
        X.indptr = X.indptr.astype(np.int32, copy=False)
    return X


def prepared_files(folder):
    """Every file of a prepared data set, as `write_prepared` leaves them, `meta.json` first."""
    return [Path(folder) / name for name in (META, *ARRAYS)]


def write_prepared(folder, X_train, y_train, X_test, y_test, meta):
    """Write the arrays and, when all are whole, `meta.json`.

    A `meta.json` of other data goes first. One that says the same stays, since each array is replaced by
    itself in one step: two processes may prepare the same data, and a third read them.

    Raises
    ------
    DataError
        The folder cannot be written: a file is in its place, the disk is full.
    """
    folder = Path(folder)
    arrays = {"y_train.npy": y_train, "y_test.npy": y_test}
    for name, X in (("X_train", X_train), ("X_test", X_test)):
        is_dense = meta["storage"] == "dense"
        arrays[f"{name}.npy"] = X if is_dense else X.data
        for part in _STRUCTURE:
            arrays[f"{name}.{part}.npy"] = np.zeros(0, dtype=np.int32) if is_dense else getattr(X, part)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not _says_the_same(folder, meta):
            (folder / META).unlink(missing_ok=True)
        for former in folder.glob("*.npy"):
            if former.name not in arrays:
                former.unlink(missing_ok=True)
        records = {name: _save(folder / name, array) for name, array in arrays.items()}
        with whole_file(folder / META) as temporary:
            text = json.dumps(meta | {"arrays": records}, indent=1, allow_nan=False)
            temporary.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise DataError(f"{folder}: prepared data cannot be written here: {error.strerror or error}") from error


def _says_the_same(folder, meta):
    """Whether the `meta.json` there is of the same data, their checksums aside."""
    try:
        former = read_meta(folder) or {}
    except DataError:
        return False
    return {key: value for key, value in former.items() if key != "arrays"} == json.loads(json.dumps(meta))


def read_meta(folder):
    """The content of `meta.json`, or None if the folder holds no whole prepared data.

    Raises
    ------
    DataError
        The file is damaged.
    """
    path = Path(folder) / META
    try:
        meta = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise _damaged(path, "is empty" if not path.stat().st_size else "is no whole JSON file") from error
    wrong = not isinstance(meta, dict) or any(not isinstance(meta.get(key), kind) for key, kind in _NEEDED.items())
    if wrong:
        raise _damaged(path, "is not what this version writes")
    return meta


def open_prepared(folder):
    """Open prepared data; the arrays are mapped into memory, so that processes share them.

    Raises
    ------
    DataError
        The folder has no `meta.json`: nothing was prepared there, or preparing was interrupted; or an array is
        missing, cut short, or another than was written.
    """
    folder = Path(folder)
    meta = read_meta(folder)
    if meta is None:
        raise DataError(f"{folder}: no prepared data here (no {META}); {_advice(folder)}")
    for name in ARRAYS:
        _check(folder / name, meta["arrays"].get(name))
    n = meta["n"]
    return Prepared(
        X_train=_load_matrix(folder, "X_train", (meta["m"], n), meta["storage"]),
        y_train=_load(folder / "y_train.npy"),
        X_test=_load_matrix(folder, "X_test", (meta["t"], n), meta["storage"]),
        y_test=_load(folder / "y_test.npy"),
        meta=meta,
        folder=folder,
    )


def wrong_sizes(folder):
    """Yield (path, what is wrong) of the damaged files of prepared data, as far as sizes say; a missing one is none."""
    folder = Path(folder)
    try:
        meta = read_meta(folder)
    except DataError as error:
        yield folder / META, str(error).removeprefix(f"{folder / META}: ").split(";")[0]
        return
    for name in ARRAYS if meta else ():
        expected, path = (meta["arrays"].get(name) or {}).get("bytes"), folder / name
        if path.is_file() and path.stat().st_size != expected:
            yield path, f"it has {path.stat().st_size} bytes, not {expected} as when it was written"


def _damaged(path, what):
    return DataError(f"{path}: {what}; {_advice(path.parent)}")


def _advice(folder):
    command = f"`rm -r {shlex.quote(str(folder))}`"
    return f"remove the folder with {command} and give the same command again, which prepares the data"


def _check(path, record):
    """Compare an array on disk with what `meta.json` has of it."""
    try:
        found = _record(path)
    except FileNotFoundError as error:
        raise _damaged(path, "is missing") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not isinstance(record, dict) or found["bytes"] != record.get("bytes"):
        expected = record.get("bytes") if isinstance(record, dict) else "an unknown number"
        raise _damaged(path, f"has {found['bytes']} bytes, not {expected} as when it was written")
    if found != record:
        raise _damaged(path, "is not the array that was written (wrong checksum)")


def _record(path):
    """Size and checksum of a file, as the head of this module describes it."""
    size, checksum = path.stat().st_size, 0
    if size <= _BLOCK * _BLOCKS:
        starts = range(0, size, _BLOCK)
    else:
        starts = np.linspace(0, size - _BLOCK, _BLOCKS).astype(np.int64).tolist()
    with open(path, "rb") as stream:
        for start in starts:
            stream.seek(start)
            checksum = zlib.crc32(stream.read(_BLOCK), checksum)
    return {"bytes": size, "crc32": f"{checksum:08x}"}


def _save(path, array):
    with whole_file(path) as temporary:
        with open(temporary, "wb") as stream:
            np.save(stream, array, allow_pickle=False)
        return _record(temporary)


def _load(path):
    """Copy-on-write: shared like a read-only map, but writeable in type.

    Compiled code would otherwise need a second variant for read-only arrays, and scipy cannot sort in
    place. What is written stays in this process.
    """
    try:
        array = np.load(path, mmap_mode="c", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path, f"cannot be read ({error})") from error
    return array.view(np.ndarray)


def _load_matrix(folder, name, shape, storage):
    if storage not in ("dense", "csr"):
        raise _damaged(folder / META, f"has the storage {storage!r}, not 'dense' or 'csr'")
    values = _load(folder / f"{name}.npy")
    if storage == "dense":
        X = values
    else:
        structure = [_load(folder / f"{name}.{part}.npy") for part in _STRUCTURE]
        try:
            X = scipy.sparse.csr_matrix((values, *structure), shape=shape, copy=False)
        except ValueError as error:
            raise _damaged(folder / f"{name}.npy", f"and its structure are no sparse matrix ({error})") from error
        X.has_canonical_format = True
    if X.shape != shape:
        raise _damaged(folder / f"{name}.npy", f"has the shape {X.shape}, not {shape} as {META} says")
    return X
