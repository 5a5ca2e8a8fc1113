"""Rows of the runs table from what `solve` returns."""

_OUTCOMES = (
    "column_dtype", "kernel_path", "train_cpu_s", "train_wall_s", "certify_cpu_s", "iterations", "away_steps",
    "drop_steps", "kernel_evaluations", "requested_evaluations", "coreset_size", "objective", "gap", "relative_gap",
    "stop_reason",
)  # fmt: skip


def outcome_columns(solution):
    """Columns that say what training gave: times, steps, kernel values, size, certified objective and gap.

    Parameters
    ----------
    solution : Solution

    Returns
    -------
    dict
    """
    return {name: getattr(solution, name) for name in _OUTCOMES} | {"support_vectors": len(solution.support)}


def solution_row(job, meta, problem, solution, settings, **asked):
    """A row for a run of `solve` itself, outside the estimators.

    Parameters
    ----------
    job : Job
    meta : dict
        Of the prepared data set.
    problem : KernelProblem
    solution : Solution
    settings : dict
        ``eps``, ``cache_mb`` and ``timing``.
    **asked
        Further columns, such as ``init``, ``stop_rule``, ``gamma_rule``, ``repetition`` and ``seed``.

    Returns
    -------
    dict
        One row of the runs table, for a run whose compilation is outside the clock.
    """
    kernel = problem.matrix.kernel
    return {
        "experiment": job.experiment,
        "dataset": job.dataset,
        "task_size": problem.size,
        "features": meta["n"],
        "method": job.method,
        "protocol": job.protocol,
        "selection": "full",
        "eps": settings["eps"],
        "kernel": kernel.name,
        "gamma": kernel.gamma,
        "sigma2": 1.0 / (2.0 * kernel.gamma),
        "C": float(problem.C),
        "cache_mb": settings["cache_mb"],
        "compile_excluded": True,
        **outcome_columns(solution),
        "timing": settings["timing"],
        "threads": 1,
        **asked,
    }
