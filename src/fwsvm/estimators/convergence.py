"""The warning of a fit whose certificate is poor, whatever ended it."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

# Of the objective. Default settings end below 1e-3 on iris, breast_cancer and digits, and below 0.05 up to C = 100.
LARGE_RELATIVE_GAP = 0.1
_ENDED_BY_ITS_RULE = ("converged", "no_violation_in_samples")
ADVICE = {
    "converged": "stop='relative' with a small eps asks for a gap in proportion to the objective; a smaller eps, a "
    "smaller C or scaled features help too",
    "no_violation_in_samples": "selection='full', more samples (patience) or larger ones look longer before they stop",
    "iteration_limit": "a larger max_iter trains on",
    "time_limit": "a larger time_limit trains on",
    "precision_limit": "rounding hides the rest of the gap: use a larger eps, a smaller C, scaled features, or "
    "column_dtype='float64'",
    "interrupted": "train on without the interruption",
}


def judged_gap(solution, init):
    """The relative gap over all points; for `mfw_sparse` from its own start, over the points that it activated."""
    if solution.subsample_gap is not None and init == "random_point":
        return solution.subsample_gap / abs(solution.objective) if solution.objective else 0.0
    return solution.relative_gap


def warn_if_poor(name, solutions, stop_reason, init, stacklevel):
    """A ConvergenceWarning for an early end, or for a certified gap above `LARGE_RELATIVE_GAP` of the objective.

    Solutions without a certificate are judged by their stop reason alone.
    """
    gaps = [judged_gap(solution, init) for solution in solutions]
    gap = max(gaps)
    worst, is_certified = solutions[gaps.index(gap)], not np.isnan(gaps).any()
    if stop_reason not in _ENDED_BY_ITS_RULE:
        at = f"relative gap {gap:.2g}" if is_certified else "a gap that is not certified"
        message = f"{name} stopped early ({stop_reason}) at {at}: {ADVICE[stop_reason]}"
    elif is_certified and gap > LARGE_RELATIVE_GAP:
        reason, advice = worst.stop_reason, ADVICE[worst.stop_reason]
        if worst.subsample is not None and init != "random_point":
            advice = "method='mfw_sparse' trains on a subsample of its own choice: it needs init='random_point'"
        message = (
            f"{name} ended ({reason}) with a certified duality gap of {gap:.2g} times the objective, more than "
            f"{LARGE_RELATIVE_GAP:g}: {advice}"
        )
    else:
        return
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel + 1)
