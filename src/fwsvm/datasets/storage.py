"""Prepared data on disk: arrays that parallel jobs map into memory, and `meta.json`, written last."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import scipy.sparse

from fwsvm.errors import DataError
from fwsvm.files import whole_file

META = "meta.json"
DENSE_DENSITY = 0.3
SMALL_VALUES = 100_000
_CSR_PARTS = ("data", "indices", "indptr")


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


def write_prepared(folder, X_train, y_train, X_test, y_test, meta):
    """Write the arrays and, when all are whole, `meta.json`.

    A `meta.json` of other data goes first. One that says the same stays, since each array is replaced by
    itself in one step: two processes may prepare the same data, and a third read them.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(meta, indent=1, allow_nan=False) + "\n"
    meta_file = folder / META
    if not meta_file.is_file() or meta_file.read_bytes() != text.encode():
        meta_file.unlink(missing_ok=True)
    arrays = {"y_train.npy": y_train, "y_test.npy": y_test}
    for name, X in (("X_train", X_train), ("X_test", X_test)):
        if meta["storage"] == "dense":
            arrays[f"{name}.npy"] = X
        else:
            arrays |= {f"{name}.{part}.npy": getattr(X, part) for part in _CSR_PARTS}
    for former in folder.glob("*.npy"):
        if former.name not in arrays:
            former.unlink(missing_ok=True)
    for name, array in arrays.items():
        _save(folder / name, array)
    with whole_file(meta_file) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_meta(folder):
    """The content of `meta.json`, or None if the folder holds no whole prepared data."""
    try:
        return json.loads((Path(folder) / META).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise DataError(f"{Path(folder) / META}: is damaged ({error}); prepare the data again") from error


def open_prepared(folder):
    """Open prepared data; the arrays are mapped into memory, so that processes share them.

    Raises
    ------
    DataError
        The folder has no `meta.json`: nothing was prepared there, or preparing was interrupted.
    """
    folder = Path(folder)
    meta = read_meta(folder)
    if meta is None:
        raise DataError(f"{folder}: no prepared data here (no {META}); prepare them (again)")
    n = meta["n"]
    return Prepared(
        X_train=_load_matrix(folder, "X_train", (meta["m"], n), meta["storage"]),
        y_train=_load(folder / "y_train.npy"),
        X_test=_load_matrix(folder, "X_test", (meta["t"], n), meta["storage"]),
        y_test=_load(folder / "y_test.npy"),
        meta=meta,
        folder=folder,
    )


def _save(path, array):
    with whole_file(path) as temporary, open(temporary, "wb") as stream:
        np.save(stream, array, allow_pickle=False)


def _load(path):
    """Copy-on-write: shared like a read-only map, but writeable in type.

    Compiled code would otherwise need a second variant for read-only arrays, and scipy cannot sort in
    place. What is written stays in this process.
    """
    try:
        array = np.load(path, mmap_mode="c", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path}: cannot be read ({error}); prepare the data again") from error
    return array.view(np.ndarray)


def _load_matrix(folder, name, shape, storage):
    if storage == "dense":
        return _load(folder / f"{name}.npy")
    data, indices, indptr = (_load(folder / f"{name}.{part}.npy") for part in _CSR_PARTS)
    X = scipy.sparse.csr_matrix((data, indices, indptr), shape=shape, copy=False)
    X.has_canonical_format = True
    return X
