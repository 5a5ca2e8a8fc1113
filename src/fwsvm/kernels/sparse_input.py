"""Sparse matrices from outside, checked before any compiled loop follows their indices."""

import numpy as np
from scipy import sparse

_COMPRESSED = ("csr", "csc", "bsr")


def canonical_csr(X, name="X"):
    """A sparse matrix or array as CSR with sorted indices and without duplicates; X itself is not changed.

    scipy does not check the index arrays, and compiled loops would read foreign memory: a wrong index, or arrays that
    do not fit together, raise a ValueError. Flags that scipy has cached on X are not trusted.
    """
    if X.ndim != 2:
        raise ValueError(f"{name} must be a two-dimensional matrix, got the shape {X.shape}")
    if X.format in _COMPRESSED:
        _check_compressed(X, name)
    elif X.format == "coo":
        for axis, indices in enumerate((X.row, X.col)):
            _check_range(indices, X.shape[axis], ("row", "column")[axis], name)
    if X.format != "csr":
        X = X.tocsr()
        _check_compressed(X, name)
    kind = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
    stored = int(X.indptr[-1])
    X = kind((X.data[:stored], X.indices[:stored], X.indptr), shape=X.shape)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _check_compressed(X, name):
    height, width = X.blocksize if X.format == "bsr" else (1, 1)
    major, minor = X.shape[0] // height, X.shape[1] // width
    kinds = ("row", "column")
    if X.format == "csc":
        major, minor, kinds = minor, major, kinds[::-1]
    indptr, indices = X.indptr, X.indices
    if indptr.shape != (major + 1,) or indptr[0] != 0:
        raise ValueError(f"{name}: indptr must be {major + 1} numbers, the first of them 0 ({major} {kinds[0]}s)")
    if np.any(indptr[1:] < indptr[:-1]):
        raise ValueError(f"{name}: indptr must not decrease")
    if indptr[-1] > len(indices) or len(indices) != len(X.data):
        raise ValueError(
            f"{name}: indptr ends at {indptr[-1]}, but there are {len(indices)} indices and {len(X.data)} values"
        )
    _check_range(indices[: indptr[-1]], minor, kinds[1], name)


def _check_range(indices, size, kind, name):
    if len(indices) == 0:
        return
    low, high = indices.min(), indices.max()
    if low < 0 or high >= size:
        wrong = low if low < 0 else high
        raise ValueError(f"{name}: {kind} index {wrong} is outside 0 .. {size - 1} ({size} {kind}s)")
