"""What a study declares of an experiment; importing this imports nothing that trains."""

import importlib
from dataclasses import dataclass
from functools import cached_property

from fwsvm.base.code_hash import code_hash


@dataclass(frozen=True)
class Experiment:
    """A kind of training jobs.

    Attributes
    ----------
    plan : str
        Module with `jobs(config, datasets)`, the training jobs (`fwsvm.runs.jobs.Job`) on those data sets, and
        `settings(config, job)`, what one of them needs: with `runs` or `variants`, and `time_limit` (CPU seconds of a
        run).
    runner : str
        Module with ``run``. With tuned parameters it is `run(prepared, tuned, job, settings)`, otherwise
        `run(prepared, job, settings)`; it returns rows of the runs table, or (rows, details) where `has_details`.
    tuned : {"params", "params-poly"} or None
        Folder of the tuned parameters that it trains with (`fwsvm.studies.benchmark.tuning_plan`).
    has_details : bool
        Whether it leaves, besides its rows, a JSON-ready dict per job, which artefacts take by the
        experiment's name.
    timed : bool
        Whether its times are reported, so that it may not share the machine.
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
        """Run a job.

        Parameters
        ----------
        prepared : Prepared
        tuned : dict or None
            Result of `tune` in the folder `self.tuned`; None where that is None.
        job : Job
        settings : dict
            Of `settings(config, job)`.

        Returns
        -------
        rows : list of dict
            Of the runs table.
        details : dict or None
            None unless `has_details`.
        """
        train = importlib.import_module(self.runner).run
        found = train(prepared, job, settings) if self.tuned is None else train(prepared, tuned, job, settings)
        return found if self.has_details else (found, None)
