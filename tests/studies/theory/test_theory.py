"""Compare the runs, figures and table of the study theory with independent computations on few
points.
"""

import copy
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from qp_oracles import dual_matrix, optimum
from scipy.optimize import minimize
from synthetic_runs import THEORY_SETTINGS, draw, make_prepared, make_theory

from fwsvm.kernels.functions import Kernel
from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.runs.jobs import Job, number_of_runs
from fwsvm_papers.runs.records import SETTING_COLUMNS, conform
from fwsvm_papers.studies.theory import run as theory
from fwsvm_papers.studies.theory.bounds import BETTER, VIOLATING
from fwsvm_papers.studies.theory.bounds_table import drop_numbers
from fwsvm_papers.studies.theory.figures import ALL_POINTS, IN_SAMPLES, samples_chart

C = THEORY_SETTINGS["C"]


@pytest.fixture(scope="module")
def entry():
    return make_theory()[1][0]


def points_of(size=None):
    data = make_prepared("two-circles", (90, 30))
    X, y = data.X_train[:size], np.where(data.y_train == 1, 1.0, -1.0)[:size]
    return X, y, Kernel("rbf", 2.0 / data.meta["average_squared_distance"])


def test_rows_are_of_the_contract_and_differ():
    runs = make_theory()[0]
    assert not runs.duplicated(list(SETTING_COLUMNS)).any()
    sampled = runs[runs["selection"] == "sampled"]
    assert set(sampled["sample_size"]) == {19, 20} and sampled["patience"].eq(1).all()
    assert set(runs["task_size"]) == {40, 80, 90}


def test_guarantee_holds_for_all_points_and_certified_gaps_bound_the_distance_to_nnls(entry):
    best, _ = optimum(dual_matrix(*points_of(), C))
    for record in entry["rule"]:
        eps, R = record["eps"], record["objective"]
        assert R - best <= record["relative_gap"] * R * (1 + 1e-6)
        # D = 2 + 1 / C, and C = 4
        allowed = ((1 + eps) ** 2 - 1) * (2.25 - R) / R
        if not record["sampled"]:
            assert record["relative_gap"] <= allowed * (1 + 1e-9)
    frame = draw("beyond-theory-rule", [entry]).frame
    assert set(frame["search"]) == {ALL_POINTS, IN_SAMPLES}
    first = frame.iloc[0]
    allowed = (2 * first["eps"] + first["eps"] ** 2) * (2.25 / first["objective"] - 1)
    assert first["guarantee"] == pytest.approx(allowed)
    assert first["ratio"] == pytest.approx(first["relative_gap"] / allowed)


def test_core_sets_are_below_two_over_eps_and_never_larger_than_the_set(entry):
    growth = pd.DataFrame(entry["growth"])
    assert len(growth) == 4 and (growth["coreset_size"] <= growth["size"]).all()
    frame = draw("beyond-theory-steps", [entry]).frame
    assert set(frame["panel"]) == {"steps", "points", "core-set"}
    assert frame["bound"].to_numpy() == pytest.approx(2 / frame["eps"].to_numpy())
    assert "cvm" not in set(frame.loc[frame["panel"] == "steps", "method"])


def test_away_moves_make_the_rate_linear(entry):
    laws = {}
    for record in entry["rates"]:
        h = np.array(record["h"])
        assert (h > 0).all() and (np.diff(h) <= 1e-9).all()
        laws[record["method"]] = record["fits"]
        assert record["drop_steps"] >= len(record["drops"])
    assert laws["swap"]["linear"]["explained"] > laws["swap"]["power"]["explained"]
    assert laws["swap"]["linear"]["slope"] < 0 > laws["fw"]["power"]["slope"]
    assert draw("beyond-theory-rates", [entry]).frame["method"].nunique() == 2


def test_first_step_of_a_rate_is_a_line_search_by_hand(entry):
    """The values of h after the first recorded steps must be those of FW, computed here with the
    matrix Q from the same start.
    """
    X, y, kernel = points_of()
    Q = dual_matrix(X, y, kernel, C)
    best, _ = optimum(Q)
    data = make_prepared("two-circles", (90, 30))
    case = theory._Case(data, Job("theory", "as_run", "two-circles", "fw"), THEORY_SETTINGS)
    limits = {"stop": "relative", "eps": 1e-9, "column_dtype": "float64", "max_iterations": 3}
    solution = case.train("fw", limits, case.seed("rates"), trace_iterates=True)
    a = np.zeros(90)
    a[solution.trace.iterates[0][0]] = solution.trace.iterates[0][1]
    record = next(record for record in entry["rates"] if record["method"] == "fw")
    for number in range(3):
        s = Q @ a
        i, R = s.argmin(), a @ s
        length = np.clip((R - s[i]) / (Q[i, i] - 2 * s[i] + R), 0, 1)
        a *= 1 - length
        a[i] += length
        assert record["h"][number] == pytest.approx((a @ Q @ a) / best - 1, rel=1e-4)


def test_ranks_of_samples_against_gradients_written_out():
    X, y, kernel = points_of()
    Q = dual_matrix(X, y, kernel, C)
    data = make_prepared("two-circles", (90, 30))
    case = theory._Case(data, Job("theory", "as_run", "two-circles", "fw"), THEORY_SETTINGS)
    search = THEORY_SETTINGS["samples"]["sampled"]["as_run"]
    limits = {**search, "eps": 1e-3, "max_iterations": 25, "column_dtype": "float64"}
    solution = case.train("fw", limits, 7, trace_iterates=True)
    better, violating = theory._ranks_of_steps(case.problem(), solution, 1e-3)
    iterates = []
    for indices, weights in solution.trace.iterates:
        iterates.append(np.zeros(90))
        iterates[-1][indices] = weights
    assert len(violating) == len(iterates) == len(better) + 1
    for number, (a, after) in enumerate(pairwise(iterates)):
        s = Q @ a
        # only the weight of this point has grown
        found = (after / np.where(a > 0, a, 1e-300)).argmax()
        assert better[number] == pytest.approx(np.sum(s < s[found]) / 90)
    for a, share in zip(iterates, violating, strict=True):
        R = a @ Q @ a
        outside = 2.25 + R - 2 * Q @ a > 1.001**2 * (2.25 - R)
        assert share == pytest.approx(outside.mean())


def test_histograms_count_every_sample_once(entry):
    for record in entry["samples"]:
        assert len(record["better"]) == len(BETTER) and record["better"][-1] <= record["steps"]
        assert len(record["violating"]) == len(VIOLATING) - 1
        assert (np.array(record["missed"]) <= np.array(record["violating"])).all()
        assert len(record["violating_at_end"]) == len(record["gaps_at_end"])
    frame = draw("beyond-theory-samples", [entry]).frame
    vertex = frame[frame["panel"] == "vertex"]
    row = vertex[(vertex["better"] == 0.05)].iloc[0]
    assert row["expected"] == pytest.approx(1 - 0.95**20)
    record = entry["samples"][0]
    assert row["found"] == pytest.approx(record["better"][10] / record["steps"])


def test_ball_and_svm_agree_to_rounding_and_with_scipy(entry):
    Q = dual_matrix(*points_of(60), C)
    best, _ = optimum(Q)
    by_scipy = minimize(
        lambda a: a @ Q @ a - a @ np.diag(Q),
        np.full(60, 1 / 60),
        jac=lambda a: 2 * Q @ a - np.diag(Q),
        bounds=[(0, 1)] * 60,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    rbf, poly = entry["ball"]
    assert rbf["objective"] == pytest.approx(best, rel=1e-9)
    assert rbf["radius2"] == pytest.approx(-by_scipy.fun, abs=1e-7)
    assert rbf["D"] == rbf["smallest_diagonal"] == 2.25
    assert rbf["radius2"] == pytest.approx(rbf["D"] - rbf["objective"], abs=1e-11)
    assert poly["smallest_diagonal"] < poly["D"]
    assert poly["radius2"] < poly["D"] - poly["objective"] - 1e-3


def test_drop_steps_are_bounded_by_half_of_steps_and_start():
    rows = [
        ("two", "swap", "random_meb", 100, 60),
        ("two", "swap", "random_meb", 100, 61),
        ("ten", "mfw", "random_meb", 100, 61),
        ("new", "pfw", "random_point", 3, 2),
        ("two", "fw", "random_meb", 100, 0),
        ("two", "swap", "each_point", 100, 0),
    ]
    names = ["dataset", "method", "init", "iterations", "drop_steps"]
    runs = conform(pd.DataFrame(rows, columns=names).assign(experiment="benchmark"))
    descriptions = [{"dataset": "two", "classes": [1, 2]}, {"dataset": "ten", "classes": [0] * 10}]
    found = drop_numbers(runs, descriptions).sort_values(["method", "drop_steps"])
    assert found["method"].tolist() == ["mfw", "pfw", "swap", "swap"]
    assert found["bound"].tolist() == [(100 + 45 * 20) / 2, 2.0, 60.0, 60.0]
    assert (found["share"] > 1).tolist() == [False, False, False, True]
    # these studies train on the two largest classes of each data set
    for experiment in ("theory", "convergence"):
        of_two = drop_numbers(runs.assign(experiment=experiment), descriptions)
        assert of_two.set_index("dataset").loc["ten", "bound"] == (100 + 20) / 2


def test_table_has_a_section_per_bound(entry):
    runs = make_theory()[0]
    table = draw("beyond-theory-table", runs, [], [entry])
    frame = table.frame.set_index("statement")
    assert len(table.sections) == frame.index.nunique() == 7
    swap = runs[runs["method"] == "swap"]
    drops = frame[frame.index.str.startswith("Drop steps")]
    expected = swap["drop_steps"] / ((swap["iterations"] + 20) / 2)
    assert drops["share"].tolist() == pytest.approx([expected.max()])
    cores = frame[frame.index.str.startswith("Points in CVM")]
    assert (cores["share"] < 1).all() and cores["bound"].tolist() == [200.0, 2000.0]
    with pytest.raises(NotDrawableError, match=r"^needs "):
        draw("beyond-theory-table", runs, [], [])


def test_settings_name_the_parts_of_a_data_set(load_study):
    study = load_study(experiments=["theory"])
    settings = {job.dataset: study.job_settings(job) for job in study.jobs()}
    assert settings["w8a"]["C"] == 4 and settings["letter"]["C"] == 64
    assert "rule" in settings["w8a"] and "ball" not in settings["w8a"]
    sampled = settings["a1a"]["samples"]["sampled"]
    assert {name: each["selection"]["sample_size"] for name, each in sampled.items()} == {
        "as_run": 60,
        "as_printed": 59,
    }
    assert sampled["as_printed"]["selection"]["replacement"] is False
    assert number_of_runs(settings["checkerboard-1m"]) == 20


def test_a_panel_without_marks_is_left_out(entry):
    """In a short run, the shares of violating points can be larger than all bins of the panel."""
    whole = samples_chart([entry])
    assert len(whole.figure.axes) == 2 and not whole.notes
    short = copy.deepcopy(entry)
    for record in short["samples"]:
        record["violating"] = [0] * len(record["violating"])
    chart = samples_chart([short])
    assert len(chart.figure.axes) == 1 and "There is no right panel" in chart.notes
    assert set(chart.frame["panel"]) == {"vertex"}
