"""Solve the L2-SVM by Newton's method.

FCFW uses the method on its active points (`Restricted`). FCFW and working sets also use it on all
points, with a low-rank approximation of the kernel, to guess the support vectors (SVs)
(`guessed_values`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from fwsvm.machine_code.compiled import compiled
from fwsvm.machine_code.threads import tiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from fwsvm.kernels.growing_gram import GrowingGram
    from fwsvm.machine_code.threads import Workers
    from fwsvm.problems.dual import KernelProblem

# The SVs of m points are guessed from sqrt(m) landmarks (random points). They are not guessed if
# this number, or the number for which the memory suffices, is below _LEAST_LANDMARKS.
_LEAST_LANDMARKS = 32
# With kernel values above this bound, products could exceed the range of float32.
_LARGEST_DIAGONAL = 1e15
# Number of points whose rows a thread processes at the same time, and the diagonal shift that makes
# a kernel matrix positive definite despite rounding errors, relative to 1 plus its diagonal.
_TILE, _JITTER = 2048, 1e-5
# Newton steps on the features end after _MOST_LANDMARK_STEPS steps, or when the decrease of the
# objective that a step predicts is at most _LAST_DECREASE of it. The result is only a guess.
_MOST_LANDMARK_STEPS, _LAST_DECREASE = 15, 1e-3


def guessed_values(
    problem: KernelProblem,
    dtype: DTypeLike,
    room_mb: float,
    rng: np.random.Generator,
    workers: Workers,
) -> tuple[np.ndarray | None, int]:
    """Guess f_i = y_i h(x_i) for the decision function h.

    Return f (m,) and the number of kernel values computed. If the points are too few, the memory is
    too small or kernel values are too large, return None and 0.

    Let L be the landmarks, and W = R'R their kernel matrix. The feature vector of x is K_xL R^-1.
    Dot products of feature vectors approximate K, so a linear L2-SVM on the feature vectors
    approximates the L2-SVM. A Newton step then has one equation per feature (Keerthi and DeCoste
    2005).
    """
    m = problem.size
    # `16 * n_features` is the memory (bytes) per landmark for dense float64 copies of sparse
    # landmarks
    most = room_mb * 1e6 / max(4 * m, 16 * problem.matrix.n_features)
    rank = int(min(_landmarks(m), most))
    if rank < _LEAST_LANDMARKS or problem.largest_diagonal > _LARGEST_DIAGONAL:
        return None, 0
    landmarks = np.sort(rng.choice(m, rank, replace=False))
    features = _features(problem, landmarks, dtype, workers)
    weights = 1.0 / np.broadcast_to(problem.shift_at(slice(None)), m)
    return _solve(features, weights, workers), m * rank


def _landmarks(m: int) -> float:
    return float(np.sqrt(m))


def nystroem_factor(corner: np.ndarray) -> np.ndarray:
    """Return the lower Cholesky factor (r, r) of the landmarks' kernel matrix `corner`, a float32
    or float64 array of shape (r, r), plus a small diagonal shift.
    """
    corner = 0.5 * (corner + corner.T)
    corner[np.diag_indices(len(corner))] += _JITTER * (1.0 + corner.diagonal())
    return np.linalg.cholesky(corner)


def _features(
    problem: KernelProblem, landmarks: np.ndarray, dtype: DTypeLike, workers: Workers
) -> np.ndarray:
    """Return a float32 array (m, r + 1). Row i has the r features of x_i and sqrt(offset) for the
    bias, all multiplied by y_i.
    """
    root = nystroem_factor(problem.matrix.submatrix(landmarks))
    root = solve_triangular(root, np.eye(len(root)), lower=True).T.astype(np.float32)
    features = np.empty((problem.size, len(landmarks) + 1), np.float32)
    against = problem.matrix.against(landmarks, dtype)

    def work(tile: slice) -> None:
        signs = problem.labels[tile, None]
        features[tile, :-1] = against(np.arange(tile.start, tile.stop)) @ root
        features[tile, :-1] *= signs
        features[tile, -1:] = np.sqrt(problem.offset) * signs

    workers.each(work, tiles(problem.size, _TILE))
    return features


def _solve(features: np.ndarray, weights: np.ndarray, workers: Workers) -> np.ndarray:
    """Take Newton steps from w = 0. Return f = features @ w for the final w."""
    f, w = np.zeros(len(features)), np.zeros(features.shape[1])
    for _ in range(_MOST_LANDMARK_STEPS):
        slack = np.maximum(1.0 - f, 0.0)
        gradient, hessian = _derivatives(features, slack, weights, workers)
        gradient += w
        hessian[np.diag_indices(len(w))] += 1.0 + 1e-7 * hessian.diagonal()
        d = -solved(hessian, gradient)
        change = _times(features, d, workers)
        length = line_search(f, change, weights, float(w @ d), float(d @ d))
        value = 0.5 * (w @ w + weights @ slack**2)
        w += length * d
        f += length * change
        if -float(gradient @ d) <= _LAST_DECREASE * value:
            break
    return f


def _derivatives(
    features: np.ndarray, slack: np.ndarray, weights: np.ndarray, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:

    def share(tile: slice) -> np.ndarray:
        below = tile.start + np.flatnonzero(slack[tile])
        rows = features[below] * np.sqrt(weights[below]).astype(np.float32)[:, None]
        scaled = (np.sqrt(weights[below]) * slack[below]).astype(np.float32)
        return np.vstack([-scaled @ rows, rows.T @ rows])

    both = workers.sum(share, tiles(len(features), _TILE))
    return both[0], both[1:]


def _times(features: np.ndarray, d: np.ndarray, workers: Workers) -> np.ndarray:
    out, d = np.empty(len(features)), d.astype(np.float32)

    def work(tile: slice) -> None:
        out[tile] = features[tile] @ d

    workers.each(work, tiles(len(features), _TILE))
    return out


def solved(matrix: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Solve n linear equations with a positive definite matrix (n, n) and the right-hand side
    `target` (n,), both float32 or float64.

    Only the lower triangle of the matrix is read, and the matrix is overwritten.
    """
    # LAPACK stores matrices by columns, so .T avoids a copy
    factor = cho_factor(matrix.T, overwrite_a=True, check_finite=False)
    x: np.ndarray = cho_solve(factor, target, check_finite=False)
    return x


@compiled
def signed_rows(
    values: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    labels: np.ndarray,
    own: np.ndarray,
    offset: float,
    first: int,
    out: np.ndarray,
) -> None:
    """Set out[k, l] = own[k] labels[c] (values[rows[k], c] + offset) with c = columns[l], for l
    <= first + k.
    """
    for k in range(rows.shape[0]):
        row, sign = values[rows[k]], own[k]
        for p in range(min(first + k + 1, columns.shape[0])):
            c = columns[p]
            out[k, p] = sign * labels[c] * (row[c] + offset)


def line_search(
    f: np.ndarray, change: np.ndarray, weights: np.ndarray, constant: float, slope: float
) -> float:
    """Return the step length t > 0 that minimises the objective along a direction. All arrays are
    float64 (m,).

    The objective is t * constant + t^2 * slope / 2 + sum_i weights_i * max(0, 1 - f_i - t *
    change_i)^2 / 2.
    """
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(60):
        below = f + length * change < 1.0
        own = change[below]
        weighted = own * weights[below]
        rise = constant + length * slope - float((1.0 - f[below] - length * own) @ weighted)
        low, high = (length, high) if rise <= 0.0 else (low, length)
        following = length - rise / max(slope + float(own @ weighted), 1e-300)
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - length) <= 1e-12 * length:
            break
        length = following
    return length


# Systems of up to _DIRECT equations are factorised, and larger ones are solved by CG (conjugate
# gradients). If the last run of CG took k iterations, systems of up to _PER_ITERATION k equations
# are factorised too, but only up to _MOST_DIRECT equations.
_DIRECT, _PER_ITERATION, _MOST_DIRECT = 400, 32, 5000
# The preconditioner of CG uses _LANDMARKS points. It uses fewer if memory is short, but at least
# _LEAST_LANDMARKS. The number of points is doubled after a run of more than _MANY_ITERATIONS CG
# iterations.
_LANDMARKS, _MANY_ITERATIONS, _MOST_ITERATIONS = 300, 12, 500
# A step solves its equations to an accuracy of _EXACTNESS * max(tolerance, _FORCING * residual), or
# more exactly after very short steps.
_EXACTNESS, _FORCING = 0.3, 0.01
# A Newton step solves the equations of the points with f_i < 1. It also solves the equation of a
# point with f_i > 1 and g_i > 0 if f_i - 1 is below slack * g_i, or below the accuracy of the last
# solution. Without these additional equations, steps would be short when the diagonal shift is
# small (compare Hintermueller, Ito and Kunisch 2002). The slack is _SLACK at the start, and very
# short steps reduce it. If the line search gives a length below _SHORT, the length 1 is used
# instead, but at most _FULL_STEPS times.
_SLACK, _SHORT, _FULL_STEPS = 0.02, 0.5, 4
# Number of rows in a tile of P (see `Restricted`).
_TILE_ROWS = 64
# If a matrix-vector product needs more than this share of the rows, it is computed with all rows.
_MOST_ROWS = 0.75


class Restricted:
    """Solve the QP over the n points of a `GrowingGram`. The attribute `g` has the current
    multipliers, and `f` is Pg. Arguments named g, f and d are float64 arrays (n,).

    Here P_ij = y_i y_j (K_ij + offset). Let D be the diagonal matrix of the diagonal shifts. The QP
    over the simplex has the solution a = b / sum(b), where b minimises b'(P + D)b / 2 - sum(b) over
    b >= 0. To find b, this class minimises g'Pg / 2 + sum_i max(0, 1 - (Pg)_i)^2 / (2 D_ii) over
    all g. At the minimum, D_ii g_i = max(0, 1 - (Pg)_i), and this g is b.

    A Newton step solves the equations of the points with (Pg)_i below 1 or slightly above 1, and an
    exact line search follows. The method ends after finitely many steps (Mangasarian 2002, Theorem
    3; Chapelle 2007).
    """

    def __init__(self, gram: GrowingGram, problem: KernelProblem, rng: np.random.Generator) -> None:
        self.gram, self.offset, self.rng = gram, problem.offset, rng
        self._problem, self._landmarks, self._iterations = problem, _LANDMARKS, 0
        self.g = self.f = self.labels = self.shift = np.empty(0)
        self._exactness = _EXACTNESS
        self._root: Any = None

    def set_points(self, g: np.ndarray, f: np.ndarray) -> None:
        self.g, self.f = g, f
        self.labels = self._problem.labels[self.gram.points]
        self.shift = np.broadcast_to(self._problem.shift_at(self.gram.points), len(g)).astype(
            np.float64
        )
        self._exactness, self._root, self._slack = _EXACTNESS, None, _SLACK
        self._accuracy, self._full_steps = 0.0, 0

    def residual(self, g: np.ndarray | None = None, f: np.ndarray | None = None) -> float:
        """Return the largest |D_ii g_i - max(0, 1 - f_i)|, which is 0 at the solution. By default,
        g and f are the current ones.
        """
        if g is None or f is None:
            g, f = self.g, self.f
        return float(np.abs(self.shift * g - np.maximum(1.0 - f, 0.0)).max())

    def clip(self, tolerance: float) -> bool:
        """Set negative multipliers to 0 if the residual is then at most `tolerance`.

        Return False if negative multipliers remain.
        """
        g, f = self.without_negative()
        if g is not self.g and self.residual(g, f) > tolerance:
            return False
        self.g, self.f = g, f
        return True

    def without_negative(self) -> tuple[np.ndarray, np.ndarray]:
        d = np.maximum(-self.g, 0.0)
        return (
            (self.g + d, self.f + self._times(np.arange(len(d)), d))
            if d.any()
            else (self.g, self.f)
        )

    def _times(self, positions: np.ndarray, x: np.ndarray) -> np.ndarray:
        signed = self.labels * x
        product: np.ndarray = self.labels[positions] * (
            self.gram.times(positions, signed) + self.offset * signed.sum()
        )
        return product

    def move(self, d: np.ndarray) -> None:
        self.f += self._times(np.arange(len(d)), d)
        self.g += d

    def step(self, tolerance: float) -> float:
        """Take a Newton step toward a residual of at most `tolerance`.

        Return the length of the step.

        Raise LinAlgError if the kernel matrix is not positive semidefinite.
        """
        before = self.residual()
        # If the residual is already small enough, this step only has to remove negative
        # multipliers. For this, the equations must be solved more exactly.
        if before <= tolerance:
            self._exactness *= 0.1
        kept = self.f - 1.0 < np.maximum(self._slack * self.g, self._accuracy)
        below = np.flatnonzero((self.f < 1.0) | (self.g > 0.0) & kept)
        d, everyone = -self.g, np.arange(len(self.g))
        d[below] = 0.0
        target = 1.0 - self.f[below] - self.shift[below] * self.g[below]
        change = self._times(everyone, d) if d.any() else np.zeros(len(d))
        self._accuracy = self._exactness * max(tolerance, _FORCING * before)
        d[below], image = self._solve(below, target - change[below], self._accuracy)
        if image is None:
            change = self._times(everyone, d)
        else:
            change += image
        length = 1.0
        if self.residual(self.g + d, self.f + change) > tolerance:
            slope = max(float(d @ change), 0.0)  # rounding errors could make it negative
            length = line_search(self.f, change, 1.0 / self.shift, float(self.g @ change), slope)
            # The line search gave a short step. Take the full step (length 1) instead, because
            # fewer points then cross the margin in later steps.
            if length < _SHORT and self._full_steps < _FULL_STEPS:
                length, self._full_steps = 1.0, self._full_steps + 1
            # After a very short step, later steps solve the equations more exactly, and keep fewer
            # equations with f_i > 1.
            if length < 0.1:
                self._exactness, self._slack = 0.1 * self._exactness, 0.1 * self._slack
        if not (np.isfinite(length) and np.isfinite(change).all()):
            raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")
        self.g += length * d
        self.f += length * change
        return length

    def _solve(
        self, below: np.ndarray, target: np.ndarray, tolerance: float
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Solve (P + D)x = target over the points `below`.

        Return x, and Px at all points of the QP (None if it was not computed).
        """
        shift = self.shift[below]
        n, room = len(self.g), 0.25 * self.gram.room_bytes
        # factorising k equations takes 12 k^2 + 4 k n bytes of memory
        fits = (np.sqrt(n * n + 3.0 * room) - n) / 6.0
        if len(below) <= max(_DIRECT, min(_PER_ITERATION * self._iterations, _MOST_DIRECT, fits)):
            matrix = self._signed(below, below, triangle=True)
            matrix[np.diag_indices(len(below))] += shift
            return solved(matrix, target), None
        precondition = self._preconditioner(below, shift)
        x, whole, made = np.zeros(len(below)), np.zeros(len(self.g)), 0
        rest, z = target.copy(), precondition(target)
        # If most points are below the margin, products are computed with all rows of P, because
        # this also gives Px at all points.
        rows, total = below, None
        if len(below) > _MOST_ROWS * len(whole):
            rows, total = np.arange(len(whole)), np.zeros(len(whole))
        p, old = z.copy(), float(target @ z)
        for _ in range(_MOST_ITERATIONS):
            if np.abs(rest).max() <= tolerance or old <= 0.0:
                break
            whole[below] = p
            product = self._times(rows, whole)
            image = (product if total is None else product[below]) + shift * p
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

    def _signed(
        self, positions: np.ndarray, columns: np.ndarray, triangle: bool = False
    ) -> np.ndarray:
        """Return the block `positions` x `columns` of P in float64. With `triangle`, only its lower
        triangle is computed.
        """
        values, rows = self.gram.stored_rows(positions)
        out, own = np.empty((len(positions), len(columns))), self.labels[positions]

        def work(tile: slice) -> None:
            first = tile.start if triangle else len(columns)
            signed_rows(
                values, rows[tile], columns, self.labels, own[tile], self.offset, first, out[tile]
            )

        self.gram.workers.each(work, tiles(len(positions), _TILE_ROWS))
        return out

    def _preconditioner(
        self, below: np.ndarray, shift: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        """Return a function that applies (D + L)^-1.

        L is a Nystroem approximation of P from random columns.
        """
        if self._root is None:
            # Three matrices with `size` rows are in memory at the same time.
            fits = int(self.gram.room_bytes / (3 * 8 * len(self.g)))
            size = min(self._landmarks, len(below), max(fits, _LEAST_LANDMARKS))
            chosen = np.sort(self.rng.choice(below, size, replace=False))
            rows = self._signed(chosen, np.arange(len(self.g)))
            factor = nystroem_factor(rows[:, chosen])
            self._root = solve_triangular(
                factor, rows, lower=True, overwrite_b=True, check_finite=False
            )
        root, workers = self._root[:, below], self.gram.workers
        scale = np.sqrt(shift)
        scaled = root / scale
        parts = tiles(len(below), _TILE)
        # numpy computes only one triangle of the product of a matrix and its transpose
        small = workers.sum(lambda tile: scaled[:, tile] @ scaled[:, tile].T, parts)
        small[np.diag_indices(len(small))] += 1.0
        small = cho_factor(small, lower=True, overwrite_a=True, check_finite=False)

        def inverse(v: np.ndarray) -> np.ndarray:
            out: np.ndarray = v / scale
            image = workers.sum(lambda tile: scaled[:, tile] @ out[tile], parts)
            image = cho_solve(small, image, check_finite=False)

            def subtract(tile: slice) -> None:
                out[tile] -= image @ scaled[:, tile]

            workers.each(subtract, parts)
            out /= scale
            return out

        return inverse
