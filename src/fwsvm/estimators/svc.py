"""An L2-SVM classifier with the interface of scikit-learn."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from fwsvm.estimators.machine import Predictor, fit_models
from fwsvm.estimators.messages import (
    NoProbabilities,
    advising,
    require_known,
    warn_if_poor,
    warn_of_many_pairs,
)
from fwsvm.inputs.errors import shown
from fwsvm.inputs.parameter_texts import documented
from fwsvm.inputs.parameters import FOR_USERS
from fwsvm.inputs.ranges import (
    check_labels,
    refuse_missing_labels,
    refuse_mixed_labels,
    require_numbers,
    require_range,
    require_room_for_columns,
)
from fwsvm.kernels.kinds import KINDS
from fwsvm.kernels.points import canonical_csr
from fwsvm.solvers.methods import ALL_NAMES
from fwsvm.solvers.settings import Selection, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from fwsvm.estimators.pairwise_fit import PairwiseFit
    from fwsvm.kernels.functions import Kernel


class SolverEstimator(BaseEstimator):
    def set_params(self, **params: Any) -> Self:
        """Set parameters, as in scikit-learn.

        If this estimator does not have a given parameter, raise a ValueError. For most parameters
        of scikit-learn's SVMs, the message says what to do instead.
        """
        require_known(self, params, ValueError)
        super().set_params(**params)
        return self

    def _take(self, given: dict[str, Any]) -> None:
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @property
    def settings(self) -> Settings:
        """Return the checked `Settings` of the solvers."""
        # `vars` also has the parameters that a subclass passes to `super().__init__`, and
        # `get_params` does not.
        return Settings.of_estimator(vars(self))

    @contextlib.contextmanager
    def _kept_on_error(self) -> Iterator[None]:
        """Restore all attributes if an error occurs, so that the model of an earlier fit stays as
        it was.
        """
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _seed(self) -> int:
        try:
            seed: int = check_random_state(self.random_state).randint(2**31 - 1)
        except ValueError:
            what = "None, an int from 0 to 2^32 - 1 or a numpy.random.RandomState"
            raise ValueError(
                f"random_state must be {what}, got {shown(self.random_state)}"
            ) from None
        return seed

    # scikit-learn's check computes the sum of X. If X has infinite values, NumPy would warn about
    # inf - inf before the check raises its error.
    @np.errstate(invalid="ignore")
    def _validated(
        self, X: ArrayLike | sparse.spmatrix, trains: bool = False, **labels: Any
    ) -> Any:
        """Check X, and the labels `y` if they are given. Return X, or (X, y) if `y` is given.

        For training data, give `y` or trains=True.
        """
        trains = trains or bool(labels)
        if not trains:
            check_is_fitted(self)
        if labels:
            refuse_missing_labels(labels["y"])
        is_precomputed = self.kernel == "precomputed"
        X = canonical_csr(X) if sparse.issparse(X) and not is_precomputed else X
        X = require_numbers(X, "X", trains)
        found = validate_data(
            self,
            X,
            accept_sparse=False if is_precomputed else "csr",
            dtype=(np.float64, np.float32),
            order="C",
            reset=trains,
            **labels,
        )
        if not is_precomputed:
            require_range(found[0] if labels else found, "X", trains=trains)
        if trains:
            require_room_for_columns(found[0] if labels else found, "X")
        if labels:
            check_labels(found[1])
            refuse_mixed_labels(found[1])
            check_classification_targets(found[1])
        return found


@documented(FOR_USERS, method=("auto", *ALL_NAMES), kernel=(*KINDS, "precomputed"))
class FrankWolfeSVC(ClassifierMixin, Predictor, SolverEstimator):
    """L2-SVM classifier trained by Frank-Wolfe methods on the simplex dual (frandi2013 eq. 7, 12;
    nanculef2014).

    The loss of an L2-SVM is the sum of the squared slacks. The classifier supports two or more
    classes (one-versus-one), and dense or sparse points. Unless `certify=False`, or the time for
    the certificate runs out, every fit is certified: after training, the duality gap over all
    training points is computed again in float64. The attribute `gap_` is this gap, or with more
    than two classes, the largest gap of all pairs.

    Float32 points stay float32 in `support_vectors_`, and a sparse matrix stays sparse. If most
    values of a matrix are not zero, training is faster on a dense array than on a sparse matrix.

    Parameters
    ----------
    {method, kernel, sigma2, gamma, degree, C, selection, sample_size, patience, alternate_classes,
    init, stop, eps, inner_tolerance, inner_fixed, inner_steps, clipped_gain, cache_mb,
    column_dtype, max_iter, time_limit, certify, n_jobs}
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes, the decision values have one column for each class ("ovr") or
        for each pair of classes ("ovo").
    class_weight : None, "balanced" or dict, default=None
        Weights >= 0 of the classes' squared slacks. "balanced" gives every class the same total
        weight. A dict maps labels to weights, and the other classes have the weight 1. These
        weights are multiplied by `sample_weight`.
    {verbose, coef0}
    random_state : None, int or RandomState, default=0
        Seed for the random choice of initial points and samples. With an int such as the default,
        every fit gives the same model, unless a time limit ends training. With None, every fit
        draws a new seed. For each pair of classes, the objectives of two fits then differ by at
        most the larger certified gap.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), of the dtype of `y`
        The labels in `y`. A class whose points all have the weight 0 takes no part in training and
        is never predicted. Pairs with this class are not trained.
    class_weight_ : float64 ndarray of shape (n_classes,)
        Weights of the classes, as computed from `class_weight`.
    support_ : int64 ndarray of shape (n_SV,)
        Indices of the support vectors, ascending (not grouped by class). The index of a point that
        is a support vector of several pairs is listed once.
    n_support_ : int32 ndarray of shape (n_classes,)
        Number of support vectors of each class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features), of the dtype of X
        The support vectors. For a precomputed kernel, the array is empty.
    dual_coef_ : float64 ndarray of shape (n_pairs, n_SV)
        The values y_i a_i, with one row for each pair of classes. Here, y_i is the label of point i
        in the pair (+1 or -1), and a_i is the weight of the point. The absolute values of a row sum
        to 1. For a pair that was not trained, the whole row is 0.
    coef_ : float64 ndarray of shape (n_pairs, n_features)
        The weight vector sum_i y_i a_i x_i of each pair, available only for kernel="linear".
    intercept_ : float64 ndarray of shape (n_pairs,)
        The bias sum_i y_i a_i of each pair. For a pair that was not trained, the bias is 1 or -1.
        This number is then the decision value of the pair for all points.
    n_iter_ : int64 ndarray of shape (n_pairs,)
        Number of steps for each pair. The number is 0 if the pair was not trained, or if its
        initial solution meets the stopping rule.
    objective_ : float
        The objective a'Qa of the dual problem, summed over the pairs.
    gap_, relative_gap_ : float
        The largest certified gap of all pairs, and the largest relative gap of all pairs. A
        relative gap is an upper bound on the exact gap divided by the objective. Both attributes
        are NaN with `certify=False`, or if the time for a certificate runs out. With more than two
        classes, `gap_` is not a bound for `objective_`. The distance of `objective_` from its
        optimum is then at most ``sum(s.gap for s in pair_solutions_)``.
    stop_reason_ : str
        The reason why training ended (see `Solution.stop_reason`). With several pairs, this is the
        worst reason of all pairs.
    gamma_ : float or None
        The gamma of the kernel; None for a precomputed kernel.
    n_features_in_ : int
        Number of features of the training points.
    pair_solutions_ : list of Solution
        The solutions of the pairs that were trained, in the order of the pairs.
    fit_cpu_s_, fit_wall_s_, certify_cpu_s_ : float
        CPU and wall seconds of training without the certificates, and CPU seconds of the
        certificates. All times are summed over the pairs, even if `n_jobs` threads train pairs at
        the same time.
    """

    predict_proba, predict_log_proba = NoProbabilities(), NoProbabilities()

    @advising
    def __init__(
        self,
        method: str = "auto",
        kernel: str = "rbf",
        sigma2: float | str | None = None,
        gamma: float | str | None = "scale",
        degree: int = 2,
        C: float = 1.0,
        selection: str | Selection = "full",
        sample_size: int | None = None,
        patience: int | None = None,
        alternate_classes: bool | None = None,
        init: str | int = "random_meb",
        stop: str = "relative",
        eps: float = 1e-2,
        inner_tolerance: float = 1e-3,
        inner_fixed: bool = False,
        inner_steps: int | None = None,
        clipped_gain: bool = False,
        cache_mb: float = 200.0,
        column_dtype: str = "auto",
        max_iter: int = 10_000_000,
        time_limit: float | None = None,
        certify: bool = True,
        n_jobs: int | None = None,
        decision_function_shape: str = "ovr",
        class_weight: str | dict[Any, float] | None = None,
        verbose: int = 0,
        random_state: int | np.random.RandomState | None = 0,
        coef0: float = 0.0,
    ) -> None:
        self._take(locals())

    def fit(
        self, X: ArrayLike | sparse.spmatrix, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> FrankWolfeSVC:
        """Train on X (m, d), dense or sparse, and labels y (m,). If `fit` raises an error, the
        model of an earlier fit stays as it was.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), numbers
            Training points, or an array of kernel values of shape (m, m) for kernel="precomputed".
            Integers are converted to float64.
        y : array-like of shape (m,), numbers or strings
            Labels of two or more classes.
        sample_weight : array-like of shape (m,), float64, optional
            Weights w_i >= 0 of the squared slacks xi_i^2. A point of weight n counts as n equal
            points.

        Raises
        ------
        ValueError
            If a parameter or the data are wrong. The message names the argument. Examples of wrong
            data are:

            * A value is NaN, infinite or too large to square.
            * The conversion to float64 changes an integer.
            * Fewer than two classes have points with a weight > 0.
            * There are more than 100,000 pairs of classes.
            * A precomputed kernel is not symmetric.
        TypeError
            If X contains objects that are not numbers, or if X is sparse and the kernel is
            precomputed.

        Warns
        -----
        ConvergenceWarning
            If training ended before its stopping rule was met, or if the certified gap of a pair of
            classes exceeds a tenth of the pair's objective. For method="mfw_sparse" with
            init="random_point", the gap over its subsample counts instead of the certified gap.
        UserWarning
            Before training, if there are more than 10,000 pairs of classes. If the classes have on
            average at most two points, the limit is 1,000 pairs instead.
        """
        with self._kept_on_error():
            return fit_models([self], X, y, sample_weight)[0]

    def _with_C(self, C: float) -> Self:
        copy: Self = clone(self)
        return copy.set_params(C=C)

    def _check_number_of_classes(self, n_classes: int, n_points: int) -> None:
        super()._check_number_of_classes(n_classes, n_points)
        warn_of_many_pairs(n_classes, n_points, stacklevel=4)

    def _keep(
        self, X: np.ndarray | sparse.csr_matrix, kernel: Kernel | None, result: PairwiseFit
    ) -> None:
        super()._keep(X, kernel, result)
        warn_if_poor("FrankWolfeSVC", result.solutions, self.stop_reason_, self.init, stacklevel=4)
