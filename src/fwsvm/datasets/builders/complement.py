"""What is left of a data set without a part of it: test parts of nested series."""

from collections import Counter

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError


def complement(X_whole, y_whole, X_part, y_part, part_name="part", whole_name="whole"):
    """Boolean mask of the rows of the whole that are left without those of the part (multiset difference).

    A row is its label and its features. One that is k times in the whole and j times in the part is left
    k - j times, the first ones being taken away.

    Raises
    ------
    DataError
        A row of the part is not in the whole, or not as often; or nothing is left.
    """
    to_remove = Counter(_row_keys(X_part, y_part))
    kept = np.ones(len(y_whole), dtype=bool)
    for row, key in enumerate(_row_keys(X_whole, y_whole)):
        if to_remove[key] > 0:
            to_remove[key] -= 1
            kept[row] = False
    missing = +to_remove
    if missing:
        first = next(row for row, key in enumerate(_row_keys(X_part, y_part), start=1) if missing[key])
        raise DataError(
            f"{part_name} is not a part of {whole_name}: {missing.total()} of its {len(y_part)} points are"
            f" not in it (or not as often), the first being point {first}"
        )
    if not kept.any():
        raise DataError(f"{part_name} is all of {whole_name}: the complement is empty")
    return kept


def _row_keys(X, y):
    X = scipy.sparse.csr_matrix(X)
    for label, start, stop in zip(y, X.indptr[:-1], X.indptr[1:], strict=True):
        yield label.item(), X.indices[start:stop].tobytes(), X.data[start:stop].tobytes()
