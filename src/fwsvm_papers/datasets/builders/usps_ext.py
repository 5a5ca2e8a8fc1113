"""The data set USPS-Ext, which has the digits 0 and 1 of USPS, with each image at all positions in
a larger frame.

The original data set was on the web page of LibCVM, the program of tsang2005's authors.

The files have the zip-code digits of "The Elements of Statistical Learning". Each image has 16 x 16
pixels with values in [-1, 1]. The pixels of each image of a 0 or a 1 are scaled to [0, 1], so that
the background is 0. The image is put into an empty frame of 26 x 26 pixels, once at each of the 11
x 11 positions where it fits. The class is the digit. Training points are made from training images,
and test points from test images.

The original data set is no longer available, because the web page was removed. Its sizes are known:
266,079 training points and 75,383 test points. The first number is 121 positions times 2,199
training images, and the second is 121 positions times 623 test images. Therefore, we conclude that
the images were shifted and not enlarged. The order of the points and the scaling of the pixels are
not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets.storage import Built
from fwsvm_papers.datasets.tables import read_csv

if TYPE_CHECKING:
    from pathlib import Path

    from fwsvm_papers.datasets.storage import Points

SIDE = 16
DIGITS = (0, 1)


def build(train: str | Path, test: str | Path, *, frame: int = 26) -> Built:
    """Return the data set, which is made from the files ``zip.train`` and ``zip.test``.

    Frames have `frame` x `frame` pixels.
    """
    if not (isinstance(frame, int) and frame >= SIDE):
        raise ConfigError(
            f"builder usps_ext: frame is {frame!r}, but it must be an integer >= {SIDE}"
        )
    facts = {"places": (frame - SIDE + 1) ** 2}
    parts: list[tuple[Points, np.ndarray]] = []
    for part, path in (("training", train), ("test", test)):
        images, digits = read_images(path)
        facts[f"{part}_images"] = len(images)
        parts.append(shifted(images, digits, frame))
    (X_train, y_train), (X_test, y_test) = parts
    return Built(X_train, y_train, X_test, y_test, facts)


def read_images(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the images of 0 and 1 in a file as an array (images, 256) of pixels in [0, 1], and the
    digits of the images.
    """
    pixels, digits = read_csv(path, label=1, separator="whitespace")
    if pixels.shape[1] != SIDE * SIDE:
        raise DataError(
            f"{path}: a line has {pixels.shape[1]} pixels, but {SIDE * SIDE} are needed"
        )
    if wrong := np.flatnonzero(np.abs(pixels).max(axis=1) > 1).tolist():
        raise DataError(f"{path}: image {wrong[0] + 1} has a pixel that is not between -1 and 1")
    chosen = np.isin(digits, DIGITS)
    return (pixels[chosen] + 1) / 2, digits[chosen]


def shifted(
    images: np.ndarray, digits: np.ndarray, frame: int
) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """Put each image at each position in the frame.

    Return the points as a CSR matrix, and the digit of each point.
    """
    corners = np.arange(frame - SIDE + 1)
    places = (corners[:, None] * frame + corners).ravel().astype(np.int32)
    within_image = np.arange(SIDE, dtype=np.int32)
    columns = (within_image[:, None] * frame + within_image).ravel()
    copies = scipy.sparse.csr_matrix(images)[np.repeat(np.arange(len(images)), len(places))]
    indices = columns[copies.indices] + np.repeat(
        np.tile(places, len(images)), np.diff(copies.indptr)
    )
    X = scipy.sparse.csr_matrix(
        (copies.data, indices, copies.indptr), shape=(copies.shape[0], frame * frame)
    )
    return X, np.repeat(digits, len(places))
