"""The lines that show how far the pipeline is."""

import inspect
import io
import logging
import re
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import LockException, WorkflowError, format_exception_to_string
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.sourcecache import SourceCache
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_fwsvm import _STAGE_OF, LogHandler


@pytest.fixture
def show():
    """Send events, each a dict, to the plugin; returns what it prints."""

    def run(events, is_terminal=False):
        settings = SimpleNamespace(
            quiet=set(), show_failed_logs=False, debug_dag=False, verbose=False, dryrun=False, printshellcmds=False,
            stdout=False,
        )  # fmt: skip
        handler = LogHandler(settings, None)
        handler.stream = io.StringIO()
        handler.stream.isatty = lambda: is_terminal
        for event in events:
            handler.emit(logging.makeLogRecord({"levelname": "INFO", "msg": "", **event}))
        return handler.stream.getvalue()

    return run


def jobs(rule, number, first=0):
    for job in range(first, first + number):
        yield {"event": LogEvent.JOB_INFO, "rule_name": rule, "jobid": job}
        yield {"event": LogEvent.JOB_FINISHED, "job_id": job}


def test_a_line_for_each_stage_that_has_ended(show):
    plan = {"prepare": 2, "train": 3}
    events = [{"event": "stages", "jobs_by_rule": lambda: plan}, *jobs("prepare", 2), *jobs("train", 1, 2)]
    assert show(events) == "preparing data         2 of 2, 0 s\n"
    shown = [line.split(", ")[0].split()[-3:] for line in show(events, is_terminal=True).split("\r\033[K")]
    assert shown[1:] == [["1", "of", "2"], ["2", "of", "2"], ["1", "of", "3"]]


def test_warnings_and_errors_are_printed(show):
    assert show([{"levelname": "ERROR", "msg": "wrong"}, {"msg": "chatter"}]) == "wrong\n"
    assert "up to date" in show([{"msg": "Nothing to be done (all requested files are present)."}])
    assert ".venv/bin/snakemake --unlock" in show([{"levelname": "ERROR", "msg": str(LockException())}])


@pytest.mark.parametrize(
    ("content", "word"),
    [(None, "No such file"), ("a: [1\nb: 2\n", "line 2"), ("- a\n", "mapping"), ("cache", "XDG_CACHE")],
)
def test_an_error_before_the_snakefile_is_one_line_with_the_file(show, tmp_path, monkeypatch, content, word):
    path = tmp_path / "mine.yaml"
    if content:
        path.write_text(content)
    monkeypatch.setattr("sys.argv", ["snakemake", f"--configfile={path}", "-n"])
    with pytest.raises((OSError, WorkflowError)) as error:
        SourceCache(path, path / "x") if content == "cache" else load_configfile(str(path))
    shown = show([{"levelname": "ERROR", "msg": format_exception_to_string(error.value)}])
    assert shown.count("\n") == 1 and str(path) in shown and word in shown


def test_an_interruption_is_one_line(show):
    errors = [subprocess.CalledProcessError(code, "python x.py") for code in (-signal.SIGINT, 130)]
    shown = show([{"levelname": "ERROR", "msg": str(error)} for error in [*errors, "Error in rule x"]])
    assert shown.count("\n") == 1 and "continues" in shown


def test_snakemake_has_the_limiter_that_is_taken_from_it():
    """Without a limit on how fast jobs start nobody checks all ready jobs every second (see the Snakefile)."""
    assert "self.job_rate_limiter = (" in inspect.getsource(JobScheduler.__init__)


def test_every_rule_has_a_stage():
    text = "".join(path.read_text() for path in (Path(__file__).parents[2] / "workflow/rules").glob("*.smk"))
    assert set(re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.MULTILINE)) == set(_STAGE_OF)
