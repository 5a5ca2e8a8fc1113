"""Test that damaged or outdated prepared data are prepared again, which jobs have saved results,
and which results of another configuration are removed.
"""

import json
import logging
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fwsvm_papers.datasets import load_catalogue
from fwsvm_papers.datasets.prepare import prepare
from fwsvm_papers.datasets.storage import open_prepared, prepared_files, write_prepared
from fwsvm_papers.pipeline import data
from fwsvm_papers.pipeline.config import Configuration
from fwsvm_papers.pipeline.data import Layout, drop_outdated
from fwsvm_papers.pipeline.scripts import open_or_prepare
from fwsvm_papers.result_files import write_json
from fwsvm_papers.runs import job_results
from fwsvm_papers.runs.job_results import result_path, run_jobs, tune_or_keep
from fwsvm_papers.runs.jobs import Experiment
from fwsvm_papers.studies.registry import EXPERIMENTS

META = {"m": 4, "t": 4, "n": 2, "K": 2, "storage": "dense", "digest": "d", "sources": []}
TUNED = {"sigma2": 1.0, "gamma": 0.5, "gamma_rule": "", "C": 1.0, "C_rule": "", "protocols": {}}
CATALOGUE = (
    "board:\n  source: {generator: checkerboard, size: 40, seed: 0}\n  split: {test_size: 10}\n"
)


@pytest.fixture
def folder(tmp_path):
    """Return a folder of prepared data."""
    (tmp_path / "catalogue.yaml").write_text(CATALOGUE)
    catalogue = load_catalogue(tmp_path / "catalogue.yaml")
    prepare(catalogue["board"], catalogue, tmp_path / "raw", tmp_path / "board")
    return tmp_path / "board"


@pytest.mark.parametrize(
    "damage", [lambda whole: b"", lambda whole: whole[:100], lambda whole: whole[:-8] + bytes(8)]
)
def test_damaged_files_are_prepared_again_and_keep_their_times(folder, caplog, damage):
    config = {
        "catalogue": folder.parent / "catalogue.yaml",
        "data_dir": str(folder.parent),
        "mirror": None,
    }
    for path in map(Path, prepared_files(folder)):
        whole = path.read_bytes()
        if damage(whole) == whole:
            continue
        path.write_bytes(damage(whole))
        os.utime(path, ns=(10**18, 10**18))
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert open_or_prepare(config, "board", folder).X_train.shape == (40, 2)
        assert "board is prepared again" in caplog.text and path.name in caplog.text
        assert path.read_bytes() == whole and path.stat().st_mtime_ns == 10**18


@pytest.fixture
def continued(load_study, tmp_path, monkeypatch):
    """Return the layout of the profile `smoke` with the results of all jobs, from an earlier run
    with the code "old".
    """
    study = load_study("smoke")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Experiment, "code", "old")
    monkeypatch.setattr(data, "code_hash", lambda _: "old")
    monkeypatch.setattr(job_results, "run_job", lambda *_: ([], None))
    layout = Layout(study, lambda: study.datasets)
    for name in study.datasets:
        arrays = np.zeros((4, 2)), np.array([0, 0, 1, 1])
        write_prepared(Path(layout.prepared, name), *arrays, *arrays, {"name": name} | META)
    for (experiment, name), jobs in study.batches().items():
        prepared, folder = open_prepared(Path(layout.prepared, name)), EXPERIMENTS[experiment].tuned
        settings = [study.job_settings(job) for job in jobs]
        tuned = folder and tune_or_keep(
            lambda *_: TUNED,
            prepared,
            study.tuning_settings(folder, name),
            "old",
            f"{layout.results}/cells/{folder}/{name}.json",
        )
        run_jobs(EXPERIMENTS[experiment], jobs, settings, prepared, tuned, "old", layout.results)
    return layout


def test_only_results_that_are_used_again_count(continued):
    """A result of a job counts neither if the job is not planned, nor if something has changed that
    determines the result.
    """
    jobs, study = continued.configuration.jobs(), continued.configuration
    write_json({}, result_path(jobs[0]._replace(method="another"), continued.results))
    assert continued.saved_jobs() == jobs == continued.planned_jobs()
    result_path(jobs[2], continued.results).unlink()
    assert continued.saved_jobs() == [*jobs[:2], *jobs[3:]]
    result_path(jobs[1], continued.results).write_text("{}")
    assert continued.saved_jobs() == [jobs[0], *jobs[3:]]
    name = jobs[0].dataset
    Path(continued.prepared, name, "meta.json").unlink()
    kept = [job for job in jobs[3:] if job.dataset != name]
    assert continued.saved_jobs() == kept
    study.config["seed"] += 1
    assert continued.saved_jobs() == []


def test_no_result_counts_after_a_change_of_its_code(continued, monkeypatch):
    jobs = continued.saved_jobs()
    monkeypatch.setattr(data, "code_hash", lambda _: "new")
    kept = [job for job in jobs if EXPERIMENTS[job.experiment].tuned is None]
    assert continued.saved_jobs() == kept and 0 < len(kept) < len(jobs)
    monkeypatch.setattr(Experiment, "code", "new")
    assert continued.saved_jobs() == []


def test_jobs_on_missing_data_sets_are_not_planned(continued):
    jobs = continued.configuration.jobs()
    missing = jobs[0].dataset
    write_json({"missing": {missing: "no file"}}, f"{continued.results}/inventory.json")
    planned = [job for job in jobs if job.dataset != missing]
    assert continued.planned_jobs() == continued.saved_jobs() == planned != jobs


def test_data_of_another_entry_are_outdated(folder):
    digest = json.loads((folder / "meta.json").read_text())["digest"]
    for current, is_kept in ((digest, True), ("other", False)):
        configuration = SimpleNamespace(
            datasets=["board", "absent"],
            digest=lambda name, d=current: d,
            raw_files=lambda name: {},
        )
        drop_outdated(configuration, folder.parent)
        assert (folder / "meta.json").exists() == is_kept


def test_data_of_a_local_file_with_other_content_are_outdated(tmp_path):
    points = tmp_path / "points.svm"
    lines = [f"{row % 2} 1:{row}\n" for row in range(20)]
    source, split = f"{{files: {{train: {{path: {points}}}}}}}", "{fraction: 0.5, seed: 1}"
    (tmp_path / "catalogue.yaml").write_text(f"mine: {{source: {source}, split: {split}}}")
    catalogue = load_catalogue(tmp_path / "catalogue.yaml")
    configuration = Configuration({"datasets": ["mine"]}, catalogue)
    for content, is_kept in ((lines, True), (lines[::-1], False)):
        points.write_text("".join(lines))
        prepare(catalogue["mine"], catalogue, tmp_path / "raw", tmp_path / "mine")
        points.write_text("".join(content))
        os.utime(points, (1, 1))  # the new file is older
        drop_outdated(configuration, tmp_path)
        assert (tmp_path / "mine/meta.json").exists() == is_kept


def test_results_of_another_configuration_are_removed(load_config, check, tmp_path, monkeypatch):
    """After a protocol and a data set were removed from the configuration, neither the report nor a
    release has their results.
    """
    config = load_config(datasets=["iris", "digits"], experiments=["benchmark"])
    both, one = (
        check(
            config | {"datasets": datasets, "benchmark": config["benchmark"] | {"protocols": names}}
        )
        for datasets, names in (
            (["iris", "digits"], ["as_run", "as_printed"]),
            (["iris"], ["as_run"]),
        )
    )
    monkeypatch.chdir(tmp_path)
    layouts = [Layout(study, lambda: ["iris"]) for study in (both, one)]
    kept = {
        *layouts[1].artefact_files(),
        "results/paper/params/iris.json",
        "figures/paper/mine.txt",
    }
    gone = {*layouts[0].artefact_files(), "results/paper/params/digits.json"} - kept
    assert any("--as_printed.svg" in path for path in gone)
    for path in map(Path, kept | gone):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    for layout, expected in zip(layouts, (kept | gone, kept), strict=True):
        layout.remove_outdated()
        assert {str(path) for path in Path().rglob("*") if path.is_file()} == expected
