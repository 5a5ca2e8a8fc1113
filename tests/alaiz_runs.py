"""Generated runs and details of the study alaiz2018. In these runs, M-FW is sparser than the SVM if
C is small.
"""

import zlib

import numpy as np
import pandas as pd

from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.alaiz2018.sparsity import MODELS

COMPARED = ("australian", "heart", "iris-setosa")
GRID = (-4, -2, 0, 2, 4)
_SETTINGS = {
    "folds": 10,
    "tuning_points": 1000,
    "tuning_iterations": 50000,
    "gamma_exponents": [-3, -1],
    "stop": "relative",
    "C_exponents": list(GRID),
    "eps": 1e-3,
    "cache_mb": 500,
    "max_iterations": 300000,
    "fixed_C": 1.0,
}


def make_alaiz(
    compared=COMPARED,
    paths=("ijcnn1",),
    largest=("ijcnn1",),
    kernels=("linear", "rbf"),
    partitions=6,
    starts=4,
    **changes,
):
    """Return a table of runs, and the details. `changes` maps columns to the values that all rows
    get.
    """
    rows, details = [], []
    for dataset in dict.fromkeys([*compared, *paths, *largest]):
        entry = {
            "selection": "full",
            "dataset": dataset,
            "method": "mfw_sparse",
            "features": 13,
            "points": 270,
            "majority": 55.6,
            "sizes": [189, 81],
            "settings": _SETTINGS,
        }
        if dataset in paths:
            values = {"svm": 4.0, "mfw": 0.25}
            entry["c_path"] = {"train": 150, "test": 81, "tuned": _tuned(kernels, values)}
            rows += [
                _row(dataset, kernel, MODELS[model], 2.0**k, p)
                for kernel in kernels
                for model in values
                for k in GRID
                for p in range(partitions)
            ]
        elif dataset in compared:
            values = {"svm": 4.0, "mfw": 0.25, "mfw_fixed": 1.0}
            entry["comparison"] = {"train": 189, "test": 81, "tuned": _tuned(kernels, values)}
            rows += [
                _row(dataset, kernel, MODELS[model], C, p)
                for kernel in kernels
                for model, C in values.items()
                for p in range(partitions)
            ]
            overlap = {
                "mean": 20.0 if dataset == "iris-setosa" else 80.0,
                "min": 10.0,
                "max": 100.0,
            }
            entry["starts"] = {"kernel": kernels[-1], "points": 189, "overlap": overlap}
            rows += [
                _row(dataset, kernels[-1], "mfw_sparse", 0.25, 0, salt=s)
                | {"init": "each_point", "start_index": s}
                for s in range(starts)
            ]
        if dataset in largest:
            entry["largest"] = _largest()
        details.append(entry)
    return conform(pd.DataFrame([row | changes for row in rows])), details


def _tuned(kernels, values):
    return {
        kernel: {
            "gamma": 0.5 if kernel == "rbf" else None,
            "C": dict(values),
            "accuracy": {"svm": 0.9, "mfw": 0.9},
            "points": 189,
            "folds": 10,
            "edges": ["C of svm"] if kernel == "linear" else [],
        }
        for kernel in kernels
    }


def _largest():
    iteration = list(range(0, 1001, 100))
    curves = {
        model: {
            "iteration": iteration,
            "accuracy": [50 + 40 * (1 - np.exp(-i / 200 * (1 + place))) for i in iteration],
            "support_vectors": [1 + min(i, [900, 500, 300][place]) for i in iteration],
            "stop_reason": "converged" if place else "iteration_limit",
        }
        for place, model in enumerate(MODELS)
    }
    return {
        "train": 150,
        "test": 81,
        "kernel": "rbf",
        "iterations": 1000,
        "every": 100,
        "curves": curves,
        "tuned": _tuned(("rbf",), dict.fromkeys(MODELS, 1.0)),
    }


def _row(dataset, kernel, method, C, partition, salt=""):
    rng = np.random.default_rng(
        zlib.crc32(f"{dataset}/{kernel}/{method}/{C}/{partition}/{salt}".encode())
    )
    sparse = method == "mfw_sparse"
    share = min(1.0, 0.4 + 0.1 * np.log2(C * 16)) if sparse else 1.0
    drop = 0.0 if sparse else 0.02 * max(0.0, -np.log2(C))
    return {
        "experiment": "alaiz2018",
        "dataset": dataset,
        "task_size": 189,
        "method": method,
        "selection": "full",
        "init": "random_point",
        "kernel": kernel,
        "C": C,
        "partition": partition,
        "seed": partition,
        "start_index": int(rng.integers(189)),
        "relative_gap": 1e-3,
        "stop_reason": "converged",
        "disturbed": False,
        "iterations": int(2000 * share * rng.lognormal(0, 0.05)),
        "support_vectors": int(150 * share * rng.lognormal(0, 0.03)),
        "test_accuracy": 0.9 - drop + rng.normal(0, 0.005),
    }
