"""Runs that record the gap, model size and accuracy during training."""

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.solution import Solution
from fwsvm.solvers.solve import solve
from fwsvm_papers.datasets.storage import Prepared, two_largest_classes
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job, tuned_under
from fwsvm_papers.runs.rows import accuracies_on_the_way, solution_row


def run(prepared: Prepared, tuned: dict, job: Job, settings: dict) -> tuple[list[dict], dict]:
    """Train on the two largest classes, and record a trace. Before this run, a short run that is
    not timed loads the compiled code.

    Return the rows of the table of runs, and the details. The accuracies of intermediate models are
    computed after training, so the recorded times do not include this computation.
    """
    tuned = tuned_under(tuned, job.protocol)
    X, y, X_test, y_test = two_largest_classes(prepared)
    problem = KernelProblem(KernelMatrix(X, Kernel("rbf", tuned["gamma"])), y, tuned["C"])
    seed = measure.derive_seed(settings["seed"], job.experiment, job.dataset, job.method)
    limit = min(measure.WARM_UP_S, settings["time_limit"])
    _train(problem, job.method, settings | {"time_limit": limit}, seed)
    problem = KernelProblem(KernelMatrix(X, Kernel("rbf", tuned["gamma"])), y, tuned["C"])
    solution, conditions = measure.RunMonitor().timed(_train, problem, job.method, settings, seed)
    accuracies = accuracies_on_the_way(
        problem.matrix, problem.labels, solution.trace, X_test, y_test
    )
    row = solution_row(job, prepared.meta, problem, solution, settings) | {
        "init": settings["init"],
        "stop_rule": "relative",
        "gamma_rule": tuned["gamma_rule"],
        "repetition": 0,
        "seed": seed,
        **conditions(solution.train_cpu_s, solution.train_wall_s),
        "test_accuracy": accuracies[-1] / 100,
    }
    trace = solution.trace
    details = {
        "majority": 100
        * float(np.mean(y_test == (1 if np.sum(y == 1) >= np.sum(y == -1) else -1))),
        "stop_reason": solution.stop_reason,
        "iteration": list(map(int, trace.iteration)),
        "cpu_s": [round(value, 6) for value in trace.cpu_s],
        "requested_evaluations": list(map(int, trace.requested)),
        "relative_gap": [float(f"{value:.6g}") for value in np.divide(trace.gap, trace.objective)],
        "support_vectors": [len(indices) for indices, _ in trace.iterates],
        "accuracy": [round(value, 4) for value in accuracies],
    }
    return [row], details


def _train(problem: KernelProblem, method: str, settings: dict, seed: int) -> Solution:
    return solve(
        problem,
        method,
        stop="relative",
        random_state=seed,
        trace_iterates=True,
        trace_every=float(settings["ratio"]),
        **{
            name: settings[name]
            for name in ("init", "eps", "cache_mb", "max_iterations", "time_limit")
        },
    )
