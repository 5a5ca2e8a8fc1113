"""From raw files to prepared arrays: load, split, check, encode the classes, scale, write."""

import dataclasses

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.base.files import sha256_of_content
from fwsvm.base.result_files import versions
from fwsvm.datasets.checksums import VERIFIED, checksum_state
from fwsvm.datasets.entries import (
    BuiltSource,
    ComplementOf,
    FreshPoints,
    GeneratedSource,
    MadeByBuilder,
    PackageSource,
    RandomFraction,
    entry_digest,
    required_files,
)
from fwsvm.datasets.fetch import fetch_files
from fwsvm.datasets.labels import encode, positive_against_rest
from fwsvm.datasets.scaling import scale
from fwsvm.datasets.sources import load_parts
from fwsvm.datasets.storage import choose_storage, convert, density, open_prepared, write_prepared
from fwsvm.datasets.subset import subset_rows

_BLOCK = 2**20


def prepare(entry, catalogue, raw_dir, out_dir, mirror=None, subset=None, progress=None):
    """Prepare a data set, or its stand-in, and open it; files that are not in the raw folder yet are fetched.

    Parameters
    ----------
    entry : DatasetEntry
    catalogue : dict of str to DatasetEntry
        For the whole of a ``complement_of`` split.
    raw_dir : str or path
        Root of the raw files.
    out_dir : str or path
        Folder of the prepared arrays; `meta.json` in it is written last.
    mirror : str or path, optional
        As for `fwsvm.datasets.fetch.fetch`.
    subset : dict, optional
        ``{"train": 300, "test": 300}`` (and ``"seed"``, by default 0): keep at most so many points of each
        part, drawn class by class; each class keeps two training points at least. The rows are those of the
        full prepared data: scaling and storage are decided before.
    progress : bool, optional
        As for `fwsvm.datasets.fetch.fetch`.

    Returns
    -------
    Prepared

    Raises
    ------
    DownloadError
        A file cannot be had.
    DataError
        The data cannot be used: wrong line, wrong sizes, non-finite value, a single class, a class without
        training points; they do not fit into memory; the folder cannot be written.
    """
    try:
        _prepare(entry, catalogue, raw_dir, out_dir, mirror, subset, progress)
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        what = f"the data do not fit into this machine's memory{reason}; are their sizes right?"
        raise DataError(f"{entry.name}: {what} A smaller 'size', or fewer points, would do") from error
    return open_prepared(out_dir)


def _prepare(entry, catalogue, raw_dir, out_dir, mirror, subset, progress):
    digest = entry_digest(entry, catalogue, subset)
    original, (entry, paths) = entry, fetch_files(entry, catalogue, raw_dir, mirror, progress)
    files = required_files(entry, catalogue)
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
    meta = {
        "name": entry.name,
        "digest": digest,
        "stand_in": None if entry is original else dataclasses.asdict(entry.stand_in),
        "m": len(y_train),
        "t": len(y_test),
        "K": len(classes),
        "n": X_train.shape[1],
        "classes": classes,
        "positive": list(entry.positive),
        "class_counts": {
            "train": np.bincount(y_train, **count).tolist(),
            "test": np.bincount(y_test, **count).tolist(),
        },
        "storage": storage,
        "density": density(X_train),
        "average_squared_distance": average_squared_distance(X_train),
        "sigma2": entry.sigma2,
        "scaling": scaling,
        "sources": _sources(entry, files, paths),
        "built": _built(entry.source, parts.facts),
        "split": _split(entry.split),
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
    if isinstance(source, PackageSource):
        return [{"kind": "package", "name": f"scikit-learn {source.sklearn}", "checksum": "embedded"}]
    if isinstance(source, GeneratedSource):
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
            "sha256": file.sha256 if state == VERIFIED else sha256_of_content(paths[role]),
            "checksum": state,
        }
        for role, file in files.items()
        for state in [checksum_state(file)]
    ]


def _built(source, facts):
    """Recipe and findings of a built set, None for others."""
    if not isinstance(source, BuiltSource):
        return None
    return {"builder": source.builder, "parameters": source.parameters, **facts}


def _split(split):
    """The split as it is written in the catalogue."""
    match split:
        case MadeByBuilder():
            return {"test": "builder"}
        case RandomFraction():
            return {"fraction": split.fraction, "seed": split.seed}
        case ComplementOf():
            return {"complement_of": split.whole}
        case FreshPoints():
            return {"test_size": split.size}
    return {"test": "file"}
