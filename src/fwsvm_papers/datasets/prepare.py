"""Turn raw files into arrays: load and split the data, encode the classes, scale the points, and
write the arrays.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from fwsvm.inputs.data_files import read_libsvm
from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm.inputs.files import DamagedFileError, sha256_of_content
from fwsvm.inputs.ranges import check_labels
from fwsvm.inputs.storage import choose_storage, convert, density
from fwsvm_papers.datasets import openml
from fwsvm_papers.datasets.builders import BUILDERS
from fwsvm_papers.datasets.builders.nested import complement
from fwsvm_papers.datasets.catalogue import find_entry, load_catalogue
from fwsvm_papers.datasets.cells import as_numbers
from fwsvm_papers.datasets.entries import LABEL_FILES, VERIFIED, entry_digest, required_files
from fwsvm_papers.datasets.fetch import fetch_files
from fwsvm_papers.datasets.generators import generate
from fwsvm_papers.datasets.idx_files import read_idx
from fwsvm_papers.datasets.scaling import scale
from fwsvm_papers.datasets.splits import (
    as_integers,
    divided,
    listed,
    refuse_measurements,
    subset_rows,
)
from fwsvm_papers.datasets.storage import Built, open_prepared, read_meta, write_prepared
from fwsvm_papers.datasets.tables import read_table
from fwsvm_papers.result_files import versions

if TYPE_CHECKING:
    from fwsvm_papers.datasets.entries import DatasetEntry, FileEntry, Source
    from fwsvm_papers.datasets.storage import Points, Prepared

RAW, PREPARED = "raw", "prepared"
_BLOCK = 2**20
_SPLIT_REMEDY = {
    "fraction": "; write stratify: true in the entry's split, or use another seed",
    "file": "; correct this label in the test file, or remove its points",
}


def load_dataset(
    name: str,
    catalogue: dict[str, DatasetEntry] | str | Path | None = None,
    data_dir: str | Path = "data",
    mirror: str | Path | None = None,
    subset: dict[str, int] | None = None,
    size: int | None = None,
    progress: bool | None = None,
) -> Prepared:
    """Fetch, prepare and open a data set.

    `catalogue` is a mapping, a path, or None for the default catalogue.

    Raw files are stored in ``<data_dir>/raw``, and prepared arrays in
    ``<data_dir>/prepared/<name>``. The folder of a subset, or of a generated set with a given
    `size`, is ``<name>-<hash>``. Arrays are prepared again if the entry or one of its local files
    has changed, or if a stand-in was used and the real files are now available.

    `mirror` is a folder or base URL in which files are searched before they are downloaded from
    their source. Its default is the environment variable FWSVM_MIRROR. With `subset`, such as
    ``{"train": 300, "test": 300}``, at most this many points are drawn from each part, stratified
    by class. The key ``"seed"`` of `subset` is optional. The subset is scaled and stored (dense or
    sparse) like the full data.
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
    if meta.get("stand_in"):  # Prepare again if the real files are available.
        return not all(file.location(raw_dir).is_file() for file in files.values())
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
    """Fetch missing files of a data set (or its stand-in), prepare the set in the folder
    `out_dir`, and open it.
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


def load_checked(
    entry: DatasetEntry, paths: dict[str, Path]
) -> tuple[Built, list, np.ndarray, np.ndarray]:
    """Load both parts (see `load_parts`), encode the classes, and check all sizes against the
    entry.

    Return the parts (a `Built`), the list of classes, and for each training and each test point the
    index of its class.
    """
    parts = load_parts(entry, paths)
    X_test, y_train, y_test = parts.X_test, parts.y_train, parts.y_test
    assert X_test is not None and y_test is not None  # `load_parts` returns both parts
    for part, X in (("training", parts.X_train), ("test", X_test)):
        if X.shape[1] == 0 or entry.features not in (None, X.shape[1]):
            right = f", not {entry.features}" if entry.features else ""
            raise DataError(
                f"{entry.name}: the {part} part has {X.shape[1] or 'no'} features{right}"
            )
    if entry.positive:
        y_train, y_test = positive_against_rest(entry.name, y_train, y_test, entry.positive)
    refuse_measurements(entry, y_train)
    remedy = _SPLIT_REMEDY.get(entry.split.kind, "")
    classes, y_train, y_test = encode(entry.name, y_train, y_test, remedy)
    _check_expected(entry, len(y_train), len(y_test), len(classes))
    return parts, classes, y_train, y_test


def average_squared_distance(X: Points) -> float:
    """Return the mean of |x_i - x_j|^2 over all ordered pairs of rows.

    It is computed in linear time as 2 (mean |x|^2 - |mean x|^2).
    """
    if scipy.sparse.issparse(X):
        X = scipy.sparse.csr_matrix(X)
        mean = np.asarray(X.sum(axis=0)).ravel() / X.shape[0]
        blocks = (X.data[start : start + _BLOCK] for start in range(0, X.nnz, _BLOCK))
        variance = sum(float(np.square(block).sum()) for block in blocks) / X.shape[0] - mean @ mean
    else:
        variance = X.var(axis=0).sum()
    return max(0.0, 2.0 * float(variance))


def _check_expected(entry: DatasetEntry, m: int, t: int, K: int) -> None:
    for key, size in {"train": m, "test": t, "classes": K}.items():
        if (expected := getattr(entry.expected, key)) not in (None, size):
            raise DataError(
                f"{entry.name}.expected.{key}: the catalogue has {expected}, but the data have"
                f" {size}"
            )
    if entry.task not in (None, "binary" if K == 2 else "multiclass"):
        raise DataError(
            f"{entry.name}: the catalogue says 'task: {entry.task}', but the data have {K} classes"
        )


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


def load_parts(entry: DatasetEntry, paths: dict[str, Path]) -> Built:
    """Load the training and test parts as a `Built`. `paths` maps roles like "train" to paths."""
    source, split = entry.source, entry.split
    if source.builder:
        return _build(source.builder, entry, paths)
    if split.test == "file":
        (X, y), (X_test, y_test) = read_files(entry, paths, ["train", "test"])
        return Built(X, y, X_test, y_test)
    if split.complement_of:
        (X_whole, y_whole), (X, y) = read_files(entry, paths, ["whole", "train"])
        kept = complement(X_whole, y_whole, X, y, paths["train"], paths["whole"])
        return Built(X, y, X_whole[kept], y_whole[kept])
    if source.kind == "files":
        X, y = read_files(entry, paths, ["train"])[0]
    elif source.openml:
        X, y = openml.read_table(paths["train"], source.openml)
    elif source.kind == "generator":
        X, y = _draw(source, source.size, 0)
    else:
        import sklearn.datasets

        X, y = getattr(sklearn.datasets, f"load_{source.sklearn}")(return_X_y=True)
    if split.fraction:
        return divided(X, y, entry, split.fraction)
    return Built(X, y, *_draw(source, split.test_size, 1))


def _draw(source: Source, size: int | None, stream: int) -> tuple[np.ndarray, np.ndarray]:
    generator, seed = source.generator, source.seed
    assert generator is not None  # `load_parts` calls this only for a source with a generator
    if size is None or seed is None:
        raise ConfigError(f"generator {generator}: size and seed must be numbers, not null")
    return generate(generator, size, np.random.default_rng([seed, stream]), source.parameters)


def _build(builder: str, entry: DatasetEntry, paths: dict[str, Path]) -> Built:
    built = BUILDERS[builder](**paths, **entry.source.parameters)
    fraction = entry.split.fraction
    if bool(fraction) != (built.X_test is None):
        right = "the keys 'fraction' and 'seed'" if built.X_test is None else "'test: builder'"
        raise ConfigError(
            f"{entry.name}.split: use {right} for the files given to the builder {builder}"
        )
    parts = divided(built.X_train, built.y_train, entry, fraction) if fraction else built
    return dataclasses.replace(parts, facts=built.facts | unseen(parts.X_train, parts.X_test))


def unseen(X_train: Points, X_test: Points) -> dict[str, int]:
    """Return two counts: of features that are zero in all training points, and of test points in
    which such a feature is nonzero.
    """
    X_train, X_test = (scipy.sparse.csr_matrix(X) for X in (X_train, X_test))
    empty = X_train.getnnz(axis=0) == 0
    return {
        "features_empty_in_training": int(empty.sum()),
        "test_points_with_such_a_feature": int(np.count_nonzero(X_test[:, empty].getnnz(axis=1))),
    }


def read_files(
    entry: DatasetEntry, paths: dict[str, Path], roles: list[str]
) -> list[tuple[Points, np.ndarray]]:
    """Read the files of the given roles, and return a list with a pair (X, y) for each.

    All X have the same number of features, and all y have the same type.
    """
    source, columns = entry.source, None
    points, labels = [], []
    for role in roles:
        if source.csv:
            X, y, columns = read_table(paths[role], columns, **source.csv.model_dump())
        elif source.format == "idx":
            X, y = read_idx(paths[role], paths[LABEL_FILES[role]], entry.features)
        else:
            X, y = read_libsvm(paths[role], entry.features)
        points.append(X)
        labels.append(y)
    widths = [X.shape[1] for X in points]
    # if the entry does not give `features`, the largest index can differ between files
    if source.format == "libsvm":
        for X in points:
            X.resize(X.shape[0], max(widths))
    elif len(set(widths)) > 1:
        raise DataError(
            f"{entry.name}: points have {widths[0]} values in one file, but {widths[1]} in another"
        )
    return list(zip(points, as_numbers(*labels, where=f"{entry.name}: "), strict=True))


def positive_against_rest(
    name: str, labels_train: np.ndarray, labels_test: np.ndarray, positive: list
) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of both parts, with +1 for the `positive` classes and -1 for all others."""
    classes = as_integers(np.unique(labels_train)).tolist()
    if not set(positive) < set(classes):
        what = f"must be some, but not all, of the training classes {classes[:30]}"
        is_text = labels_train.dtype.kind == "U"
        given = {isinstance(label, str) for label in positive}
        hint = ""
        if is_text and False in given:
            hint = "; these classes are texts: put them in quotes"
        elif True in given and not is_text:
            hint = "; these classes are numbers: write them without quotes"
        raise DataError(f"{name}: positive: {what}, not {positive}{hint}")
    chosen = np.array(positive, dtype=labels_train.dtype)
    y_train, y_test = (
        np.where(np.isin(labels, chosen), 1, -1) for labels in (labels_train, labels_test)
    )
    return y_train, y_test


def encode(
    name: str, labels_train: np.ndarray, labels_test: np.ndarray, remedy: str = ""
) -> tuple[list, np.ndarray, np.ndarray]:
    """Replace each label by the index of its class in the sorted list of classes.

    Return the classes and the indices for both parts.

    If a class is missing in one part, a DataError is raised, whose message ends with `remedy`.
    """
    classes, y_train = np.unique(labels_train, return_inverse=True)
    unknown = as_integers(np.setdiff1d(labels_test, classes))
    if len(classes) < 2:
        what = f"all training points are of class {classes[0]}, but two classes are needed"
        raise DataError(f"{name}: {what}{remedy if len(unknown) else ''}")
    if len(unknown):
        shown = listed(as_integers(classes))
        what = f"the test part has the class {unknown[0]}, but no training point has this class"
        raise DataError(f"{name}: {what} (they have {shown}){remedy}")
    y_test = np.searchsorted(classes, labels_test)
    check_labels(classes, f"{name}:", DataError)
    return as_integers(classes).tolist(), y_train.astype(np.int64), y_test.astype(np.int64)
