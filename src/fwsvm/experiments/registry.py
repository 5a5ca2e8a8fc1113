"""The registry of experiments: a new one is one module and its entry here.

A module has two functions of the configuration: `jobs(config, datasets)`, the training jobs on those data sets, and
`settings(config, job)`, what one job needs. The jobs on one data set run in one process (`fwsvm.experiments.cells`).
There are three kinds:

* Benchmarks train estimators on prepared data as they are. `PARAMETERS` names the tuned parameters that they train with
  (a folder of the results, see `fwsvm.experiments.tuning_plan`); their settings have `variants` and `time_limit`.
* Peers train other estimators at the benchmark's parameters: as benchmarks, but their settings have `runs` instead of
  `variants`, and `run(prepared, parameters, job, settings)` gives rows of the runs table.
* Studies (`STUDIES`) have a protocol of their own. `PARAMETERS` is None; their settings have `runs` and `time_limit`
  (CPU seconds of a run); `TIMED` says whether their times are reported, so that they may not share the machine; and
  `run(prepared, job, settings)` gives rows of the runs table and a JSON-ready dict of whatever else is shown, which
  rendering finds in the input of the study's name (`fwsvm.analysis.details.read_details`).
"""

from fwsvm.experiments import alaiz2018, benchmark, c_path, gamma, peers, poly, singh, stopping, training, tsang2005

STUDIES = {
    "tsang2005": tsang2005,
    "singh": singh,
    "alaiz2018": alaiz2018,
    "gamma": gamma,
}
"""Name (of `fwsvm.analysis.details.STUDIES`) -> module."""

EXPERIMENTS = {
    "benchmark": benchmark,
    "c_path": c_path,
    "poly": poly,
    "stopping": stopping,
    "peers": peers,
    **STUDIES,
}
"""Name in the configuration's list `experiments` -> module."""


def run(prepared, parameters, job, settings):
    """Run a job of any experiment.

    Parameters
    ----------
    prepared : Prepared
    parameters : dict or None
        Result of `tune` in the experiment's folder `PARAMETERS`; None where that is None.
    job : Job
    settings : dict
        `Study.job_settings(job)`.

    Returns
    -------
    rows : list of dict
        Of the runs table.
    details : dict or None
        What else a study shows; None for the others.
    """
    module = EXPERIMENTS[job.experiment]
    if job.experiment in STUDIES:
        return module.run(prepared, job, settings)
    train = getattr(module, "run", training.run_job)
    return train(prepared, parameters, job, settings), None
