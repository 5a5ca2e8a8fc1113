"""Generated runs and details of the study tsang2005.

CVM's time and model size are constant, and those of the other solvers grow.
"""

import numpy as np
import pandas as pd

from fwsvm_papers.runs.records import conform

_LIBCVM = {"sample_size": 60, "patience": 7, "alternate": True}
TRAINERS = ("cvm", "libsvm_l1", "libsvm_l2", "rsvm", "simple_svm", "lsvm_lowrank")
_TSANG_SERIES = {
    "checkerboard": ({"checkerboard-1m": (1000, 10_000, 100_000, 1_000_000)}, ("1/beta", "2/beta")),
    "forest": ({"covtype": (5810, 58_101, 174_304, 522_911)}, ("1/10000",)),
    "adult": ({"a1a": (1605,), "a4a": (4781,), "a9a": (32_561,)}, ("1/beta",)),
}


def make_tsang2005(methods=TRAINERS, repetitions=1, **changes):
    """Build runs and details of the study tsang2005.

    CVM's time and model size are constant. For the other solvers, the time grows like m^2 and the
    model size like m. On more than 10,000 points, LSVM reaches its memory limit. On more than
    100,000 points, the others reach their time limit.
    """
    rows, details = [], []
    for part, (datasets, rules) in _TSANG_SERIES.items():
        for dataset, sizes in datasets.items():
            for method in methods:
                jobs = [
                    _tsang_row(dataset, method, m, rule, C, repetition) | changes
                    for m in sizes
                    for rule in rules
                    for C in (1.0, 64.0, 1024.0)
                    for repetition in range(repetitions)
                    if m <= _first_failure(method, sizes)
                ]
                rows += jobs
                notes = [{"task_size": row["task_size"], "C": row["C"]} for row in jobs]
                details.append({**_job(jobs[0]), "series": part, "runs": notes})
    for method in ("oneclass_swap", "oneclass_libsvm"):
        jobs = [
            _one_class_row(method, inlier, nu, repetition) | changes
            for inlier in range(3)
            for nu in (0.01, 0.1)
            for repetition in range(repetitions)
        ]
        rows += jobs
        keys = ("task_size", "C", "gamma_rule", "repetition", "partition")
        notes = [
            {
                **{key: row[key] for key in keys},
                "nu": round(1 / (row["C"] * row["task_size"]), 6),
                "auc": auc,
            }
            for row, auc in zip(jobs, np.linspace(0.9, 0.99, len(jobs)), strict=True)
        ]
        details.append({**_job(jobs[0]), "series": "one_class", "runs": notes})
    return conform(pd.DataFrame(rows)), details


def _job(row):
    return {key: row[key] for key in ("protocol", "dataset", "method")}


def _first_failure(method, sizes):
    """Return the smallest of the sizes at which a method reaches its limit, or infinity if it
    reaches none.

    The method has a row at this size, and no rows at larger sizes.
    """
    most = {"cvm": np.inf, "lsvm_lowrank": 10_000}.get(method, 100_000)
    return min((m for m in sizes if m > most), default=np.inf)


def _tsang_row(dataset, method, m, rule, C, repetition):
    ours = method == "cvm"
    ended = m > {"cvm": np.inf, "lsvm_lowrank": 10_000}.get(method, 100_000)
    reason = (
        ("memory_limit" if method == "lsvm_lowrank" else "time_limit") if ended else "converged"
    )
    support = min(m, 600) if ours else m // 4
    return {
        **_common("tsang2005", dataset, m, method, "libcvm" if ours else "none", repetition),
        **(_LIBCVM | {"init": "farthest_pair", "stop_rule": "meb", "eps": 1e-6} if ours else {}),
        "gamma_rule": rule,
        "C": C,
        "train_cpu_s": 0.2 + 0.01 * repetition if ours else 1e-9 * m**2,
        "support_vectors": None if ended else support,
        "coreset_size": support + 20 if ours else None,
        "relative_gap": 2.0 if ours else None,
        "stop_reason": "no_violation_in_samples" if ours else reason,
        "test_accuracy": None
        if ended
        else 0.98
        if ours
        else 0.984
        if method.startswith("libsvm")
        else 0.95,
    }


def _one_class_row(method, inlier, nu, repetition):
    ours = method == "oneclass_swap"
    return {
        **_common(
            "tsang2005", "usps", 500 + inlier, method, "all_points" if ours else "none", repetition
        ),
        **(
            {"init": "farthest_pair", "stop_rule": "meb", "eps": 1e-6, "relative_gap": 1e-4}
            if ours
            else {}
        ),
        "gamma_rule": "1/beta",
        "C": 1 / (nu * (500 + inlier)),
        "partition": inlier,
        "train_cpu_s": 0.02 + 0.001 * inlier,
        "support_vectors": 300 if ours else 60,
        "stop_reason": "converged",
    }


def _common(experiment, dataset, m, method, protocol, repetition):
    return {
        "experiment": experiment,
        "dataset": dataset,
        "task_size": m,
        "method": method,
        "protocol": protocol,
        "kernel": "rbf",
        "gamma": 0.2,
        "repetition": repetition,
        "disturbed": False,
        "timing": "exclusive",
        "threads": 1,
    }
