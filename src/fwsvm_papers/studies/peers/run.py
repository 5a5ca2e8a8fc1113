"""Train SVMs of other packages with the kernel width and C that were tuned for the benchmark's
methods.

SVC has the hinge (L1) loss and a free bias. The benchmark's methods have the squared hinge (L2)
loss and the bias in the kernel. LIBSVM on the L2 dual differs from these methods only in its free
bias. LIBLINEAR on a Nystroem map differs from them only in its approximate kernel.
"""

import logging

import numpy as np
from scipy import sparse

from fwsvm_papers.baselines.libsvm import memory_mb, with_own_features
from fwsvm_papers.baselines.limits import Steps, measure_in_process
from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.measure import RunMonitor
from fwsvm_papers.runs.rows import setting_columns
from fwsvm_papers.studies.benchmark.tuning_plan import of_protocol

_LOG = logging.getLogger(__name__)
NOT_INSTALLED = "not installed"
"""Stop reason of a trainer whose package is missing."""


def run(prepared: Prepared, parameters: dict, job: Job, settings: dict) -> list[dict]:
    """Train and test a package's SVM once, or once for each number of Nystroem components (column
    ``sample_size``).

    A run that ended at its time or memory limit has no accuracy and no support vectors. If only the
    prediction exceeds the time limit, the accuracy is missing. A package that is not installed
    gives a row without numbers.
    """
    parameters, monitor = of_protocol(parameters, settings["protocol"]), measure.RunMonitor()
    return [
        _row(prepared, parameters, job, settings, components, monitor)
        for components in settings["components"]
    ]


def _row(
    prepared: Prepared,
    parameters: dict,
    job: Job,
    settings: dict,
    components: int | None,
    monitor: RunMonitor,
) -> dict:
    gamma, C = parameters["gamma"], parameters["C"]
    seed = measure.derive_seed(settings["seed"], job.experiment, job.dataset, job.method)
    row = setting_columns(job, prepared.meta, settings, gamma=gamma, C=C) | {
        "gamma_rule": parameters["gamma_rule"],
        "sample_size": components,
        "repetition": 0,
        "seed": seed,
    }
    if not settings["installed"]:
        _LOG.info("%s %s: %s", job.dataset, job.method, NOT_INSTALLED)
        return row | {"stop_reason": NOT_INSTALLED}
    train, test, memory = _points(prepared, job.method, gamma, C, settings["cache_mb"], components)
    found, conditions = monitor.timed(
        measure_in_process,
        _steps(job.method, gamma, C, settings["cache_mb"], components, seed),
        train,
        test,
        time_limit=settings["time_limit"],
        memory_limit_mb=settings["memory_limit_mb"],
        memory_mb=memory,
    )
    _LOG.info("%s %s %s: %s", job.dataset, job.method, components or "", found)
    # If a limit ended the trainer's process, the wall time includes the start of the process and
    # the data transfer.
    waited_s = (
        found["train_wall_s"] if found["stop_reason"] == "converged" else found["train_cpu_s"]
    )
    # The peak memory is left out because it was measured in this process, not in the trainer's
    # process.
    return row | found | conditions(found["train_cpu_s"], waited_s) | {"peak_rss_mb": None}


def _steps(
    method: str, gamma: float, C: float, cache_mb: float, components: int | None, seed: int
) -> Steps:
    """Return the names of the estimator classes to fit one after the other, with their
    parameters.
    """
    if method == "nystroem":
        # With slacks xi, LIBLINEAR's loss is C sum(xi^2), and ours is C / 2 sum(xi^2). Both add the
        # bias to the kernel.
        parameters = {"gamma": gamma, "n_components": components, "random_state": seed}
        linear = {"C": C / 2, "random_state": seed}
        return [
            ("sklearn.kernel_approximation:Nystroem", parameters),
            ("sklearn.svm:LinearSVC", linear),
        ]
    package = "sklearnex" if method == "intelex" else "sklearn"
    # In the L2 dual, the multipliers have no upper bound. C enters through features that are added
    # to the points.
    bound = 1e12 if method == "libsvm_l2" else C
    return [(f"{package}.svm:SVC", {"gamma": gamma, "C": bound, "cache_size": cache_mb})]


def _points(
    prepared: Prepared, method: str, gamma: float, C: float, cache_mb: float, components: int | None
) -> tuple[tuple, tuple, float]:
    """Return the training and test points with their labels, and the memory (MB) that training
    needs.
    """
    X, X_test = prepared.X_train, prepared.X_test
    # With a Nystroem map, memory holds the mapped points and LIBLINEAR's copy of them.
    memory = 2 * 8e-6 * components * X.shape[0] if components else memory_mb(X, cache_mb)
    if method == "libsvm_l2":
        X, own = with_own_features(X, "rbf", gamma, C)
        X = sparse.hstack([X, sparse.csr_array((X.shape[0], 1))], format="csr")
        gap = sparse.csr_array((X_test.shape[0], prepared.X_train.shape[0]))
        X_test = sparse.hstack(
            [sparse.csr_matrix(X_test), gap, np.full((X_test.shape[0], 1), own)], format="csr"
        )
        memory = memory_mb(X, cache_mb)
    return (X, np.asarray(prepared.y_train)), (X_test, np.asarray(prepared.y_test)), memory
