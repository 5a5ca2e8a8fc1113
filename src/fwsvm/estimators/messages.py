"""The estimators' messages: errors and warnings before a fit, progress during training, and
warnings about the result.
"""

from __future__ import annotations

import functools
import time
import warnings
from threading import Lock
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec

import numpy as np

from fwsvm.solvers.solution import relative_gap_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fwsvm.solvers.drivers import Driver
    from fwsvm.solvers.solution import Solution

_Parameters = ParamSpec("_Parameters")

# An estimator warns if the relative gap exceeds _LARGE_RELATIVE_GAP. On the data sets iris,
# breast_cancer and digits, `swap2o` with the rule `meb` and eps = 1e-6 ends with relative gaps
# below 1e-3 for C = 1, and below 0.05 for C = 100.
_LARGE_RELATIVE_GAP = 0.1
_ENDED_BY_ITS_RULE = ("converged", "no_violation_in_samples")
_MORE_PRECISE = "use a larger eps, use a smaller C, or scale the features"
_ADVICE = {
    "converged": "use stop='relative' with a small eps, use a smaller C, or scale the features",
    "no_violation_in_samples": "use selection='full', a larger patience or a larger sample_size",
    "iteration_limit": "use a larger max_iter or a smaller C",
    "time_limit": "use a larger time_limit or a smaller C",
    "precision_limit": _MORE_PRECISE,
    "no_progress": _MORE_PRECISE,
    "not_positive_semidefinite": (
        "the kernel matrix is not positive semidefinite, so the gap is not an upper bound on the"
        " distance from the optimum"
    ),
    "interrupted": "train again without interruption",
}
# With more than _MOST_PAIRS pairs of classes, `fit` raises an error. (447 classes have 99,681
# pairs.)
_MOST_PAIRS = 100_000
# If there are more than _MANY_PAIRS pairs of classes, `fit` warns before training. If the classes
# have on average at most two points, the limit is _MANY_PAIRS_OF_FEW pairs instead.
_MANY_PAIRS, _MANY_PAIRS_OF_FEW = 10_000, 1_000
_PROBABILITIES = (
    "sklearn.calibration.CalibratedClassifierCV(FrankWolfeSVC()) computes probabilities (use its"
    " method 'sigmoid' or 'isotonic')"
)
# Advice for parameters of scikit-learn's SVC, LinearSVC and OneClassSVM that our estimators lack.
_INSTEAD = {
    "probability": _PROBABILITIES,
    "tol": "use eps, the relative gap at which training stops",
    "cache_size": "use cache_mb",
    "shrinking": "leave it out; method='auto' chooses by itself which points it trains on",
    "break_ties": (
        "leave it out; decision_function(X).argmax(axis=1) breaks ties by the decision values"
    ),
    "nu": "use C; FrankWolfeOneClass also has contamination",
    "loss": "leave it out; the slacks are squared, as with loss='squared_hinge'",
    "penalty": "leave it out; it is 'l2'",
    "dual": "leave it out; training always solves the dual problem",
    "fit_intercept": "leave it out; the bias is part of the kernel (k + 1)",
    "intercept_scaling": "leave it out; the bias is part of the kernel (k + 1)",
    "multi_class": "leave it out, or use sklearn.multiclass.OneVsRestClassifier(FrankWolfeSVC())",
}


def require_known(estimator: Any, names: Iterable[str], error: type[Exception]) -> None:
    """Raise `error`, with advice, if one of `names` is a parameter of scikit-learn's SVMs that our
    estimators lack.
    """
    for name in names:
        if name in _INSTEAD:
            raise error(f"{type(estimator).__name__} has no parameter {name!r}: {_INSTEAD[name]}")


def advising(
    init: Callable[Concatenate[Any, _Parameters], None],
) -> Callable[Concatenate[Any, _Parameters], None]:
    """Decorate the `__init__` of an estimator. If `__init__` gets a parameter that only
    scikit-learn's SVMs have, the error message gives advice.
    """

    @functools.wraps(init)
    def checked(self: Any, /, *args: _Parameters.args, **parameters: _Parameters.kwargs) -> None:
        require_known(self, parameters, TypeError)
        init(self, *args, **parameters)

    return checked


class NoProbabilities:
    """A replacement for a method of SVC that `FrankWolfeSVC` does not have.

    For the name of this method, `hasattr` returns False. A use of the method raises an
    AttributeError that says what to do instead.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__} has no {self.name}: {_PROBABILITIES}")


def require_fewer_pairs(n_classes: int) -> None:
    """Raise a ValueError if there are more than _MOST_PAIRS pairs of classes. `y` then probably has
    measured values instead of labels.
    """
    if n_classes * (n_classes - 1) // 2 > _MOST_PAIRS:
        raise ValueError(
            f"{_of_pairs(n_classes)}, but at most {_MOST_PAIRS:,} pairs are allowed."
            f" {_advice(n_classes)}"
        )


def warn_of_many_pairs(n_classes: int, n_points: int, stacklevel: int) -> None:
    """Warn (UserWarning) before training if there are many pairs of classes."""
    has_few_points = 2 * n_classes >= n_points
    if n_classes * (n_classes - 1) // 2 > (_MANY_PAIRS_OF_FEW if has_few_points else _MANY_PAIRS):
        place = f" in {n_points:,} points" if has_few_points else ""
        warnings.warn(
            f"{_of_pairs(n_classes, place)}. {_advice(n_classes)}", stacklevel=stacklevel + 1
        )


def _of_pairs(n_classes: int, place: str = "") -> str:
    return (
        f"y has {n_classes:,} classes{place}, so training must separate"
        f" {n_classes * (n_classes - 1) // 2:,} pairs of classes"
    )


def _advice(n_classes: int) -> str:
    return (
        "If y has measured values, use a regression method. If y has classes, use"
        f" OneVsRestClassifier(FrankWolfeSVC()), which trains only {n_classes:,} models"
    )


def judged_gap(solution: Solution, init: str | int) -> float:
    """Return the relative gap over all points, or NaN if it is not certified.

    For `mfw_sparse` with init="random_point", return the relative gap over the subsample on which
    it trains.
    """
    if solution.subsample_gap is not None and init == "random_point":
        return relative_gap_bound(
            solution.objective, solution.objective_error, solution.subsample_gap
        )
    return solution.relative_gap


def warn_if_poor(
    name: str, solutions: list[Solution], stop_reason: str, init: str | int, stacklevel: int
) -> None:
    """Warn (ConvergenceWarning) if training ended early or the certified gap is large."""
    from sklearn.exceptions import ConvergenceWarning  # imported here because the import is slow

    gaps = [judged_gap(solution, init) for solution in solutions]
    gap = max(gaps)
    worst, is_certified = solutions[gaps.index(gap)], not np.isnan(gaps).any()
    if stop_reason not in _ENDED_BY_ITS_RULE:
        at = f"a relative gap of {gap:.2g}" if is_certified else "a gap that is not certified"
        # If a limit ended the training, an infinite gap means that rounding errors exceed the
        # objective, so more steps do not help.
        is_lost = np.isinf(gap) and stop_reason.endswith("_limit")
        advice = _MORE_PRECISE if is_lost else _ADVICE[stop_reason]
        message = f"{name} stopped early ({stop_reason}) at {at}: {advice}"
        is_rough = any(
            solution.stop_reason == stop_reason and solution.column_dtype == "float32"
            for solution in solutions
        )
        if advice == _MORE_PRECISE and worst.kernel_path == "precomputed":
            better = "compute the kernel matrix more exactly"
            message = message.replace("scale the features", better)
        elif advice == _MORE_PRECISE and is_rough:
            message += ", or use column_dtype='float64'"
    elif is_certified and gap > _LARGE_RELATIVE_GAP:
        advice = _ADVICE[worst.stop_reason]
        if worst.subsample is not None and init != "random_point":
            advice = (
                "method='mfw_sparse' trains on a subsample of the points; use init='random_point'"
                " with it"
            )
        message = (
            f"{name} met its stopping rule ({worst.stop_reason}), but the certified gap is"
            f" {gap:.2g} times the objective, so the model can be far from the optimum: {advice}"
        )
    else:
        return
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel + 1)


_SECONDS_BETWEEN_LINES = {1: 1.0, 2: 0.1}


class Progress:
    """An object that prints the progress of training. With verbose=0, it prints nothing. Otherwise,
    it prints one line at the end of the training of each problem (for each value of C). During
    training, it prints at most one line per second if verbose=1, and at most ten lines per second
    if verbose=2.
    """

    def __init__(
        self, name: str, verbose: int, problems: Sequence[str], C_values: Sequence[float]
    ) -> None:
        self.every = _SECONDS_BETWEEN_LINES.get(verbose, np.inf)
        self.name, self.problems, self.C_values = name, problems, C_values
        self.lock, self.last = Lock(), time.perf_counter()
        self.began: dict[tuple[int, int], float] = {}

    def report(self, place: int, position: int, driver: Driver) -> None:
        """Print a line if enough time has passed since the last line.

        `place` is the index of the binary problem, and `position` is the index of C.
        """
        now = time.perf_counter()
        with self.lock:
            begin = self.began.setdefault((place, position), now)
            if now - self.last < self.every:
                return
            self.last = now
        self._print(
            place,
            position,
            "training",
            driver.count.iterations,
            driver.objective,
            f"latest gap {driver.real.gap_seen:.3g}",
            driver.count.active_size,
            now - begin,
        )

    def end(self, place: int, position: int, solution: Solution) -> None:
        if self.every < np.inf:
            self._print(
                place,
                position,
                solution.stop_reason,
                solution.iterations,
                solution.objective,
                f"certified gap {solution.gap:.3g}",
                len(solution.support),
                solution.train_wall_s,
            )

    def _print(
        self,
        place: int,
        position: int,
        state: str,
        iterations: int,
        objective: float,
        gap: str,
        active: int,
        seconds: float,
    ) -> None:
        where = (
            f" {place + 1}/{len(self.problems)} {self.problems[place]}"
            if len(self.problems) > 1
            else ""
        )
        where += f" C={self.C_values[position]:g}" if len(self.C_values) > 1 else ""
        print(
            f"[{self.name}]{where} {state}: {iterations} steps, objective {objective:.6g}, {gap}, "
            f"{active} active points, {seconds:.1f} s",
            flush=True,
        )
