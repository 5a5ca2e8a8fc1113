"""Log a Snakemake run: a line per stage, warnings and errors. Snakemake finds the plugin by this package's name."""

import contextlib
import sys
import time
from collections import Counter
from pathlib import Path

from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

STAGES = {  # stage -> its rules
    "fetching data": ("fetch", "inventory"),
    "preparing data": ("prepare",),
    "compiling solvers": ("warm_up",),
    "tuning": ("tune",),
    "training": ("train",),
    "sketches": ("sketches",),
    "collecting results": ("describe", "collect", "details"),
    "tables and figures": ("render",),
    "pages": ("report",),
}
_STAGE_OF = {rule: stage for stage, rules in STAGES.items() for rule in rules}
# After Ctrl-C, one line replaces the errors of all jobs.
_INTERRUPTED = ("Terminating processes on user request", "Signals.SIGINT", "exit status 130")


class LogHandler(LogHandlerBase):
    """Print a line per stage. While a stage runs, update the line on a terminal; elsewhere, print it once a minute."""

    writes_to_stream, writes_to_file, has_filter, has_formatter, needs_rulegraph = True, False, True, True, False

    def __post_init__(self):
        own = self.common_settings
        self.setFormatter(DefaultFormatter(own.quiet, own.show_failed_logs))
        self.addFilter(DefaultFilter(own.quiet, own.debug_dag, own.verbose, own.dryrun, own.printshellcmds))
        self.stream = sys.stdout if own.stdout else sys.stderr
        self.jobs_by_rule, self.rules, self.begun, self.done, self.shown = dict, {}, {}, Counter(), time.monotonic()
        self.is_interrupted, self.pages = False, ""

    def emit(self, record):
        event, text = getattr(record, "event", None), str(record.msg)
        with contextlib.suppress(BrokenPipeError):
            if event == "stages":  # the Snakefile sends a function, not the jobs, since a checkpoint adds jobs later
                self.jobs_by_rule = record.jobs_by_rule
            elif event == "pages":
                self.pages = record.path
            elif self.is_interrupted or any(sign in text for sign in _INTERRUPTED):
                self._print("" if self.is_interrupted else "interrupted: the same command continues the run")
                self.is_interrupted = True
            elif self.common_settings.dryrun or record.levelname in ("WARNING", "ERROR", "CRITICAL"):
                from fwsvm.pipeline.config import in_one_line

                shown = in_one_line(text, sys.argv) or self.format(record) or ""
                self._print(shown.replace("the --unlock argument", "`.venv/bin/snakemake --unlock`"))
            elif event == LogEvent.JOB_INFO and record.rule_name in _STAGE_OF:
                self.rules[record.jobid] = stage = _STAGE_OF[record.rule_name]
                self.begun.setdefault(stage, time.monotonic())
            elif event == LogEvent.JOB_FINISHED and record.job_id in self.rules:
                self._finished(self.rules.pop(record.job_id))
            elif event is None and "Nothing to be done" in text:
                self._print("Nothing to be done: everything is up to date.")
                self._print(f"browse  {Path(self.pages).resolve().as_uri()}" if Path(self.pages).is_file() else "")

    def _finished(self, stage):
        now, self.done[stage] = time.monotonic(), self.done[stage] + 1
        with contextlib.suppress(RuntimeError):  # raised if Snakemake is changing the jobs in its own thread
            planned = sum(n for rule, n in self.jobs_by_rule().items() if _STAGE_OF.get(rule) == stage)
            total = max(planned, self.done[stage])
            line = f"{stage:<20} {self.done[stage]:>3} of {total}"
            if self.done[stage] == total:
                self._print(f"{line}, {now - self.begun[stage]:.0f} s")
            elif self.stream.isatty() or now - self.shown > 60.0:  # without a terminal, once a minute
                self.shown = now
                self._print(line, end="" if self.stream.isatty() else "\n")

    def _print(self, text, end="\n"):
        if text:  # on a terminal, the text overwrites the current line
            print("\r\033[K" * self.stream.isatty() + text, end=end, file=self.stream, flush=True)
