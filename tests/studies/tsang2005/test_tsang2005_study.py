"""Test the study tsang2005: its training sets, the results of a run, and runs that end at a time or
memory limit.
"""

import json

import numpy as np
import pandas as pd
import pytest
from qp_oracles import dual_matrix, optimum
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC, OneClassSVM

from fwsvm.inputs.errors import DataError
from fwsvm.kernels.functions import Kernel
from fwsvm_papers.baselines.model import BaselineModel
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import SETTING_COLUMNS, conform
from fwsvm_papers.studies import tsang2005 as plan
from fwsvm_papers.studies.tsang2005 import run as tsang2005

SIZES = [40, 80, 160]


def job(method, dataset="two"):
    return Job("tsang2005", plan.protocol_of(method), dataset, method)


@pytest.fixture
def study(load_config):
    def settings(method, part="checkerboard", **changes):
        config = load_config()
        names = {"checkerboard": "two", "one_class": "three"}
        section = config["tsang2005"]
        for name in (*plan.SERIES, plan.ONE_CLASS):
            section[name]["datasets"] = [names[name]] if name == part else []
        section |= {"C": [64, 1], "cache_mb": 10, "libsvm_cache_mb": 10}
        own = {"sizes": SIZES} if part == "checkerboard" else {"nu": [0.1, 0.02], "inliers": 2}
        section[part] |= {"gamma_factors": [1], **own, **changes}
        return plan.settings(config, job(method, names[part]))

    return settings


def run(prepared, method, settings, dataset="two"):
    rows, details = tsang2005.run(prepared, job(method, dataset), settings)
    frame = conform(pd.DataFrame(rows))
    assert not frame.duplicated(list(SETTING_COLUMNS)).any()
    assert json.loads(json.dumps(details)) == details and len(details["runs"]) == len(rows)
    return frame, details


def average(X):
    """Return the paper's beta: the sum of all squared distances, divided by m^2."""
    return 2 * (pdist(X) ** 2).sum() / len(X) ** 2


def first(prepared, m):
    return prepared.X_train[:m], 2 * np.asarray(prepared.y_train[:m]) - 1


@pytest.mark.parametrize(
    ("settings", "sizes"),
    [
        ({"sizes": [1000, 100, 30]}, [30, 100, 200]),
        ({"shares": [0.1, 0.5, 0.9]}, [25, 125, 200]),
        ({}, [200]),
    ],
)
def test_training_sizes(settings, sizes):
    assert tsang2005.training_sizes(settings, 200, 50) == sizes


def test_settings_have_what_the_job_needs_and_the_number_of_its_runs(load_study):
    study = load_study(experiments=["tsang2005"])
    forest = study.job_settings(job("libsvm_l1", "covtype"))
    assert (forest["beta"], forest["runs"], forest["time_limit"]) == (10000, 7, 900)
    assert "share" not in forest and "eps" not in forest and "init" not in forest
    auto = study.job_settings(Job("tsang2005", "all_points", "covtype", "auto"))
    assert (auto["stop"], auto["eps"], auto["cache_mb"]) == ("relative", 0.01, 6000)
    assert (auto["selection"], auto["time_limit"], auto["runs"]) == ("full", 900, 7)
    assert study.job_settings(job("rsvm", "checkerboard-1m"))["share"] == 0.1
    board = study.job_settings(job("cvm", "checkerboard-1m"))
    assert board["runs"] == 7 * 3 * 2 and "memory_limit_mb" not in board
    assert study.job_settings(job("oneclass_libsvm", "usps"))["runs"] == 6 * 10


def test_libsvm_is_trained_on_the_first_points_with_the_papers_width(prepared_sets, study):
    prepared = prepared_sets["two"]
    frame, _ = run(prepared, "libsvm_l1", study("libsvm_l1", gamma_factors=[1, 2]))
    assert len(frame) == 3 * 2 * 2
    for row in frame.itertuples():
        X, y = first(prepared, row.task_size)
        gamma = float(row.gamma_rule[0]) / average(X)
        assert row.gamma == pytest.approx(gamma) and row.sigma2 == pytest.approx(0.5 / gamma)
        model = SVC(C=row.C, gamma=gamma).fit(X, y)
        assert row.support_vectors == len(model.support_)
        right = model.predict(prepared.X_test) == 2 * np.asarray(prepared.y_test) - 1
        assert row.test_accuracy == pytest.approx(right.mean())


def test_cvm_runs_as_libcvm_does_and_is_certified_over_all_points(prepared_sets, study):
    prepared = prepared_sets["two"]
    frame, _ = run(prepared, "cvm", study("cvm"))
    assert (
        set(frame["sample_size"]) == {60}
        and set(frame["patience"]) == {7}
        and frame["alternate"].all()
    )
    assert (
        set(frame["init"]) == {"farthest_pair"}
        and (frame["coreset_size"] >= frame["support_vectors"]).all()
    )
    for row in frame.itertuples():
        X, y = first(prepared, row.task_size)
        best, _ = optimum(dual_matrix(X, y, Kernel("rbf", 1 / average(X)), row.C))
        assert best - 1e-9 <= row.objective <= best + row.gap + 1e-9


def test_auto_reaches_its_gap_over_all_points(prepared_sets, study):
    prepared = prepared_sets["two"]
    frame, _ = run(prepared, "auto", study("auto", methods=["auto"]))
    assert set(frame["stop_reason"]) == {"converged"} and set(frame["selection"]) == {"full"}
    for row in frame.itertuples():
        X, y = first(prepared, row.task_size)
        best, _ = optimum(dual_matrix(X, y, Kernel("rbf", 1 / average(X)), row.C))
        assert row.relative_gap <= 0.01
        assert best - 1e-9 <= row.objective <= best + row.gap + 1e-9


@pytest.mark.parametrize("method", ["rsvm", "simple_svm", "lsvm_lowrank", "libsvm_l2"])
def test_every_trainer_runs_at_every_setting(prepared_sets, study, method):
    frame, details = run(prepared_sets["two"], method, study(method))
    assert set(zip(frame["task_size"], frame["C"], strict=True)) == {
        (m, C) for m in SIZES for C in (1, 64)
    }
    assert set(frame["selection"]) == {"none"} and frame["test_accuracy"].notna().all()
    assert (
        all(note["memory_mb"] > 0 for note in details["runs"])
        and details["series"] == "checkerboard"
    )
    counts = prepared_sets["two"].meta["class_counts"]
    for part in ("train", "test"):
        assert [one[part] for one in details["classes"]] == counts[part]


def test_what_exceeds_its_memory_has_no_accuracy_and_ends_its_series(prepared_sets, study):
    settings = study("rsvm") | {"memory_limit_mb": 0.015}
    frame, details = run(prepared_sets["two"], "rsvm", settings)
    ended = frame[frame["stop_reason"] == "memory_limit"]
    assert ended["task_size"].tolist() == [80, 80] and set(frame["task_size"]) == {40, 80}
    assert ended[["test_accuracy", "support_vectors"]].isna().all(axis=None)
    assert frame.loc[frame["task_size"] == 40, "test_accuracy"].notna().all()
    assert [("would need" in note.get("note", "")) for note in details["runs"]] == [
        False,
        False,
        True,
        True,
    ]


def test_subsets_are_nested_and_the_same_for_every_method_and_a_limit_ends_its_own_C(
    prepared_sets, study, monkeypatch
):
    seen = {}

    def fit(name, X, y, kernel, C, **settings):
        seen.setdefault((name, C), []).append({(*x, label) for x, label in zip(X, y, strict=True)})
        reason = "time_limit" if C == 1 and len(y) > 80 else "converged"
        coefficients = np.ones(1) if reason == "converged" else None
        numbers = {
            "support_vectors": 1,
            "iterations": 1,
            "objective": 0.0,
            "train_cpu_s": 0.1,
            "train_wall_s": 0.1,
        }
        trained = {
            "points": X[:1],
            "coefficients": coefficients,
            "stop_reason": reason,
            "facts": {"memory_mb": 1},
        }
        return BaselineModel(name=name, kernel=kernel, **trained, **numbers)

    monkeypatch.setattr(tsang2005, "fit_baseline", fit)
    monkeypatch.setattr(tsang2005, "_warm_up", lambda *_: None)
    for method in ("libsvm_l1", "libsvm_l2"):
        settings = study(method) | {"shares": [0.1, 0.4, 0.7], "beta": 10000, "C": [1, 64]}
        del settings["sizes"]
        frame, _ = run(prepared_sets["two"], method, settings)
        assert frame.groupby("C")["task_size"].apply(list).to_dict() == {
            1: [21, 84],
            64: [21, 84, 147],
        }
        assert set(frame["gamma"]) == {1e-4} and set(frame["gamma_rule"]) == {"1/10000"}
    assert seen["libsvm_l1", 64] == seen["libsvm_l2", 64]
    small, middle, large = seen["libsvm_l1", 64]
    assert small < middle < large
    X, y = first(prepared_sets["two"], 200)
    known = [(*x, label) for x, label in zip(X, y, strict=True)]
    assert large <= set(known) and small != set(known[:21])


@pytest.mark.parametrize("method", ["oneclass_swap", "oneclass_libsvm"])
def test_one_class_machines_against_other_solvers(prepared_sets, study, method):
    prepared = prepared_sets["three"]
    frame, details = run(prepared, method, study(method, part="one_class"), "three")
    assert len(frame) == 4 and set(frame["partition"]) == {0, 1}
    assert {note["nu"] for note in details["runs"]} == {0.1, 0.02}
    for note in details["runs"]:
        X = prepared.X_train[np.asarray(prepared.y_train) == note["partition"]]
        is_inlier = np.asarray(prepared.y_test) == note["partition"]
        gamma, m = 1 / average(X), len(X)
        assert note["C"] == pytest.approx(1 / (note["nu"] * m))
        if method == "oneclass_libsvm":
            scores = OneClassSVM(gamma=gamma, nu=note["nu"]).fit(X).score_samples(prepared.X_test)
        else:
            _, a = optimum(np.exp(-gamma * cdist(X, X, "sqeuclidean")) + np.eye(m) / note["C"])
            scores = np.exp(-gamma * cdist(prepared.X_test, X, "sqeuclidean")) @ a
        assert note["auc"] == pytest.approx(roc_auc_score(is_inlier, scores), abs=2e-3)
    assert (frame["relative_gap"].dropna() < 1e-2).all()


def test_a_series_refuses_more_than_two_classes(prepared_sets, study):
    with pytest.raises(DataError, match="classes"):
        run(prepared_sets["three"], "cvm", study("cvm"), "three")
