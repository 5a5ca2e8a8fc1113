"""From raw files to prepared arrays: load, split, check, encode the classes, scale, write, open."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.base.files import DamagedFileError, sha256_of_content
from fwsvm.base.result_files import versions
from fwsvm.datasets.catalogue import find_entry, load_catalogue
from fwsvm.datasets.entries import VERIFIED, entry_digest, required_files
from fwsvm.datasets.fetch import fetch_files
from fwsvm.datasets.scaling import scale
from fwsvm.datasets.sources import encode, load_parts, positive_against_rest, subset_rows
from fwsvm.datasets.storage import choose_storage, convert, density, open_prepared, read_meta, write_prepared

RAW, PREPARED = "raw", "prepared"
_BLOCK = 2**20


def load_dataset(name, catalogue=None, data_dir="data", mirror=None, subset=None, size=None, progress=None):
    """Fetch, prepare and open a data set of the catalogue (a mapping, a path, or the default one).

    Raw files are kept in ``<data_dir>/raw``, prepared arrays in ``<data_dir>/prepared/<name>``, and next to it those of
    a subset or of a generated set of another `size`. They are prepared again if the entry, or a file on disk it names,
    has changed, and if the files of a set that a stand-in replaced have come.

    `mirror`: a folder or base URL that is tried before the upstream addresses; by default the variable FWSVM_MIRROR.
    `subset`: ``{"train": 300, "test": 300}`` (and ``"seed"``): keep at most this number of points of each part, drawn
    class by class. The rows are those of the full prepared data: scaling and storage are decided before.
    """
    if not isinstance(catalogue, Mapping):
        catalogue = load_catalogue(catalogue)
    entry = find_entry(catalogue, name)
    if size is not None:
        entry = entry.resized(size)
    digest = entry_digest(entry, catalogue, subset)
    is_variant = size is not None or subset is not None
    raw_dir = Path(data_dir) / RAW
    folder = Path(data_dir) / PREPARED / (f"{name}-{digest}" if is_variant else name)
    with contextlib.suppress(DataError, DamagedFileError, OSError):
        if _is_current(folder, digest, required_files(entry, catalogue), raw_dir):
            return open_prepared(folder)
    return prepare(entry, catalogue, raw_dir, folder, mirror, subset, progress)


def _is_current(folder, digest, files, raw_dir):
    meta = read_meta(folder)
    if meta is None or meta["digest"] != digest:
        return False
    if meta.get("stand_in"):  # until the files themselves are there
        return not all(file.location(raw_dir).is_file() for file in files.values())
    sums = {source.get("role"): source.get("sha256") for source in meta["sources"]}
    on_disk = {role: file.location(None) for role, file in files.items() if file.path is not None}
    return all(sha256_of_content(path) == sums[role] for role, path in on_disk.items())


def prepare(entry, catalogue, raw_dir, out_dir, mirror=None, subset=None, progress=None):
    """Prepare a data set, or its stand-in, in the folder `out_dir` and open it; missing raw files are fetched.

    The other arguments are those of `load_dataset`.
    """
    try:
        _prepare(entry, catalogue, raw_dir, out_dir, mirror, subset, progress)
    except MemoryError as error:
        what = f"the data do not fit into this machine's memory ({error}); give a smaller 'size' or fewer points"
        raise DataError(f"{entry.name}: {what}") from error
    return open_prepared(out_dir)


def _prepare(entry, catalogue, raw_dir, out_dir, mirror, subset, progress):
    digest = entry_digest(entry, catalogue, subset)
    original, (entry, paths) = entry, fetch_files(entry, catalogue, raw_dir, mirror, progress)
    parts = load_parts(entry, paths)
    for part, X in (("training", parts.X_train), ("test", parts.X_test)):
        _check_shape(entry, part, X)
        _check_finite(entry.name, part, X)
    labels = parts.y_train, parts.y_test
    if entry.positive:
        labels = positive_against_rest(entry.name, *labels, entry.positive)
    classes, y_train, y_test = encode(entry.name, *labels)
    _check_expected(entry, len(y_train), len(y_test), len(classes))
    X_train, X_test, scaling = scale(entry.name, entry.scaling, parts.X_train, parts.X_test)
    storage = choose_storage(X_train)
    if subset is not None:
        kept, kept_test = subset_rows(entry.name, y_train, y_test, subset)
        X_train, y_train, X_test, y_test = X_train[kept], y_train[kept], X_test[kept_test], y_test[kept_test]
    X_train, X_test = convert(X_train, storage), convert(X_test, storage)
    count = {"minlength": len(classes)}
    built = {"builder": entry.source.builder, "parameters": entry.source.parameters, **parts.facts}
    meta = {
        "name": entry.name,
        "digest": digest,
        "stand_in": None if entry is original else entry.stand_in.model_dump(),
        "m": len(y_train),
        "t": len(y_test),
        "K": len(classes),
        "n": X_train.shape[1],
        "classes": classes,
        "positive": entry.positive,
        "class_counts": {
            "train": np.bincount(y_train, **count).tolist(),
            "test": np.bincount(y_test, **count).tolist(),
        },
        "storage": storage,
        "density": density(X_train),
        "average_squared_distance": average_squared_distance(X_train),
        "sigma2": entry.sigma2,
        "scaling": scaling,
        "sources": _sources(entry, required_files(entry, catalogue), paths),
        "built": built if entry.source.builder else None,
        "split": entry.split.model_dump(exclude_none=True),
        "subset": subset,
        "versions": versions("fwsvm", "numpy", "scipy", "scikit-learn"),
    }
    write_prepared(out_dir, X_train, y_train, X_test, y_test, meta)


def average_squared_distance(X):
    """Mean of |x_i - x_j|^2 over all ordered pairs: 2 (mean |x|^2 - |mean x|^2), in O(m n)."""
    if scipy.sparse.issparse(X):
        mean = np.asarray(X.sum(axis=0)).ravel() / X.shape[0]
        blocks = (X.data[start : start + _BLOCK] for start in range(0, X.nnz, _BLOCK))
        variance = sum(float(np.square(block).sum()) for block in blocks) / X.shape[0] - mean @ mean
    else:
        variance = X.var(axis=0).sum()
    return max(0.0, 2.0 * float(variance))


def _check_shape(entry, part, X):
    if entry.features is not None and X.shape[1] != entry.features:
        raise DataError(f"{entry.name}: the {part} part has {X.shape[1]} features, not {entry.features}")
    if X.shape[1] == 0:
        raise DataError(f"{entry.name}: the {part} part has no features")


def _check_finite(name, part, X):
    values = X.data if scipy.sparse.issparse(X) else X
    if np.isfinite(values).all():
        return
    X = X.tocoo() if scipy.sparse.issparse(X) else scipy.sparse.coo_matrix(X)
    first = np.flatnonzero(~np.isfinite(X.data))[0]
    where = f"row {X.row[first] + 1}, column {X.col[first] + 1}"
    raise DataError(f"{name}: the {part} part has the value {X.data[first]} in {where} (counted from 1)")


def _check_expected(entry, m, t, K):
    found = {"train": m, "test": t, "classes": K}
    for key, size in found.items():
        expected = getattr(entry.expected, key)
        if expected is not None and expected != size:
            raise DataError(f"{entry.name}: {key} is {size}; the catalogue expects {expected}")
    if entry.task == "binary" and K != 2:
        raise DataError(f"{entry.name}: the catalogue says it is a binary task, the data have {K} classes")
    if entry.task == "multiclass" and K < 3:
        what = f"the catalogue says it is a multiclass task, the data have {K} classes"
        raise DataError(f"{entry.name}: {what}; write 'task: binary'")


def _sources(entry, files, paths):
    source = entry.source
    if source.kind == "sklearn":
        return [{"kind": "package", "name": f"scikit-learn {source.sklearn}", "checksum": "embedded"}]
    if source.kind == "generator":
        record = {"kind": "generator", "name": source.generator, "checksum": "generated"}
        return [record | {"size": source.size, "seed": source.seed, "parameters": source.parameters}]
    return [
        {
            "kind": "file",
            "role": role,
            "name": file.name or file.path,
            "url": file.url,
            "path": file.path,
            "embedded": file.embedded,
            "sha256": file.sha256 if file.checksum == VERIFIED else sha256_of_content(paths[role]),
            "checksum": file.checksum,
        }
        for role, file in files.items()
    ]
