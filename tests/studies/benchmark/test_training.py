"""Test a training job: its rows fit the table of runs, are reproducible, and depend only on their
own repetition.
"""

import math

import pytest
import yaml
from configurations import CHECKOUT

from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.measure import derive_seed
from fwsvm_papers.runs.protocols import solver_settings
from fwsvm_papers.runs.records import RUN_COLUMNS
from fwsvm_papers.studies.benchmark import training
from fwsvm_papers.studies.benchmark.training import run as run_job

MEASURED = {
    "train_cpu_s",
    "train_wall_s",
    "certify_cpu_s",
    "peak_rss_mb",
    "calibration_s",
    "disturbed",
}
# the pipeline adds the last of these columns
NOT_OF_THESE_EXPERIMENTS = {"partition", "start_index", "stand_in"}
OF_SOME_METHODS = {"inner_tolerance", "inner_fixed", "inner_steps", "clipped_gain"}
BLOCKS = yaml.safe_load((CHECKOUT / "config/paper.yaml").read_text())["protocols"]
SETTINGS = {
    "kernel": "rbf",
    "init": "random_meb",
    "stop": "meb",
    "eps": 1e-5,
    "cache_mb": 20,
    "max_iterations": 10**6,
    "time_limit": 1e9,
    "seed": 5,
    "timing": "shared",
    "long_runs": {"above": 1e9, "repetitions": 1},
    "variants": [{"repetitions": 2}],
}
PARAMETERS = {
    "sigma2": 0.5,
    "C": 4.0,
    "C_rule": "given",
    "gamma_rule": "1/(2 sigma2), sigma2 = 0.5",
}
RUNS = [
    ("cvm", "as_printed"),
    ("swap", "as_printed"),
    ("mfw", "all_points"),
    ("cvm", "as_run"),
    ("swap2o", "as_run"),
]


def train(prepared, method, protocol, experiment="benchmark", **changes):
    job = Job(experiment, protocol, prepared.meta["name"], method)
    prescribed = {"inner_tolerance": 1e-3} if method == "cvm" else {}
    prescribed |= solver_settings(BLOCKS[protocol], method)
    return run_job(prepared, PARAMETERS, job, SETTINGS | prescribed | changes)


def not_measured(row):
    return {key: value for key, value in row.items() if key not in MEASURED}


@pytest.fixture(scope="module")
def runs(prepared_sets):
    """Return the rows of each method and protocol on each data set."""
    return {
        (name, *run): train(prepared, *run)
        for name, prepared in prepared_sets.items()
        for run in RUNS
    }


@pytest.fixture(params=[(name, *run) for name in ("two", "three") for run in RUNS], ids="-".join)
def key(request):
    """Return (data set, method, protocol)."""
    return request.param


def test_row_says_what_was_asked_for_and_what_came_out(runs, key, prepared_sets):
    name, method, protocol = key
    meta = prepared_sets[name].meta
    for repetition, row in enumerate(runs[key]):
        assert set(row) | OF_SOME_METHODS == set(RUN_COLUMNS) - NOT_OF_THESE_EXPERIMENTS
        assert (row["dataset"], row["task_size"], row["features"]) == (name, meta["m"], meta["n"])
        assert (row["experiment"], row["method"], row["protocol"]) == (
            "benchmark",
            method,
            protocol,
        )
        assert (row["C"], row["sigma2"], row["eps"], row["repetition"]) == (
            4.0,
            0.5,
            1e-5,
            repetition,
        )
        assert (row["kernel"], row["degree"]) == ("rbf", None)
        assert row["gamma"] == pytest.approx(1.0)
        assert row["seed"] == derive_seed(5, "benchmark", name, method, protocol, repetition)
        assert row.get("inner_tolerance") == (
            {"as_printed": 1e-3, "as_run": 1e-7}[protocol] if method == "cvm" else None
        )
        assert (row["sample_size"] is None) == (protocol == "all_points")
        assert row["stop_reason"] in ("converged", "no_violation_in_samples")
        assert 0 < row["objective"] < math.inf and 0 <= row["gap"] < math.inf
        assert 0 < row["support_vectors"] <= row["task_size"] and 0.4 < row["test_accuracy"] <= 1
        assert row["train_cpu_s"] >= 0 and row["peak_rss_mb"] > 0 and row["calibration_s"] > 0
        assert isinstance(row["disturbed"], bool)


def test_another_repetition_changes_no_other(runs, key, prepared_sets):
    longer = train(prepared_sets[key[0]], *key[1:], variants=[{"repetitions": 3}])
    assert [not_measured(row) for row in longer[:2]] == [not_measured(row) for row in runs[key]]
    assert len({row["seed"] for row in longer}) == 3


def test_a_variant_is_the_run_of_its_parameters(prepared_sets, runs):
    variants = [{"C": 1.0, "repetitions": 1}, {"C": 4.0, "repetitions": 2}]
    rows = train(prepared_sets["two"], "swap", "as_printed", variants=variants)
    assert [(row["C"], row["repetition"]) for row in rows] == [(1.0, 0), (4.0, 0), (4.0, 1)]
    assert [not_measured(row) for row in rows[1:]] == [
        not_measured(row) for row in runs["two", "swap", "as_printed"]
    ]


def test_a_more_patient_run_is_the_less_patient_one_continued(prepared_sets):
    variants = [{"patience": patience, "repetitions": 1} for patience in (1, 3, 20)]
    variants.append({"selection": "full", "repetitions": 1})
    *rows, full = train(
        prepared_sets["two"], "fw", "as_printed", "stopping", variants=variants, eps=1e-4
    )
    assert (full["selection"], full["patience"], full["stop_reason"]) == ("full", None, "converged")
    assert [(row["sample_size"], row["patience"], row["alternate"]) for row in rows] == [
        (59, patience, False) for patience in (1, 3, 20)
    ]
    steps, objectives = ([row[name] for row in rows] for name in ("iterations", "objective"))
    assert steps == sorted(steps)
    assert objectives == sorted(objectives, reverse=True)
    assert len({row["seed"] for row in rows}) == 1


def test_a_ladder_s_runs_start_as_the_benchmark_s_and_a_missed_gap_is_the_last(
    prepared_sets, load_study
):
    job = Job("ladder", "as_run", "two", "cvm")
    settings = load_study(datasets=["a1a"], experiments=["ladder"]).job_settings(job)
    settings |= {"seed": 5, "cache_mb": 20, "eps": 1e-5}
    rows = run_job(prepared_sets["two"], PARAMETERS, job, settings)
    first = train(prepared_sets["two"], "cvm", "as_run")
    assert [row["seed"] for row in rows[:2]] == [row["seed"] for row in first]
    assert [(row["patience"], row["repetition"]) for row in rows] == [
        *((patience, repetition) for patience in (1, 7, 7, None, None) for repetition in range(5)),
    ]
    inner = [(row["inner_tolerance"], row["inner_fixed"], row["inner_steps"]) for row in rows]
    of_authors = [(1e-7, True, 7500)] * 5  # of these runs, only the patience is that of LibCVM
    assert inner == [(1e-3, False, None)] * 10 + of_authors + [(1e-3, False, None)] * 10
    assert all(row["relative_gap"] <= row["eps"] for row in rows[-10:])
    short = run_job(prepared_sets["two"], PARAMETERS, job, settings | {"max_iterations": 1})
    assert [row["eps"] for row in short if row["selection"] == "full"] == [1e-2] * 5


def test_polynomial_kernel(prepared_sets):
    (row,) = train(
        prepared_sets["three"],
        "swap",
        "all_points",
        "poly",
        kernel="poly",
        variants=[{"repetitions": 1}],
    )
    assert (row["experiment"], row["kernel"], row["degree"]) == ("poly", "poly", 2)
    assert row["gamma"] == pytest.approx(1 / 0.5)


def test_time_limit_gives_a_row_with_its_reason(prepared_sets):
    hurried = {
        "time_limit": 1e-3,
        "eps": 1e-14,
        "max_iterations": 10**8,
        "variants": [{"repetitions": 3}],
    }
    # a run that ends at a limit is not repeated
    (row,) = train(prepared_sets["two"], "fw", "all_points", **hurried)
    assert row["stop_reason"] == "time_limit"
    assert row["relative_gap"] > 0
    assert 0 <= row["test_accuracy"] <= 1


def give_times(monkeypatch, seconds):
    """Let fits take the given times. Two warm-up fits come first.

    Return the list of the times that no fit has used yet.
    """
    real, left = training.build_model, [0.0, 0.0, *seconds]

    def with_times(*arguments, **parameters):
        model = real(*arguments, **parameters)
        fit = model.fit

        def timed(X, y):
            fit(X, y)
            model.fit_cpu_s_ = model.fit_wall_s_ = left.pop(0)
            return model

        model.fit = timed
        return model

    monkeypatch.setattr(training, "build_model", with_times)
    return left


@pytest.mark.parametrize(
    ("above", "times"), [(1.0, [0.9, 0.9, 0.9, 0.9]), (1.0, [3.0, 1.1]), (1.0, [0.5, 1.4, 2.0])]
)
def test_long_runs_have_fewer_repetitions(prepared_sets, monkeypatch, above, times):
    """There are at most four repetitions. After two repetitions, training stops as soon as the mean
    time exceeds one second.
    """
    left = give_times(monkeypatch, times)
    monkeypatch.setattr(training, "_slow_per_step", lambda rows: [])
    long_runs, variants = {"above": above, "repetitions": 2}, [{"repetitions": 4}]
    rows = train(prepared_sets["two"], "swap", "all_points", long_runs=long_runs, variants=variants)
    assert [row["train_cpu_s"] for row in rows] == times and not left


def test_a_repetition_with_slow_steps_is_measured_again(prepared_sets, monkeypatch):
    """All repetitions search all points, but from different starts. A step should therefore take
    the same time in all of them.
    """
    plain = train(prepared_sets["two"], "swap", "all_points", variants=[{"repetitions": 4}])
    steps = [row["iterations"] for row in plain]
    # 1.25 times the median is 1.625: the third value exceeds it, and the last one does not
    per_step = [1.0, 1.2, 2.0, 1.4]
    times = [count * each for count, each in zip(steps, per_step, strict=True)]
    left = give_times(monkeypatch, [*times, 1.1 * steps[2]])
    rows = train(prepared_sets["two"], "swap", "all_points", variants=[{"repetitions": 4}])
    assert not left
    shown = [*times[:2], 1.1 * steps[2], times[3]]
    assert [row["train_cpu_s"] for row in rows] == pytest.approx(shown)
    assert rows[2]["disturbed"]  # its two times differ by more than 25 %
    assert [row["iterations"] for row in rows] == steps


def test_a_looser_gap_that_took_longer_is_measured_again(prepared_sets, monkeypatch):
    """Up to the larger gap, both runs take the same steps. The run to the smaller gap can therefore
    not be shorter.
    """
    give_times(monkeypatch, [5.0, 1.0, 2.0, 7.0, 6.5, 6.9])
    variants = [{"repetitions": 1, "eps": eps} for eps in (1e-1, 1e-2, 1e-3, 1e-4)]
    rows = train(prepared_sets["two"], "swap", "all_points", stop="relative", variants=variants)
    # The run to 0.1 took 5 s, but the run to 0.01 only 1 s. So the first one is measured again, and
    # takes 2 s. The run to 0.001 took 7 s, but the run to 0.0001 only 6.5 s. So the run to 0.001 is
    # measured again, and takes 6.9 s.
    assert [row["train_cpu_s"] for row in rows] == [2.0, 1.0, 6.9, 6.5]
    assert rows[0]["disturbed"]  # 5 s and 2 s differ by more than 25 %
    assert rows[2]["eps"] == 1e-3
