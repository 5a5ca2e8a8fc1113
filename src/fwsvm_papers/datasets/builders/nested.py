"""A builder of stand-ins. If files are missing, stand-ins replace a6a (Adult series), w2a, w3a and
w5a (Web series).

In both series, each training set contains the next smaller one: a2a has all rows of a1a (in another
order), and so on up to a9a. The same holds for w1a to w8a. The training part of a stand-in has all
rows of a smaller data set of the series, and further random rows of a larger one. The test part has
all rows of a9a or w8a that are not in the training part, as in the original data sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from fwsvm.inputs.data_files import read_libsvm
from fwsvm.inputs.errors import DataError
from fwsvm_papers.datasets.storage import Built

if TYPE_CHECKING:
    from pathlib import Path

    from fwsvm_papers.datasets.storage import Points


def build(
    smaller: str | Path,
    larger: str | Path,
    whole: str | Path,
    *,
    size: int,
    features: int,
    seed: int,
) -> Built:
    """Return a stand-in with `size` training points and `features` features. The arguments
    `smaller`, `larger` and `whole` are the training files of a smaller, of a larger, and of the
    largest data set of the series.
    """
    sets = [read_libsvm(path, features) for path in (smaller, larger, whole)]
    (X, y), (X_larger, y_larger), (X_whole, y_whole) = sets
    if not len(y) <= size < len(y_larger):
        raise DataError(
            f"{smaller}, {larger}: the stand-in's size {size} must be at least {len(y)}, the size"
            f" of {smaller}, and below {len(y_larger)}, the size of {larger}"
        )
    others = np.flatnonzero(complement(X_larger, y_larger, X, y, str(smaller), str(larger)))
    chosen = np.sort(np.random.default_rng(seed).choice(others, size - len(y), replace=False))
    X = scipy.sparse.vstack([X, X_larger[chosen]], format="csr")
    y = np.concatenate([y, y_larger[chosen]])
    rest = complement(X_whole, y_whole, X, y, str(larger), str(whole))
    return Built(X, y, X_whole[rest], y_whole[rest], facts={"rows_drawn": len(chosen)})


def complement(
    X_whole: Points,
    y_whole: np.ndarray,
    X_part: Points,
    y_part: np.ndarray,
    part_name: str | Path = "part",
    whole_name: str | Path = "whole",
) -> np.ndarray:
    """Return a Boolean mask of the rows of a whole data set that are not in one of its parts.

    Rows are compared by their labels and features. If a row occurs k times in the whole data set
    and j times in the part, the mask selects its last k - j copies. Raise a DataError if j is above
    k for a row, or if the mask would select no row.
    """
    to_remove = Counter(_row_keys(X_part, y_part))
    kept = np.ones(len(y_whole), dtype=bool)
    for row, key in enumerate(_row_keys(X_whole, y_whole)):
        if to_remove[key] > 0:
            to_remove[key] -= 1
            kept[row] = False
    missing = +to_remove
    if missing:
        first = next(
            row for row, key in enumerate(_row_keys(X_part, y_part), start=1) if missing[key]
        )
        raise DataError(
            f"{part_name} is not a part of {whole_name}: {missing.total()} of the {len(y_part)}"
            f" points of {part_name} are missing in {whole_name}, or occur less often in"
            f" {whole_name} than in {part_name}. The first of them is point {first}"
        )
    if not kept.any():
        raise DataError(
            f"{part_name} contains all points of {whole_name}, so the complement is empty"
        )
    return kept


def _row_keys(X: Points, y: np.ndarray) -> Iterator[tuple]:
    X = scipy.sparse.csr_matrix(X)
    for label, start, stop in zip(y, X.indptr[:-1], X.indptr[1:], strict=True):
        yield label.item(), X.indices[start:stop].tobytes(), X.data[start:stop].tobytes()
