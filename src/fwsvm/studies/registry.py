"""The registry of studies: a new one is a folder and its name here.

The package of a study declares, without importing anything that trains or draws:

* ``EXPERIMENTS``: name in the configuration's list `experiments` -> `fwsvm.runs.jobs.Experiment`;
* ``ARTEFACTS``: id -> `fwsvm.reporting.artefact.Artefact`;
* ``PRINTED``: a file of the folder `printed`, without .csv -> the paper and table that it was copied from;
* ``SKETCHES``: a module with `compute()`, the numbers of small runs that sketches show.

Each may be left out. A module ``claims`` of the package has its claims (`fwsvm.claims.judging.claim`).
"""

import importlib

NAMES = (
    "benchmark", "tsang2005", "frandi2013", "nanculef2014", "singh", "alaiz2018", "kernel_width", "summary", "stopping",
    "peers", "majority", "rankings", "equal_gap", "cost", "tuning_splits",
)  # fmt: skip

STUDIES = {name: importlib.import_module(f"fwsvm.studies.{name}") for name in NAMES}
"""Name -> package."""

EXPERIMENTS = {
    name: experiment for study in STUDIES.values() for name, experiment in getattr(study, "EXPERIMENTS", {}).items()
}
"""Name in the configuration -> experiment."""

WITH_DETAILS = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.has_details)
"""Experiments that leave details besides their rows."""
