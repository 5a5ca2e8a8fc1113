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


def setting_columns(job, meta, settings, *, gamma, C, kernel="rbf", selection="none", task_size=None):
    """Columns that say what was asked for, of a run outside the estimators, on one thread and compiled before.

    Parameters
    ----------
    job : Job
    meta : dict
        Of the prepared data set.
    settings : dict
        ``cache_mb`` and ``timing``.
    gamma, C : float
    kernel, selection : str
    task_size : int, optional
        Points trained on; by default all of the data set.

    Returns
    -------
    dict
    """
    return {
        "experiment": job.experiment,
        "dataset": job.dataset,
        "task_size": meta["m"] if task_size is None else task_size,
        "features": meta["n"],
        "method": job.method,
        "protocol": job.protocol,
        "selection": selection,
        "kernel": kernel,
        "gamma": gamma,
        "sigma2": 1.0 / (2.0 * gamma),
        "C": float(C),
        "cache_mb": settings["cache_mb"],
        "compile_excluded": True,
        "timing": settings["timing"],
        "threads": 1,
    }


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
        One row of the runs table.
    """
    kernel = problem.matrix.kernel
    columns = setting_columns(
        job, meta, settings, gamma=kernel.gamma, C=problem.C, kernel=kernel.name, selection="full",
        task_size=problem.size,
    )  # fmt: skip
    return columns | {"eps": settings["eps"], **outcome_columns(solution), **asked}
