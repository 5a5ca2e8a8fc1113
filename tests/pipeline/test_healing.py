"""Damaged files of a run are found by their sizes and by parsing, renamed, and listed until they are there again."""

import json
import logging
import os
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from fwsvm.base.errors import ConfigError
from fwsvm.datasets.entries import DatasetEntry, FreshPoints, GeneratedSource, entry_digest
from fwsvm.datasets.prepare import prepare
from fwsvm.pipeline import healing
from fwsvm.pipeline.healing import open_or_prepare, set_aside, set_aside_damaged
from fwsvm.runs.records import write_runs

ENTRY = DatasetEntry("board", GeneratedSource("checkerboard", 40, 0), FreshPoints(10))
STUDY = SimpleNamespace(
    datasets=["board"],
    remote=["board"],
    tuning_jobs=lambda present: [("params", name) for name in present],
    batches=lambda present: {("benchmark", name): [] for name in present},
    digest=lambda dataset: entry_digest(ENTRY, {}),
)
EMPTY, CUT, ZEROS = b"", lambda content: content[:-3], lambda content: bytes(len(content))


@pytest.fixture
def finished(tmp_path):
    """Folders of results and prepared data after a run of one data set; nothing in them is damaged."""
    results, prepared = tmp_path / "results", tmp_path / "prepared"
    prepare(ENTRY, {}, tmp_path / "raw", prepared / "board")
    jobs = {"benchmark/full/board/fw": {"rows": 2}}
    files = {
        "fetch/board.json": {"dataset": "board", "missing": None},
        "params/board.json": {"C": 1.0},
        "runs/benchmark/board.json": jobs,
        "details/benchmark/board.json": [{"method": "fw"}],
        "inventory.json": {"present": ["board"]},
        "sketches.json": {},
        "provenance.json": {"config_hash": "h", "jobs": jobs},
        "singh.json": [{"method": "fw"}],
        "describe/board.json": {"m": 40},
        "artefacts/singh.json": {"written": {}, "skipped": {}},
    }
    for name, content in files.items():
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(json.dumps(content, indent=1) + "\n")
    rows = pd.DataFrame([{"experiment": "benchmark", "dataset": "board", "repetition": k} for k in range(2)])
    for name in ("runs.tsv", "runs/benchmark/board.tsv"):
        write_runs(rows, results / name)
    (results / "tests.tsv").write_text("measure\tp\ntime\t0.5\n")
    assert set_aside_damaged(STUDY, results, prepared) == []
    return SimpleNamespace(results=results, prepared=prepared)


@pytest.mark.parametrize(
    ("name", "damage", "what"),
    [
        ("fetch/board.json", EMPTY, "it is empty"),
        ("params/board.json", CUT, "it is not a whole JSON file"),
        ("params/board.json", b"[]", "it holds a list, not a dict"),
        ("params/board.json", b"\xff\xfe{}", "it is not a whole JSON file"),
        ("runs/benchmark/board.json", CUT, "it is not a whole JSON file"),
        ("runs/benchmark/board.tsv", EMPTY, "it is empty"),
        ("runs/benchmark/board.tsv", CUT, "its last line is cut short"),
        ("runs/benchmark/board.tsv", lambda c: c[: c[:-1].rindex(b"\n") + 1], "it has 1 rows, not 2 as when"),
        ("runs/benchmark/board.tsv", lambda c: c.replace(b"board\t", b"board", 1), "not of the same length"),
        ("runs/benchmark/board.tsv", lambda c: b"\x89other\n" * c.count(b"\n"), "no names of columns"),
        ("runs.tsv", lambda c: c[: c[:-1].rindex(b"\n") + 1], "it has 1 rows, not 2 as when"),
        ("tests.tsv", lambda c: c[:-4] + b"\0\0\0\n", "not of the same length"),
        ("details/benchmark/board.json", b"{}", "it holds a dict, not a list"),
        ("inventory.json", b"3", "it holds a int, not a dict"),
        ("sketches.json", ZEROS, "it is not a whole JSON file"),
        ("provenance.json", EMPTY, "it is empty"),
        ("singh.json", CUT, "it is not a whole JSON file"),
        ("artefacts/singh.json", CUT, "it is not a whole JSON file"),
    ],
)
def test_damaged_result_is_renamed_and_listed_until_it_is_there_again(finished, caplog, name, damage, what):
    path = finished.results / name
    whole = path.read_bytes()
    damaged = damage if isinstance(damage, bytes) else damage(whole)
    path.write_bytes(damaged)
    for _ in range(2):  # as when a first run is interrupted
        assert set_aside_damaged(STUDY, finished.results, finished.prepared) == [str(path)] or "artefacts" in name
        assert not path.exists()
    assert path.with_name(f"{path.name}.damaged").read_bytes() == damaged
    (message,) = caplog.messages
    assert message.startswith(f"{path} is damaged: ") and what in message and f"kept as {path.name}.damaged" in message
    path.write_bytes(whole)
    assert set_aside_damaged(STUDY, finished.results, finished.prepared) == []


def test_large_json_is_looked_at_at_its_ends(finished, monkeypatch):
    monkeypatch.setattr(healing, "_PARSED", 10)
    assert set_aside_damaged(STUDY, finished.results, finished.prepared) == []
    path = finished.results / "runs/benchmark/board.json"
    path.write_bytes(path.read_bytes()[:-6])
    assert set_aside_damaged(STUDY, finished.results, finished.prepared) == [str(path)]


@pytest.mark.parametrize("name", ["X_train.npy", "y_test.npy", "X_test.indptr.npy", "meta.json"])
@pytest.mark.parametrize("keep", [0, 100])
def test_cut_array_is_renamed(finished, name, keep):
    path = finished.prepared / "board" / name
    path.write_bytes(path.read_bytes()[:keep])
    assert set_aside_damaged(STUDY, finished.results, finished.prepared) == [str(path)]
    assert not path.exists()


def test_descriptions_are_made_by_one_rule_and_go_together(finished):
    (finished.results / "describe/board.json").write_text("")
    folder = finished.results / "describe"
    assert set_aside_damaged(STUDY, finished.results, finished.prepared) == [str(folder)]
    assert sorted(path.name for path in finished.results.glob("describe*")) == ["describe.damaged"]
    folder.mkdir()
    (folder / "board.json").write_text("")
    assert set_aside_damaged(STUDY, finished.results, finished.prepared) == [str(folder)]


def test_nothing_is_there(tmp_path):
    assert set_aside_damaged(STUDY, tmp_path / "results", tmp_path / "prepared") == []


def test_folder_that_cannot_be_written_is_named(finished, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ConfigError, match=r"inventory.json is damaged: it is empty; it cannot be renamed: Permission"):
        set_aside(finished.results / "inventory.json", "it is empty")


def test_array_of_another_content_is_prepared_again_and_keeps_its_time(finished, tmp_path, caplog):
    folder = finished.prepared / "board"
    path = folder / "X_train.npy"
    whole = path.read_bytes()
    path.write_bytes(whole[:-8] + np.float64(1e9).tobytes())
    os.utime(path, ns=(10**18, 10**18))
    catalogue = "board:\n  source: {generator: checkerboard, size: 40, seed: 0}\n  split: {test_size: 10}\n"
    (tmp_path / "catalogue.yaml").write_text(catalogue)
    config = {"catalogue": tmp_path / "catalogue.yaml", "data_dir": str(tmp_path), "mirror": None}
    with caplog.at_level(logging.WARNING):
        opened = open_or_prepare(config, "board", folder)
    assert path.read_bytes() == whole and opened.X_train.shape == (40, 2)
    assert path.stat().st_mtime_ns == 10**18
    assert "board is prepared again: " in caplog.text and "wrong checksum" in caplog.text
    caplog.clear()
    open_or_prepare(config, "board", folder)
    assert caplog.text == ""


def test_a_damaged_measurement_of_the_cores_is_made_by_no_rule(finished):
    (finished.results / "cores.json").write_bytes(b"")
    assert set_aside_damaged(STUDY, finished.results, finished.prepared) == []
    assert (finished.results / "cores.json.damaged").exists() and not (finished.results / "cores.json").exists()


def test_damaged_files_of_a_set_that_cannot_be_had_are_left(finished):
    (finished.results / "params/board.json").write_bytes(b"")
    (finished.results / "inventory.json").write_text('{"present": [], "missing": {"board": "no answer"}}\n')
    assert set_aside_damaged(STUDY, finished.results, finished.prepared) == []
    assert (finished.results / "params/board.json").exists()


def test_data_prepared_from_another_entry_are_prepared_again(finished):
    meta = finished.prepared / "board/meta.json"
    other = SimpleNamespace(**vars(STUDY) | {"digest": lambda dataset: "of another entry"})
    set_aside_damaged(STUDY, finished.results, finished.prepared)
    assert meta.is_file()
    assert set_aside_damaged(other, finished.results, finished.prepared) == []
    assert not meta.exists()
