"""The registry of studies. To add a study, make its folder and add its name to `NAMES`.

The package of a study declares these, and imports nothing that trains or draws:

* ``EXPERIMENTS``: name in the configuration's list `experiments` -> `fwsvm.runs.jobs.Experiment`;
* ``ARTEFACTS``: id -> `fwsvm.reporting.artefact.Artefact`;
* ``PRINTED``: a file of the folder `printed`, without .csv -> the paper and table it was copied from;
* ``SKETCHES``: a module whose `compute()` returns the numbers of the sketches.

All are optional. The claims of a study (`fwsvm.claims.judging.claim`) are in its module ``claims``.
"""

import importlib

NAMES = (
    "benchmark", "tsang2005", "frandi2013", "nanculef2014", "singh", "alaiz2018", "kernel_width", "summary", "stopping",
    "peers", "majority", "rankings", "ladder", "convergence", "cost", "tuning_splits",
)  # fmt: skip

STUDIES = {name: importlib.import_module(f"fwsvm.studies.{name}") for name in NAMES}
"""Maps the name of a study to its package."""

EXPERIMENTS = {
    name: experiment for study in STUDIES.values() for name, experiment in getattr(study, "EXPERIMENTS", {}).items()
}
"""Maps the name in the configuration to the experiment."""

WITH_DETAILS = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.has_details)
"""Experiments that write details besides their rows."""
