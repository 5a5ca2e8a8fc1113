"""Nearly exact solutions of problems with few points, if few steps are enough."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fwsvm.solvers.solve import solve

if TYPE_CHECKING:
    from fwsvm.problems.dual import SimplexProblem
    from fwsvm.solvers.settings import Settings
    from fwsvm.solvers.solution import Solution

# After a run with one of these stop reasons, `solve_finely` does not train again, and does not
# change the stop reason, even if the gap of the run is small.
_FINAL = ("interrupted", "not_positive_semidefinite")
# With at most _FINE_POINTS training points and `stop="relative"`, `method="auto"` first tries to
# reach the relative gap _FINE within _FEW_STEPS steps.
_FINE_POINTS, _FINE, _FEW_STEPS = 100, 1e-11, 20_000
_SUMMED = (  # if `solve_finely` trains twice, these counts and times are sums of both runs
    "iterations",
    "away_steps",
    "swap_steps",
    "drop_steps",
    "samples",
    "kernel_evaluations",
    "requested_evaluations",
    "train_cpu_s",
    "train_wall_s",
    "certify_cpu_s",
    "elsewhere_cpu_s",
)


def aim_of(settings: Settings, n_points: int) -> float:
    """Return the relative gap that `method="auto"` with `stop="relative"` aims at, if there are
    `n_points` training points.
    """
    return min(settings.eps, _FINE) if n_points <= _FINE_POINTS else settings.eps


def solve_finely(
    problem: SimplexProblem, settings: Settings, n_points: int, **how: Any
) -> Solution:
    """Solve a problem with `solve`, and return the `Solution`.

    With method="auto", stop="relative" and at most _FINE_POINTS training points, first try to find
    a nearly exact solution in at most _FEW_STEPS steps. If the relative gap is then still larger
    than the given eps, train again to this eps, within the steps and the time that are left.
    """
    aim = aim_of(settings, n_points)
    if settings.method != "auto" or settings.stop != "relative" or aim == settings.eps:
        return solve(problem, settings, **how)
    # with float32 columns, the gap _FINE cannot be reached
    dtype = "float64" if settings.column_dtype == "auto" else settings.column_dtype
    steps = min(settings.max_iterations, _FEW_STEPS)
    fine = replace(settings, eps=aim, max_iterations=steps, column_dtype=dtype)
    first = solve(problem, fine, **how)
    if first.relative_gap <= settings.eps and first.stop_reason not in _FINAL:
        first.stop_reason = "converged"
    if (
        first.stop_reason in ("converged", "time_limit", *_FINAL)
        or steps == settings.max_iterations
    ):
        return first
    settings = replace(
        settings,
        max_iterations=settings.max_iterations - first.iterations,
        time_limit=max(settings.time_limit - first.train_cpu_s, 1e-3),
    )
    solution = solve(problem, settings, **how)
    for name in _SUMMED:
        setattr(solution, name, getattr(solution, name) + getattr(first, name))
    return solution
