"""FrankWolfeSVC: the solvers behind scikit-learn's classifier interface."""

from numbers import Real

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from fwsvm.base.docstrings import documented
from fwsvm.base.ranges import require_range
from fwsvm.estimators.c_path import fit_c_path
from fwsvm.estimators.convergence import warn_if_poor
from fwsvm.estimators.one_versus_one import class_pairs, class_scores, decision_values, votes
from fwsvm.kernels.functions import Kernel, average_squared_distance, gamma_of_variance
from fwsvm.kernels.kinds import KINDS
from fwsvm.kernels.sparse_input import canonical_csr
from fwsvm.solvers.methods import ALL_NAMES


@documented(method=("auto", *ALL_NAMES), kernel=(*KINDS, "precomputed"))
class FrankWolfeSVC(ClassifierMixin, BaseEstimator):
    """L2-SVM classifier trained by Frank-Wolfe methods on the simplex dual (frandi2013 eq. 7, 12; nanculef2014).

    Binary and one-versus-one multi-class, dense and sparse input. Every fit is certified (unless `certify=False`):
    `gap_` is the true duality gap over all training points, recomputed in float64 after training.

    Data are used in the storage and precision they come in: float32 points are not copied to float64, and a sparse
    matrix stays sparse. Of a matrix whose values are mostly not zero, training on dense points is faster.

    Parameters
    ----------
    {method, kernel, sigma2, gamma, degree, C, selection, sample_size, patience, alternate_classes, init, stop, eps,
    inner_tolerance, inner_fixed, inner_steps, clipped_gain, cache_mb, column_dtype, max_iter, time_limit, certify,
    n_jobs}
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of multi-class decision values: per class, or per pair of classes.
    class_weight : None, "balanced" or dict, default=None
        Weights of the classes' squared slacks; "balanced" gives every class the same total weight. They multiply
        `sample_weight`.
    {verbose}
    random_state : None, int or RandomState, default=None
        Seed of starts and samples; with an int, fits can be repeated.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of shape (n_SV,)
        Indices of the distinct support vectors.
    n_support_ : int32 ndarray of shape (n_classes,)
        Support vectors of each class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_pairs, n_SV)
        y_i a_i; every row's absolute values sum to 1.
    coef_ : ndarray of shape (n_pairs, n_features)
        sum_i y_i a_i x_i; only for kernel="linear".
    intercept_ : ndarray of shape (n_pairs,)
        sum_i y_i a_i.
    n_iter_ : int
        Steps, summed over the pairs.
    objective_ : float
        a'Qa, summed over the pairs.
    gap_, relative_gap_ : float
        Certified gap and gap / objective; the largest over the pairs. NaN with `certify=False`.
    stop_reason_ : str
        converged, no_violation_in_samples, time_limit, iteration_limit, precision_limit or interrupted. The
        gravest of all pairs.
    gamma_ : float or None
        None for a precomputed kernel.
    n_features_in_ : int
    pair_solutions_ : list of Solution
    fit_cpu_s_, fit_wall_s_, certify_cpu_s_ : float
        CPU and wall seconds of training without the certificates, summed over the pairs also where `n_jobs` threads
        train them side by side; CPU seconds of the certificates.
    """

    def __init__(
        self,
        method="swap",
        kernel="rbf",
        sigma2="average",
        gamma=None,
        degree=2,
        C=1.0,
        selection="full",
        sample_size=None,
        patience=None,
        alternate_classes=None,
        init="random_meb",
        stop="meb",
        eps=1e-6,
        inner_tolerance=1e-3,
        inner_fixed=False,
        inner_steps=None,
        clipped_gain=False,
        cache_mb=200.0,
        column_dtype="auto",
        max_iter=10_000_000,
        time_limit=None,
        certify=True,
        n_jobs=None,
        decision_function_shape="ovr",
        class_weight=None,
        verbose=0,
        random_state=None,
    ):
        self.method = method
        self.kernel = kernel
        self.sigma2 = sigma2
        self.gamma = gamma
        self.degree = degree
        self.C = C
        self.selection = selection
        self.sample_size = sample_size
        self.patience = patience
        self.alternate_classes = alternate_classes
        self.init = init
        self.stop = stop
        self.eps = eps
        self.inner_tolerance = inner_tolerance
        self.inner_fixed = inner_fixed
        self.inner_steps = inner_steps
        self.clipped_gain = clipped_gain
        self.cache_mb = cache_mb
        self.column_dtype = column_dtype
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.certify = certify
        self.n_jobs = n_jobs
        self.decision_function_shape = decision_function_shape
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X, y, sample_weight=None):
        """Train on X (m, d), dense or sparse, and labels y (m,).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Points, or kernel values of shape (m, m) for kernel="precomputed".
        y : array-like of shape (m,)
            Labels of two or more classes.
        sample_weight : array-like of shape (m,), optional
            Weights >= 0 on the squared slacks, C sum_i w_i xi_i^2: a point of weight n counts as n equal points, one of
            weight 0 as none.

        Raises
        ------
        ValueError
            For bad data (not finite, values whose squares overflow, a precomputed kernel that is not symmetric, one
            class only) or a bad parameter; the message names it.

        Warns
        -----
        ConvergenceWarning
            If a limit ended training, or the certified gap exceeds a tenth of the objective, whatever ended it.
        """
        fit_c_path(self, X, y, [self.C], into=[self], sample_weight=sample_weight)
        return self

    def _validated(self, X, **given):
        """X, and y if given, as training or prediction wants them."""
        if self.kernel == "precomputed":
            return validate_data(self, X, accept_sparse=False, dtype=(np.float64, np.float32), order="C", **given)
        X = canonical_csr(X) if sparse.issparse(X) else X
        validated = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), order="C", **given)
        require_range(validated[0] if given.get("y") is not None else validated, "X")
        return validated

    def _resolve_kernel(self, X, weights=None):
        """The kernel with its width, None if precomputed; constant data (no average distance) get gamma = 1."""
        if self.kernel == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"kernel='precomputed' wants the (m, m) kernel values of the training points, got {X.shape}"
                )
            return None
        gamma = self.gamma
        if gamma is not None and not (isinstance(self.sigma2, str) and self.sigma2 == "average"):
            raise ValueError("give either sigma2 or gamma, not both")
        if isinstance(gamma, str):
            seen = X if weights is None or np.all(weights) else X[np.flatnonzero(weights)]
            gamma = gamma_of_variance(gamma, seen)
        if gamma is None and self.kernel == "linear":
            gamma = 1.0
        elif gamma is None:
            sigma2 = self.sigma2
            if isinstance(sigma2, str):
                sigma2 = average_squared_distance(X, weights)
                sigma2 = sigma2 if np.isfinite(sigma2) and sigma2 > 0 else 0.5
            gamma = 1.0 / sigma2 if self.kernel == "poly" else 0.5 / sigma2
        return Kernel(self.kernel, float(gamma) if isinstance(gamma, Real) else gamma, self.degree)

    def _keep(self, X, kernel, result):
        self._kernel = kernel
        self.gamma_ = None if kernel is None else kernel.gamma
        self.support_ = result.support
        self.support_vectors_ = np.empty((0, 0)) if kernel is None else X[result.support]
        self.dual_coef_ = np.ascontiguousarray(result.coefficients.T)
        self.intercept_ = self.dual_coef_.sum(axis=1)
        self.n_iter_ = result.total("iterations")
        self.objective_ = result.total("objective")
        self.gap_ = result.largest("gap")
        self.relative_gap_ = result.largest("relative_gap")
        self.stop_reason_ = result.stop_reason
        self.pair_solutions_ = result.solutions
        self.certify_cpu_s_ = result.total("certify_cpu_s")
        self.fit_cpu_s_, self.fit_wall_s_ = result.cpu_s, result.wall_s
        warn_if_poor("FrankWolfeSVC", result.solutions, self.stop_reason_, self.init, stacklevel=4)

    @property
    def n_support_(self):
        """Support vectors of each class: a pair's positive class has the positive coefficients."""
        check_is_fitted(self)
        owner = np.empty(self.dual_coef_.shape[1], dtype=np.intp)
        for row, (positive, negative) in zip(self.dual_coef_, class_pairs(len(self.classes_)), strict=True):
            owner[row > 0], owner[row < 0] = positive, negative
        return np.bincount(owner, minlength=len(self.classes_)).astype(np.int32)

    @property
    def coef_(self):
        """Coefficients of the features in every pair's decision function, for the linear kernel."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available with kernel='linear'")
        check_is_fitted(self)
        return np.ascontiguousarray((self.support_vectors_.T @ self.dual_coef_.T).T)

    def _decisions(self, X, signs_only=False):
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        if self._kernel is None:
            return X[:, self.support_].astype(np.float64) @ self.dual_coef_.T + self.intercept_
        return decision_values(
            self.support_vectors_, self.dual_coef_.T, self._kernel, X, effective_n_jobs(self.n_jobs), signs_only
        )  # fmt: skip

    def decision_function(self, X):
        """Decision values of X (n, d): (n,) for two classes, positive for `classes_[1]`; else per class or per pair."""
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        if self.decision_function_shape == "ovo":
            return decisions
        return class_scores(decisions, len(self.classes_))

    def predict(self, X):
        """Class labels of X (n, d); votes of all pairs, ties to the first class as in LIBSVM and LibCVM."""
        decisions = self._decisions(X, signs_only=True)
        if len(self.classes_) == 2:
            return self.classes_[(decisions[:, 0] > 0).astype(int)]
        return self.classes_[votes(decisions, len(self.classes_)).argmax(axis=1)]
