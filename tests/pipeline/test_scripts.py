"""Test the common code of all workflow scripts: the log, the messages, and the end after an
error.
"""

import errno
import subprocess
import sys

import pytest

SCRIPT = """
import logging, sys
from fwsvm.inputs.errors import DataError
from fwsvm_papers.pipeline.scripts import logging_to
with logging_to(sys.argv[1]):
    logging.getLogger("fwsvm_papers.studies").info("trained")
    logging.getLogger("other").info("chatter")
    {body}
"""


def run_script(log, body="pass"):
    """Run a script in a process, and return its exit code, its log and its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(body=body), log], capture_output=True, text=True
    )
    return done.returncode, log.read_text() if log.is_file() else None, done.stderr


def test_log_holds_what_the_package_reports(tmp_path):
    (tmp_path / "a.log").write_text("former\n")
    code, log, printed = run_script(tmp_path / "a.log")
    assert (code, printed) == (0, "")
    assert "trained" in log and "former" not in log and "chatter" not in log


def test_compilation_is_announced_by_its_stage_and_not_by_a_script(tmp_path):
    body = (
        'logging.getLogger("fwsvm.machine_code.code_cache").warning("compiling");'
        ' logging.warning("other")'
    )
    _, log, printed = run_script(tmp_path / "a.log", body)
    assert "compiling" in log and "compiling" not in printed
    assert "other" in log and "other" in printed


@pytest.mark.parametrize(
    ("error", "word", "code", "traceback"),
    [
        ("DataError('points.svm, line 7')", "error: points.svm, line 7", 1, False),
        (
            f"OSError({errno.ENOSPC}, 'disk full', 'runs.tsv')",
            "error: runs.tsv: disk full",
            1,
            False,
        ),
        ("KeyboardInterrupt", "", 130, False),
        ("ValueError('a bug')", "a bug", 1, True),
    ],
)
def test_errors_of_the_user_and_of_the_disk_are_one_message(tmp_path, error, word, code, traceback):
    (tmp_path / "file").touch()
    for log in (tmp_path / "logs/a.log", tmp_path / "file/that-cannot-be-written.log"):
        found, kept, printed = run_script(log, f"raise {error}")
        assert found == code
        for text in (printed, kept or printed):
            assert word in text and ("Traceback" in text) == traceback
