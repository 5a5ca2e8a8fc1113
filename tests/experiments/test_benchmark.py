"""The benchmark: rows as the runs table wants them, reproducible, each depending on its own repetition only."""

import math

import pandas as pd
import pytest

from fwsvm.analysis.records import RUN_COLUMNS, read_runs, write_runs
from fwsvm.experiments.benchmark import run_benchmark
from fwsvm.experiments.measure import derive_seed

MEASURED = {"train_cpu_s", "train_wall_s", "certify_cpu_s", "peak_rss_mb", "calibration_s", "disturbed"}
NOT_OF_THIS_EXPERIMENT = {"degree", "partition", "start_index"}
SETTINGS = {
    "init": "random_meb",
    "stop": "meb",
    "eps": 1e-5,
    "cache_mb": 20,
    "max_iterations": 20000,
    "time_limit": 1e9,
    "repetitions": 2,
    "seed": 5,
    "timing": "shared",
}
PARAMETERS = {"sigma2": 0.5, "C": 4.0, "gamma_rule": "1/(2 sigma2), sigma2 = 0.5"}
RUNS = [("cvm", "sampled_libcvm"), ("swap", "sampled_text"), ("mfw", "full")]


def settings_of(method, **changes):
    return SETTINGS | ({"inner_tolerance": 1e-3} if method == "cvm" else {}) | changes


def not_measured(row):
    return {key: value for key, value in row.items() if key not in MEASURED}


@pytest.fixture(scope="module")
def runs(prepared_sets):
    """Rows of each method and selection on each data set."""
    return {
        (name, method, selection): run_benchmark(prepared, PARAMETERS, method, selection, settings_of(method))
        for name, prepared in prepared_sets.items()
        for method, selection in RUNS
    }


@pytest.fixture(params=[(name, *run) for name in ("two", "three") for run in RUNS], ids="-".join)
def key(request):
    """Data set, method, selection."""
    return request.param


def test_columns_are_those_of_the_runs_table(runs, key):
    for row in runs[key]:
        assert set(row) == set(RUN_COLUMNS) - NOT_OF_THIS_EXPERIMENT


def test_rows_survive_the_file(runs, key, tmp_path):
    write_runs(pd.DataFrame(runs[key]), tmp_path / "runs.tsv")
    table = read_runs(tmp_path / "runs.tsv")
    assert table["objective"].tolist() == [row["objective"] for row in runs[key]]
    assert table["repetition"].tolist() == [0, 1]


def test_row_says_what_was_asked_for(runs, key, prepared_sets):
    name, method, selection = key
    meta = prepared_sets[name].meta
    for repetition, row in enumerate(runs[key]):
        assert (row["dataset"], row["task_size"], row["features"]) == (name, meta["m"], meta["n"])
        assert (row["method"], row["selection"], row["repetition"]) == (method, selection, repetition)
        assert (row["C"], row["sigma2"], row["eps"]) == (4.0, 0.5, 1e-5)
        assert row["gamma"] == pytest.approx(1.0)
        assert row["seed"] == derive_seed(5, "benchmark", name, method, selection, repetition)
        assert row["inner_tolerance"] == (1e-3 if method == "cvm" else None)
        assert (row["sample_size"] is None) == (selection == "full")


def test_row_says_what_came_out(runs, key):
    for row in runs[key]:
        assert row["stop_reason"] in ("converged", "no_violation_in_samples")
        assert 0 < row["objective"] < math.inf
        assert 0 <= row["gap"] < math.inf
        assert 0 < row["support_vectors"] <= row["task_size"]
        assert 0.4 < row["test_accuracy"] <= 1
        assert row["train_cpu_s"] >= 0
        assert row["peak_rss_mb"] > 0
        assert row["calibration_s"] > 0
        assert isinstance(row["disturbed"], bool)


def test_runs_are_reproducible_by_seed(runs, key, prepared_sets):
    name, method, selection = key
    again = run_benchmark(prepared_sets[name], PARAMETERS, method, selection, settings_of(method))
    assert [not_measured(row) for row in again] == [not_measured(row) for row in runs[key]]


def test_another_repetition_changes_no_other(runs, key, prepared_sets):
    name, method, selection = key
    longer = run_benchmark(prepared_sets[name], PARAMETERS, method, selection, settings_of(method, repetitions=3))
    assert [not_measured(row) for row in longer[:2]] == [not_measured(row) for row in runs[key]]
    assert len({row["seed"] for row in longer}) == 3


def test_time_limit_gives_a_row_with_its_reason(prepared_sets):
    hurried = settings_of("fw", time_limit=1e-3, eps=1e-14, max_iterations=10**8, repetitions=1)
    (row,) = run_benchmark(prepared_sets["two"], PARAMETERS, "fw", "full", hurried)
    assert row["stop_reason"] == "time_limit"
    assert row["relative_gap"] > 0
    assert 0 <= row["test_accuracy"] <= 1


def test_iteration_limit_gives_a_row_with_its_reason(prepared_sets):
    limited = settings_of("fw", max_iterations=7, repetitions=1)
    (row,) = run_benchmark(prepared_sets["two"], PARAMETERS, "fw", "full", limited)
    assert (row["stop_reason"], row["iterations"]) == ("iteration_limit", 7)
