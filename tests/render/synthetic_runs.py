"""Runs made up from the printed numbers, so that tables and figures have something realistic to show."""

import zlib

import numpy as np
import pandas as pd

from fwsvm import published
from fwsvm.analysis.hypotheses import evaluate
from fwsvm.analysis.runs import conform, selections_of, summarise, wide

METHODS = ("cvm", "fw", "mfw", "swap", "swap2o")
WEB_AND_ADULT = ("w1a", "w4a", "w6a", "w7a", "w8a", "a1a", "a2a", "a3a", "a4a", "a7a")
SELECTIONS = {
    "sampled_text": {"sample_size": 59, "patience": 1, "alternate": False},
    "sampled_libcvm": {"sample_size": 60, "patience": 7, "alternate": True},
    "full": {"sample_size": None, "patience": None, "alternate": None},
}
_LIKE = {"swap": ("fw", 0.7), "swap2o": ("mfw", 0.6), "pfw": ("fw", 0.9), "mymethod": ("fw", 1.3)}
_SPEED = {"sampled_text": 8.0, "sampled_libcvm": 3.0, "full": 5.0}


def make_runs(datasets=WEB_AND_ADULT, methods=METHODS, selections=tuple(SELECTIONS), repetitions=5, **changes):
    """Build a runs table; CVM runs with its own selection, and certified where `full` is asked for."""
    accuracy = published.load("frandi2013_accuracy").set_index("dataset")
    time = published.load("frandi2013_time").set_index("dataset")
    size = published.load("frandi2013_datasets").set_index("dataset")["train_size"]
    rows = []
    for dataset in datasets:
        for method in methods:
            like, factor = _LIKE.get(method, (method, 1.0))
            for selection in _selections(method, selections):
                rng = np.random.default_rng(zlib.crc32(f"{dataset}/{method}/{selection}".encode()))
                m = int(size.get(dataset, 500))
                for repetition in range(1 if selection == "full" else repetitions):
                    known = dataset in time.index
                    seconds = time.loc[dataset, f"{like}_mean"] if known else 2.0
                    percent = accuracy.loc[dataset, f"{like}_mean"] if known else 95.0
                    seconds *= factor * rng.lognormal(0, 0.15) / _SPEED[selection]
                    rows.append(
                        {
                            "experiment": "benchmark",
                            "dataset": dataset,
                            "task_size": m,
                            "method": method,
                            "selection": selection,
                            **SELECTIONS[selection],
                            "init": "random_meb",
                            "stop_rule": "meb",
                            "eps": 1e-6,
                            "kernel": "rbf",
                            "gamma_rule": "average",
                            "gamma": 0.05,
                            "sigma2": 10.0,
                            "C": 16.0,
                            "repetition": repetition,
                            "seed": int(rng.integers(2**40)),
                            "train_cpu_s": seconds,
                            "train_wall_s": seconds * 1.01,
                            "support_vectors": int(m * (0.5 if method == "cvm" else 0.2) * rng.lognormal(0, 0.1)),
                            "relative_gap": float(rng.lognormal(-2, 1)),
                            "stop_reason": "converged" if selection == "full" else "no_violation_in_samples",
                            "test_accuracy": (percent + rng.normal(0, 0.1)) / 100,
                            "disturbed": False,
                            "timing": "exclusive",
                            "threads": 1,
                        }
                        | changes
                    )
    return conform(pd.DataFrame(rows))


def _selections(method, selections):
    if method == "cvm":
        return ["sampled_libcvm", *(["full"] if "full" in selections else [])]
    return selections


def make_descriptions(datasets=WEB_AND_ADULT):
    """Describe data sets as the preparation does, with the printed sizes where there are any."""
    table = published.load("frandi2013_datasets").set_index("dataset")
    columns = {"m": "train_size", "t": "test_size", "K": "classes", "m_max": "max_pair_size",
               "m_min": "min_pair_size", "n": "features"}  # fmt: skip
    other = {"m": 105, "t": 45, "K": 3, "m_max": 70, "m_min": 70, "n": 4}
    return [
        {"dataset": name}
        | ({ours: int(table.loc[name, theirs]) for ours, theirs in columns.items()} if name in table.index else other)
        for name in datasets
    ]


def make_tests(runs):
    """Test the runs as the pipeline does."""
    benchmark = runs[runs["experiment"] == "benchmark"]
    summary = summarise(benchmark)
    tables = []
    for selection in selections_of(benchmark):
        result = evaluate(
            wide(summary, "train_cpu_s", selection, METHODS),
            wide(summary, "test_accuracy", selection, METHODS),
        )
        result.insert(0, "selection", selection)
        tables.append(result)
    return pd.concat(tables, ignore_index=True)


def make_inputs(**options):
    """Build all inputs of the registry."""
    runs = make_runs(**options)
    datasets = options.get("datasets", WEB_AND_ADULT)
    return {"runs": runs, "descriptions": make_descriptions(datasets), "tests": make_tests(runs)}
