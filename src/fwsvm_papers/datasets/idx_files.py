"""Functions that read idx files. MNIST is stored in this format."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from fwsvm.inputs.data_files import read_content
from fwsvm.inputs.errors import DataError
from fwsvm.inputs.storage import choose_storage

if TYPE_CHECKING:
    from pathlib import Path

_IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(
    path: str | Path, labels_path: str | Path, features: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the points (m, d) and the labels (m,) in two idx files, as float64. The function
    `choose_storage` decides whether the points are stored as a dense or a CSR matrix.

    Only the first `features` values of each point are kept, and the others must be 0. By default,
    all values are kept.
    """
    images, labels = _parse_idx(path), _parse_idx(labels_path)
    if images.ndim < 2 or labels.ndim != 1 or len(images) != len(labels):
        raise DataError(
            f"{path} has the shape {images.shape}, and {labels_path} has the shape {labels.shape}."
            " Points must have at least two dimensions, and labels one. Both must have the same"
            " number of rows"
        )
    images = images.reshape(len(images), -1)
    if features is not None:
        if features > images.shape[1]:
            raise DataError(
                f"{path}: points have {images.shape[1]} values, but 'features' is {features}"
            )
        if (beyond := np.flatnonzero(images[:, features:].any(axis=1))).size:
            raise DataError(
                f"{path}: point {beyond[0] + 1} has a nonzero value after feature {features};"
                " increase 'features'"
            )
        images = images[:, :features]
    if choose_storage(images) == "csr":
        images = scipy.sparse.csr_matrix(images)
    return images.astype(np.float64), labels.astype(np.float64)


def _parse_idx(path: str | Path) -> np.ndarray:
    """Return the array of an idx file.

    An idx file has a header with the shape of the array. The numbers follow the header, in
    big-endian order.
    """
    content = read_content(path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _IDX_TYPES:
        raise DataError(
            f"{path} is not an idx file (its first bytes are {content[:4].hex(' ') or 'missing'})"
        )
    kind, dimensions = np.dtype(_IDX_TYPES[content[2]]), content[3]
    start = 4 + 4 * dimensions
    if dimensions == 0 or len(content) < start:
        raise DataError(f"{path}: the header is truncated or gives no dimensions")
    shape = np.frombuffer(content, ">u4", dimensions, 4).tolist()
    expected = math.prod(shape) * kind.itemsize
    if expected != len(content) - start or not expected:
        sizes = " x ".join(map(str, shape))
        raise DataError(
            f"{path}: according to the header, {sizes} values follow, which need {expected} bytes,"
            f" but {len(content) - start} bytes follow the header"
        )
    values = np.frombuffer(content, kind, offset=start).reshape(shape)
    if not np.isfinite(values).all():
        raise DataError(f"{path}: a value is not a finite number")
    return values
