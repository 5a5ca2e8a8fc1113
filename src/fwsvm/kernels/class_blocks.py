"""Kernel values shared by one-versus-one pairs of dense data: blocks within and between classes, by matrix products."""

from threading import Lock, get_ident

import numpy as np

from fwsvm.kernels import loops as loops
from fwsvm.kernels.points import Points
from fwsvm.kernels.symmetry import mirror_lower


class ClassBlocks:
    """Kernel values of every pair of classes, given the points (m_c, d) of each; each class is computed once."""

    def __init__(self, parts, kernel, center=None):
        self.kernel = kernel
        self.points = [Points(part, center) for part in parts]
        precisions = {points.dot_precision(kernel, np.float32) for points in self.points}
        self.precision = np.float64 if np.float64 in precisions else np.float32
        self.within = [None] * len(parts)
        self._lock, self._between = Lock(), {}

    @staticmethod
    def megabytes(sizes, n_threads=1):
        """Memory of the blocks within all classes, and of each thread's block between the two largest."""
        ordered = sorted((float(size) for size in sizes), reverse=True)  # 3: float64 next to float32
        return 4e-6 * (sum(size * size for size in ordered) + 3 * n_threads * ordered[0] * ordered[1])

    def pair(self, p, q):
        """Kernel values, float32, within p, between p and q, and within q; and how many were computed for it.

        Those between p and q hold until the thread's next call.
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

    def _block(self, p, q, dots):
        first, second = self.points[p], self.points[q]
        rows = first.dense_rows(slice(None), self.precision)
        # the same array twice where p == q: numpy then computes a product that is exactly symmetric
        columns = rows if p == q else second.dense_rows(slice(None), self.precision)
        np.matmul(rows, columns.T, out=dots)
        out = dots if self.precision == np.float32 else np.empty(dots.shape, np.float32)
        loops.dots_to_kernel(*self.kernel.arguments, first.squared_norms, second.squared_norms, dots, out)
        if p == q:
            mirror_lower(out)
        return out
