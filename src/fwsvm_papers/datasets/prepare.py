"""Functions that turn raw files into prepared arrays. They load and scale the points, choose a
subset, and write the arrays.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from fwsvm.inputs.errors import DataError
from fwsvm.inputs.files import DamagedFileError, sha256_of_content
from fwsvm.inputs.ranges import require_range
from fwsvm.inputs.storage import choose_storage, convert, density
from fwsvm_papers.datasets.catalogue import find_entry, load_catalogue
from fwsvm_papers.datasets.entries import VERIFIED, entry_digest, required_files
from fwsvm_papers.datasets.fetch import fetch_files
from fwsvm_papers.datasets.load import load_checked
from fwsvm_papers.datasets.splits import subset_rows
from fwsvm_papers.datasets.storage import open_prepared, read_meta, write_prepared
from fwsvm_papers.result_files import versions

if TYPE_CHECKING:
    from fwsvm_papers.datasets.entries import DatasetEntry, FileEntry, Scaling
    from fwsvm_papers.datasets.storage import Points, Prepared

RAW, PREPARED = "raw", "prepared"
LARGEST_DENSE = 2**28  # sparse data with more entries (zeros included) must stay sparse
_BLOCK = 2**20


def load_dataset(
    name: str,
    catalogue: dict[str, DatasetEntry] | str | Path | None = None,
    data_dir: str | Path = "data",
    mirror: str | Path | None = None,
    subset: dict[str, int] | None = None,
    size: int | None = None,
    progress: bool | None = None,
) -> Prepared:
    """Fetch a data set, prepare it, and return the prepared data.

    `catalogue` is a mapping from names to entries, the path of a catalogue, or None for the default
    catalogue.

    Raw files are stored in ``<data_dir>/raw``, and prepared arrays in
    ``<data_dir>/prepared/<name>``. If `subset` or `size` is given, the name of the folder is
    ``<name>-<hash>``. Arrays are prepared again if the entry or one of its local files has changed,
    if a prepared file is missing or damaged, or if a stand-in was used and the real files are now
    in ``<data_dir>/raw``.

    `mirror` is a folder or base URL that is searched for files before they are downloaded from
    their source. The default of `mirror` is the value of the environment variable FWSVM_MIRROR.

    `subset` gives the maximum number of points for each part, such as ``{"train": 300, "test":
    300}``. The points are chosen at random, stratified by class. An optional key ``"seed"`` of
    `subset` changes the random choice. The subset has the scaling and the storage (dense or sparse)
    of the full data.

    `size` replaces the key ``size`` in the entry of a generated data set. It is the number of
    training points or, if the split has the key ``fraction``, the number of all points.

    `progress` says whether the progress of downloads is shown. By default, it is shown if standard
    error is a terminal.
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


def _is_current(
    folder: Path, digest: str, files: dict[str, FileEntry], raw_dir: str | Path
) -> bool:
    meta = read_meta(folder)
    if meta["digest"] != digest:
        return False
    if meta.get("stand_in"):  # if the real files are available now, prepare the data again
        return not all(os.path.isfile(file.location(raw_dir)) for file in files.values())
    return has_same_content(meta, files)


def has_same_content(meta: dict, files: dict[str, FileEntry]) -> bool:
    """Test whether the local files of a data set have the content from which the arrays with the
    record `meta` were prepared.
    """
    sums = {source.get("role"): source.get("sha256") for source in meta["sources"]}
    on_disk = {role: file.location(None) for role, file in files.items() if file.path is not None}
    return all(sha256_of_content(path) == sums[role] for role, path in on_disk.items())


def prepare(
    entry: DatasetEntry,
    catalogue: dict[str, DatasetEntry],
    raw_dir: str | Path,
    out_dir: Path,
    mirror: str | Path | None = None,
    subset: dict[str, int] | None = None,
    progress: bool | None = None,
) -> Prepared:
    """Fetch the missing files of a data set or of its stand-in, write the prepared data to the
    folder `out_dir`, and return the prepared data.
    """
    digest = entry_digest(entry, catalogue, subset)
    original, (entry, paths) = entry, fetch_files(entry, catalogue, raw_dir, mirror, progress)
    stand_in = None if entry is original else entry.stand_in
    parts, classes, y_train, y_test = load_checked(entry, paths)
    X_train, X_test, scaling = scale(entry.name, entry.scaling, parts.X_train, parts.X_test)
    storage = choose_storage(X_train)
    if subset is not None:
        kept, kept_test = subset_rows(entry.name, y_train, y_test, subset)
        X_train = X_train[kept]
        y_train = y_train[kept]
        X_test = X_test[kept_test]
        y_test = y_test[kept_test]
    X_train, X_test = convert(X_train, storage), convert(X_test, storage)
    if _are_equal(X_train):
        raise DataError(
            f"{entry.name}: all {len(y_train)} training points are equal, so nothing can be learned"
            " from them; check the files, the scaling and the subset"
        )
    coded = {"train": y_train, "test": y_test}
    counts = {part: np.bincount(y, minlength=len(classes)).tolist() for part, y in coded.items()}
    built = {"builder": entry.source.builder, "parameters": entry.source.parameters, **parts.facts}
    meta = {
        "name": entry.name,
        "digest": digest,
        "stand_in": stand_in.model_dump() if stand_in else None,
        "m": len(y_train),
        "t": len(y_test),
        "K": len(classes),
        "n": X_train.shape[1],
        "classes": classes,
        "positive": entry.positive,
        "class_counts": counts,
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
    return open_prepared(out_dir)


def _are_equal(X: Points) -> bool:
    """Return whether all rows of X are equal."""
    return np.array_equal(*_extremes(X))


def _extremes(X: Points) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and the largest value of each feature, as two arrays (d,)."""
    low, high = (convert(part, "dense").ravel() for part in (X.min(axis=0), X.max(axis=0)))
    return low, high


def average_squared_distance(X: Points) -> float:
    """Return the mean of |x_i - x_j|^2 over all m^2 pairs (i, j) of rows, including i = j.

    The mean is computed in linear time as 2 (mean |x|^2 - |mean x|^2). For sparse points far from
    the origin, this difference would lose digits, and the points are centred instead.
    """
    if scipy.sparse.issparse(X):
        X = scipy.sparse.csr_matrix(X)
        mean = np.asarray(X.sum(axis=0)).ravel() / X.shape[0]
        blocks = (X.data[start : start + _BLOCK] for start in range(0, X.nnz, _BLOCK))
        square = sum(float(np.square(block).sum()) for block in blocks) / X.shape[0]
        variance = square - mean @ mean
        if variance < 1e-3 * square:
            step = max(1, _BLOCK // X.shape[1])
            parts = (X[start : start + step] for start in range(0, X.shape[0], step))
            variance = sum(float(np.square(part.toarray() - mean).sum()) for part in parts)
            variance /= X.shape[0]
    else:
        variance = X.var(axis=0).sum()
    return max(0.0, 2.0 * float(variance))


def _sources(
    entry: DatasetEntry, files: dict[str, FileEntry], paths: dict[str, Path]
) -> list[dict]:
    source = entry.source
    if source.kind == "sklearn":
        return [
            {"kind": "package", "name": f"scikit-learn {source.sklearn}", "checksum": "embedded"}
        ]
    if source.kind == "generator":
        record = {"kind": "generator", "name": source.generator, "checksum": "generated"}
        return [
            record | {"size": source.size, "seed": source.seed, "parameters": source.parameters}
        ]
    return [
        {
            "kind": "file",
            "role": role,
            "name": file.name or file.path,
            **file.model_dump(include={"url", "path", "embedded"}),
            "sha256": file.sha256 if file.checksum == VERIFIED else sha256_of_content(paths[role]),
            "checksum": file.checksum,
        }
        for role, file in files.items()
    ]


def scale(
    name: str, scaling: Scaling, X_train: Points, X_test: Points
) -> tuple[Points, Points, dict]:
    """Compute the parameters of a scaling from the training part only, and scale both parts.

    Return the scaled training part, the scaled test part, and the scaling as a dict for JSON.
    """
    scaled: tuple[Points, Points, dict]
    with np.errstate(over="ignore", invalid="ignore"):
        match scaling.method:
            case "none":
                scaled = X_train, X_test, {"method": "none"}
            case "divide":
                by = scaling.divide
                record = {"method": "divide", "by": by}
                scaled = _divided(X_train, by), _divided(X_test, by), record
            case "unit-length":
                scaled = unit_length(X_train), unit_length(X_test), {"method": "unit-length"}
            case "minmax":
                scaled = _minmax(name, X_train, X_test, *scaling.minmax)
            case "standard":
                scaled = _standard(name, X_train, X_test)
    _require_range(name, "training", scaled[0])
    _require_range(name, "test", scaled[1])
    return scaled


def _require_range(name: str, part: str, X: Points) -> None:
    advice = "Give the entry another 'scaling', such as minmax"
    require_range(X, f"{name}: the {part} part", advice, DataError)


def unit_length(X: Points) -> Points:
    """Return X with each row divided by its Euclidean norm. Rows of zeros do not change."""
    if not scipy.sparse.issparse(X):
        # Divide by the largest absolute value first, so that squares neither overflow nor become 0.
        X = X / _or_one(np.abs(X).max(axis=1))[:, None]
        return X / _or_one(np.sqrt((X * X).sum(axis=1)))[:, None]
    X = scipy.sparse.csr_matrix(X, dtype=np.float64, copy=True)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    X.data /= _or_one(abs(X).max(axis=1).toarray().ravel())[rows]
    X.data /= _or_one(np.sqrt(np.bincount(rows, X.data * X.data, minlength=X.shape[0])))[rows]
    return X


def _minmax(
    name: str, X_train: Points, X_test: Points, low: float, high: float
) -> tuple[Points, Points, dict]:
    minimum, maximum = _extremes(X_train)
    varies = maximum > minimum
    span = np.where(varies, maximum - minimum, np.inf)
    record = {
        "method": "minmax",
        "range": [low, high],
        "minimum": minimum.tolist(),
        "maximum": maximum.tolist(),
    }
    if scipy.sparse.issparse(X_train) and low == 0 and not minimum[varies].any():
        train, test = _divided_csr(X_train, span), _divided_csr(X_test, span)
        for X in (train, test):
            X.data *= high
            X.eliminate_zeros()
        return train, test, record
    offset = np.where(varies, low, 0.0)
    train, test = (
        (_dense(name, X) - minimum) / span * (high - low) + offset for X in (X_train, X_test)
    )
    return train, test, record


def _standard(name: str, X_train: Points, X_test: Points) -> tuple[np.ndarray, np.ndarray, dict]:
    X_train = _dense(name, X_train)
    _require_range(name, "training", X_train)  # the deviation of larger values would be infinite
    mean, deviation = X_train.mean(axis=0), X_train.std(axis=0)
    varies = (X_train.max(axis=0) > X_train.min(axis=0)) & (deviation > 0)
    span = np.where(varies, deviation, np.inf)
    record = {"method": "standard", "mean": mean.tolist(), "deviation": deviation.tolist()}
    # Adding 0.0 turns -0.0 into 0.0.
    train, test = ((X - mean) / span + 0.0 for X in (X_train, _dense(name, X_test)))
    return train, test, record


def _divided(X: Points, divisor: np.ndarray | float) -> Points:
    """Return X divided by `divisor`, which is one number, or an array (d,) with a number for each
    feature. If X is sparse, the result is sparse.
    """
    return _divided_csr(X, divisor) if scipy.sparse.issparse(X) else X / divisor


def _divided_csr(
    X: scipy.sparse.csr_matrix, divisor: np.ndarray | float
) -> scipy.sparse.csr_matrix:
    X = scipy.sparse.csr_matrix(X, dtype=np.float64, copy=True)
    X.data /= np.broadcast_to(divisor, X.shape[1])[X.indices]
    return X


def _dense(name: str, X: Points) -> np.ndarray:
    if scipy.sparse.issparse(X) and X.shape[0] * X.shape[1] > LARGEST_DENSE:
        raise DataError(
            f"this scaling would make {name} dense, and {name} is too large for that; use"
            " unit-length, divide or, if each feature has the minimum 0, minmax with a range from 0"
        )
    return convert(X, "dense")


def _or_one(values: np.ndarray) -> np.ndarray:
    return np.where(values > 0, values, 1.0)
