"""Print the progress of training, and warn if training ended early or the certified gap is large."""

import time
import warnings
from threading import Lock

import numpy as np

# Warn above this relative gap. On iris, breast_cancer and digits, gaps are below 1e-3 (below 0.05 for C = 100).
_LARGE_RELATIVE_GAP = 0.1
_ENDED_BY_ITS_RULE = ("converged", "no_violation_in_samples")
_ADVICE = {
    "converged": "use stop='relative' with a small eps, or a smaller C, or scaled features",
    "no_violation_in_samples": "use selection='full', a larger patience or a larger sample_size",
    "iteration_limit": "use a larger max_iter or a smaller C",
    "time_limit": "use a larger time_limit or a smaller C",
    "precision_limit": "use a larger eps, a smaller C, scaled features, or column_dtype='float64'",
    "no_progress": "use a larger eps, a smaller C, scaled features, or column_dtype='float64'",
    "not_positive_semidefinite": "the kernel matrix is not positive semidefinite, so this gap certifies nothing",
    "interrupted": "train again without interruption",
}


def judged_gap(solution, init):
    """Return the relative gap over all points, or over the subsample of `mfw_sparse` with init="random_point"."""
    if solution.subsample_gap is not None and init == "random_point":
        return solution.subsample_gap / abs(solution.objective) if solution.objective else 0.0
    return solution.relative_gap


def warn_if_poor(name, solutions, stop_reason, init, stacklevel):
    """Warn (ConvergenceWarning) if training ended early or the certified gap is large."""
    from sklearn.exceptions import ConvergenceWarning  # imported here because the import is slow

    gaps = [judged_gap(solution, init) for solution in solutions]
    gap = max(gaps)
    worst, is_certified = solutions[gaps.index(gap)], not np.isnan(gaps).any()
    if stop_reason not in _ENDED_BY_ITS_RULE:
        at = f"a relative gap of {gap:.2g}" if is_certified else "a gap that is not certified"
        message = f"{name} stopped early ({stop_reason}) at {at}: {_ADVICE[stop_reason]}"
    elif is_certified and gap > _LARGE_RELATIVE_GAP:
        advice = _ADVICE[worst.stop_reason]
        if worst.subsample is not None and init != "random_point":
            advice = "method='mfw_sparse' trains on a subsample and needs init='random_point'"
        at = f"a certified gap of {gap:.2g} times the objective"
        message = f"{name} ended ({worst.stop_reason}) with {at}: {advice}"
    else:
        return
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel + 1)


_SECONDS_BETWEEN_LINES = {1: 1.0, 2: 0.1}


class Progress:
    """Print one line per second of training (ten lines if verbose=2), and one at the end of every binary problem."""

    def __init__(self, name, verbose, problems, C_values):
        self.every = _SECONDS_BETWEEN_LINES.get(verbose, np.inf)
        self.name, self.problems, self.C_values = name, problems, C_values
        self.lock, self.last, self.began = Lock(), time.perf_counter(), {}

    def report(self, place, position, driver):
        """Print a line if one is due. `place` is the index of the binary problem, and `position` is the index of C."""
        now = time.perf_counter()
        with self.lock:
            begin = self.began.setdefault((place, position), now)
            if now - self.last < self.every:
                return
            self.last = now
        self._print(
            place, position, "training", driver.count.iterations, driver.objective,
            f"gap seen {driver.real.gap_seen:.3g}", driver.count.active_size, now - begin,
        )  # fmt: skip

    def end(self, place, position, solution):
        if self.every < np.inf:
            self._print(
                place, position, solution.stop_reason, solution.iterations, solution.objective,
                f"certified gap {solution.gap:.3g}", len(solution.support), solution.train_wall_s,
            )  # fmt: skip

    def _print(self, place, position, state, iterations, objective, gap, active, seconds):
        where = f" {place + 1}/{len(self.problems)} {self.problems[place]}" if len(self.problems) > 1 else ""
        where += f" C={self.C_values[position]:g}" if len(self.C_values) > 1 else ""
        print(
            f"[{self.name}]{where} {state}: {iterations} steps, objective {objective:.6g}, {gap}, "
            f"{active} active points, {seconds:.1f} s",
            flush=True,
        )
