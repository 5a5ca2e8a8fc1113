"""The one-class L2-SVM with scikit-learn's interface for outlier detection."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import OutlierMixin

from fwsvm.estimators.fine_solutions import solve_finely
from fwsvm.estimators.kernel_choice import chosen_kernel
from fwsvm.estimators.messages import Progress, advising, warn_if_poor
from fwsvm.estimators.svc import SolverEstimator
from fwsvm.estimators.weights import sample_weights, scaled_down
from fwsvm.inputs.errors import shown
from fwsvm.inputs.parameter_texts import documented
from fwsvm.inputs.parameters import FOR_USERS, check_settings
from fwsvm.inputs.ranges import require_finite
from fwsvm.kernels.kinds import KINDS
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.kernels.precomputed import PrecomputedKernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.methods import ALL_NAMES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from scipy import sparse

    from fwsvm.solvers.settings import Selection


@documented(FOR_USERS, method=("auto", *ALL_NAMES), kernel=(*KINDS, "precomputed"))
class FrankWolfeOneClass(OutlierMixin, SolverEstimator):
    """Novelty detection by the one-class L2-SVM, trained by Frank-Wolfe methods (tsang2005 sec.
    3.2.1, eq. 7).

    The dual is the simplex QP with Q = K + I / C, without labels or bias. (With sample weights w_i,
    C w_i replaces C.) The hyperplane is w'phi(x) = rho, with w = sum_i a_i phi(x_i) and rho = a'Qa.
    At the optimum, rho = w'phi(x_i) + a_i / C for every support vector x_i, so every support vector
    has the slack a_i / C > 0. Therefore, if rho is the threshold, the outliers in the training set
    are the support vectors. Training ends near the optimum, so a few points can differ. A larger C
    gives fewer outliers. The weights a_i are about 1 / m, so choose C relative to 1 / m.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the squared slacks.
    contamination : "auto" or float in (0, 0.5], default="auto"
        With "auto", the threshold is the rho above. A number is the approximate share of the
        training points that become outliers, as in scikit-learn's detectors. If `fit` gets weights,
        the number is the share of the total weight.
    {method, kernel, sigma2, gamma, degree, selection, sample_size, patience, alternate_classes,
    init, stop, eps, inner_tolerance, cache_mb, column_dtype, max_iter, time_limit, certify,
    verbose, coef0}
    random_state : None, int or RandomState, default=0
        Seed for the random choice of initial points and samples. With an int such as the default,
        every fit gives the same model, unless a time limit ends training. With None, every fit
        draws a new seed.

    `init="closest_opposite_pair"` raises an error, because this start needs points of two classes.

    Attributes
    ----------
    offset_ : float
        The threshold: decision_function = score_samples - offset_.
    support_ : int64 ndarray of shape (n_SV,)
        Indices of the support vectors, ascending.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features), of the dtype of X
        The support vectors. For a precomputed kernel, the array is empty.
    dual_coef_ : float64 ndarray of shape (1, n_SV)
        The weights a_i, which sum to 1.
    objective_, gap_, relative_gap_ : float
        The objective a'Qa, its certified gap over all training points, and the relative gap, which
        is an upper bound on the exact gap divided by the objective. Both gaps are NaN with
        `certify=False`, or if the time for the certificate runs out.
    n_iter_ : int
        Number of steps.
    stop_reason_ : str
        The reason why training ended (see `Solution.stop_reason`).
    gamma_ : float or None
        The gamma of the kernel; None for a precomputed kernel.
    solution_ : Solution
        The result of the solver.
    n_features_in_ : int
        Number of features of the training points.

    Examples
    --------
    >>> import numpy as np
    >>> from fwsvm import FrankWolfeOneClass
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> FrankWolfeOneClass(random_state=0).fit(X).predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    @advising
    def __init__(
        self,
        C: float = 1.0,
        contamination: float | str = "auto",
        method: str = "auto",
        kernel: str = "rbf",
        sigma2: float | str | None = None,
        gamma: float | str | None = "scale",
        degree: int = 2,
        selection: str | Selection = "full",
        sample_size: int | None = None,
        patience: int | None = None,
        alternate_classes: bool | None = None,
        init: str | int = "random_meb",
        stop: str = "relative",
        eps: float = 1e-2,
        inner_tolerance: float = 1e-3,
        cache_mb: float = 200.0,
        column_dtype: str = "auto",
        max_iter: int = 10_000_000,
        time_limit: float | None = None,
        certify: bool = True,
        verbose: int = 0,
        random_state: int | np.random.RandomState | None = 0,
        coef0: float = 0.0,
    ) -> None:
        self._take(locals())

    def fit(
        self,
        X: ArrayLike | sparse.spmatrix,
        y: object = None,
        sample_weight: ArrayLike | None = None,
    ) -> FrankWolfeOneClass:
        """Train on the points X (m, d), dense or sparse. If `fit` raises an error, the model of an
        earlier fit stays as it was.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), numbers
            Training points, or an array of kernel values of shape (m, m) for kernel="precomputed".
            Integers are converted to float64.
        y : ignored
        sample_weight : array-like of shape (m,), float64, optional
            Weights w_i >= 0 of the squared slacks. A point of weight n counts as n equal points.

        Raises
        ------
        ValueError
            If a parameter or the data are wrong. The message names the argument. Examples of wrong
            data are a value that is not finite, an integer that the conversion to float64 changes,
            and a precomputed kernel that is not symmetric.
        TypeError
            If X contains objects that are not numbers, or if X is sparse and the kernel is
            precomputed.

        Warns
        -----
        ConvergenceWarning
            If training ended before its stopping rule was met, or if the certified gap exceeds a
            tenth of the objective. For method="mfw_sparse" with init="random_point", the gap over
            its subsample counts instead of the certified gap.
        """
        with self._kept_on_error():
            self._fit(X, sample_weight)
        return self

    def _fit(self, X: ArrayLike | sparse.spmatrix, sample_weight: ArrayLike | None) -> None:
        check_settings(vars(self))
        settings = self.settings
        X = self._validated(X, trains=True)
        share: Any = self.contamination
        is_share = (
            isinstance(share, Real) and not isinstance(share, bool) and 0 < float(share) <= 0.5
        )
        if not (is_share or (isinstance(share, str) and share == "auto")):
            raise ValueError(
                f"contamination must be 'auto' or a number in (0, 0.5], got {shown(share)}"
            )
        weights = sample_weights(sample_weight, X)
        kernel = chosen_kernel(self, X, weights)
        kept = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
        if kernel is None:
            matrix = PrecomputedKernelMatrix(X, kept, name="X", room_mb=0.5 * self.cache_mb)
        else:
            matrix = KernelMatrix(X if len(kept) == X.shape[0] else X[kept], kernel)
        kept_weights = None if weights is None else weights[kept]
        problem = KernelProblem(
            matrix, np.ones(len(kept)), self.C, offset=0.0, weights=kept_weights
        )
        progress = Progress("FrankWolfeOneClass", self.verbose, ["all"], [self.C])
        rng = np.random.default_rng([self._seed(), 0])
        settings = settings if weights is None else settings.starting_within(kept)
        solution = solve_finely(
            problem,
            settings,
            problem.size,
            random_state=rng,
            callback=partial(progress.report, 0, 0),
        )
        progress.end(0, 0, solution)
        self._kernel = kernel
        self.gamma_ = None if kernel is None else kernel.gamma
        self.solution_ = solution
        self.support_, self.dual_coef_ = kept[solution.support], solution.weights[None, :]
        self.support_vectors_ = np.empty((0, 0)) if kernel is None else X[self.support_]
        self.objective_ = solution.objective
        self.gap_ = solution.gap
        self.relative_gap_ = solution.relative_gap
        self.n_iter_, self.stop_reason_ = solution.iterations, solution.stop_reason
        self.offset_ = self._quantile(X, share, weights) if is_share else solution.objective
        warn_if_poor("FrankWolfeOneClass", [solution], self.stop_reason_, self.init, stacklevel=3)

    def _quantile(
        self, X: np.ndarray | sparse.csr_matrix, share: float, weights: np.ndarray | None
    ) -> float:
        """Return a threshold for the scores, such that about the fraction `share` of the points has
        lower scores. If there are `weights`, this is a fraction of the total weight.

        If many points have the same score at this quantile, either all of these points or none of
        them are below the threshold. The choice that gives a fraction nearer to `share` is used.
        """
        # The last digits of a score depend on the other points that are scored in the same call.
        # The threshold therefore has a small distance from the scores of the points.
        scores = self._scores(X)
        weights = np.ones(len(scores)) if weights is None else scaled_down(weights)
        highest = np.quantile(scores, share, weights=weights, method="inverted_cdf")
        margin = 1e-12 * np.abs(scores).max()
        below, with_ties = (
            weights @ (scores < limit) / weights.sum()
            for limit in (highest - margin, highest + margin)
        )
        return float(highest + margin if with_ties - share < share - below else highest - margin)

    def _scores(self, X: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        weights = self.dual_coef_[0]
        if self._kernel is None:
            scores: np.ndarray = X[:, self.support_].astype(np.float64) @ weights
            return scores
        matrix = KernelMatrix(self.support_vectors_, self._kernel)
        return require_finite(matrix.weighted_sums(np.arange(len(weights)), weights, X))

    def score_samples(self, X: ArrayLike | sparse.spmatrix) -> np.ndarray:
        """Compute w'phi(x) for each row x of X (n, d). A larger value means that x is more like the
        training points.
        """
        return self._scores(self._validated(X))

    def decision_function(self, X: ArrayLike | sparse.spmatrix) -> np.ndarray:
        """Compute score_samples(X) - offset_, which is negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: ArrayLike | sparse.spmatrix) -> np.ndarray:
        """Predict +1 for the inliers and -1 for the outliers in X (n, d)."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
