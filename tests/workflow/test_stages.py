"""Test the lines that the pipeline prints about its progress, interruptions and errors."""

import inspect
import io
import json
import logging
import re
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import LockException, WorkflowError, format_exception_to_string
from snakemake.scheduling import job_scheduler
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.sourcecache import SourceCache
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_fwsvm
from fwsvm_papers.pipeline.artefacts import papers
from snakemake_logger_plugin_fwsvm import _STAGE_OF, LogHandler


@pytest.fixture
def show():
    """Return a function that sends events to the plugin and returns what the plugin prints. Each
    event is a dict.
    """

    def run(events, is_terminal=False):
        settings = SimpleNamespace(
            quiet=set(),
            show_failed_logs=False,
            debug_dag=False,
            verbose=False,
            dryrun=False,
            printshellcmds=False,
            stdout=False,
        )
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
    events = [
        {"event": "stages", "jobs_by_rule": lambda: plan},
        *jobs("prepare", 2),
        *jobs("train", 1, 2),
    ]
    assert show(events) == "preparing data         2 of 2, 0 s of work\n"
    shown = [
        line.split(", ")[0].split()[-3:]
        for line in show(events, is_terminal=True).split("\r\033[K")
    ]
    assert shown[1:] == [["1", "of", "2"], ["2", "of", "2"], ["1", "of", "3"]]


def test_a_run_that_continues_says_so_at_once(show):
    for saved in (0, 3, 7):
        shown = show([{"event": "saved", "saved": saved, "planned": 7}])
        line = f"continuing: {saved} of 7 training jobs have saved results\n"
        assert shown == (line if saved else "")


def test_warnings_and_errors_are_printed(show):
    assert show([{"levelname": "ERROR", "msg": "wrong"}, {"msg": "chatter"}]) == "wrong\n"
    assert "up to date" in show([{"msg": "Nothing to be done (all requested files are present)."}])
    assert ".venv/bin/snakemake --unlock" in show(
        [{"levelname": "ERROR", "msg": str(LockException())}]
    )


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, "No such file"),
        ("a: [1\nb: 2\n", "line 2"),
        ("- a\n", "mapping"),
        ("cache", "XDG_CACHE"),
    ],
)
def test_an_error_before_the_snakefile_is_one_line_with_the_file(
    show, tmp_path, monkeypatch, content, word
):
    path = tmp_path / "mine.yaml"
    if content:
        path.write_text(content)
    monkeypatch.setattr("sys.argv", ["snakemake", f"--configfile={path}", "-n"])
    with pytest.raises((OSError, WorkflowError)) as error:
        SourceCache(path, path / "x") if content == "cache" else load_configfile(str(path))
    shown = show([{"levelname": "ERROR", "msg": format_exception_to_string(error.value)}])
    assert shown.count("\n") == 1 and str(path) in shown and word in shown


def test_a_stage_says_the_seconds_of_its_jobs_and_not_how_long_it_lasted(show, monkeypatch):
    """Two jobs take 5 s each and run at the same time. The third job takes 7 s, and starts 100 s
    later.
    """
    moments = {"a": (0.0, 5.0), "b": (1.0, 6.0), "c": (100.0, 107.0)}
    changes = []
    for name, (start, end) in moments.items():
        changes += [(start, name, LogEvent.JOB_INFO), (end, name, LogEvent.JOB_FINISHED)]
    clock = [0.0]
    monkeypatch.setattr(snakemake_logger_plugin_fwsvm.time, "monotonic", lambda: clock[0])

    def events():
        yield {"event": "stages", "jobs_by_rule": lambda: {"singh": 3}}
        for clock[0], name, event in sorted(changes):
            yield {"event": event, "rule_name": "singh", "jobid": name, "job_id": name}

    assert show(events()).splitlines()[-1] == "tables and figures     3 of 3, 17 s of work"


@pytest.mark.parametrize(("fetched", "lines"), [(0, 0), (2, 1)])
def test_without_downloads_there_is_no_stage_of_fetching(show, fetched, lines):
    plan = {"fetch": fetched, "inventory": 1}
    events = [
        {"event": "stages", "jobs_by_rule": lambda: plan},
        *jobs("fetch", fetched),
        *jobs("inventory", 1, 10),
    ]
    assert show(events).count("fetching data") == lines


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_one_line(show, sent):
    errors = [subprocess.CalledProcessError(code, "python x.py") for code in (-sent, 128 + sent)]
    events = [
        {"levelname": "ERROR", "msg": str(error)}
        for error in [*errors, "Error in rule x", *LAST_WORDS]
    ]
    message = "The run was interrupted. The same command continues it.\n"
    assert show(events) == message
    for said in (
        "Will exit after finishing currently running jobs",
        "Terminating processes on user request",
    ):
        # the plugin looks for these words of Snakemake
        assert said in inspect.getsource(JobScheduler)
        assert show([{"msg": said}, *events]) == message


LAST_WORDS = (
    "Exiting because a job execution failed. Look above for error messages",
    "WorkflowError:\nAt least one job did not complete successfully.",
)


def failure(how):
    """Yield what Snakemake reports about a failed job of the data set `mine`. `how` says how its
    process ended.
    """
    command = "Command 'set -euo pipefail;  python .snakemake/scripts/x.py' "
    rule = {"rule_name": "prepare", "jobid": 7, "wildcards": {"dataset": "mine"}}
    yield {"event": LogEvent.JOB_INFO, **rule}
    message = (
        f'RuleException:\nCalledProcessError in file "/a b/data.smk", line 47:\n{command}{how}.'
    )
    yield {"levelname": "ERROR", "msg": message, "event": LogEvent.ERROR}
    error = {
        "event": LogEvent.JOB_ERROR,
        "msg": "Error in rule prepare, jobid: 7",
        "log": ["logs/prepare/mine.log"],
    }
    yield {"levelname": "ERROR", **error, "jobid": 7, "aux": {}}
    yield from ({"levelname": "ERROR", "msg": words} for words in LAST_WORDS)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("returned non-zero exit status 1", []),
        (
            "returned non-zero exit status 3",
            ["error: a job's process returned non-zero exit status 3"],
        ),
        (
            "died with <Signals.SIGKILL: 9>",
            ["error: a job's process died with <Signals.SIGKILL: 9>"],
        ),
    ],
)
def test_a_failed_job_is_named_with_its_log_and_what_to_do(show, how, said):
    """If the exit status is 1, the job itself has printed the error."""
    end = "1 job failed: correct the cause; then the same command continues the run"
    assert show(failure(how)).splitlines() == [
        *said,
        "failed: prepare mine; log: logs/prepare/mine.log",
        end,
    ]


def test_snakemake_words_a_failure_as_the_plugin_expects():
    error = subprocess.CalledProcessError(-9, "x")
    assert re.search(r"died with <Signals.SIGKILL: 9>\.", str(error))
    folder = Path(job_scheduler.__file__).parents[1]
    sources = "".join(
        (folder / name).read_text() for name in ("scheduling/job_scheduler.py", "workflow.py")
    )
    for words in LAST_WORDS:
        assert words.removeprefix("WorkflowError:\n") in sources


def test_the_stage_of_tuning_says_which_values_are_at_the_end_of_their_grid(show, tmp_path):
    results = tmp_path / "results/mine"
    (results / "params").mkdir(parents=True)
    grid = [{"C": 1.0}, {"C": 4.0}, {"C": 16.0}]
    for name, C in (("one", 16.0), ("two", 4.0)):
        tuned = {"C": C, "gamma": 0.5, "at_grid_edge": C != 4.0, "grid": grid}
        (results / f"params/{name}.json").write_text(json.dumps(tuned))
    plan = [{"event": "pages", "path": str(results / "site/index.html")}]
    plan += [{"event": "stages", "jobs_by_rule": lambda: {"tune": 2}}]
    first, *more = show([*plan, *jobs("tune", 2)]).splitlines()
    assert first == "tuning                 2 of 2, 0 s of work"
    assert (
        more[1:] == ["  one: C = 16 is the largest value of tuning.C_exponents"]
        and "A wider grid can give" in more[0]
    )


def test_snakemake_has_the_limiter_that_is_taken_from_it():
    """If the rate at which jobs start is not limited, Snakemake does not check all ready jobs every
    second (see the Snakefile).
    """
    assert "self.job_rate_limiter = (" in inspect.getsource(JobScheduler.__init__)


def test_every_rule_has_a_stage():
    text = "".join(
        path.read_text() for path in (Path(__file__).parents[2] / "workflow/rules").glob("*.smk")
    )
    rules = set(re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.MULTILINE))
    assert rules | set(papers()) == set(_STAGE_OF)
