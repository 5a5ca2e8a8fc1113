"""Training of other packages' SVMs with the kernel width and C that were tuned for the methods of
the benchmark.

SVC minimises the hinge (L1) loss, and its bias is not regularised. The benchmark's methods minimise
the squared hinge (L2) loss, and their bias is a part of the kernel. LIBSVM on the L2 dual differs
from the benchmark's methods only in the bias, which is not regularised. LIBLINEAR on a Nystroem map
differs from the benchmark's methods in the kernel, which is an approximation. With more than two
classes, LIBLINEAR also separates each class from all others, and not each pair of classes.
"""

import logging

from fwsvm_papers.baselines.limits import measure_in_process
from fwsvm_papers.baselines.packages import NOT_INSTALLED, package_points, package_steps
from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job, tuned_under
from fwsvm_papers.runs.measure import RunMonitor
from fwsvm_papers.runs.rows import setting_columns

_LOG = logging.getLogger(__name__)


def run(prepared: Prepared, parameters: dict, job: Job, settings: dict) -> list[dict]:
    """Train and test a package's SVM, and return a row per run.

    With a Nystroem map, there is a run for each number of components (column ``sample_size``).
    Otherwise, there is one run. A run that ended at its time or memory limit has no accuracy and no
    support vectors. If only the prediction exceeds the time limit, the accuracy is missing. If a
    package is not installed, the row has no results.
    """
    parameters, monitor = tuned_under(parameters, settings["protocol"]), measure.RunMonitor()
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
    cache_mb = settings["cache_mb"]
    train, test, memory = package_points(prepared, job.method, gamma, C, cache_mb, components)
    found, conditions = monitor.timed(
        measure_in_process,
        package_steps(job.method, gamma, C, cache_mb, components, seed),
        train,
        test,
        time_limit=settings["time_limit"],
        memory_limit_mb=settings["memory_limit_mb"],
        memory_mb=memory,
    )
    _LOG.info(
        "%s %s %s: %.3f s CPU (%s)",
        job.dataset,
        job.method,
        components or "",
        found["train_cpu_s"],
        found["stop_reason"],
    )
    # If the process of the package ended at a limit, the wall time includes the start of that
    # process and the transfer of the data. In this case, the CPU time is used instead.
    waited_s = (
        found["train_wall_s"] if found["stop_reason"] == "converged" else found["train_cpu_s"]
    )
    # The peak memory is omitted, because it was measured in this process and not in the package's
    # process.
    return row | found | conditions(found["train_cpu_s"], waited_s) | {"peak_rss_mb": None}
