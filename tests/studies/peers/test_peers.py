"""scikit-learn's SVC as a measured peer: a row per data set, also where it ends at a limit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from fwsvm.pipeline.claims import evaluate_claims
from fwsvm.runs.jobs import Job, benchmark_datasets, number_of_runs
from fwsvm.runs.records import RUN_COLUMNS, conform
from fwsvm.studies import registry
from fwsvm.studies.benchmark.significance import test_protocols as significance_tests

PARAMETERS = {"gamma": 1.0, "sigma2": 0.5, "C": 4.0, "gamma_rule": "1/(2 sigma2), sigma2 = 0.5"}
SETTINGS = {"kernel": "rbf", "cache_mb": 20, "memory_limit_mb": 100, "time_limit": 60, "timing": "shared", "runs": 1}


def run(prepared, **changes):
    job = Job("peers", "none", prepared.meta["name"], "svc")
    rows, details = registry.EXPERIMENTS["peers"].run(prepared, PARAMETERS, job, SETTINGS | changes)
    assert details is None and len(rows) == 1
    assert set(rows[0]) <= set(RUN_COLUMNS)
    return conform(pd.DataFrame(rows)).iloc[0]


def test_a_row_has_what_svc_finds_with_the_tuned_parameters(prepared):
    row = run(prepared)
    model = SVC(gamma=1.0, C=4.0).fit(prepared.X_train, prepared.y_train)
    assert row["support_vectors"] == len(model.support_)
    assert row["iterations"] == np.sum(model.n_iter_)
    assert row["test_accuracy"] == pytest.approx(model.score(prepared.X_test, prepared.y_test))
    assert (row["experiment"], row["method"], row["stop_reason"]) == ("peers", "svc", "converged")
    assert (row["gamma"], row["C"], row["task_size"]) == (1.0, 4.0, len(prepared.y_train))
    assert np.isnan(row["gap"]) and np.isnan(row["relative_gap"])


@pytest.mark.parametrize(
    ("limit", "reason"), [({"time_limit": 0.02}, "time_limit"), ({"memory_limit_mb": 1}, "memory_limit")]
)
def test_a_run_at_a_limit_is_a_row_with_its_reason(prepared_sets, limit, reason):
    rng = np.random.default_rng(0)
    noise = replace(prepared_sets["two"], X_train=rng.normal(size=(4000, 2)), y_train=rng.integers(2, size=4000))
    row = run(noise, **limit)
    assert row["stop_reason"] == reason
    assert np.isnan(row["test_accuracy"]) and pd.isna(row["support_vectors"])
    if reason == "time_limit":
        assert row["train_cpu_s"] == 0.02


@pytest.mark.parametrize("profile", ["paper", "demo", "smoke"])
def test_one_job_on_each_data_set_of_the_benchmark(load_study, profile):
    study = load_study(profile)
    jobs = [job for job in study.jobs() if job.experiment == "peers"]
    assert [job.dataset for job in jobs] == benchmark_datasets(study.config, study.datasets)
    assert {number_of_runs(study.job_settings(job)) for job in jobs} == {1}
    assert not {("params", job.dataset) for job in jobs} - set(study.tuning_jobs())


def test_caps_of_cvm_hold(load_study):
    study = load_study(caps={"mnist": {"time_limit": {"cvm": 7, "default": 3}}})
    assert study.job_settings(Job("peers", "none", "mnist", "svc"))["time_limit"] == 7
    assert study.job_settings(Job("peers", "none", "a1a", "svc"))["time_limit"] == study.config["peers"]["time_limit"]


def test_claims_and_tests_see_no_peer():
    """Rows of the peers that would turn every ranking, were they taken for the benchmark's."""
    sets = [f"{series}{k}a" for series in "wa" for k in range(1, 9)]
    runs = conform(pd.DataFrame([_row(name, method) for name in sets for method in ("cvm", "fw", "mfw")]))
    fast = runs.assign(experiment="peers", train_cpu_s=1e-9, test_accuracy=1.0, support_vectors=1)
    disguised = conform(pd.concat([fast, fast.assign(method="svc", protocol="none")]))
    both = conform(pd.concat([runs, disguised]))
    pd.testing.assert_frame_equal(significance_tests(runs), significance_tests(both))
    tests, details = significance_tests(runs), {"tsang2005": [], "singh": [], "alaiz2018": []}
    pd.testing.assert_frame_equal(evaluate_claims(runs, tests, details), evaluate_claims(both, tests, details))


def _row(dataset, method):
    protocol = "libcvm" if method == "cvm" else "as_printed"
    seconds = {"cvm": 3.0, "fw": 2.0, "mfw": 1.0}[method]
    return {
        "experiment": "benchmark", "dataset": dataset, "method": method, "protocol": protocol, "kernel": "rbf",
        "task_size": 1000, "repetition": 0, "train_cpu_s": seconds, "test_accuracy": 0.9, "support_vectors": 100,
        "stop_reason": "converged", "C": 1.0, "relative_gap": 1e-3, "iterations": 10,
    }  # fmt: skip
