"""Log a Snakemake run: a line per stage, warnings and errors.

Snakemake finds the plugin by this package's name.
"""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections import Counter
from logging import LogRecord
from pathlib import Path
from typing import TYPE_CHECKING

from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from fwsvm_papers.pipeline.artefacts import papers

if TYPE_CHECKING:
    from pathlib import Path

STAGES = {  # stage -> its rules
    "fetching data": ("fetch", "inventory"),
    "preparing data": ("prepare",),
    "compiling solvers": ("warm_up",),
    "tuning": ("tune",),
    "training": ("train",),
    "sketches": ("sketches",),
    "collecting results": ("describe", "collect", "details"),
    "tables and figures": tuple(papers()),
    "pages": ("report",),
}
_STAGE_OF = {rule: stage for stage, rules in STAGES.items() for rule in rules}
# After Ctrl-C or SIGTERM, messages with these texts are replaced by a single line.
_INTERRUPTED = (
    "Terminating processes on user request",
    "Will exit after finishing currently running jobs",
    "Signals.SIGINT",
    "Signals.SIGTERM",
    "exit status 130",
    "exit status 143",
)
# A message of this form is replaced by a short line that says how the process of the job ended.
# With exit status 1, there is no such line, because the job has printed its error.
_HOW_A_JOB_ENDED = (
    r"CalledProcessError in file .*\n?Command .* (returned non-zero exit status \d+|died with"
    r" .*?)\.\s*$"
)
# These messages are replaced by a line with the number of failed jobs.
_LAST_WORDS = (
    "Exiting because a job execution failed",
    "At least one job did not complete successfully",
)


class LogHandler(LogHandlerBase):
    """Print a line per stage.

    While a stage runs, its line is updated on a terminal. If the output is not a terminal, the line
    is printed at most once a minute, and at the end of the stage.
    """

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        own = self.common_settings
        self.setFormatter(DefaultFormatter(own.quiet, own.show_failed_logs))
        self.addFilter(
            DefaultFilter(own.quiet, own.debug_dag, own.verbose, own.dryrun, own.printshellcmds)
        )
        self.stream = sys.stdout if own.stdout else sys.stderr
        self.jobs_by_rule = dict
        self.jobs = {}
        self.work = Counter()
        self.done = Counter()
        self.shown = time.monotonic()
        self.is_interrupted, self.is_concluded, self.failed, self.pages = False, False, 0, ""

    def emit(self, record: LogRecord) -> None:
        event, text = getattr(record, "event", None), str(record.msg)
        with contextlib.suppress(BrokenPipeError):
            # the Snakefile sends a function, not the jobs, since a checkpoint adds jobs later
            if event == "stages":
                self.jobs_by_rule = record.jobs_by_rule
            elif event == "saved":
                saved = f"{record.saved} of {record.planned} training jobs have saved results"
                if record.saved:
                    self._print(f"continuing: {saved}")
            elif event == "pages":
                self.pages = record.path
            elif self.is_interrupted or any(sign in text for sign in _INTERRUPTED):
                self._print(
                    ""
                    if self.is_interrupted
                    else "The run was interrupted. The same command continues it."
                )
                self.is_interrupted = True
            elif event == LogEvent.JOB_ERROR and record.jobid in self.jobs:
                self._job_failed(record)
            elif self.failed and any(words in text for words in _LAST_WORDS):
                count = f"{self.failed} job{'s' if self.failed > 1 else ''} failed"
                words = f"{count}: correct the cause; then the same command continues the run"
                self._print("" if self.is_concluded else words)
                self.is_concluded = True
            elif self.common_settings.dryrun or record.levelname in (
                "WARNING",
                "ERROR",
                "CRITICAL",
            ):
                self._print_message(text, record)
            elif event == LogEvent.JOB_INFO and record.rule_name in _STAGE_OF:
                self.jobs[record.jobid] = record, time.monotonic()
            elif event == LogEvent.JOB_FINISHED and record.job_id in self.jobs:
                self._finished(*self.jobs.pop(record.job_id))
            elif event is None and "Nothing to be done" in text:
                self._print("Nothing to be done: everything is up to date.")
                self._print(
                    f"browse  {Path(self.pages).resolve().as_uri()}"
                    if Path(self.pages).is_file()
                    else ""
                )

    def _print_message(self, text: str, record: LogRecord) -> None:
        from fwsvm_papers.pipeline.config import in_one_line

        if how := re.search(_HOW_A_JOB_ENDED, text, re.DOTALL):
            if (
                how[1].removeprefix("returned non-zero ") != "exit status 1"
            ):  # else the job itself has printed its error
                self._print(f"error: a job's process {how[1]}")
            return
        shown = in_one_line(text, sys.argv) or self.format(record) or ""
        self._print(shown.replace("the --unlock argument", "`.venv/bin/snakemake --unlock`"))

    def _job_failed(self, record: LogRecord) -> None:
        """Print the name of the failed job and the path of its log.

        The output of the job's process, or the way in which the process ended, has been printed
        before.
        """
        self.failed += 1
        started, _ = self.jobs.pop(record.jobid)
        of = " ".join(map(str, (getattr(started, "wildcards", None) or {}).values()))
        more = "".join(
            f"; {name}: {value}" for name, value in (getattr(record, "aux", None) or {}).items()
        )
        log = ", ".join(map(str, getattr(record, "log", None) or ()))
        job = " ".join(filter(None, (started.rule_name, of)))
        where = f"; log: {log}" if log else ""
        self._print(f"failed: {job}{where}{more}")

    def _finished(self, record: LogRecord, begun: float) -> None:
        stage, now = _STAGE_OF[record.rule_name], time.monotonic()
        self.done[stage] += 1
        self.work[stage] += now - begun
        # a RuntimeError is raised if Snakemake is changing the jobs in another thread
        with contextlib.suppress(RuntimeError):
            jobs = self.jobs_by_rule()
            # without downloads, the stage "fetching data" is not shown
            if record.rule_name == "inventory" and not jobs.get("fetch"):
                return
            total = max(
                sum(n for rule, n in jobs.items() if _STAGE_OF.get(rule) == stage), self.done[stage]
            )
            line = f"{stage:<20} {self.done[stage]:>3} of {total}"
            if self.done[stage] == total:
                self._print(f"{line}, {self.work[stage]:.0f} s of work")
                if stage == "tuning" and self.pages:
                    self._print("\n".join(_advice_on_tuning(Path(self.pages).parents[1])))
            # if the output is not a terminal, print the line at most once a minute
            elif self.stream.isatty() or now - self.shown > 60.0:
                self.shown = now
                self._print(line, end="" if self.stream.isatty() else "\n")

    def _print(self, text: str, end: str = "\n") -> None:
        if text:  # on a terminal, the text overwrites the current line
            print("\r\033[K" * self.stream.isatty() + text, end=end, file=self.stream, flush=True)


def _advice_on_tuning(results: str | Path) -> list[str]:
    from fwsvm_papers.studies.benchmark.grid_ends import advice, ends_by_dataset

    try:
        return advice(ends_by_dataset(results))
    except (OSError, ValueError):  # a damaged file; the job that reads it reports it
        return []
