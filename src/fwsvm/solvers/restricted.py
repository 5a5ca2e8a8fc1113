"""The L2-SVM over some of the points, solved by Newton's method: what FCFW does between two passes over all points.

With a = b / sum(b) the dual over the simplex becomes: minimise b'Qb / 2 - sum(b) over b >= 0, Q = P + D with the
diagonal shifts in D. It is the dual of minimising g'Pg / 2 + sum_i max(0, 1 - (Pg)_i)^2 / (2 D_ii) over g, a convex and
piecewise quadratic function. At its minimum D_ii g_i = max(0, 1 - (Pg)_i), which is b. A Newton step solves the
equations of the points with (Pg)_i < 1, and an exact line search follows. This ends after finitely many steps
(Mangasarian 2002, Theorem 3; for kernel machines: Chapelle 2007).
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from fwsvm.base.threads import tiles
from fwsvm.solvers.low_rank import line_search, nystroem_factor, solved

# Systems of up to 400 unknowns are factorised (Cholesky); larger ones use conjugate gradients. If the last CG solve
# took k iterations, up to 32 k unknowns (at most 5000) are factorised instead.
_DIRECT, _PER_ITERATION, _MOST_DIRECT = 400, 32, 5000
# Points whose columns precondition conjugate gradients; twice as many after a solve of more than 12 iterations.
_LANDMARKS, _MANY_ITERATIONS = 300, 12
_FEWEST = 20
_MOST_ITERATIONS = 500
# A step's equations are solved to this share of the tolerance, or of a tenth of the residual if that is larger.
_EXACTNESS, _FORCING = 0.3, 0.1
# Equations in a tile of the preconditioner.
_TILE = 2048
# A product with more than this share of the rows takes all of them.
_MOST = 0.75


class Restricted:
    """The problem over the points of a `GrowingGram`: its multipliers `g` and `f` = Pg."""

    def __init__(self, gram, problem, rng):
        self.gram, self.offset, self.rng = gram, problem.offset, rng
        self._problem, self._landmarks, self._iterations = problem, _LANDMARKS, 0
        self.g = self.f = self.labels = self.ridge = np.empty(0)
        self._exactness, self._root = _EXACTNESS, None

    def set_points(self, g, f):
        """Take over the points of the Gram matrix, with g and f."""
        self.g, self.f = g, f
        self.labels = self._problem.labels[self.gram.points]
        self.ridge = np.broadcast_to(self._problem.ridge_at(self.gram.points), len(g)).astype(np.float64)
        self._exactness, self._root = _EXACTNESS, None

    def residual(self, g=None, f=None):
        """Largest |D_ii g_i - max(0, 1 - f_i)|: 0 at the solution."""
        g, f = (self.g, self.f) if g is None else (g, f)
        return float(np.abs(self.ridge * g - np.maximum(1.0 - f, 0.0)).max())

    def clip(self, tolerance):
        """Set negative multipliers to 0 if the residual is then at most `tolerance`; returns whether none are left."""
        g, f = self.without_negative()
        if g is not self.g and self.residual(g, f) > tolerance:
            return False
        self.g, self.f = g, f
        return True

    def without_negative(self):
        """(g, f) with negative multipliers at 0."""
        d = np.maximum(-self.g, 0.0)
        return (self.g + d, self.f + self._times(np.arange(len(d)), d)) if d.any() else (self.g, self.f)

    def _times(self, positions, x):
        signed = self.labels * x
        return self.labels[positions] * (self.gram.times(positions, signed) + self.offset * signed.sum())

    def move(self, d):
        """Change the multipliers by d."""
        self.f += self._times(np.arange(len(d)), d)
        self.g += d

    def step(self, tolerance):
        """A Newton step, with equations solved to a part of `tolerance`; returns its length.

        Raises LinAlgError if the kernel values are not positive semidefinite within their precision.
        """
        before = self.residual()
        if before <= tolerance:  # but for negative multipliers, whose equations were not solved well enough
            self._exactness *= 0.1
        below, accuracy = np.flatnonzero(self.f < 1.0), max(tolerance, _FORCING * before)
        d, everyone = -self.g, np.arange(len(self.g))
        d[below] = 0.0
        target = 1.0 - self.f[below] - self.ridge[below] * self.g[below]
        change = self._times(everyone, d) if d.any() else np.zeros(len(d))
        d[below], image = self._solve(below, target - change[below], self._exactness * accuracy)
        if image is None:
            change = self._times(everyone, d)
        else:
            change += image
        length = 1.0
        if self.residual(self.g + d, self.f + change) > tolerance:
            length = line_search(self.f, change, 1.0 / self.ridge, float(self.g @ change), float(d @ change))
            if length < 0.1:  # an inexact direction near the solution
                self._exactness *= 0.1
        if not (np.isfinite(length) and np.isfinite(change).all()):
            raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")
        self.g += length * d
        self.f += length * change
        return length

    def _solve(self, below, target, tolerance):
        """x with (P + D)x = target over the points `below`, and P times x over all points (None if not known)."""
        ridge = self.ridge[below]
        if len(below) <= max(_DIRECT, self._largest_factor()):
            matrix = self._signed(below, below)
            matrix[np.diag_indices(len(below))] += ridge
            return solved(matrix, target), None
        precondition = self._preconditioner(below, ridge)
        x, whole, made = np.zeros(len(below)), np.zeros(len(self.g)), 0
        rest, z = target.copy(), precondition(target)
        # If most points are below the margin, products are over all points, and their sum is the product with x.
        rows, total = below, None
        if len(below) > _MOST * len(whole):
            rows, total = np.arange(len(whole)), np.zeros(len(whole))
        p, old = z.copy(), float(target @ z)
        for _ in range(_MOST_ITERATIONS):
            if np.abs(rest).max() <= tolerance or old <= 0.0:
                break
            whole[below] = p
            product = self._times(rows, whole)
            image = (product if total is None else product[below]) + ridge * p
            curvature = float(p @ image)
            if not curvature > 0.0:
                raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")
            length = old / curvature
            if total is not None:
                total += length * product
            x += length * p
            rest -= length * image
            z = precondition(rest)
            new = float(rest @ z)
            p, old, made = z + (new / old) * p, new, made + 1
        self._iterations = made
        if made > _MANY_ITERATIONS and 32 * self._landmarks <= len(below):
            self._landmarks, self._root = 2 * self._landmarks, None
        return x, total

    def _largest_factor(self):
        """The largest number of equations to factorise, by the last solve and a quarter of the room."""
        n, room = len(self.g), 0.25 * self.gram.room_bytes
        fits = (np.sqrt(n * n + 3.0 * room) - n) / 6.0  # k equations take 12 k^2 bytes, their rows 4 k n
        return min(_PER_ITERATION * self._iterations, _MOST_DIRECT, fits)

    def _signed(self, positions, columns=slice(None)):
        """Rows of P at these positions (and columns), float64."""
        rows = self.gram.rows(positions)[:, columns].astype(np.float64)
        rows += self.offset
        rows *= self.labels[positions, None]
        rows *= self.labels[columns]
        return rows

    def _preconditioner(self, below, ridge):
        """The inverse of D + a low-rank approximation of P from the columns of random points (Nystroem)."""
        if self._root is None:
            # Three matrices of this many rows are in use at once.
            fits = int(self.gram.room_bytes / (3 * 8 * len(self.g)))
            size = min(self._landmarks, len(below), max(fits, _FEWEST))
            chosen = np.sort(self.rng.choice(below, size, replace=False))
            rows = self._signed(chosen)
            factor = nystroem_factor(rows[:, chosen])
            self._root = solve_triangular(factor, rows, lower=True, overwrite_b=True, check_finite=False)
        root, workers = self._root[:, below], self.gram.workers
        scaled = root / ridge
        parts = tiles(len(below), _TILE)
        small = workers.sum(lambda tile: scaled[:, tile] @ root[:, tile].T, parts)
        small[np.diag_indices(len(small))] += 1.0
        small = cho_factor(small, lower=True, overwrite_a=True, check_finite=False)

        def inverse(v):
            image = workers.sum(lambda tile: scaled[:, tile] @ v[tile], parts)
            image, out = cho_solve(small, image, check_finite=False), v / ridge

            def subtract(tile):
                out[tile] -= image @ scaled[:, tile]

            workers.each(subtract, parts)
            return out

        return inverse
