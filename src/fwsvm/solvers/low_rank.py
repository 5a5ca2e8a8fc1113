"""The solution of the L2-SVM with a low-rank approximation of the kernel matrix.

Dot products of feature vectors approximate kernel values. A linear L2-SVM on the feature vectors
has one unknown per feature, so Newton's method solves it fast (Keerthi and DeCoste 2005). If the
approximation is precise enough, `auto` usually ends with this solution. (If the user gave the
kernel values, SWAP-2o goes on from it.) Otherwise, the solution is a guess of the support vectors,
and working sets or FCFW begin with this guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from fwsvm.kernels.loops import TILE
from fwsvm.kernels.rounding import UNIT
from fwsvm.machine_code.threads import tiles
from fwsvm.solvers.restricted import MOST_NEWTON_STEPS, line_search, solved
from fwsvm.solvers.steps import target_gap

if TYPE_CHECKING:
    from fwsvm.machine_code.threads import Workers
    from fwsvm.problems.dual import KernelProblem
    from fwsvm.solvers.settings import Settings

# Features are computed in blocks. A block has _BLOCK features, or an eighth of the features so far
# if this is more. The errors after one and two blocks show how fast the error falls with the rank.
_BLOCK = 32
# The approximation is precise if its mean error is at most _PRECISE times the allowed gap. For this
# precision, the approximation gets at most _MOST_RANKS sqrt(m) features.
_PRECISE, _MOST_RANKS = 3.0, 6.0


class Guess(NamedTuple):
    """The solution for an approximate kernel matrix."""

    indices: np.ndarray  # the points with positive weights, ascending
    weights: np.ndarray  # the weights of these points, which sum to 1
    s: np.ndarray | None  # the gradient (m,), or None if the approximation is not precise


class LowRank:
    """An approximation GG' of the kernel matrix P of all points, where P_ij = y_i y_j (K_ij +
    offset).

    The rows of G (m, rank) are feature vectors. They come from a randomly pivoted Cholesky
    factorisation (Chen, Epperly, Tropp and Webber 2025): a random point becomes a pivot with a
    probability proportional to its `error`, the entry P_ii - (GG')_ii.
    """

    def __init__(
        self,
        problem: KernelProblem,
        settings: Settings,
        room_mb: float,
        rng: np.random.Generator,
        workers: Workers,
    ) -> None:
        m = problem.size
        self._problem, self._settings, self._rng, self._workers = problem, settings, rng, workers
        # given kernel values can be negative on the diagonal
        self.error = np.maximum(problem.matrix.diagonal().astype(np.float64), 0.0)
        self._trace = float(self.error.sum())
        # while G grows, G is in memory twice; dense copies of sparse pivots need memory, too
        per_feature = 16 * max(m, problem.matrix.n_features)
        self._most_in_memory = min(1e6 * room_mb / per_feature, m + 1)
        self._features = np.sqrt(problem.offset) * problem.labels[:, None]
        self.rank = 1
        self._errors = [(1, self._mean_error)]  # (rank, mean error) after each block
        self._inverse_shift = 1.0 / np.broadcast_to(problem.shift_at(slice(None)), m)
        # `_gram` is the sum of g_i g_i' / D_ii over the points of the mask `_in_gram`, where g_i is
        # row i of G
        self._gram, self._in_gram = np.zeros((0, 0)), np.zeros(m, dtype=bool)

    @property
    def evaluations(self) -> int:
        return (self.rank - 1) * self._problem.size

    @property
    def _mean_error(self) -> float:
        return float(self.error.mean())

    @property
    def _is_exact(self) -> bool:
        return bool(self.error.sum() <= 100.0 * UNIT * self._trace)

    @property
    def features(self) -> np.ndarray:
        features: np.ndarray = self._features[:, : self.rank]
        return features

    def _grow(self, rank: int) -> None:
        """Add features until there are `rank`, or as many as fit into the memory, or until the
        approximation is exact up to rounding.
        """
        rank = int(min(rank, self._most_in_memory))
        if rank > self._features.shape[1]:
            grown = np.empty((self._problem.size, rank))
            grown[:, : self.rank] = self.features
            self._features = grown
        while self.rank < rank and not self._is_exact:
            size = min(max(_BLOCK, self.rank // 8), rank - self.rank)
            chances = self.error / self.error.sum()
            if self._add(np.unique(self._rng.choice(len(chances), size, p=chances))) == 0:
                break
            self._errors.append((self.rank, self._mean_error))

    def _add(self, pivots: np.ndarray) -> int:
        """Add the features of the pivots, and return the number of new features."""
        matrix, signs, old = self._problem.matrix, self._problem.labels[:, None], self.rank
        own = self._features[pivots, 1:old] * signs[pivots]
        corner = matrix.submatrix(pivots) - own @ own.T
        # LAPACK leaves out points whose features would consist of rounding errors
        factor, order, kept, _ = dpstrf(corner, lower=1)
        if kept == 0:
            return 0
        order = order[:kept] - 1
        inverse = solve_triangular(factor[:kept, :kept], np.eye(kept), lower=True).T
        against, own = matrix.against(pivots[order], np.float64), own[order]
        new = slice(old, old + int(kept))

        def work(tile: slice) -> None:
            values = against(np.arange(tile.start, tile.stop)) * signs[tile]
            values -= self._features[tile, 1:old] @ own.T
            self._features[tile, new] = values @ inverse
            self.error[tile] -= np.square(self._features[tile, new]).sum(axis=1)

        self._workers.each(work, tiles(self._problem.size, TILE))
        np.maximum(self.error, 0.0, out=self.error)
        self.error[pivots[order]] = 0.0
        self.rank = new.stop
        return int(kept)

    def _allowed_gap(self, R: float) -> float:
        return target_gap(
            self._settings.rule, self._settings.eps, self._problem.largest_diagonal, R
        )

    def _rank_for(self, R: float) -> float:
        """Estimate the number of features that makes the approximation precise at the objective R.

        If the approximation is already precise, return the current rank. If the approximation
        cannot become precise, return infinity.
        """
        target = _PRECISE * self._allowed_gap(R)
        rank, now = self._errors[-1]
        if now <= target or self._is_exact:
            return rank
        earlier, before = next(each for each in reversed(self._errors) if 2 * each[0] <= rank + 1)
        if not before > now:
            return np.inf
        expected = rank + (rank - earlier) * np.log(now / target) / np.log(before / now)
        most = min(_MOST_RANKS * np.sqrt(self._problem.size), self._most_in_memory)
        return float(expected) if expected <= most else np.inf

    def is_promising(self) -> bool:
        """Test whether a precise approximation is likely to need few features."""
        # R is a lower bound on the objective, because P is positive semidefinite
        R = 1.0 / self._inverse_shift.sum()
        for rank in (_BLOCK, 2 * _BLOCK):
            self._grow(rank)
            if self._rank_for(R) == np.inf:
                return False
        return True

    def guess(self, indices: np.ndarray, weights: np.ndarray) -> Guess | None:
        """Return the solution with at least sqrt(m) features, or with more features if the solution
        is then likely to be precise. Newton's method begins with the `weights` of the points
        `indices`.

        Return None if there are too few points or too little memory for _BLOCK features, if the
        solution has no support vector, or if Newton's method reaches no precise solution although
        the approximation is precise. Raise LinAlgError if the equations of a Newton step cannot be
        solved.
        """
        self._grow(int(np.sqrt(self._problem.size)))
        if self.rank < _BLOCK and not self._is_exact:
            return None
        w = weights @ self.features[indices]
        w /= float(w @ w + weights**2 @ (1.0 / self._inverse_shift[indices]))
        f = self._times(w)
        while True:
            w = np.concatenate([w, np.zeros(self.rank - len(w))])
            f, w = self._newton(f, w)
            b = self._multipliers(f)
            if not b.any():
                return None
            expected, rank = self._rank_for(1.0 / b.sum()), self.rank
            if expected <= rank:
                return self._precise(f, w)
            if expected < np.inf:
                self._grow(int(np.ceil(expected)))
            if self.rank == rank:
                indices = np.flatnonzero(b)
                return Guess(indices, b[indices] / b.sum(), None)

    def _newton(self, f: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take Newton steps until the predicted relative decrease of the objective in a step is at
        most a tenth of eps, but at most MOST_NEWTON_STEPS steps.
        """
        for _ in range(MOST_NEWTON_STEPS):
            f, w, decrease = self._newton_step(f, w, self._sums(self._multipliers(f)))
            if decrease <= 0.1 * self._settings.eps:
                break
        return f, w

    def _precise(self, f: np.ndarray, w: np.ndarray) -> Guess | None:
        """Take Newton steps until the gap of the approximate problem is small enough, and return
        the `Guess`.

        Return None if MOST_NEWTON_STEPS steps do not reach such a gap.
        """
        for _ in range(MOST_NEWTON_STEPS):
            b = self._multipliers(f)
            sums, indices = self._sums(b), np.flatnonzero(b)
            if len(indices):  # after a long step, it is possible that no point is below the margin
                s = (self._times(sums) + np.maximum(1.0 - f, 0.0)) / b.sum()
                weights = b[indices] / b.sum()
                R = float(weights @ s[indices])
                if 2.0 * (R - float(s.min())) <= 0.1 * self._allowed_gap(R):
                    return Guess(indices, weights, s)
            f, w, _ = self._newton_step(f, w, sums)
        return None

    def _multipliers(self, f: np.ndarray) -> np.ndarray:
        """Return the multipliers b_i = max(0, 1 - f_i) / D_ii, float64 (m,)."""
        b: np.ndarray = self._inverse_shift * np.maximum(1.0 - f, 0.0)
        return b

    def _newton_step(
        self, f: np.ndarray, w: np.ndarray, sums: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Return f and w after a Newton step with an exact line search, and the predicted relative
        decrease of the objective.

        Let f = Gw, and let D be the diagonal matrix of the diagonal shifts. The objective is w'w /
        2 + sum_i max(0, 1 - f_i)^2 / (2 D_ii). `sums` is G'b for the multipliers b of f.
        """
        weights, slack = self._inverse_shift, np.maximum(1.0 - f, 0.0)
        gradient = w - sums
        self._update_gram(slack > 0.0)
        hessian = self._gram.copy()
        hessian[np.diag_indices(len(w))] += 1.0 + UNIT * hessian.diagonal()
        d = -solved(hessian, gradient)
        change = self._times(d)
        length = line_search(f, change, weights, float(w @ d), float(d @ d))
        value = 0.5 * float(w @ w + weights @ slack**2)
        return f + length * change, w + length * d, -float(gradient @ d) / value

    def _update_gram(self, below: np.ndarray) -> None:
        """Set `_gram` to the sum over the points `below` (m,), a mask. All features count.

        Only the products of the points that enter or leave, and of the new features, are computed.
        If at least as many points enter or leave as are in the sum, all products are computed.
        """
        old, points = len(self._gram), np.flatnonzero(below)
        entered = np.flatnonzero(below & ~self._in_gram)
        left = np.flatnonzero(self._in_gram & ~below)
        if len(entered) + len(left) < len(points):
            self._gram += self._products(entered, 0, old) - self._products(left, 0, old)
        else:
            old = 0
        if old < self.rank:
            gram = np.empty((self.rank, self.rank))
            gram[:old, :old] = self._gram[:old, :old]
            gram[:, old:] = self._products(points, old, self.rank)
            gram[old:, :old] = gram[:old, old:].T
            self._gram = gram
        self._in_gram = below

    def _products(self, points: np.ndarray, first: int, last: int) -> np.ndarray:
        """Return the sum of g_i h_i' / D_ii over the `points` (n,), float64 (last, last - first).

        The vector g_i has the first `last` features of point i, and h_i has these features without
        the first `first`.
        """

        def share(tile: slice) -> np.ndarray:
            chosen = points[tile]
            rows = self._features[chosen, :last] * np.sqrt(self._inverse_shift[chosen])[:, None]
            product: np.ndarray = rows.T @ rows[:, first:]
            return product

        if len(points) == 0:
            return np.zeros((last, last - first))
        return self._workers.sum(share, tiles(len(points), TILE))

    def _times(self, d: np.ndarray) -> np.ndarray:
        """Return Gd (m,) for d (rank,)."""
        out = np.empty(len(self._features))

        def work(tile: slice) -> None:
            out[tile] = self._features[tile, : len(d)] @ d

        self._workers.each(work, tiles(len(out), TILE))
        return out

    def _sums(self, b: np.ndarray) -> np.ndarray:
        """Return G'b (rank,) for b (m,)."""

        def share(tile: slice) -> np.ndarray:
            own, values = self.features[tile], b[tile]
            chosen = np.flatnonzero(values)
            if 2 * len(chosen) < len(values):
                own, values = own[chosen], values[chosen]
            product: np.ndarray = values @ own
            return product

        return self._workers.sum(share, tiles(len(b), TILE))
