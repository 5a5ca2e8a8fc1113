"""Test the resources that jobs request from a cluster.

They must be sufficient for the released runs, but not much larger than needed.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

from fwsvm_papers.pipeline import resources
from fwsvm_papers.pipeline.budget import costs
from fwsvm_papers.pipeline.config import check_config, load_config
from fwsvm_papers.pipeline.resources import training_mb, training_minutes, tuning_minutes
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.records import read_runs

CHECKOUT = Path(__file__).parents[2]
RELEASED = CHECKOUT / "results/released"


@pytest.fixture(scope="module")
def paper():
    """Return the default configuration."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(CHECKOUT)
        return check_config(load_config("config/paper.yaml"), "workflow/schemas/config.schema.yaml")


@pytest.fixture(scope="module")
def asked(paper):
    """Return a table with a row for each (experiment, data set).

    The column `asked` has the memory (MB) that is requested for the training process. The column
    `peak` has the largest memory (MB) in the released run.
    """
    runs = read_runs(RELEASED / "runs.tsv.gz")
    peaks = runs.groupby(["experiment", "dataset"])["peak_rss_mb"].max()
    described = {
        path.stem: json.loads(path.read_text()) for path in (RELEASED / "describe").glob("*.json")
    }
    table = {}
    for experiment, dataset in peaks.index.intersection(list(paper.batches())):
        peak = peaks[experiment, dataset]
        size = described.get(dataset)
        # 12 bytes per entry: its value and its column index
        data_mb = 12e-6 * size["m"] * size["n"] * size["density"] if size else 0
        table[experiment, dataset] = (training_mb(paper, experiment, dataset, data_mb), peak)
    return pd.DataFrame(table, index=["asked", "peak"]).T


def test_released_runs_fit_into_the_memory_asked_for(asked):
    assert len(asked) > 50
    assert not asked[asked["peak"] > asked["asked"]].to_dict("index")


def test_released_runs_fit_into_the_time_asked_for(paper):
    table = costs(paper, RELEASED)
    training = table[~table["experiment"].isin(["tuning", "cross-validation"])]
    took_s = training.groupby(["experiment", "dataset"])["job_s"].sum()
    late = {batch: s for batch, s in took_s.items() if s > 60 * training_minutes(paper, *batch)}
    assert (took_s > 0).sum() > 50
    assert not late

    tuning = (
        table[table["experiment"].isin(["tuning", "cross-validation"])]
        .groupby("dataset")["job_s"]
        .sum()
    )
    # in the released cross-validation, the time limit of a fit was twice as long
    tuning = tuning.drop(paper.config["tuning"]["cross_validation"]["datasets"])
    assert not {
        name: s for name, s in tuning.items() if s > 60 * tuning_minutes(paper, "params", name)
    }


def test_memory_asked_for_has_room_for_the_largest_cache_and_three_copies_of_the_data(load_study):
    """For covtype, tsang2005 has three cache sizes: one for LIBSVM, one for `auto`, and one for all
    other methods.
    """

    def asked(own, libsvm, data_mb=0, of_auto=100):
        auto = {"relative_gap": 0.01, "cache_mb": of_auto}
        study = load_study(tsang2005={"cache_mb": own, "libsvm_cache_mb": libsvm, "auto": auto})
        return training_mb(study, "tsang2005", "covtype", data_mb)

    least = asked(300, 500)
    assert [asked(*caches) - least for caches in ((200, 500), (300, 700), (900, 500))] == [
        0,
        200,
        400,
    ]
    assert asked(300, 500, of_auto=800) - least == 300
    assert asked(300, 500, data_mb=100) - least == 300


def test_memory_asked_for_rsvm_exceeds_its_limit(load_study):
    """R-SVM also stores a matrix product, which is not part of its memory limit."""

    def asked(limit_mb):
        study = load_study(tsang2005={"memory_limit_mb": limit_mb})
        return training_mb(study, "tsang2005", "covtype", 0)

    assert asked(1100) - asked(100) > 1500


def test_memory_asked_for_tuning_follows_the_benchmarks_cache(load_study):
    def asked(cache_mb, data_mb=0):
        study = load_study(benchmark={"cache_mb": cache_mb})
        return resources.tuning_mb(study, "params", "covtype", data_mb)

    assert asked(700) - asked(300) == 400 and asked(300, data_mb=100) - asked(300) == 300


def test_memory_asked_for_a_cache_is_at_most_a_whole_matrix(paper):
    study, name = paper, "a1a"
    matrix_mb = 8e-6 * resources.points(study, name) ** 2
    assert (
        matrix_mb < 25 < min(study.config[part]["cache_mb"] for part in ("benchmark", "tsang2005"))
    )
    without = training_mb(study, "benchmark", name, 0) - matrix_mb
    assert without == pytest.approx(800, abs=1)  # the memory of the process without data


def test_time_asked_for_follows_the_limits(load_study):
    """The requested time is ten minutes, plus three quarters of the largest time that the runs can
    take.
    """
    benchmark = {
        "methods": ["fw"],
        "protocols": ["all_points"],
        "repetitions": {"all_points": 8},
        "time_limit": {"default": 100},
    }
    study = load_study("demo", datasets=["iris"], experiments=["benchmark"], benchmark=benchmark)
    # the third number is for loading the few points: less than a minute, rounded up
    assert training_minutes(study, "benchmark", "iris") == 10 + 10 + 1


@pytest.mark.parametrize(
    ("slowdowns", "separate"), [([1.6, 1.5, 1.09], True), ([1.6, 1.5, 1.4], False)]
)
def test_the_least_of_three_measurements_decides_and_is_kept(
    monkeypatch, tmp_path, slowdowns, separate
):
    record = tmp_path / "cores.json"
    assert not resources.are_separate(record, 4, may_measure=False)
    monkeypatch.setattr(resources, "slowdown", lambda cores: slowdowns.pop())
    assert [resources.are_separate(record, 4, True) for _ in range(2)] == [separate] * 2
    # the record is for another number of cores
    assert not resources.are_separate(record, 2, may_measure=False)
    monkeypatch.setattr(measure, "machine", lambda: {"cpu": "another"})
    assert not resources.are_separate(record, 4, may_measure=False)


def test_processes_side_by_side_are_timed():
    assert resources.slowdown(1) == 1.0
    assert 0.0 < resources.slowdown(2) < 1000.0
