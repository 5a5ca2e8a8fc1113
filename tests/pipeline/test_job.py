"""What surrounds a workflow script: its log, its end when the input is wrong, whole files."""

import errno
import json
import logging
import sys

import pytest

from fwsvm.base.errors import DataError
from fwsvm.base.result_files import read_whole_json
from fwsvm.pipeline.job import job, provenance, write_json, write_text


def run_job(log, body):
    """Exit code of a job, its logging set up as in a process of its own."""
    root = logging.getLogger()
    former, level = root.handlers[:], root.level
    root.handlers[:] = []
    try:
        with job(log):
            body()
    except SystemExit as end:
        return end.code
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers[:] = former
        root.setLevel(level)
        logging.getLogger("fwsvm").setLevel(logging.NOTSET)
    return 0


def fail(error):
    def body():
        raise error

    return body


def test_log_holds_what_the_package_says(tmp_path, capsys):
    def body():
        logging.getLogger("fwsvm.experiments").info("trained")
        logging.getLogger("other").info("chatter")

    assert run_job(tmp_path / "logs/a.log", body) == 0
    log = (tmp_path / "logs/a.log").read_text()
    assert "trained" in log
    assert "chatter" not in log
    assert "trained" in capsys.readouterr().err


def test_a_users_error_is_one_message(tmp_path, capsys):
    message = "points.svm, line 7: the label 'x' is not a number"
    assert run_job(tmp_path / "a.log", fail(DataError(message))) == 1
    for text in ((tmp_path / "a.log").read_text(), capsys.readouterr().err):
        assert f"error: {message}" in text
        assert "Traceback" not in text


def test_a_full_disk_is_one_message(tmp_path, capsys):
    (tmp_path / "file").touch()
    log = tmp_path / "file/cannot-be-written.log"  # nor can the log
    assert run_job(log, fail(OSError(errno.ENOSPC, "No space left on device", "runs.tsv"))) == 1
    text = capsys.readouterr().err
    assert "error: runs.tsv: No space left on device; what is done is kept" in text
    assert "Traceback" not in text


@pytest.mark.parametrize("error", [ValueError("a bug"), MemoryError("too much")])
def test_any_other_error_leaves_its_traceback(tmp_path, error):
    assert run_job(tmp_path / "a.log", fail(error)) == 1
    log = (tmp_path / "a.log").read_text()
    assert "Traceback" in log
    assert str(error) in log


def test_an_interruption_is_not_swallowed(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_job(tmp_path / "a.log", fail(KeyboardInterrupt()))


def test_log_of_a_former_try_is_replaced(tmp_path):
    (tmp_path / "a.log").write_text("former\n")
    assert run_job(tmp_path / "a.log", lambda: None) == 0
    assert (tmp_path / "a.log").read_text() == ""


def test_json_comes_back(tmp_path):
    content = {"b": [1, 0.1, None], "a": {"c": "é"}}
    write_json(content, tmp_path / "deep/a.json")
    assert read_whole_json(tmp_path / "deep/a.json") == content
    assert list(json.loads((tmp_path / "deep/a.json").read_text())) == ["a", "b"]


def test_failed_write_leaves_the_former_file(tmp_path, monkeypatch):
    write_text("former", tmp_path / "a.txt")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_text("new", tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "former"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_what_cannot_be_written_as_json_leaves_nothing(tmp_path):
    with pytest.raises(TypeError):
        write_json({"a": sys}, tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_provenance_names_settings_data_and_machine(prepared):
    record = provenance({"eps": 1e-6}, prepared.meta)
    assert record["settings"] == {"eps": 1e-6}
    assert record["dataset"] == prepared.meta["name"]
    assert record["data_digest"] == prepared.meta["digest"]
    assert {"cpu", "cores", "versions", "commit", "data_sha256"} <= set(record)
    json.dumps(record)
