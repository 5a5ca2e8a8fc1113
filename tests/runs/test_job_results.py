"""Test the training jobs of one process.

The result of each job is saved as soon as the job ends. A job runs again if something that
determines its result has changed.
"""

import json
import logging
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from fwsvm.inputs.errors import DataError
from fwsvm_papers.result_files import CHECKSUM, with_checksum, without_checksum
from fwsvm_papers.runs import job_results
from fwsvm_papers.runs.job_results import (
    finished_jobs,
    result_path,
    run_jobs,
    runs_of,
    tune_or_keep,
    write_batch,
)
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.studies.registry import EXPERIMENTS

JOBS = [Job("benchmark", "all_points", "three", method) for method in ("cvm", "fw", "swap")]
BENCHMARK = EXPERIMENTS["benchmark"]
TUNED = {"sigma2": 2.0, "gamma": 0.25, "gamma_rule": "rule", "C": 4.0, "wall_s": 1.0}


SOURCE = {"name": "three", "sha256": "s", "url": "http://here"}


class Data:
    """A substitute for prepared data. It has only what jobs need."""

    def __init__(self, **meta):
        self.meta = {"name": "three", "digest": "d", "sources": [SOURCE], "versions": {}} | meta


@pytest.fixture
def trained(monkeypatch):
    """Return the list of trained methods, in order. Training is replaced by a function that adds
    the method to this list and returns one row.
    """
    methods = []

    def train(experiment, job, settings, prepared, tuned):
        methods.append(job.method)
        if settings.get("fails"):
            raise ValueError("it fails")
        return [
            {
                **job._asdict(),
                **settings.get("of_row", {}),
                "repetition": 0,
                "seed": np.int64(3),
                "C": tuned["C"],
                "train_cpu_s": 1 / 3,
            }
        ], None

    monkeypatch.setattr(job_results, "run_job", train)
    return methods


def run(results, settings=({}, {}, {}), data=None, tuned=TUNED, jobs=JOBS, code="code"):
    data = data or Data()
    return run_jobs(BENCHMARK, jobs, list(settings), data, tuned, code, str(results))


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ({"settings": ({}, {"eps": 1}, {})}, ["fw"]),
        ({"data": Data(digest="e")}, ["cvm", "fw", "swap"]),
        *(
            ({"tuned": TUNED | {name: value}}, ["cvm", "fw", "swap"])
            for name, value in (
                ("C", 8.0),
                ("sigma2", 3.0),
                ("gamma", 0.5),
                ("gamma_rule", "another"),
                ("C_rule", "another"),
            )
        ),
        ({"tuned": TUNED | {"wall_s": 2.0}}, []),
        ({"data": Data(versions={"numpy": "9"})}, []),
        ({}, []),
        ({"data": Data(sources=[SOURCE | {"url": "http://there"}])}, []),
        ({"code": "other code"}, ["cvm", "fw", "swap"]),
    ],
    ids=[
        "settings",
        "data",
        "C",
        "sigma2",
        "gamma",
        "gamma_rule",
        "C_rule",
        "time of tuning",
        "versions",
        "nothing",
        "place",
        "code",
    ],
)
def test_what_has_changed_is_trained_again(trained, tmp_path, changed, again):
    run(tmp_path)
    trained.clear()
    run(tmp_path, **changed)
    assert trained == again


@pytest.mark.parametrize("content", ["", "[]", '{"key": "', "\0\0"])
def test_damaged_file_is_made_again(trained, tmp_path, content):
    first = run(tmp_path)
    result_path(JOBS[1], tmp_path).write_text(content)
    assert [one["rows"] for one in run(tmp_path)] == [one["rows"] for one in first]
    assert trained == ["cvm", "fw", "swap", "fw"]


@pytest.mark.parametrize(
    "change",
    [
        lambda result: result["rows"][0].update(train_cpu_s=1 / 4),
        lambda result: result["rows"].clear(),
        lambda result: result.pop("details"),
        lambda result: result.pop("record"),
        lambda result: result["record"].update(commit="another"),
        lambda result: result.pop(CHECKSUM),
    ],
    ids=[
        "a digit",
        "no rows",
        "no details",
        "no record",
        "another record",
        "of an earlier version",
    ],
)
def test_changed_result_with_the_right_key_is_made_again(trained, tmp_path, change, caplog):
    first, path = run(tmp_path), result_path(JOBS[1], tmp_path)
    result = json.loads(path.read_text())
    change(result)
    path.write_text(json.dumps(result))
    assert [one["rows"] for one in run(tmp_path)] == [one["rows"] for one in first]
    assert trained == ["cvm", "fw", "swap", "fw"]
    assert str(path) in caplog.text
    run(tmp_path)
    assert len(trained) == 4


def test_each_job_is_reported_with_its_place_among_all(trained, tmp_path, caplog):
    with caplog.at_level(logging.INFO):
        run(tmp_path)
    assert [record.getMessage() for record in caplog.records] == [
        f"{number} of 3 jobs done" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize(("meta", "expected"), [({}, False), ({"stand_in": True}, True)])
def test_rows_say_whether_the_data_are_a_stand_in(trained, tmp_path, meta, expected):
    found = run(tmp_path, data=Data(**meta))
    assert [row["stand_in"] for result in found for row in result["rows"]] == [expected] * 3


def test_a_row_of_another_protocol_keeps_it(trained, tmp_path):
    settings = ({}, {"of_row": {"protocol": "as_run"}}, {})
    found = run(tmp_path, settings=settings)
    assert [row["protocol"] for result in found for row in result["rows"]] == [
        "all_points",
        "as_run",
        "all_points",
    ]


@pytest.mark.parametrize("tuned", [None, "params"])
@pytest.mark.parametrize("has_details", [True, False])
def test_a_trainer_gets_what_its_experiment_declares(monkeypatch, tuned, has_details):
    """In this test, the trainer returns its arguments as its rows."""
    found = (lambda given: (given, "details")) if has_details else (lambda given: given)
    trainer = SimpleNamespace(run=lambda *given: found(given))
    monkeypatch.setattr(job_results.importlib, "import_module", {"trainer": trainer}.get)
    experiment = replace(BENCHMARK, runner="trainer", tuned=tuned, has_details=has_details)
    rows, details = job_results.run_job(experiment, JOBS[0], {"eps": 1}, "data", TUNED)
    expected = (
        ("data", JOBS[0], {"eps": 1}) if tuned is None else ("data", TUNED, JOBS[0], {"eps": 1})
    )
    assert rows == expected and details == ("details" if has_details else None)


def test_the_time_of_a_job_and_of_tuning_is_that_of_the_wall(trained, tmp_path):
    began = time.perf_counter()
    seconds = [result["record"]["wall_s"] for result in run(tmp_path)]
    tuned = tune_or_keep(lambda *_: {"C": 1.0}, Data(), {}, "code", tmp_path / "params/three.json")
    seconds.append(tuned["wall_s"])
    assert min(seconds) >= 0.0 and sum(seconds) <= time.perf_counter() - began


def test_a_job_follows_the_parameters_of_the_protocol_in_its_settings(trained, tmp_path):
    for C, made in ((2.0, ["cvm"]), (8.0, ["cvm"]), (8.0, [])):
        trained.clear()
        tuned = TUNED | {"protocols": {"as_run": TUNED | {"C": C}}}
        run(tmp_path, [{"protocol": "as_run"}], tuned=tuned, jobs=JOBS[:1])
        assert trained == made


def test_jobs_that_are_gone_leave_no_file(trained, tmp_path):
    run(tmp_path)
    run(tmp_path, settings=({}, {}), jobs=JOBS[:2])
    assert [path.name for path in sorted(tmp_path.rglob("*.json"))] == [
        "all_points-cvm.json",
        "all_points-fw.json",
    ]


@pytest.fixture
def batch(trained, tmp_path):
    """Return the file of a finished batch of jobs."""
    path = tmp_path / "runs/benchmark/three.json"
    write_batch(JOBS, run(tmp_path), path)
    return path


def test_the_runs_of_a_batch_are_those_of_its_jobs(batch):
    done = finished_jobs([batch])
    assert [job for job, _ in done] == JOBS
    assert [result["record"]["dataset"] for _, result in done] == ["three"] * 3
    runs = runs_of(done)
    assert runs["method"].tolist() == ["cvm", "fw", "swap"]
    assert runs["train_cpu_s"].tolist() == [1 / 3] * 3
    assert pd.api.types.is_integer_dtype(runs["seed"])
    with pytest.raises(DataError, match="dataset=three, method=cvm"):
        runs_of([*done, *done])


def of_another_run(path):
    result = without_checksum(json.loads(path.read_text()))
    path.write_text(json.dumps(with_checksum(result | {"key": "another"})))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (Path.unlink, "No such file"),
        (lambda path: path.write_text(path.read_text()[:-5]), "not valid JSON"),
        (lambda path: path.write_text("[]"), "not a JSON object"),
        (lambda path: path.write_text(path.read_text().replace("swap", "fcfw")), "was changed"),
        (of_another_run, "is from another run"),
    ],
    ids=["missing", "cut short", "a list", "a letter", "another key"],
)
def test_a_result_that_its_batch_does_not_list_is_an_error_with_both_names(batch, change, why):
    path = result_path(JOBS[2], batch.parents[2])
    change(path)
    with pytest.raises(DataError, match=why) as error:
        finished_jobs([batch])
    assert str(path) in str(error.value) and f"rm {batch}" in str(error.value)


def test_tuning_is_kept_until_what_decides_it_changes(tmp_path):
    calls, path = [], tmp_path / "cells/params/three.json"

    def tune(prepared, settings):
        calls.append(settings)
        return {"C": settings["C"], "gamma": 0.1}

    def run(data=None, settings=None, code="code"):
        return tune_or_keep(tune, data or Data(), settings or {"C": 4.0}, code, path)

    first = run()
    assert first == {"C": 4.0, "gamma": 0.1, "wall_s": first["wall_s"]}
    assert run() == run(data=Data(versions={"numpy": "9"})) == first and len(calls) == 1
    for changed in ({"data": Data(digest="e")}, {"settings": {"C": 8.0}}, {"code": "other"}):
        run(**changed)
    assert len(calls) == 4
    for content in ("[", json.dumps(json.loads(path.read_text()) | {"tuned": {"C": 2.0}})):
        path.write_text(content)
        assert run()["C"] == 4.0
    assert len(calls) == 6
