"""Other trainers on the benchmark's data sets, at the benchmark's kernel width and C: scikit-learn's SVC.

SVC minimises |w|^2 / 2 + C sum(xi), the hinge (L1) loss with a free bias, by LIBSVM; the methods of the benchmark
minimise the squared hinge (L2) loss with the bias in the kernel. So the two are different machines with the same kernel
and the same number C, which was tuned for the L2 machine. A run has no gap: it is not certified for the L2 dual.
"""

import logging

import numpy as np

from fwsvm.baselines.libsvm import measure_svc
from fwsvm.runs import measure
from fwsvm.runs.protocols import NO_PROTOCOL

_LOG = logging.getLogger(__name__)


def run(prepared, parameters, job, settings):
    """Train and test once.

    Parameters
    ----------
    prepared : Prepared
    parameters : dict
        Result of `tune`: ``gamma``, ``sigma2``, ``C``, ``gamma_rule``.
    job : Job
    settings : dict
        `settings(config, job)`.

    Returns
    -------
    list of dict
        One row of the runs table. A run that ended at its time or memory limit has no accuracy and no support vectors;
        one whose prediction took longer than its training may has no accuracy.
    """
    monitor = measure.RunMonitor()
    train = prepared.X_train, np.asarray(prepared.y_train)
    test = prepared.X_test, np.asarray(prepared.y_test)
    limits = {name: settings[name] for name in ("time_limit", "memory_limit_mb", "cache_mb")}
    found, conditions = monitor.timed(measure_svc, train, test, parameters["gamma"], parameters["C"], **limits)
    _LOG.info(
        "%s %s %s: %.3f s CPU, %s support vectors (%s)",
        job.experiment, job.dataset, job.method, found.train_cpu_s, found.support_vectors,
        found.note or found.stop_reason,
    )  # fmt: skip
    # Of a process that a limit ended, the wall time includes its start and the writing of its data.
    waited_s = found.train_wall_s if found.stop_reason == "converged" else found.train_cpu_s
    return [
        {
            "experiment": job.experiment,
            "dataset": job.dataset,
            "task_size": prepared.meta["m"],
            "features": prepared.meta["n"],
            "method": job.method,
            "selection": NO_PROTOCOL,
            "kernel": settings["kernel"],
            **{name: parameters[name] for name in ("gamma", "gamma_rule", "sigma2", "C")},
            "cache_mb": settings["cache_mb"],
            "repetition": 0,
            "train_cpu_s": found.train_cpu_s,
            "train_wall_s": found.train_wall_s,
            "compile_excluded": True,
            "iterations": found.iterations,
            "support_vectors": found.support_vectors,
            "stop_reason": found.stop_reason,
            "test_accuracy": found.test_accuracy,
            # The memory of LIBSVM's process is not ours.
            **(conditions.columns(found.train_cpu_s, waited_s) | {"peak_rss_mb": None}),
            "timing": settings["timing"],
            "threads": 1,
        }
    ]
