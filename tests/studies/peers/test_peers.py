"""Test the runs of other packages. There is a row per run, even if the run ends at a limit. Also
test the figure of all runs.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from synthetic_runs import make_runs

from fwsvm import FrankWolfeSVC
from fwsvm_papers.claims.evaluation import evaluate_claims
from fwsvm_papers.reporting.axes import RING
from fwsvm_papers.runs.job_results import run_job
from fwsvm_papers.runs.jobs import Job, benchmark_datasets, number_of_runs
from fwsvm_papers.runs.records import RUN_COLUMNS, conform
from fwsvm_papers.studies import registry
from fwsvm_papers.studies.benchmark.significance import test_protocols as significance_tests
from fwsvm_papers.studies.peers import PEERS
from fwsvm_papers.studies.peers.artefacts import peers_chart

pytestmark = pytest.mark.usefixtures("trained_in_forks")

PARAMETERS = {"gamma": 1.0, "sigma2": 0.5, "C": 4.0, "gamma_rule": "1/(2 sigma2), sigma2 = 0.5"}
SETTINGS = {
    "kernel": "rbf",
    "protocol": "as_run",
    "cache_mb": 20,
    "memory_limit_mb": 100,
    "time_limit": 60,
    "timing": "shared",
    "runs": 1,
    "seed": 0,
    "installed": True,
    "components": [None],
}


def run(prepared, method="svc", **changes):
    job = Job("peers", "none", prepared.meta["name"], method)
    rows, details = run_job(
        registry.EXPERIMENTS["peers"], job, SETTINGS | changes, prepared, PARAMETERS
    )
    assert details is None and len(rows) == len((SETTINGS | changes)["components"])
    assert set(rows[0]) <= set(RUN_COLUMNS)
    return conform(pd.DataFrame(rows)).iloc[-1]


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
    ("limit", "reason"),
    [({"time_limit": 0.02}, "time_limit"), ({"memory_limit_mb": 1}, "memory_limit")],
)
def test_a_run_at_a_limit_is_a_row_with_its_reason(prepared_sets, limit, reason):
    rng = np.random.default_rng(0)
    noise = replace(
        prepared_sets["two"], X_train=rng.normal(size=(4000, 2)), y_train=rng.integers(2, size=4000)
    )
    row = run(noise, **limit)
    assert row["stop_reason"] == reason
    assert np.isnan(row["test_accuracy"]) and pd.isna(row["support_vectors"])
    if reason == "time_limit":
        assert row["train_cpu_s"] == 0.02


def test_libsvm_on_the_l2_dual_decides_as_the_l2_machine_with_a_free_bias(prepared_sets):
    """With the precomputed kernel K + I / C, LIBSVM solves the same problem as the peer
    `libsvm_l2`. Each pair of classes has its own problem.
    """
    for prepared in prepared_sets.values():
        row, gamma, C = run(prepared, "libsvm_l2"), PARAMETERS["gamma"], PARAMETERS["C"]
        X = np.asarray(prepared.X_train)
        ridged = rbf_kernel(X, gamma=gamma) + np.eye(len(X)) / C
        model = SVC(kernel="precomputed", C=1e12).fit(ridged, prepared.y_train)
        tested = model.score(
            rbf_kernel(np.asarray(prepared.X_test), X, gamma=gamma), prepared.y_test
        )
        assert row["test_accuracy"] == pytest.approx(tested, abs=0.011)
        assert row["support_vectors"] == pytest.approx(len(model.support_), abs=2)


def test_a_nystroem_map_of_all_points_gives_the_benchmark_s_machine(prepared_sets):
    prepared = prepared_sets["two"]
    m = len(prepared.y_train)
    row = run(prepared, "nystroem", components=[2, m])
    model = FrankWolfeSVC(
        "swap2o", gamma=PARAMETERS["gamma"], C=PARAMETERS["C"], stop="relative", eps=1e-6
    )
    model.fit(prepared.X_train, prepared.y_train)
    assert row["sample_size"] == m and row["train_cpu_s"] > 0
    assert row["test_accuracy"] == pytest.approx(
        model.score(prepared.X_test, prepared.y_test), abs=0.011
    )


def test_a_peer_that_is_not_installed_is_a_row_without_numbers(prepared):
    row = run(prepared, "intelex", installed=False)
    assert row["stop_reason"] == "not installed"
    assert np.isnan(row["train_cpu_s"]) and np.isnan(row["test_accuracy"])


@pytest.mark.parametrize("profile", ["paper", "demo", "smoke"])
def test_svc_runs_on_each_data_set_of_the_benchmark_and_the_others_where_they_are_compared(
    load_study, profile
):
    study = load_study(profile)
    jobs = [job for job in study.jobs() if job.experiment == "peers"]
    assert [job.dataset for job in jobs if job.method == "svc"] == benchmark_datasets(
        study.config, study.datasets
    )
    compared = study.config["peers"]["compared"]
    for name in set(PEERS) - {"svc"}:
        assert {job.dataset for job in jobs if job.method == name} == set(compared["datasets"])
    runs = {job.method: number_of_runs(study.job_settings(job)) for job in jobs}
    assert runs == dict.fromkeys(PEERS, 1) | {"nystroem": len(compared["components"])}
    assert not {("params", job.dataset) for job in jobs} - set(study.tuning_jobs())


def test_the_figure_compares_equal_kernels():
    """The table has rows of peers and of the ladder. One peer ended at its limit, and another is
    not installed.
    """
    peer = {"experiment": "peers", "protocol": "none", "gamma": 0.5, "repetition": 0}
    ours = {
        "experiment": "ladder",
        "protocol": "as_run",
        "gamma": 0.5,
        "train_cpu_s": 2.0,
        "test_accuracy": 0.9,
        "selection": "full",
        "eps": 1e-3,
    }
    rows = [
        peer | {"method": "svc", "train_cpu_s": 3.0, "test_accuracy": 0.95},
        peer | {"method": "intelex", "stop_reason": "not installed"},
        peer | {"method": "libsvm_l2", "train_cpu_s": 10.0, "stop_reason": "time_limit"},
        *(
            peer
            | {
                "method": "nystroem",
                "sample_size": n,
                "train_cpu_s": n / 100,
                "test_accuracy": 0.9 + n / 5000,
            }
            for n in (30, 200)
        ),
        ours | {"method": "swap", "repetition": 0},
        ours | {"method": "swap", "repetition": 1, "train_cpu_s": 4.0},
        ours | {"method": "swap", "repetition": 2, "train_cpu_s": 99.0, "disturbed": True},
        ours | {"method": "swap", "repetition": 0, "eps": 1e-2, "train_cpu_s": 99.0},
        ours
        | {
            "method": "swap",
            "repetition": 0,
            "eps": 1e-6,
            "selection": "sampled",
            "train_cpu_s": 99.0,
        },
        ours | {"method": "fw", "repetition": 0, "gamma": 2.0},
    ]
    common = {
        "dataset": "a1a",
        "kernel": "rbf",
        "C": 4.0,
        "task_size": 100,
        "stop_reason": "converged",
    }
    described = {
        "dataset": "a1a",
        "classes": [{"train": 60, "test": 80}, {"train": 40, "test": 20}],
    }
    chart = peers_chart(conform(pd.DataFrame([common | row for row in rows])), [described])
    frame = chart.frame.set_index(["method", "components"])
    assert list(chart.frame["method"]) == [
        "swap",
        "svc",
        "intelex",
        "libsvm_l2",
        "nystroem",
        "nystroem",
    ]
    # the mean of the two undisturbed runs (FW has another kernel width, and is not compared)
    assert frame.loc["swap", "time"].item() == 3.0
    assert frame.loc[("nystroem", 200.0), "accuracy"] == pytest.approx(94.0)
    assert set(chart.frame["majority"]) == {80.0}
    assert frame.loc["libsvm_l2", "limit"].item() == "time_limit"
    # SVC takes 3 s and has 95 %. SWAP (3 s, 90 %) and the larger Nystroem map (2 s, 94 %) are less
    # accurate.
    (axes,) = chart.figure.axes
    crosses = [line.get_xdata() for line in axes.lines if line.get_marker() == "x"]
    assert [sorted(part) for part in crosses] == [pytest.approx([2 / 3, 1.0])]
    (ring,) = [line for line in axes.lines if line.get_markersize() == RING["markersize"]]
    assert ring.get_xdata().tolist() == [1.0]
    # each method has its own lane
    heights = [line.get_ydata()[0] for line in axes.lines if line.get_markersize() == 4]
    assert len(heights) == len(set(heights)) == 4 and max(map(abs, heights)) < 0.5


def test_claims_and_tests_see_no_peer():
    """The results of the peers would change every ranking if they were used as results of the
    benchmark.
    """
    sets = [f"{series}{k}a" for series in "wa" for k in range(1, 9)]
    runs = make_runs(
        datasets=sets, methods=("cvm", "fw", "mfw"), protocols=("as_printed",), repetitions=1
    )
    fast = runs.assign(experiment="peers", train_cpu_s=1e-9, test_accuracy=1.0, support_vectors=1)
    disguised = conform(pd.concat([fast, fast.assign(method="svc", protocol="none")]))
    both = conform(pd.concat([runs, disguised]))
    pd.testing.assert_frame_equal(significance_tests(runs), significance_tests(both))
    tests, details = significance_tests(runs), {"tsang2005": [], "singh": [], "alaiz2018": []}
    pd.testing.assert_frame_equal(
        evaluate_claims(runs, tests, details), evaluate_claims(both, tests, details)
    )


def test_where_svc_did_not_end_other_unfinished_runs_are_left_out():
    """If two runs both ended at their limits, it is unknown which is faster, even if the limits
    differ.
    """
    common = {"experiment": "peers", "dataset": "a1a", "kernel": "rbf", "gamma": 1.0, "C": 4.0}
    common |= {"protocol": "as_run", "selection": "none", "task_size": 100, "repetition": 0}
    ended = {"stop_reason": "converged", "test_accuracy": 0.9}
    late = {"stop_reason": "time_limit", "test_accuracy": np.nan}
    rows = [
        {"method": "svc", "train_cpu_s": 120.0, **late},
        {"method": "intelex", "train_cpu_s": 40.0, **late},
        {"method": "libsvm_l2", "train_cpu_s": 30.0, **ended},
        {"method": "fw", "train_cpu_s": 0.01, **late, "stop_reason": "memory_limit"},
    ]
    described = {
        "dataset": "a1a",
        "classes": [{"train": 60, "test": 80}, {"train": 40, "test": 20}],
    }
    chart = peers_chart(conform(pd.DataFrame([common | row for row in rows])), [described])
    (axes,) = chart.figure.axes
    marks = [line for line in axes.lines if line.get_markersize() == 4]
    assert sorted(line.get_xdata()[0] for line in marks) == [0.25, 1.0]
    assert "On a1a, SVC did not finish" in chart.notes
    assert "The memory limit stopped FW on a1a." in chart.notes
    assert len(chart.frame) == 4  # the figure leaves out the run over its memory limit
