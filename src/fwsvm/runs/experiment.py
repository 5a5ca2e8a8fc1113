"""What a study declares of an experiment; importing this imports nothing that trains."""

import importlib
from dataclasses import dataclass
from functools import cached_property

from fwsvm.base.code_hash import code_hash


@dataclass(frozen=True)
class Experiment:
    """A kind of training jobs.

    The module `plan` has `jobs(config, datasets)` and `settings(config, job)`, with the keys `runs` or `variants` and
    `time_limit` (CPU seconds of a run). The module `runner` has `run(prepared, tuned, job, settings)`, without `tuned`
    if the experiment does not use tuned parameters. It returns rows of the table of runs, and with `has_details` also a
    JSON-ready dict, which artefacts take by the experiment's name. `tuned` is the folder of parameters, "params" or
    "params-poly". `timed`: its times are reported, so that it must not share the machine.
    """

    plan: str
    runner: str
    tuned: str | None = None
    has_details: bool = False
    timed: bool = True

    @cached_property
    def jobs(self):
        """`jobs(config, datasets)` of the plan."""
        return importlib.import_module(self.plan).jobs

    @cached_property
    def settings(self):
        """`settings(config, job)` of the plan."""
        return importlib.import_module(self.plan).settings

    @cached_property
    def code(self):
        """Hash of the code that decides its rows."""
        return code_hash(self.runner.removeprefix("fwsvm."))

    def run(self, prepared, tuned, job, settings):
        """Run a job; returns its rows, and its details or None."""
        train = importlib.import_module(self.runner).run
        found = train(prepared, job, settings) if self.tuned is None else train(prepared, tuned, job, settings)
        return found if self.has_details else (found, None)
