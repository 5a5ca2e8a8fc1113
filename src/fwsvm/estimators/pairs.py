"""The pairs of classes (one-versus-one), and their kernel matrices."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from fwsvm.kernels.class_blocks import ClassBlocks
from fwsvm.kernels.functions import mean_point
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.kernels.points import Points
from fwsvm.kernels.precomputed import PrecomputedKernelMatrix
from fwsvm.kernels.symmetry import is_symmetric

if TYPE_CHECKING:
    from fwsvm.kernels.functions import Kernel


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """List the pairs (positive, negative) of class codes.

    With two classes, the only pair is (1, 0). With more classes, the pairs are (i, j) with i < j,
    as in LIBSVM.
    """
    return [(1, 0)] if n_classes == 2 else list(combinations(range(n_classes), 2))


class PairProblems:
    """The kernel matrices of all pairs of classes, for points X (m, d) whose classes have the
    integer `codes` (m,). `members` has the indices of the points of each class.

    If `shares_blocks` is true, the kernel values within a class are computed once, and used by all
    pairs that contain the class. In this case, X must be dense.

    If kernel values are given, `room_mb` is the memory (MB) that `PrecomputedKernelMatrix` may use
    for a pair.
    """

    def __init__(
        self,
        X: np.ndarray | sparse.csr_matrix,
        codes: np.ndarray,
        members: list[np.ndarray],
        kernel: Kernel | None,
        shares_blocks: bool,
        room_mb: float = 0.0,
    ) -> None:
        self.X, self.codes, self.kernel, self.room_mb = X, codes, kernel, room_mb
        self.pairs = class_pairs(len(members))
        self.members = members
        self.blocks: ClassBlocks | None = None
        self.whole: KernelMatrix | None = None
        self.symmetric = is_symmetric(X, "X") if kernel is None else None
        if shares_blocks and kernel is not None:
            self.whole = KernelMatrix(centred(X, kernel), kernel)
            self.blocks = ClassBlocks(self.whole.points, self.members, kernel)
        elif kernel is not None and (sparse.issparse(X) or len(self.pairs) == 1):
            self.whole = KernelMatrix(Points(X) if sparse.issparse(X) else X, kernel)

    def points(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the indices of a pair's n points, int64 (n,), and their labels (+-1), float64
        (n,).
        """
        positive, negative = self.pairs[place]
        if len(self.pairs) == 1:
            rows = np.arange(len(self.codes))
        else:
            rows = np.concatenate([self.members[positive], self.members[negative]])
        return rows, np.where(self.codes[rows] == positive, 1.0, -1.0)

    def matrix(self, place: int, rows: np.ndarray) -> tuple[Any, int]:
        """Return the kernel matrix of the n points `rows` of a pair (int64 indices (n,) into X),
        and the number of kernel values that this call computed.
        """
        if self.kernel is None:
            room_mb = self.room_mb
            return PrecomputedKernelMatrix(self.X, rows, self.symmetric, room_mb=room_mb), 0
        if self.whole is not None:
            matrix = self.whole if len(self.pairs) == 1 else self.whole.restricted_to(rows)
            computed = 0
            if self.blocks is not None:
                *matrix.class_blocks, computed = self.blocks.pair(*self.pairs[place])
            return matrix, computed
        own = self.X.take(rows, axis=0)  # `take` is four times as fast as X[rows]
        # Centre the points here, once. Otherwise `KernelMatrix` would centre them at each use.
        if self.kernel.is_isotropic:
            own = own - mean_point(own, np.full(len(own), 1.0 / len(own)))
        return KernelMatrix(Points(own), self.kernel), 0


def centred(X: np.ndarray | sparse.csr_matrix, kernel: Kernel) -> Points:
    """Return all points as `Points`, centred if the kernel is isotropic and X (m, d) is dense."""
    if sparse.issparse(X) or not kernel.is_isotropic:
        return Points(X)
    return Points(X - X.mean(axis=0, dtype=np.float64))
