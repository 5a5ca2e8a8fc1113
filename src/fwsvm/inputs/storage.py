"""The choice between dense and sparse storage of a matrix of points, and the conversion."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

# Points are stored in a dense array if the share of their nonzero entries is above DENSE_DENSITY. A
# matrix with at most SMALL_VALUES entries, including zeros, is also stored in a dense array (0.8 MB
# in float64).
DENSE_DENSITY = 0.3
SMALL_VALUES = 100_000


def choose_storage(X_train: Any) -> str:
    """Return ``dense`` if X has at most 100,000 entries (including zeros), or if more than 30 % of
    its entries are not zero. Otherwise, return ``csr``.
    """
    values = X_train.shape[0] * X_train.shape[1]
    return "dense" if density(X_train) > DENSE_DENSITY or values <= SMALL_VALUES else "csr"


def density(X: Any) -> float:
    """Return the share of the entries of X (m, d) that are not zero, from 0 to 1."""
    stored = X.count_nonzero() if scipy.sparse.issparse(X) else np.count_nonzero(X)
    share: float = stored / max(1, X.shape[0] * X.shape[1])
    return share


def convert(X: Any, storage: str) -> Any:
    """Return X (m, d) as a C-ordered float64 array (``dense``), or as canonical float64 CSR with
    int32 indices and without stored zeros (``csr``).
    """
    if storage == "dense":
        return np.ascontiguousarray(
            X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64
        )
    X = scipy.sparse.csr_matrix(X, dtype=np.float64)
    X.sum_duplicates()
    X.eliminate_zeros()
    X.indices = X.indices.astype(np.int32, copy=False)
    if X.nnz <= np.iinfo(np.int32).max:
        X.indptr = X.indptr.astype(np.int32, copy=False)
    return X
