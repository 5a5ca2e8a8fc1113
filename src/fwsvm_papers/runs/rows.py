"""Functions that make estimators from the settings of a job, and rows of the table of runs from
solutions.
"""

import numpy as np

from fwsvm.estimators.machine import KernelMachine
from fwsvm.estimators.record import TOTALS
from fwsvm.inputs.parameters import PARAMETERS
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.settings import SETTING_NAMES, Selection, Settings
from fwsvm.solvers.solution import Solution, Trace
from fwsvm_papers.datasets.storage import Features
from fwsvm_papers.runs.jobs import Job

_OUTCOMES = (
    "column_dtype",
    "kernel_path",
    "train_cpu_s",
    "train_wall_s",
    "certify_cpu_s",
    *TOTALS,
    "objective",
    "gap",
    "relative_gap",
    "stop_reason",
)


def build_model(settings: dict, method: str, seed: int, **parameters: object) -> KernelMachine:
    """Return a `KernelMachine` with the settings of a job. The dict `settings` can have further
    keys, which are ignored.
    """
    given = {name: value for name, value in settings.items() if name in PARAMETERS} | parameters
    solver = {name: given.pop(name) for name in SETTING_NAMES if name in given} | {"method": method}
    if isinstance(solver.get("selection"), dict):
        solver["selection"] = Selection(
            **{"name": "sampled", "sampled": True} | solver["selection"]
        )
    return KernelMachine(Settings(**solver), random_state=seed, **given)


def accuracies_on_the_way(
    matrix: KernelMatrix, labels: np.ndarray, trace: Trace, X_test: Features, y_test: np.ndarray
) -> list[float]:
    """Return a list with the test accuracy (%) of the model at each iterate in a trace.

    Labels are -1 or +1.
    """
    union = np.unique(np.concatenate([indices for indices, _ in trace.iterates]))
    weights = np.zeros((len(union), len(trace.iterates)))
    for place, (indices, values) in enumerate(trace.iterates):
        weights[np.searchsorted(union, indices), place] = values * labels[indices]
    decisions = matrix.weighted_sums(union, weights, X_test) + weights.sum(axis=0)
    return (100 * np.mean((decisions > 0) == (y_test > 0)[:, None], axis=0)).tolist()


def outcome_columns(solution: Solution) -> dict:
    """Return a dict with the results of training: times, numbers of steps and kernel values, the
    number of support vectors, the certified objective and gap, and others.
    """
    return {name: getattr(solution, name) for name in _OUTCOMES} | {
        "support_vectors": len(solution.support)
    }


def setting_columns(
    job: Job,
    meta: dict,
    settings: dict,
    *,
    gamma: float | None,
    C: float,
    kernel: str = "rbf",
    selection: str = "none",
    task_size: int | None = None,
) -> dict:
    """Return a dict with the settings of a run on one thread. The keys are columns of the table of
    runs.

    `meta` is the description of the prepared data.
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
        "sigma2": None if gamma is None else 1.0 / (2.0 * gamma),
        "C": float(C),
        "cache_mb": settings.get("cache_mb"),
        "compile_excluded": True,
        "timing": settings["timing"],
        "threads": 1,
    }


def solution_row(
    job: Job,
    meta: dict,
    problem: KernelProblem,
    solution: Solution,
    settings: dict,
    **asked: object,
) -> dict:
    """Return a row of the table of runs for a solution from `fwsvm.solvers.solve.solve`.

    The column `selection` is "full". If the run drew samples, the caller must replace this text.
    `asked` has the values of further columns, such as ``init``.
    """
    kernel = problem.matrix.kernel
    columns = setting_columns(
        job,
        meta,
        settings,
        gamma=kernel.gamma,
        C=problem.C,
        kernel=kernel.name,
        selection="full",
        task_size=problem.size,
    )
    return columns | {"eps": settings["eps"], **outcome_columns(solution), **asked}
