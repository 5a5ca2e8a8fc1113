"""Runs made up from the printed numbers, so that tables and figures have something realistic to show."""

import inspect
import json
import zlib
from functools import cache

import numpy as np
import pandas as pd
from alaiz_runs import make_alaiz

from fwsvm import published
from fwsvm.analysis.hypotheses import evaluate
from fwsvm.analysis.runs import conform, selections_of, summarise, wide
from fwsvm.experiments.sketches import compute

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
    rows = [
        _row("benchmark", dataset, method, selection, repetition)
        for dataset in datasets
        for method in methods
        for selection in _selections(method, selections)
        for repetition in range(1 if selection == "full" else repetitions)
    ]
    return conform(pd.DataFrame([row | changes for row in rows]))


def make_c_path(datasets=("shuttle", "pendigits", "reuters"), methods=("cvm", "fw", "mfw"), repetitions=2, **changes):
    """Build the runs of the experiment c_path: faster and at first more accurate as C grows."""
    rows = []
    for dataset in datasets:
        for method in methods:
            for exponent in range(13):
                for repetition in range(repetitions):
                    row = _row("c_path", dataset, method, "sampled_libcvm", repetition, salt=str(exponent))
                    row["C"] = 2.0**exponent
                    row["train_cpu_s"] *= 2.0 ** (-exponent / 3)
                    row["test_accuracy"] -= 0.002 * abs(exponent - 6)
                    rows.append(row | changes)
    return conform(pd.DataFrame(rows))


def make_poly(datasets=("w1a", "w4a", "w8a", "shuttle", "reuters"), methods=("fw", "mfw", "swap", "swap2o"),
              selections=tuple(SELECTIONS), repetitions=5, **changes):  # fmt: skip
    """Build the runs of the experiment poly."""
    rows = [
        _row("poly", dataset, method, selection, repetition) | {"kernel": "poly", "degree": 2} | changes
        for dataset in datasets
        for method in methods
        for selection in selections
        for repetition in range(1 if selection == "full" else repetitions)
    ]
    return conform(pd.DataFrame(rows))


PATIENCES = (1, 2, 3, 5, 7, 10, 20)


def make_stopping(datasets=("w1a", "w4a", "w8a", "a1a", "a4a"), methods=("fw", "mfw", "swap", "swap2o"),
                  patiences=PATIENCES, repetitions=5, **changes):  # fmt: skip
    """Build the runs of the experiment stopping: dearer, tighter and a little more accurate with more patience."""
    variants = [("sampled_text", patience) for patience in patiences] + [("sampled_libcvm", 7), ("full", None)]
    rows = []
    for dataset in datasets:
        for method in methods:
            for selection, patience in variants:
                for repetition in range(1 if selection == "full" else repetitions):
                    row = _row("stopping", dataset, method, selection, repetition, salt=str(patience))
                    effort = {"sampled_libcvm": 40.0, "full": 150.0}.get(selection, patience**1.4 if patience else 1)
                    row["patience"] = patience
                    row["train_cpu_s"] *= effort / 3
                    row["iterations"] = int(60 * effort * np.random.default_rng(repetition).lognormal(0, 0.3))
                    row["relative_gap"] *= 60 / effort
                    row["test_accuracy"] += 0.0008 * np.log(effort)
                    rows.append(row | changes)
    return conform(pd.DataFrame(rows))


def _row(experiment, dataset, method, selection, repetition, salt=""):
    rng = np.random.default_rng(zlib.crc32(f"{experiment}/{dataset}/{method}/{selection}/{salt}/{repetition}".encode()))
    accuracy, time, size = _printed()
    like, factor = _LIKE.get(method, (method, 1.0))
    known = dataset in time.index
    seconds = time.loc[dataset, f"{like}_mean"] if known else 2.0
    percent = accuracy.loc[dataset, f"{like}_mean"] if known else 95.0
    seconds *= factor * rng.lognormal(0, 0.15) / _SPEED[selection]
    m = int(size.get(dataset, 500))
    return {
        "experiment": experiment,
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
        "iterations": int(rng.integers(50, 5000)),
        "support_vectors": int(m * (0.5 if method == "cvm" else 0.2) * rng.lognormal(0, 0.1)),
        "relative_gap": float(rng.lognormal(-2, 1)),
        "stop_reason": "converged" if selection == "full" else "no_violation_in_samples",
        "test_accuracy": (percent + rng.normal(0, 0.1)) / 100,
        "disturbed": False,
        "timing": "exclusive",
        "threads": 1,
    }


@cache
def _printed():
    sizes = published.load("frandi2013_datasets").set_index("dataset")["train_size"]
    return *(published.load(f"frandi2013_{name}").set_index("dataset") for name in ("accuracy", "time")), sizes


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


SINGLE = ("letter", "pendigits", "usps", "reuters", "mnist", "protein", "shuttle", "ijcnn1", "kdd99-10pc")
ALL = (*WEB_AND_ADULT, *SINGLE)
SMALL = ("w1a", "w8a", "a1a", "pendigits", "protein", "shuttle")


def make_inputs(datasets=ALL, **options):
    """Build all inputs of the registry: every experiment, on those of its data sets that are among these."""
    runs = make_runs(datasets=datasets, **options)
    parts = [runs]
    for make in (make_c_path, make_poly, make_stopping):
        known = inspect.signature(make).parameters
        own = [name for name in known["datasets"].default if name in datasets]
        taken = {name: value for name, value in options.items() if name in known or name not in _OF_BENCHMARK}
        taken["methods"] = [name for name in known["methods"].default if name in options.get("methods", METHODS)]
        parts.append(make(datasets=own, **taken))
    changes = {name: value for name, value in options.items() if name not in _OF_BENCHMARK}
    sparsity, details = make_alaiz(**changes) if "a1a" in datasets else make_alaiz((), (), ())
    parts.append(sparsity)
    runs = conform(pd.concat([part for part in parts if len(part)]))
    return {
        "runs": runs,
        "descriptions": make_descriptions(datasets),
        "tests": make_tests(runs),
        "sketches": make_sketches(),
        "alaiz2018": details,
    }


_OF_BENCHMARK = ("methods", "selections", "repetitions")


@cache
def make_sketches():
    """Run the sketches, which takes a tenth of a second, and pass them through JSON as the pipeline does."""
    return json.loads(json.dumps(compute()))
