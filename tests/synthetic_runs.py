"""Runs that are generated from the printed values, so that tables and figures have realistic
data.
"""

import inspect
import json
import zlib
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from alaiz_runs import make_alaiz
from released_race import released_race
from tsang_runs import TRAINERS, make_tsang2005

from fwsvm_papers.datasets.generators import checkerboard, two_circles
from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.pipeline.artefacts import ARTEFACTS, compute_sketches
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.benchmark.significance import test_protocols
from fwsvm_papers.studies.ladder import LIBCVM_INNER
from fwsvm_papers.studies.registry import WITH_DETAILS, load_printed
from fwsvm_papers.studies.singh import run as singh
from fwsvm_papers.studies.theory import run as theory

METHODS = ("cvm", "fw", "mfw", "swap", "swap2o")
WEB_AND_ADULT = ("w1a", "w4a", "w6a", "w7a", "w8a", "a1a", "a2a", "a3a", "a4a", "a7a")
PROTOCOLS = {
    "as_printed": {"sample_size": 59, "patience": 1, "alternate": False},
    "libcvm": {"sample_size": 60, "patience": 7, "alternate": True},
    "all_points": {"sample_size": None, "patience": None, "alternate": None},
}
_LIKE = {"swap": ("fw", 0.7), "swap2o": ("mfw", 0.6), "mymethod": ("fw", 1.3)}
_SPEED = {"as_printed": 8.0, "libcvm": 3.0, "all_points": 5.0}


def draw(artefact_id, *inputs, **more):
    """Return the result of the function of an artefact for these inputs."""
    return ARTEFACTS[artefact_id].function(*inputs, **more)


def make_runs(
    datasets=WEB_AND_ADULT, methods=METHODS, protocols=tuple(PROTOCOLS), repetitions=5, **changes
):
    """Build the runs of the benchmark. `changes` maps columns to the values that all rows get. If
    it has the key `experiment`, the runs are those of this experiment.
    """
    experiment = changes.get("experiment", "benchmark")
    rows = [
        _row(experiment, dataset, method, protocol, repetition)
        for dataset in datasets
        for method in methods
        for protocol in protocols
        for repetition in range(1 if protocol == "all_points" else repetitions)
    ]
    return conform(pd.DataFrame([row | changes for row in rows]))


def make_c_path(
    datasets=("shuttle", "pendigits", "reuters"),
    methods=("cvm", "fw", "mfw"),
    repetitions=2,
    **changes,
):
    """Build the runs of the experiment c_path.

    With larger C, the runs are faster. They are most accurate at about C = 2^6.
    """
    rows = []
    for dataset, method, exponent, repetition in product(
        datasets, methods, range(13), range(repetitions)
    ):
        row = _row("c_path", dataset, method, "as_printed", repetition, salt=str(exponent))
        row["C"] = 2.0**exponent
        row["train_cpu_s"] *= 2.0 ** (-exponent / 3)
        row["test_accuracy"] -= 0.002 * abs(exponent - 6)
        rows.append(row | changes)
    return conform(pd.DataFrame(rows))


def make_poly(
    datasets=("w1a", "w4a", "w8a", "shuttle", "reuters"),
    methods=("fw", "mfw", "swap", "swap2o"),
    protocols=tuple(PROTOCOLS),
    repetitions=5,
    **changes,
):
    """Build the runs of the experiment poly."""
    changes = {"experiment": "poly", "kernel": "poly", "degree": 2} | changes
    return make_runs(datasets, methods, protocols, repetitions, **changes)


PATIENCES = (1, 2, 3, 5, 7, 10, 20)


def make_stopping(
    datasets=("w1a", "w4a", "w8a", "a1a", "a4a"),
    methods=("fw", "mfw", "swap", "swap2o"),
    patiences=PATIENCES,
    repetitions=5,
    **changes,
):
    """Build the runs of the experiment stopping.

    With more patience, a run takes longer. It has a smaller gap and is a little more accurate.
    """
    rows = []
    for dataset, method, patience in product(datasets, methods, (*patiences, None)):
        for repetition in range(repetitions if patience else 1):
            row = _row("stopping", dataset, method, "as_printed", repetition, salt=str(patience))
            effort = patience**1.4 if patience else 150.0
            row["patience"] = patience
            row["train_cpu_s"] *= effort / 3
            row["iterations"] = int(
                60 * effort * np.random.default_rng(repetition).lognormal(0, 0.3)
            )
            row["relative_gap"] *= 60 / effort
            row["test_accuracy"] += 0.0008 * np.log(effort)
            rows.append(row | changes)
    return conform(pd.DataFrame(rows))


def make_ladder(datasets=WEB_AND_ADULT, methods=METHODS, gaps=(1e-2, 1e-3), **changes):
    """Build the runs of the experiment ladder: CVM with faster inner problems, all methods with
    more patience, and all methods with all points.

    FW does not reach the smaller gap.
    """
    rows = []
    for dataset, method, gap in product(datasets, [*methods, "auto"], (None, *gaps)):
        for patience in ((1, 7) if method == "cvm" else (7,)) if gap is None else (None,):
            if method == "auto" and gap is None:
                continue
            row = _row(
                "ladder",
                dataset,
                "mfw" if method == "auto" else method,
                "as_printed",
                0,
                salt=f"{patience}{gap}",
            )
            row |= {"method": method, "patience": patience}
            row["train_cpu_s"] *= (
                0.02 * patience if method == "cvm" and patience else patience or 1 / gap**0.2
            )
            if gap:
                missed = method == "fw" and gap < 1e-2
                row |= {
                    "selection": "full",
                    "eps": gap,
                    "stop_rule": "relative",
                    "sample_size": None,
                    "relative_gap": gap * (3 if missed else 0.9),
                    "alternate": None,
                    "stop_reason": "time_limit" if missed else "converged",
                }
            rows.append(row | changes)
    return conform(pd.DataFrame(rows))


def make_inner(datasets=("a1a", "w1a"), **changes):
    """Build the runs of CVM in the experiment ladder with one of the three inner settings of
    LibCVM.
    """
    authors = {"inner_tolerance": 1e-7, "inner_fixed": True, "inner_steps": 7500}
    rows = [
        _row("ladder", dataset, "cvm", "as_printed", 0, salt=name)
        | {"patience": 1, "selection": "sampled_text"}
        | authors
        | {name: value}
        for dataset in datasets
        for name, value in LIBCVM_INNER.items()
    ]
    return conform(pd.DataFrame(rows).assign(**changes))


def make_splits(datasets=("a1a", "w1a"), **changes):
    """Build the runs of the experiment splits. For a1a, C differs between the validation parts."""
    rows = [
        _row("splits", dataset, "cvm", protocol, part)
        | {"C": 2.0 ** (part if dataset == "a1a" else 3)}
        | changes
        for dataset, protocol, part in product(datasets, ("as_printed", "libcvm"), range(3))
    ]
    return conform(pd.DataFrame(rows))


def make_peers(datasets=("a1a", "w1a"), **changes):
    """Build the runs of the experiment peers.

    SVC is slower than our methods, LIBSVM ends at its limit, and there are two Nystroem maps.
    """
    rows = []
    for dataset in datasets:
        for method, components, share in (
            ("svc", None, 1),
            ("libsvm_l2", None, 2),
            ("nystroem", 30, 0.1),
            ("nystroem", 300, 0.5),
        ):
            row = _row("peers", dataset, "cvm", "all_points", 0, salt=f"{method}{components}")
            row |= {
                "method": method,
                "protocol": "none",
                "sample_size": components,
                "relative_gap": None,
            }
            row["train_cpu_s"] *= 10 * share
            if method == "libsvm_l2":
                row |= {"stop_reason": "time_limit", "test_accuracy": None, "support_vectors": None}
            rows.append(row | changes)
    return conform(pd.DataFrame(rows))


def make_convergence():
    """Build the details of the experiment convergence. Gaps decrease, and accuracies become
    constant.
    """
    steps = np.unique(np.geomspace(1, 20_000, 60).astype(int))
    return [
        {
            "protocol": "all_points",
            "dataset": dataset,
            "method": method,
            "classes": [1, -1],
            "majority": 75.0,
            "stop_reason": "converged",
            "iteration": [0, *steps.tolist()],
            "cpu_s": [0.001, *(0.001 + 1e-5 * (place + 1) * steps).tolist()],
            "requested_evaluations": [400, *(1000 * steps).tolist()],
            "relative_gap": [8.0, *(8.0 / steps ** (0.6 + 0.1 * place)).tolist()],
            "support_vectors": [20, *np.minimum(steps + 20, 700).tolist()],
            "accuracy": [25.0, *(84 - 30 / steps).tolist()],
        }
        for dataset in ("a1a", "w1a")
        for place, method in enumerate(METHODS)
    ]


def _row(experiment, dataset, method, protocol, repetition, salt=""):
    rng = np.random.default_rng(
        zlib.crc32(f"{experiment}/{dataset}/{method}/{protocol}/{salt}/{repetition}".encode())
    )
    accuracy, time, size = _printed()
    like, factor = _LIKE.get(method, (method, 1.0))
    known = dataset in time.index
    seconds = time.loc[dataset, f"{like}_mean"] if known else 2.0
    percent = accuracy.loc[dataset, f"{like}_mean"] if known else 95.0
    seconds *= factor * rng.lognormal(0, 0.15) / _SPEED[protocol]
    m = int(size.get(dataset, 500))
    return {
        "experiment": experiment,
        "dataset": dataset,
        "task_size": m,
        "method": method,
        "protocol": protocol,
        **PROTOCOLS[protocol],
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
        "requested_evaluations": int(1e6 * seconds) + 1,
        "support_vectors": int(m * (0.5 if method == "cvm" else 0.2) * rng.lognormal(0, 0.1)),
        "relative_gap": float(rng.lognormal(-2, 1)),
        "stop_reason": "converged" if protocol == "all_points" else "no_violation_in_samples",
        "test_accuracy": (percent + rng.normal(0, 0.1)) / 100,
        "disturbed": False,
        "timing": "exclusive",
        "threads": 1,
    }


@cache
def _printed():
    sizes = load_printed("frandi2013_datasets").set_index("dataset")["train_size"]
    return *(
        load_printed(f"frandi2013_{name}").set_index("dataset") for name in ("accuracy", "time")
    ), sizes


def make_descriptions(datasets=WEB_AND_ADULT):
    """Describe data sets as the preparation does. If a data set has printed sizes, they are
    used.
    """
    table = load_printed("frandi2013_datasets").set_index("dataset")
    columns = {
        "m": "train_size",
        "t": "test_size",
        "K": "classes",
        "m_max": "max_pair_size",
        "m_min": "min_pair_size",
        "n": "features",
    }
    other = {"m": 105, "t": 45, "K": 3, "m_max": 70, "m_min": 70, "n": 4}
    classes = [{"label": 1, "train": 60, "test": 50}, {"label": -1, "train": 40, "test": 50}]
    return [
        {"dataset": name, "classes": classes}
        | (
            {ours: int(table.loc[name, theirs]) for ours, theirs in columns.items()}
            if name in table.index
            else other
        )
        for name in datasets
    ]


SINGLE = (
    "letter",
    "pendigits",
    "usps",
    "reuters",
    "mnist",
    "protein",
    "shuttle",
    "ijcnn1",
    "kdd99-10pc",
)
ALL = (*WEB_AND_ADULT, *SINGLE)
SMALL = ("w1a", "w8a", "a1a", "pendigits", "protein", "shuttle")


def make_gamma(accuracies, repetitions=2, **changes):
    """Build runs of CVM from a dict that maps (data set, factor) to the accuracy in per cent.

    Repetitions differ by 0.2 percentage points.
    """
    parts = []
    for (dataset, factor), accuracy in accuracies.items():
        runs = make_runs(datasets=(dataset,), methods=("cvm",), protocols=("libcvm",))
        runs = runs.head(repetitions)
        moved = [0.1, -0.1][: len(runs)] if len(runs) > 1 else [0]
        values = [(accuracy + step) / 100 for step in moved]
        rule = f"{factor:g}/beta, beta = average squared distance"
        parts.append(
            runs.assign(experiment="gamma", gamma_rule=rule, C=2.0**factor, test_accuracy=values)
        )
    return conform(pd.concat(parts, ignore_index=True).assign(**changes))


_OF_BENCHMARK = ("methods", "protocols", "repetitions")


def make_inputs(datasets=ALL, **options):
    """Build all inputs of the tables and figures.

    The experiments benchmark, c_path, poly, stopping and ladder have only data sets in `datasets`.
    The other experiments have their own data sets, and are included only if `datasets` has a1a.
    """
    changes = {name: value for name, value in options.items() if name not in _OF_BENCHMARK}
    parts, details = [make_runs(datasets=datasets, **options)], {name: [] for name in WITH_DETAILS}
    for make in (make_c_path, make_poly, make_stopping, make_ladder):
        known = inspect.signature(make).parameters
        taken = changes | {name: value for name, value in options.items() if name in known}
        taken["methods"] = [
            name for name in known["methods"].default if name in options.get("methods", METHODS)
        ]
        parts.append(
            make(datasets=[name for name in known["datasets"].default if name in datasets], **taken)
        )
    if "a1a" in datasets:
        few = min(2, options.get("repetitions", 2))
        parts += [make_peers(**changes), make_splits(**changes), make_inner(**changes)]
        parts.append(make_gamma({("a1a", 0.5): 83.5, ("a1a", 2): 83.9}, few, **changes))
        singh_rows, details["singh"] = make_singh()
        trainers = ("cvm", "libsvm_l1") if "methods" in options else TRAINERS
        tsang_rows, details["tsang2005"] = make_tsang2005(
            trainers, repetitions=options.get("repetitions", 1), **changes
        )
        alaiz_rows, details["alaiz2018"] = make_alaiz(**changes)
        race_rows, details["race"] = released_race(("a7a", "mnist", "pendigits"))
        parts += [singh_rows, tsang_rows, alaiz_rows, race_rows]
        details["convergence"] = make_convergence()
        theory_rows, details["theory"] = make_theory()
        parts.append(theory_rows)
    runs = conform(pd.concat([part for part in parts if len(part)]))
    described, tests = make_descriptions(datasets), test_protocols(runs)
    return {
        **details,
        "runs": runs,
        "descriptions": described,
        "tests": tests,
        "sketches": make_sketches(),
    }


@cache
def make_sketches():
    """Compute the numbers of the sketches, which takes less than a second.

    Their results are converted to JSON and back, as in the pipeline.
    """
    return json.loads(json.dumps(compute_sketches()))


SINGH_SIZES = {"two-circles": (60, 20), "two-circles-3000": (90, 30), "a1a": (80, 20)}
SINGH_SETTINGS = {
    "C": 1000,
    "gamma": 0.5,
    "eps": 1e-4,
    "replayed_steps": 300,
    "cache_mb": 50.0,
    "time_limit": 20.0,
    "max_iterations": 10**6,
    "seed": 1,
    "timing": "shared",
}


def make_prepared(name, sizes, seed=0):
    """Generate a prepared data set: two circles if `name` begins with "two-circles", and a
    checkerboard otherwise.
    """
    generator = two_circles if name.startswith("two-circles") else checkerboard
    X, y = generator(sum(sizes), np.random.default_rng(seed))
    codes, m = (y > 0).astype(np.int64), sizes[0]
    beta = 2.0 * float(X[:m].var(axis=0).sum())
    meta = {"name": name, "n": 2, "m": m, "classes": [-1, 1], "average_squared_distance": beta}
    return Prepared(X[:m], codes[:m], X[m:], codes[m:], meta, None)


@cache
def make_singh(datasets=tuple(SINGH_SIZES), repetitions=2):
    """Run the study singh on few points.

    Its details are converted to JSON and back, as in the pipeline.
    """
    rows, details = [], []
    for name in datasets:
        job = Job("singh", "all_points", name, "mfw")
        circles = name.startswith("two-circles")
        settings = SINGH_SETTINGS | {"circles": circles, "runs": repetitions if circles else 1}
        settings |= {} if circles else {"gamma": None, "C": 16}
        own, shown = singh.run(make_prepared(name, SINGH_SIZES[name]), job, settings)
        rows += own
        details.append({"protocol": "all_points", "dataset": name, "method": "mfw", **shown})
    return conform(pd.DataFrame(rows)), json.loads(json.dumps(details))


_SAMPLED = {"sample_size": 20, "replacement": True, "patience": 1, "alternate": False}
THEORY_SETTINGS = {
    "width_factor": 2.0,
    "C": 4.0,
    "init": "random_meb",
    "cache_mb": 50.0,
    "inner_tolerance": 1e-3,
    "max_iterations": 10**6,
    "time_limit": 60.0,
    "seed": 1,
    "timing": "shared",
    "rule": {
        "methods": ["cvm", "fw"],
        "eps": [1e-2, 1e-3],
        "full_points": 1000,
        "sampled": {name: {"selection": _SAMPLED} for name in ("cvm", "fw")},
    },
    "growth": {"sizes": [40, 80], "eps": [1e-2, 1e-3]},
    "rates": {"methods": ["fw", "swap"], "steps": 2000},
    "samples": {
        "protocols": ["as_run", "as_printed"],
        "eps": 1e-3,
        "steps": 60,
        "repetitions": 2,
        "sampled": {
            "as_run": {"selection": _SAMPLED},
            "as_printed": {"selection": _SAMPLED | {"sample_size": 19, "replacement": False}},
        },
    },
    "ball": {"points": 60},
}


@cache
def make_theory():
    """Run the study theory on few points.

    Its details are converted to JSON and back, as in the pipeline.
    """
    job = Job("theory", "as_run", "two-circles", "fw")
    rows, details = theory.run(make_prepared("two-circles", (90, 30)), job, THEORY_SETTINGS)
    entry = {"protocol": "as_run", "dataset": "two-circles", "method": "fw", **details}
    return conform(pd.DataFrame(rows)), [json.loads(json.dumps(entry, allow_nan=False))]
