"""One small real row of every section; times are looked at for being there only."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from fwsvm import Kernel, KernelMatrix, KernelProblem, solve
from fwsvm.bench import fresh, growth, kernels, libcvm, limits, memory, peers, race, screening
from fwsvm.bench.points import load_points
from fwsvm.bench.runner import Bench
from fwsvm.bench.timing import side_by_side


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(quick=True, repeats=1, data_dir=str(tmp_path_factory.mktemp("data")), time_limit=1e9)


def test_rounds_alternate_and_a_slow_competitor_is_not_repeated():
    calls = []

    def task(name, seconds):
        return lambda: calls.append(name) or (seconds, name)

    found = side_by_side({"slow": task("slow", 20.0), "fast": task("fast", 1.0)}, repeats=3)
    assert calls == ["slow", "fast", "fast", "fast"]
    assert found["slow"].times == (20.0,) and found["fast"].median_s == 1.0


def test_limits_have_sane_magnitudes():
    assert 1e8 < limits.read_bandwidth(2**20) < 1e13
    assert 1e8 < limits.gemm_rate(np.float32) < 1e14
    assert 1e6 < limits.exp_rate(np.float32) < 1e12
    x, out = np.array([-1.0, 0.0]), np.empty(2)
    limits.exponentials(x, out)
    assert out == pytest.approx(np.exp(x))
    assert limits.read_all(np.arange(10.0)) == 45.0


@pytest.mark.parametrize("operation", ["column", "block"])
def test_kernel_row(operation, bench, monkeypatch):
    monkeypatch.setattr(kernels, "_LARGE_BYTES", 2**20)
    case = {"operation": operation, "dtype": "float32", "points": "sparse", "m": 2500, "d": 40, "density": 0.1}
    (row,) = kernels.measure(case, bench)
    assert row["values"] == (2500 if operation == "column" else 60 * 2000)
    assert row["times_bound"] == pytest.approx(row["seconds"] / row["bound_s"])


def test_peer_row(bench):
    rows = peers.measure({"dataset": "breast_cancer", "C": 1}, bench)
    assert [row["method"] for row in rows] == list(peers.METHODS)
    for row in rows:
        assert row["ratio"] == pytest.approx(row["peer_s"] / row["seconds"])
        assert row["accuracy"] > 0.9 and row["peer_accuracy"] > 0.9 and row["stop_reason"] == "converged"


def test_libcvm_row_carries_its_anchor(bench, monkeypatch):
    table = libcvm.anchors()
    table.loc[table["m"] == 100_000, "m"] = 1500
    monkeypatch.setattr(libcvm, "anchors", lambda: table)
    case = next(case for case in libcvm.cases(False) if case.get("size") == 1500)
    (row,) = libcvm.measure(case, bench)
    assert row["peer_s"] == 2.04 and row["peer_support_vectors"] == 673 and row["m"] == 1500


def test_race_rows_reach_the_gap_they_were_asked_for(bench, monkeypatch):
    apart, in_processes = race._apart, {"swap2o", *(["intelex"] if find_spec("sklearnex") else [])}

    def run(task):  # the others here, where everything has been imported
        if task["who"] in in_processes:
            return apart(task)
        with threadpool_limits(1):
            return json.loads(json.dumps(race._run(**task)))

    monkeypatch.setattr(race, "_apart", run)
    case = {"dataset": "checkerboard", "size": 200, "C": 64, "gamma_over_beta": 2.0, "threads": 1, "gaps": [0.05]}
    rows = {row["method"]: row for row in race.measure(case, bench)}
    assert set(rows) == {*race.OURS, *race.PEERS, "libsvm_l2"}
    for name in race.OURS:
        assert rows[name]["relative_gap"] <= 0.05 and rows[name]["cold_s"] > 0
        assert rows[name]["ratio"] == pytest.approx(rows["svc"]["seconds"] / rows[name]["seconds"])
    intelex = rows["intelex"]
    assert "accuracy" in intelex or intelex["stop_reason"].startswith("not installed")


def test_growth_rows_come_from_fresh_processes(bench, monkeypatch):
    train_fresh = growth.train_fresh

    def train(data_dir, points, method, C, gamma_over_beta, repeats, **parameters):
        if method != growth.SVC:
            return train_fresh(data_dir, points, method, C, gamma_over_beta, repeats, **parameters)
        with threadpool_limits(1):
            found = fresh._train(data_dir, points, method, C, gamma_over_beta, repeats, parameters)
            return json.loads(json.dumps(found))

    monkeypatch.setattr(growth, "train_fresh", train)
    case = {"dataset": "checkerboard", "C": 64, "gamma_over_beta": 2.0, "size": 300}
    case["methods"] = [["swap", "sampled_libcvm"], ["svc", ""]]
    swap, svc = growth.measure(case, bench)
    assert swap["m"] == svc["m"] == 300
    assert swap["ratio"] == pytest.approx(svc["seconds"] / swap["seconds"])
    assert swap["peak_mb"] >= 0 and swap["baseline_mb"] > 20


def test_memory_row_of_a_failed_process_says_so(bench, monkeypatch):
    monkeypatch.setattr(fresh.sys, "executable", "false")
    case = {"dataset": "checkerboard", "size": 300, "method": "swap", "selection": "full", "cache_mb": 20, "C": 1}
    (row,) = memory.measure(case, bench)
    assert row["stop_reason"] == "failed: ended with status 1" and row["times_allowed"] is None


def test_subsets_are_nested_and_keep_the_width(bench):
    whole = load_points(bench.data_dir, "breast_cancer")
    small, large = (load_points(bench.data_dir, "breast_cancer", size) for size in (50, 120))
    assert np.array_equal(large.X_train[:50], small.X_train)
    assert small.gamma(0.5) == whole.gamma(0.5) and small.m == 50


def test_largest_pair_of_classes(bench):
    points = load_points(bench.data_dir, "iris", pair=(0, 2))
    assert set(points.y_train) == {0, 2}
    sizes = np.bincount(load_points(bench.data_dir, "digits").y_train)
    largest = load_points(bench.data_dir, "digits", pair="largest")
    assert largest.m == np.sort(sizes)[-2:].sum()


def test_screening_row(bench):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(80, 2)) + 4.0, rng.normal(size=(80, 2)) - 4.0])
    problem = KernelProblem(KernelMatrix(X, Kernel("rbf", 0.1)), np.repeat([1.0, -1.0], 80), 100.0)
    shares = []
    for eps in (1.0, 1e-6):
        solution = solve(problem, "swap2o", stop="relative", eps=eps, random_state=0)
        shares.append(screening.screened_share(problem, solution))
        tight = solve(problem, "swap2o", stop="relative", eps=1e-9, random_state=0)
        s = problem.scores(tight.support, tight.weights)
        # what is screened is no support vector of the (nearly) exact solution
        assert np.count_nonzero(s > tight.objective * (1 + 1e-6)) >= shares[-1] * 160
    assert shares[0] < shares[1]
