"""A logger plugin for Snakemake that prints one line per stage of the pipeline instead of several per job.

Snakemake finds it by the name of this package; `profiles/default` selects it. A dry run, and what goes wrong, are
printed as Snakemake itself prints them; everything else stands in the log files.
"""

import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path

from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from fwsvm.pipeline.job import QUIET_JOBS
from snakemake_logger_plugin_fwsvm.stages import Stages

# Seconds between two looks at the training runs, on a terminal and elsewhere.
_REFRESH_S, _REFRESH_PLAIN_S = 1.0, 30.0


_jobs_by_rule = None


def count_with(jobs_by_rule):
    """Have the jobs counted anew whenever one ends: a checkpoint brings more than Snakemake counted at the start.

    Parameters
    ----------
    jobs_by_rule : callable
        Returns the number of jobs of this run, done or not, by the name of their rule.
    """
    global _jobs_by_rule
    _jobs_by_rule = jobs_by_rule


class LogHandler(LogHandlerBase):
    """Prints stages as they go on: rewritten in place on a terminal, otherwise a line at the end of each stage."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self):
        settings = self.common_settings
        self.setFormatter(DefaultFormatter(settings.quiet, settings.show_failed_logs))
        self.addFilter(
            DefaultFilter(
                settings.quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds
            )
        )
        self.stream = sys.stdout if settings.stdout else sys.stderr
        self.stages = None if settings.dryrun else Stages(time.monotonic, self.stream.isatty())
        os.environ[QUIET_JOBS] = "1"  # what jobs report goes to their log files only
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._counts = ""

    def emit(self, record):
        """Count a job, or print what is not about jobs."""
        event = getattr(record, "event", None)
        with self._lock, contextlib.suppress(BrokenPipeError):
            if self.stages is None:
                self._plan(event, record)
            elif event == LogEvent.JOB_ERROR:
                self._print(_failure(record))
            elif record.levelname in ("ERROR", "CRITICAL") and getattr(record, "exception", "") != "RuleException":
                self._print(self.format(record))
            elif event == LogEvent.RUN_INFO:
                self._start(record.stats)
            elif event == LogEvent.JOB_INFO:
                self.stages.started(record.jobid, record.rule_name, [*record.output])
                self._show()
            elif event == LogEvent.JOB_FINISHED:
                self._finished(record.job_id)
            elif event is None and record.levelname == "WARNING":
                self._print(self.format(record))
            elif event is None and "Nothing to be done" in str(record.msg):
                self._print("Nothing to be done: everything is up to date.")

    def close(self):
        """Stop watching, and leave the last line as it is."""
        self._stop.set()
        counts, self._counts = self._counts, ""  # Snakemake closes it twice
        self._print(counts)
        if self.stages is not None:
            with self._lock, contextlib.suppress(BrokenPipeError, ValueError):
                self._write(self.stages.end())
        super().close()

    def _plan(self, event, record):
        """Print a job that a dry run lists as one line, and the numbers of jobs once."""
        if event == LogEvent.JOB_INFO:
            self._print(_listed(record))
        elif event == LogEvent.RUN_INFO:
            self._counts = self.format(record)
        elif event not in (LogEvent.GROUP_INFO, LogEvent.RESOURCES_INFO):
            self._print(self.format(record))

    def _start(self, stats):
        first = not self.stages.totals
        self.stages.plan(stats)
        if first and self.stages.totals:
            threading.Thread(target=self._watch, daemon=True).start()

    def _finished(self, job_id):
        self.stages.finished(job_id)
        if _jobs_by_rule is not None:
            with contextlib.suppress(RuntimeError):  # Snakemake is changing the jobs in its own thread
                self.stages.plan(_jobs_by_rule())
        self._show()

    def _watch(self):
        """Show the progress of training while no job ends."""
        pause = _REFRESH_S if self.stages.in_place else _REFRESH_PLAIN_S
        while not self._stop.wait(pause):
            with self._lock, contextlib.suppress(BrokenPipeError, ValueError):
                self._write(self.stages.refresh(_training(self.stages.results)))

    def _show(self):
        self._write(self.stages.lines(_training(self.stages.results)))

    def _print(self, text):
        if text:
            self._write(self.stages.interrupt() if self.stages else "")
            self._write(f"{text}\n")

    def _write(self, text):
        if text:
            self.stream.write(text)
            self.stream.flush()


def _listed(record):
    """A job that would run: its rule, what it makes, and why; nothing of a target."""
    if not record.output:
        return ""
    why = "; ".join(reason.split(":")[0].lower() for reason in record.reason.split("; "))
    more = len(record.output) - 1
    return f"{record.rule_name:<10} {record.output[0]}{f' and {more} more' if more else ''} ({why})"


def _failure(record):
    """Which job failed, and where its log is."""
    return f"failed: {record.rule_name}" + "".join(f", log: {path}" for path in record.log)


def _training(results):
    """What a training job last left on the progress of all of them (`fwsvm.pipeline.progress`); or None."""
    try:
        return json.loads(Path(results, "progress.json").read_text()) if results else None
    except (OSError, ValueError):
        return None
