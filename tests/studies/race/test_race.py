"""Test the comparison of `auto` with other packages: its jobs, its rows, and its ratios at the
default gap and at equal accuracy.
"""

import numpy as np
import pandas as pd
import pytest
from released_race import released_race
from scipy.spatial.distance import pdist
from sklearn.svm import SVC

from fwsvm import FrankWolfeSVC
from fwsvm_papers.baselines import limits
from fwsvm_papers.baselines.limits import LimitReachedError, scatter
from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.runs.job_results import run_job
from fwsvm_papers.runs.jobs import Job, number_of_runs
from fwsvm_papers.runs.records import SETTING_COLUMNS, conform
from fwsvm_papers.studies import registry
from fwsvm_papers.studies.race import run
from fwsvm_papers.studies.race.artefacts import race_chart, race_finding, race_table
from fwsvm_papers.studies.race.competitors import COMPETITORS
from fwsvm_papers.studies.race.numbers import race_cases

REPEATS = {"least": 2, "most": 4, "seconds": 5.0, "scatter": 0.1}
SETTINGS = {
    "cache_mb": 50,
    "memory_limit_mb": 200,
    "time_limit": 60,
    "repeats": REPEATS,
    "classes": None,
    "timing": "shared",
    "seed": 0,
    "installed": True,
}
CASE = {"threads": 1, "width_factor": 0.5, "C": 8.0}
NO_GAP = [{**CASE, "eps": None}]
GAPS = [{**CASE, "eps": gap} for gap in (1e-1, 1e-2, 1e-3)]


def train(prepared, method, cases=NO_GAP, **changes):
    job = Job("race", "none", prepared.meta["name"], method)
    settings = SETTINGS | {"cases": cases} | changes
    rows, details = run_job(registry.EXPERIMENTS["race"], job, settings, prepared, None)
    return conform(pd.DataFrame(rows)), {"dataset": job.dataset, "method": method} | details


# Jobs


def test_each_competitor_has_a_job_on_each_data_set(load_study):
    study = load_study("race")
    datasets = study.config["race"]["datasets"]
    assert [(job.dataset, job.method) for job in study.jobs()] == [
        (dataset, method) for dataset in datasets for method in COMPETITORS
    ]
    assert study.tuning_jobs() == []
    settings = {job.method: study.job_settings(job) for job in study.jobs(["mnist"])}
    assert {name: len(one["cases"]) for name, one in settings.items()} == {
        "svc": 7,
        "intelex": 7,
        "libsvm_l2": 7,
        "auto": 28,
    }
    assert settings["auto"]["classes"] == [3, 8]
    assert [case["eps"] for case in settings["auto"]["cases"][:4]] == [0.1, 0.01, 0.001, 0.0001]
    assert number_of_runs(settings["svc"]) == 7 * 4
    assert settings["libsvm_l2"]["time_limit"] == 60 and settings["svc"]["time_limit"] == 180


@pytest.mark.parametrize("profile", ["paper", "demo", "smoke", "headline"])
def test_no_other_configuration_runs_the_race(load_study, profile):
    assert "race" not in load_study(profile).config["experiments"]


def test_the_quick_race_is_one_case(load_study):
    study = load_study("race-quick")
    assert {job.dataset for job in study.jobs()} == {"breast_cancer"} and not study.remote
    settings = [study.job_settings(job) for job in study.jobs()]
    assert [len(one["cases"]) for one in settings] == [1, 1, 1, 2]
    assert settings[0]["repeats"] == {"least": 3, "most": 5, "seconds": 1, "scatter": 0.1}


# Runs


def test_auto_has_a_row_for_each_fit_to_each_gap(prepared, trained_in_forks):
    rows, details = train(prepared, "auto", GAPS)
    assert not rows.duplicated(list(SETTING_COLUMNS)).any()
    assert set(rows["eps"]) == {1e-1, 1e-2, 1e-3}
    assert (rows["relative_gap"] <= rows["eps"]).all() and (
        rows["stop_reason"] == "converged"
    ).all()
    assert (rows["train_cpu_s"] > 0).all()
    exact = FrankWolfeSVC("auto", C=8.0, gamma=rows["gamma"].iloc[0], eps=1e-3)
    exact.fit(prepared.X_train, prepared.y_train)
    smallest = rows[rows["eps"] == 1e-3]
    assert set(smallest["support_vectors"]) == {len(exact.support_)}
    tested = exact.score(prepared.X_test, prepared.y_test)
    assert smallest["test_accuracy"].tolist() == [pytest.approx(tested)] * len(smallest)
    fits = rows.groupby("eps")["repetition"].apply(list)
    assert all(2 <= len(found) <= 4 and found == list(range(len(found))) for found in fits)
    assert details["test_points"] == len(prepared.y_test)
    for case in details["cases"]:
        times = rows.loc[rows["eps"] == case["eps"], "train_cpu_s"]
        low, high = np.quantile(times, (0.25, 0.75))
        assert case["scatter"] == pytest.approx((high - low) / times.median())
        assert case["predict_s"] > 0


def test_svc_has_the_width_and_c_of_the_case(prepared, trained_in_forks):
    rows, _ = train(prepared, "svc")
    gamma = 0.5 / np.mean(pdist(prepared.X_train) ** 2)
    assert rows["gamma"].iloc[0] == pytest.approx(gamma, rel=0.05)
    model = SVC(gamma=rows["gamma"].iloc[0], C=8.0).fit(prepared.X_train, prepared.y_train)
    assert set(rows["support_vectors"]) == {len(model.support_)}
    assert rows["test_accuracy"].iloc[0] == model.score(prepared.X_test, prepared.y_test)


def test_a_package_that_is_not_installed_is_a_row_without_times(prepared):
    rows, details = train(prepared, "intelex", installed=False)
    assert rows["stop_reason"].tolist() == ["not installed"] and rows["train_cpu_s"].isna().all()
    assert details["cases"][0]["gamma"] == rows["gamma"].iloc[0]


def test_a_method_at_its_limit_tries_no_smaller_gap(prepared, monkeypatch):
    asked = []

    def stop(X, y, steps, limits, X_test, threads, repeats):
        asked.append((steps[0][1]["eps"], threads))
        raise LimitReachedError("time_limit", "too long", cpu_s=60.0)

    monkeypatch.setattr(run, "train_in_process", stop)
    other = [{**case, "threads": 2} for case in GAPS]
    rows, details = train(prepared, "auto", GAPS + other)
    assert asked == [(0.1, 1), (0.1, 2)] and len(details["cases"]) == 2
    assert rows["train_cpu_s"].tolist() == [60.0, 120.0]
    assert rows["train_wall_s"].tolist() == [60.0, 60.0]
    assert rows["test_accuracy"].isna().all()
    # the rows differ only in the number of threads
    assert not rows.duplicated(list(SETTING_COLUMNS)).any()


def test_some_classes_have_their_own_average_distance(prepared_sets):
    prepared = prepared_sets["three"]
    data, beta = run.points(prepared, [0, 2])
    kept = np.isin(prepared.y_train, [0, 2])
    assert set(data.y_train) == {0, 2} == set(data.y_test)
    np.testing.assert_array_equal(data.X_train, prepared.X_train[kept])
    all_points = np.asarray(prepared.X_train)[kept]
    differences = all_points[:, None] - all_points[None]
    assert beta == pytest.approx(np.mean(np.sum(differences**2, axis=2)), rel=0.05)


def test_scatter_is_the_distance_of_the_quartiles_over_the_median():
    assert scatter([4.0, 1.0, 2.0, 3.0, 5.0]) == pytest.approx((4 - 2) / 3)
    assert scatter([1.0]) == np.inf


@pytest.mark.parametrize(
    ("times", "enough"),
    [
        ([1.0], False),
        ([1.0, 1.0], True),
        ([1.0, 1.4], False),  # the quartiles are 1.1 and 1.3, and the median is 1.2
        ([0.1, 0.2, 0.1, 0.2], True),
        ([5.0], True),
    ],
)
def test_fits_are_repeated_until_they_agree(times, enough):
    assert limits._are_enough(times, REPEATS) == enough


# Ratios


def table_of(found, threads=1):
    """Return the rows of the table of runs, and the details, of one case.

    `found` has tuples (method, eps, times of the fits, accuracy, stop reason).
    """
    rows, jobs = [], []
    for method, eps, fits, accuracy, reason in found:
        case = {"threads": threads, "gamma": 0.25, "C": 64.0, "eps": eps}
        named = {"experiment": "race", "dataset": "w8a", "protocol": "none", "method": method}
        vectors = {"svc": 40, "auto": 60}.get(method)
        rows += [
            named
            | case
            | {"train_cpu_s": time, "train_wall_s": 10 * time, "test_accuracy": accuracy}
            | {"repetition": number, "stop_reason": reason, "support_vectors": vectors}
            for number, time in enumerate(fits)
        ]
        details = {"predict_s": {"svc": 0.6, "auto": 0.2}.get(method), "scatter": 0.05}
        jobs.append(
            {"dataset": "w8a", "method": method, "classes": None, "test_points": 100}
            | {"cpu": "EPYC", "vector_extensions": ["avx2"]}
            | {"cases": [case | {"width_factor": 0.5} | details]}
        )
    return rows, jobs


# SVC is correct on 90 of 100 test points, with a standard error of 3. `auto` is correct on 85, 86
# and 91.
FOUND = [
    ("svc", None, [6.0, 5.0, 70.0], 0.90, "converged"),
    ("intelex", None, [3.0], 0.90, "converged"),
    ("auto", 1e-1, [0.5], 0.85, "converged"),
    ("auto", 1e-2, [1.5], 0.86, "converged"),
    ("auto", 1e-3, [8.0], 0.91, "converged"),
    ("auto", 1e-4, [90.0], None, "time_limit"),
    ("libsvm_l2", None, [24.0], None, "time_limit"),
]


def case_of(found, threads=1):
    rows, jobs = table_of(found, threads)
    return race_cases(conform(pd.DataFrame(rows)), jobs).iloc[0]


def test_ratios_at_the_default_gap_and_at_equal_accuracy():
    case = case_of(FOUND)
    assert (case["svc_default"], case["intelex_default"]) == (6 / 1.5, 3 / 1.5)
    # SVC's accuracy minus one standard error is 87 of 100
    assert (case["gap"], case["svc_equal"], case["intelex_equal"]) == (1e-3, 6 / 8, 3 / 8)
    assert (case["svc_loose"], case["intelex_loose"]) == (6 / 0.5, 3 / 0.5)  # the loose gap is 0.1
    assert case["libsvm_l2_default"] == 24 / 1.5 and case["libsvm_l2_is_bound"]
    assert not case["svc_is_bound"]
    assert case["predict_ratio"] == pytest.approx(3.0) and case["vectors_ratio"] == 1.5
    assert case["svc_s"] == 6.0 and case["scatter"] == 0.05


def test_two_threads_are_compared_in_wall_seconds():
    assert case_of(FOUND, threads=2)["default_s"] == 15.0


def test_a_gap_or_an_accuracy_that_is_not_reached_has_the_ratio_0():
    inaccurate = case_of([FOUND[0], FOUND[2]])
    assert inaccurate["svc_equal"] == 0.0 and np.isnan(inaccurate["gap"])
    assert np.isnan(inaccurate["svc_default"])  # `auto` was not run to this gap
    stopped = case_of([FOUND[0], FOUND[2], ("auto", 1e-2, [90.0], None, "time_limit")])
    assert stopped["svc_default"] == 0.0
    no_accuracy = case_of([("svc", None, [60.0], None, "time_limit"), FOUND[3]])
    assert np.isnan(no_accuracy["svc_equal"]) and no_accuracy["svc_is_bound"]
    assert no_accuracy["svc_default"] == 60 / 1.5 and np.isnan(no_accuracy["svc_loose"])
    never = case_of([FOUND[0], ("auto", 1e-1, [90.0], None, "time_limit")])
    assert never["svc_loose"] == 0.0 == never["svc_default"]


def test_a_package_over_its_memory_limit_has_no_ratio():
    case = case_of([FOUND[0], ("intelex", None, [0.0], None, "memory_limit"), FOUND[3]])
    assert np.isnan(case["intelex_default"]) and np.isnan(case["intelex_s"])
    assert case["svc_default"] == 6 / 1.5
    assert not case["intelex_is_bound"] and not case["once"]


def test_the_finding_has_medians_and_counts_the_slower_cases():
    frame = pd.DataFrame(
        {
            "threads": [1, 1, 1, 1, 2],
            "svc_default": [0.5, 2.0, 3.0, 0.0, 99.0],
            "intelex_default": [4.0, 1.0, 2.0, 5.0, 99.0],
            "svc_equal": [np.nan, 2.0, 6.0, 0.9, 99.0],
            "intelex_equal": [np.nan] * 5,
        }
    )
    assert race_finding(frame) == (
        "At gap 0.01, SVC takes 1.2 times as long as auto and intelex takes 3.0 times as long as"
        " auto, in the median. In this comparison, auto is slower than SVC in 2 of 4 cases and"
        " slower than intelex in 0 of 4 cases. At equal accuracy, SVC takes 2.0 times as long as"
        " auto, in the median. In this comparison, auto is slower than SVC in 1 of 3 cases."
    )


def test_the_released_rows_give_the_numbers_of_the_page_of_benchmarks():
    assert race_finding(race_cases(*released_race())) == (
        "At gap 0.01, SVC takes 2.4 times as long as auto and intelex takes 4.1 times as long as"
        " auto, in the median. In this comparison, auto is slower than SVC in 5 of 54 cases and"
        " slower than intelex in 2 of 54 cases. At equal accuracy, SVC takes 2.3 times as long as"
        " auto and intelex takes 5.3 times as long as auto, in the median. In this comparison,"
        " auto is slower than SVC in 3 of 54 cases and slower than intelex in 2 of 54 cases."
    )


def test_the_finding_of_the_figure_is_at_two_gaps():
    names = ("svc_default", "svc_loose", "intelex_default", "intelex_loose")
    frame = pd.DataFrame({"threads": [1, 1, 1], **{name: [0.5, 2.0, 3.0] for name in names}})
    frame["svc_loose"] = [1.5, 4.0, 8.0]
    found = race_finding(frame, ("default", "loose"))
    assert "At gap 0.1, SVC takes 4.0 times as long as auto" in found
    assert "equal accuracy" not in found


# Figure and table


def inputs():
    rows, jobs = table_of(FOUND)
    return conform(pd.DataFrame(rows)), jobs


def test_a_dumbbell_joins_the_ratios_at_both_gaps():
    chart = race_chart(*inputs())
    svc, intelex, predict, vectors = chart.figure.axes
    for axes, ends in ((svc, [4.0, 12.0]), (intelex, [2.0, 6.0])):
        lines = [line for line in axes.lines if line.get_marker() == "o"]
        drawn = {line.get_markerfacecolor(): line.get_xdata()[0] for line in lines}
        assert drawn.pop("white") == ends[1] and list(drawn.values()) == [ends[0]]
        assert any(list(line.get_xdata()) == ends for line in axes.lines)
        low, high = axes.get_xlim()
        assert low < ends[0] and high > ends[1]
    (shaded,) = svc.patches
    assert shaded.get_x() + shaded.get_width() == 1  # the side on which `auto` is slower
    (shaded,) = vectors.patches
    assert shaded.get_x() == 1  # the side on which `auto` has more support vectors
    assert [line.get_xdata()[0] for line in predict.lines if line.get_marker() == "o"] == [
        pytest.approx(3.0)
    ]
    assert [line.get_xdata()[0] for line in vectors.lines if line.get_marker() == "o"] == [1.5]
    assert "CPU model: EPYC (avx2)." in chart.notes


def test_a_case_is_drawn_in_the_middle_of_its_row_and_a_stopped_package_has_an_arrow():
    rows, jobs = table_of([("svc", None, [60.0], None, "time_limit"), *FOUND[1:]])
    chart = race_chart(conform(pd.DataFrame(rows)), jobs)
    bound = chart.frame["svc_default"].tolist()
    for axes, ends in zip(chart.figure.axes, (bound, []), strict=False):
        arrows = [line for line in axes.lines if not isinstance(line.get_marker(), str)]
        assert [float(line.get_xdata()[0]) for line in arrows] == ends
        marks = [line for line in axes.lines if line.get_marker() == "o"]
        assert marks and {float(line.get_ydata()[0]) for line in marks} == {0.0}


def test_the_table_has_the_default_gap_first_and_marks_what_scatters():
    runs, jobs = inputs()
    jobs[0]["cases"][0]["scatter"] = 0.3
    table = race_table(runs, jobs)
    groups = list(dict.fromkeys(group for group, _ in table.header if group))
    assert groups == ["at gap 0.01", "at equal accuracy", "prediction", "support vectors"]
    assert table.footnotes == (("a", "Times scatter by more than 10 %."),)
    assert "In 1 of 1 cases, times scatter by over 10 %." in table.notes
    (row,) = table.sections[0].rows
    assert row[0].marks == ("a",)
    shown = [(cell.text, cell.bold) for cell in row]
    assert ("0.75", True) in shown and ("4.0", False) in shown and ("≥ 16", False) in shown


def test_without_runs_there_is_no_race():
    with pytest.raises(NotDrawableError, match="race"):
        race_table(conform(pd.DataFrame()), [])
