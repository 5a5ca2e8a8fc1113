"""The kernel values of pairs of classes, in blocks within and between the classes."""

from __future__ import annotations

from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import cdist

from fwsvm.kernels import loops
from fwsvm.kernels.kinds import kernel_values
from fwsvm.kernels.symmetry import mirror_lower

if TYPE_CHECKING:
    from fwsvm.kernels.functions import Kernel
    from fwsvm.kernels.points import Points


class ClassBlocks:
    """The kernel values of each pair of classes (one-versus-one), for dense data.

    Class c has the points `members[c]`: int64 indices (m_c,).
    The values within a class are computed once, and used by all pairs that contain the class.
    """

    def __init__(self, points: Points, members: list[np.ndarray], kernel: Kernel) -> None:
        self.kernel = kernel
        self.points = [points.view(index) for index in members]
        precisions = {points.dot_precision(kernel, np.float32) for points in self.points}
        self.precision = np.float64 if np.float64 in precisions else np.float32
        self.rows = [points.dense_rows(slice(None), self.precision) for points in self.points]
        self.within: list[Any] = [None] * len(members)
        self._lock = Lock()
        self._between: dict[int, np.ndarray] = {}  # the keys are ids of threads

    @staticmethod
    def megabytes(sizes: np.ndarray, n_features: int, n_threads: int = 1) -> float:
        """Return the memory (MB) that class blocks need at most.

        `sizes` (k,) has the integer number of points of each of the k classes. The memory is for
        all points, for the blocks within all classes, and for one block between two classes in each
        thread.
        """
        largest, second, *_ = ordered = sorted((float(size) for size in sizes), reverse=True)
        stored = sum(size * (size + 4 * n_features) for size in ordered)
        # While a block is computed, it needs 12 bytes per value: 8 in float64 and 4 in float32. For
        # blocks within a class, `stored` already includes the 4 bytes of float32.
        return 4e-6 * (stored + max(3 * n_threads * largest * second, 2 * largest**2))

    def pair(self, p: int, q: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Return three float32 blocks (within class p, between p and q, within q), and the number
        of kernel values that this call computed.

        The block between p and q is only valid until the next call in the same thread, because that
        call writes its own block into the same memory.
        """
        computed = 0
        for c in (p, q):
            with self._lock:
                if self.within[c] is None:
                    size = self.points[c].n_points
                    self.within[c] = self._block(c, c, np.empty((size, size), self.precision))
                    computed += size * size
        shape = self.points[p].n_points, self.points[q].n_points
        room = self._between.get(get_ident())
        if room is None or len(room) < shape[0] * shape[1]:
            room = self._between[get_ident()] = np.empty(shape[0] * shape[1], self.precision)
        between = self._block(p, q, room[: shape[0] * shape[1]].reshape(shape))
        return self.within[p], between, self.within[q], computed + between.size

    def _block(self, p: int, q: int, dots: np.ndarray) -> np.ndarray:
        first, second = self.points[p], self.points[q]
        out = dots if self.precision == np.float32 else np.empty(dots.shape, np.float32)
        if all(
            each.largest_squared_norm > each.largest_norm(self.kernel) for each in (first, second)
        ):
            cdist(self.rows[p], self.rows[q], "sqeuclidean", out=dots)
            kernel_values(*self.kernel.arguments, dots.reshape(-1))
            out[:] = dots
        else:
            # if p == q, the product that numpy computes is exactly symmetric
            np.matmul(self.rows[p], self.rows[q].T, out=dots)
            norms = second.squared_norms.astype(dots.dtype)
            loops.dots_to_kernel(*self.kernel.arguments, first.squared_norms, norms, dots, out)
        if p == q:
            mirror_lower(out)
        return out
