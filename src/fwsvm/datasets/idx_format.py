"""Reader of idx files, the format of the MNIST page: a header of sizes, then the numbers, high byte first.

Points are in one file (the first size is their number, the others are flattened), labels in another.
"""

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.datasets.formats import read_content
from fwsvm.datasets.storage import choose_storage

_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path, labels_path, features=None):
    """Read points and labels, plain or compressed (.bz2, .gz, .xz).

    Parameters
    ----------
    path, labels_path : str or path
    features : int, optional
        Keep so many values of each point; those after them must be zero everywhere (as the last pixels of
        MNIST are, which the LIBSVM page therefore counts as 780). By default all are kept.

    Returns
    -------
    X : float64 ndarray or scipy.sparse.csr_matrix of shape (m, features)
        Sparse by the same rule as prepared data.
    y : float64 ndarray of shape (m,)

    Raises
    ------
    DataError
        A file is missing, truncated, no idx file, has a value that is not finite, or the two do not go together.
    """
    images = parse_idx(read_content(path), path)
    labels = parse_idx(read_content(labels_path), labels_path)
    if images.ndim < 2:
        raise DataError(f"{path}: {images.ndim} dimension; points need 2 at least")
    if labels.ndim != 1:
        raise DataError(f"{labels_path}: {labels.ndim} dimensions; labels have 1")
    if len(images) != len(labels):
        raise DataError(f"{path} has {len(images)} points, {labels_path} has {len(labels)} labels")
    images = images.reshape(len(images), -1)
    if features is not None:
        images = _cut(images, features, path)
    if choose_storage(images) == "dense":
        return images.astype(np.float64), labels.astype(np.float64)
    rows, columns = np.nonzero(images)
    starts = np.searchsorted(rows, np.arange(len(images) + 1))
    values = images[rows, columns].astype(np.float64)
    return scipy.sparse.csr_matrix((values, columns.astype(np.int32), starts), images.shape), labels.astype(np.float64)


def parse_idx(content, where="idx data"):
    """The array in the bytes of an idx file; as `read_idx`, with `where` as the file's name in messages."""
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _TYPES:
        raise DataError(f"{where}: this is no idx file (it starts with {content[:4].hex(' ') or 'nothing'})")
    kind, dimensions = np.dtype(_TYPES[content[2]]), content[3]
    start = 4 + 4 * dimensions
    if dimensions == 0 or len(content) < start:
        raise DataError(f"{where}: the header is cut off, or promises no dimension")
    shape = np.frombuffer(content, ">u4", dimensions, 4).tolist()
    promised = kind.itemsize
    for size in shape:
        promised *= size
    if promised != len(content) - start:
        sizes = " x ".join(map(str, shape))
        raise DataError(
            f"{where}: the header promises {sizes} values, {promised} bytes; there are {len(content) - start}"
        )
    if promised == 0:
        raise DataError(f"{where}: the file is empty: there is no value in it")
    values = np.frombuffer(content, kind, offset=start).reshape(shape)
    if kind.kind == "f" and not np.isfinite(values).all():
        first = np.argwhere(~np.isfinite(values))[0]
        place = ", ".join(str(index + 1) for index in first)
        raise DataError(f"{where}: the value at ({place}), counted from 1, is {values[tuple(first)]}")
    return values


def _cut(images, features, where):
    beyond = np.argwhere(images[:, features:])
    if features > images.shape[1]:
        raise DataError(f"{where}: points have {images.shape[1]} values; features is {features}")
    if len(beyond):
        row, column = beyond[0]
        place = f"point {row + 1}, value {column + features + 1}"
        raise DataError(f"{where}: {place} is {images[row, column + features]}; features is {features}")
    return images[:, :features]
