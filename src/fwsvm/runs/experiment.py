"""What a study declares of an experiment; importing this imports nothing that trains."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from fwsvm.base.code_hash import code_hash


@dataclass(frozen=True)
class Experiment:
    """A kind of training jobs."""

    jobs: Callable
    """`jobs(config, datasets)`: its training jobs (`fwsvm.runs.jobs.Job`) on these data sets."""
    settings: Callable
    """`settings(config, job)`: what a job needs, with `time_limit` (CPU seconds) and `runs` or `variants`."""
    runner: str
    """Module with `run(prepared, job, settings)`, or `run(prepared, tuned, job, settings)` with tuned parameters.

    It returns rows of the runs table, or (rows, details). It is imported only where it runs, since it imports numba.
    """
    tuned: str | None = None
    """Folder of the tuned parameters: "params", "params-poly", or None."""
    has_details: bool = False
    """Whether each job also leaves a JSON-ready dict, which tables and figures take by the experiment's name."""
    timed: bool = True
    """Whether its times are reported, so that it may not share the machine."""

    @cached_property
    def code(self):
        """Hash of the code that decides its rows."""
        return code_hash(self.runner.removeprefix("fwsvm."))

    def run(self, prepared, tuned, job, settings):
        """Run a job; returns (rows, details or None)."""
        train = importlib.import_module(self.runner).run
        found = train(prepared, job, settings) if self.tuned is None else train(prepared, tuned, job, settings)
        return found if self.has_details else (found, None)
