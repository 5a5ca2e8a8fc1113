"""Training and prediction as in `FrankWolfeSVC`, but without the slow import of scikit-learn."""

from __future__ import annotations

import copy
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from fwsvm.estimators.decisions import class_scores, decision_values, intercepts, votes
from fwsvm.estimators.kernel_choice import chosen_kernel
from fwsvm.estimators.messages import Progress, require_fewer_pairs
from fwsvm.estimators.one_versus_one import PairTraining
from fwsvm.estimators.pairs import class_pairs
from fwsvm.estimators.weights import point_weights
from fwsvm.inputs.errors import shown
from fwsvm.inputs.parameters import check_settings
from fwsvm.inputs.ranges import require_range
from fwsvm.kernels.points import canonical_csr
from fwsvm.solvers.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from fwsvm.estimators.pairwise_fit import PairwiseFit
    from fwsvm.kernels.functions import Kernel


Machine = TypeVar("Machine", bound="Predictor")


def fit_c_path(
    estimator: Machine,
    X: ArrayLike | sparse.spmatrix,
    y: ArrayLike,
    C_values: Iterable[float],
    sample_weight: ArrayLike | None = None,
) -> list[Machine]:
    """Fit one clone of an estimator for each value of C.

    The clones share the computed kernel columns.

    Parameters
    ----------
    estimator : FrankWolfeSVC
        The C of this estimator is not used.
    X : array-like or sparse matrix of shape (m, d), numbers
        Training points, or an array of kernel values of shape (m, m) for kernel="precomputed".
        Integers are converted to float64.
    y : array-like of shape (m,), numbers or strings
        The class labels.
    C_values : sequence of float
        Values of C, each above 0. Infinity gives the hard margin.
    sample_weight : array-like of shape (m,), float64, optional
        The weights of the points. By default, all weights are 1.

    Returns
    -------
    list of fitted estimators
        The estimators are in the order of `C_values`. The `fit_cpu_s_` of an estimator excludes the
        time for kernel columns that were computed for an earlier value of C.

    Raises
    ------
    TypeError
        If `estimator` is not a FrankWolfeSVC (for example, if it is a pipeline), if `C_values` is
        not a sequence, or if `fit` of the estimator would raise a TypeError.
    ValueError
        If `C_values` is empty, or if `fit` of the estimator would raise a ValueError.
    """
    if not isinstance(estimator, Predictor):
        advice = (
            "; transform X first, and give the last step of the pipeline"
            if hasattr(estimator, "steps")
            else ""
        )
        raise TypeError(f"estimator must be a FrankWolfeSVC, got {shown(estimator)}{advice}")
    if not np.iterable(C_values):
        raise TypeError(f"C_values must be a sequence of numbers, got {shown(C_values)}")
    models = [estimator._with_C(C) for C in C_values]
    if not models:
        raise ValueError("C_values is empty; give at least one value of C")
    return fit_models(models, X, y, sample_weight)


def fit_models(
    models: list[Machine],
    X: ArrayLike | sparse.spmatrix,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> list[Machine]:
    """Fit several models that differ only in C, and return them.

    The settings, the kernel and all other parameters are those of the first model.

    Parameters
    ----------
    models : list of at least one FrankWolfeSVC or KernelMachine
    X : array or sparse matrix of shape (m, d), or kernel values (m, m)
    y : labels of shape (m,)
    sample_weight : array of shape (m,), optional
        The default is 1 for each point.

    Raises
    ------
    ValueError
        If a parameter of the first model, the C of any model, a point, a label or a weight is
        wrong. If fewer than two classes have points with a weight > 0, or if there are too many
        classes.
    """
    first, C_values = models[0], [model.C for model in models]
    check_settings(vars(first))
    for C in C_values:
        check_settings({"C": C})
    settings = first.settings
    X, y = first._validated(X, y=y)
    require_known_shape(first.decision_function_shape)
    classes, codes = np.unique(y, return_inverse=True)
    _require_two_classes(classes)
    first._check_number_of_classes(len(classes), len(y))
    of_class, weights = point_weights(sample_weight, first.class_weight, X, classes, codes)
    present = _present_classes(classes, codes, weights)
    _refuse_point_for_several_pairs(settings.init, len(present))
    started, started_wall = time.thread_time(), time.perf_counter()
    kernel = chosen_kernel(first, X, weights)
    seed = first._seed()
    overhead = time.thread_time() - started, time.perf_counter() - started_wall
    pairs = [f"{classes[i]} against {classes[j]}" for i, j in present[class_pairs(len(present))]]
    progress = Progress("FrankWolfeSVC", first.verbose, pairs, C_values)
    # Only classes with a positive weight take part in training. `PairTraining` leaves out the
    # points of the other classes.
    codes = np.searchsorted(present, codes)
    results = PairTraining(
        X,
        codes,
        len(present),
        kernel,
        C_values,
        seed,
        settings,
        effective_n_jobs(first.n_jobs),
        weights=weights,
        progress=progress,
    ).fits()
    for model, result in zip(models, results, strict=True):
        model.classes_, model.class_weight_, model.n_features_in_ = classes, of_class, X.shape[1]
        if hasattr(first, "feature_names_in_"):
            model.feature_names_in_ = first.feature_names_in_
        result.cpu_s, result.wall_s = result.cpu_s + overhead[0], result.wall_s + overhead[1]
        model._keep(X, kernel, result.among(present, len(classes)))
    return models


def require_known_shape(shape: object) -> None:
    if not isinstance(shape, str) or shape not in ("ovr", "ovo"):
        raise ValueError(f"decision_function_shape must be 'ovr' or 'ovo', got {shown(shape)}")


def _require_two_classes(classes: np.ndarray) -> None:
    if len(classes) < 2:
        raise ValueError(
            "y must contain at least 2 classes, but has only one class:"
            f" {shown(classes.tolist()[0])}"
        )


def _present_classes(
    classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
) -> np.ndarray:
    """Return the codes of the classes that have points with a weight > 0, ascending. If there are
    fewer than two, raise a ValueError.
    """
    present = np.arange(len(classes)) if weights is None else np.unique(codes[weights > 0])
    if len(present) < 2:
        has = (
            " and ".join(f"only the class {label!r} has" for label in classes[present].tolist())
            or "no class has"
        )
        advice = "change sample_weight or class_weight"
        raise ValueError(
            "at least 2 classes must have points with a weight > 0, but"
            f" {has} such points; {advice}"
        )
    return present


def _refuse_point_for_several_pairs(init: str | int, n_classes: int) -> None:
    """Raise a ValueError if `init` is the index of a point, but there are several pairs."""
    if n_classes > 2 and not isinstance(init, str):
        raise ValueError(
            f"init={shown(init)} is the index of a point, which needs two classes, but"
            f" there are {n_classes}; use init='random_meb' or init='farthest_pair'"
        )


class Predictor:
    """The predictions and the attributes of a fitted classifier.

    A subclass defines `_validated`, `_with_C` and `_seed`.
    """

    C: float
    settings: Settings
    n_jobs: int | None
    verbose: int
    class_weight: str | dict[Any, float] | None
    decision_function_shape: str
    classes_: np.ndarray
    class_weight_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray

    _validated: Any  # checks points and, if given, labels, and returns them
    _with_C: Any  # returns an unfitted copy with another C
    _seed: Any  # returns an integer

    @property
    def n_support_(self) -> np.ndarray:
        """Return the number of support vectors of each class, int32 (n_classes,).

        The class of a support vector follows from the sign of its coefficient in a pair: positive
        coefficients belong to the positive class of this pair.
        """
        self._require_fit("n_support_")
        owner = np.empty(self.dual_coef_.shape[1], dtype=np.intp)
        for row, (positive, negative) in zip(
            self.dual_coef_, class_pairs(len(self.classes_)), strict=True
        ):
            owner[row > 0], owner[row < 0] = positive, negative
        return np.bincount(owner, minlength=len(self.classes_)).astype(np.int32)

    @property
    def coef_(self) -> np.ndarray:
        """Return the weight vector of each pair's decision function, float64 (n_pairs, d).

        If the kernel is not linear, raise an AttributeError.
        """
        self._require_fit("coef_")
        if self._kernel is None or self._kernel.name != "linear":
            raise AttributeError("coef_ is only available after a fit with kernel='linear'")
        return np.ascontiguousarray((self.support_vectors_.T @ self.dual_coef_.T).T)

    def _require_fit(self, attribute: str) -> None:
        """Raise a NotFittedError (a kind of AttributeError) if there is no model yet."""
        if not hasattr(self, "dual_coef_"):
            from sklearn.exceptions import NotFittedError  # imported here because it is slow

            raise NotFittedError(
                f"this {type(self).__name__} is not fitted yet; call fit before reading {attribute}"
            )

    def _check_number_of_classes(self, n_classes: int, n_points: int) -> None:
        require_fewer_pairs(n_classes)

    def _keep(
        self, X: np.ndarray | sparse.csr_matrix, kernel: Kernel | None, result: PairwiseFit
    ) -> None:
        self._kernel = kernel
        self.gamma_ = None if kernel is None else kernel.gamma
        self.support_ = result.support
        self.support_vectors_ = np.empty((0, 0)) if kernel is None else X[result.support]
        self.dual_coef_ = np.ascontiguousarray(result.coefficients.T)
        self.intercept_ = intercepts(self.dual_coef_, len(self.classes_))
        self.stop_reason_, self.pair_solutions_ = result.stop_reason, result.solutions
        self.n_iter_ = np.zeros(len(self.dual_coef_), dtype=np.int64)
        self.n_iter_[self.dual_coef_.any(axis=1)] = [each.iterations for each in result.solutions]
        self.objective_ = sum(each.objective for each in result.solutions)
        self.certify_cpu_s_ = sum(each.certify_cpu_s for each in result.solutions)
        # NaN if the gap of any pair is NaN
        self.gap_ = float(np.max([each.gap for each in result.solutions]))
        self.relative_gap_ = float(np.max([each.relative_gap for each in result.solutions]))
        self.fit_cpu_s_, self.fit_wall_s_ = result.cpu_s, result.wall_s

    def _decisions(self, X: ArrayLike | sparse.spmatrix, signs_only: bool = False) -> np.ndarray:
        X = self._validated(X)
        if self._kernel is None:
            chosen = X[:, self.support_].astype(np.float64)
            decisions: np.ndarray = chosen @ self.dual_coef_.T + self.intercept_
            return decisions
        return decision_values(
            self.support_vectors_,
            self.dual_coef_.T,
            self._kernel,
            X,
            effective_n_jobs(self.n_jobs),
            signs_only,
            self.intercept_,
        )

    def decision_function(self, X: ArrayLike | sparse.spmatrix) -> np.ndarray:
        """Return the decision values of X (n, d) as float64.

        With two classes, the shape is (n,), and a positive value means that `classes_[1]` is
        predicted. With more classes, there is one column for each class if
        `decision_function_shape` is "ovr", or for each pair of classes if it is "ovo".
        """
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        if self.decision_function_shape == "ovo":
            return decisions
        return class_scores(decisions, len(self.classes_))

    def predict(self, X: ArrayLike | sparse.spmatrix) -> np.ndarray:
        """Predict the class labels of X (n, d), as an array (n,) of the type of `classes_`.

        Each pair of classes votes for one of its two classes, and the class with the most votes is
        predicted. If several classes have the most votes, the first of them is predicted, as in
        LIBSVM and LibCVM.
        """
        decisions = self._decisions(X, signs_only=True)
        if len(self.classes_) == 2:
            predicted = (decisions[:, 0] > 0).astype(int)
        else:
            predicted = votes(decisions, len(self.classes_)).argmax(axis=1)
        labels: np.ndarray = self.classes_[predicted]
        return labels


class KernelMachine(Predictor):
    """A classifier that trains like `FrankWolfeSVC`, but without warnings and without most checks
    of the points.

    The points must be finite and stored in a C-contiguous float32 or float64 array, or in a CSR
    matrix.
    """

    n_jobs, decision_function_shape, class_weight, verbose = None, "ovr", None, 0

    def __init__(
        self,
        settings: Settings | None = None,
        kernel: str = "rbf",
        sigma2: float | str | None = None,
        gamma: float | str | None = None,
        degree: int = 2,
        C: float = 1.0,
        random_state: int | None = None,
        coef0: float = 0.0,
    ) -> None:
        self.settings = settings or Settings()
        self.kernel, self.sigma2, self.gamma, self.degree = kernel, sigma2, gamma, degree
        self.C, self.random_state, self.coef0 = C, random_state, coef0

    def fit(self, X: np.ndarray | sparse.csr_matrix, y: np.ndarray) -> KernelMachine:
        """Train on points X (m, d), or kernel values (m, m), and labels y (m,)."""
        return fit_models([self], X, y)[0]

    def score(self, X: np.ndarray | sparse.csr_matrix, y: np.ndarray) -> float:
        """Return the accuracy on X (n, d) with labels y."""
        return float(np.mean(self.predict(X) == y))

    def _with_C(self, C: float) -> Self:
        other = copy.copy(self)
        other.C = C
        return other

    def _validated(self, X: Any, y: Any = None) -> Any:
        X = canonical_csr(X) if sparse.issparse(X) else X
        require_range(X, "X", trains=y is not None)
        return X if y is None else (X, y)

    def _seed(self) -> int:
        return int(np.random.RandomState(self.random_state).randint(2**31 - 1))
