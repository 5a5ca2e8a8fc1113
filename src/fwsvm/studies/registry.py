"""The registry of studies. To add a study, make its folder and add its name to `NAMES`.

The package of a study declares these, and imports nothing that trains or draws:

* ``EXPERIMENTS``: name in the configuration's list `experiments` -> `fwsvm.runs.jobs.Experiment`;
* ``ARTEFACTS``: id -> `fwsvm.reporting.artefact.Artefact`;
* ``PRINTED``: a file of the folder `printed`, without .csv -> the paper and table it was copied from;
* ``SKETCHES``: a module whose `compute()` returns the numbers of the sketches.

All are optional. The claims of a study (`fwsvm.claims.judging.claim`) are in its module ``claims``.
"""

import importlib
from importlib import resources

NAMES = (
    "benchmark", "tsang2005", "frandi2013", "nanculef2014", "singh", "alaiz2018", "tuning", "summary", "stopping",
    "peers", "majority", "rankings", "ladder", "convergence", "cost",
)  # fmt: skip

STUDIES = {name: importlib.import_module(f"fwsvm.studies.{name}") for name in NAMES}
"""Maps the name of a study to its package."""

EXPERIMENTS = {
    name: experiment for study in STUDIES.values() for name, experiment in getattr(study, "EXPERIMENTS", {}).items()
}
"""Maps the name in the configuration to the experiment."""

WITH_DETAILS = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.has_details)
"""Experiments that write details besides their rows."""

SOURCES = {
    f"{name}_{table}": source
    for name, study in STUDIES.items()
    for table, source in getattr(study, "PRINTED", {}).items()
}
"""Maps ``<study>_<file>`` (a csv file in the folder `printed`) to the paper and table that it copies."""


def load_printed(name, as_printed=False):
    """Read a table of printed numbers, for example "frandi2013_accuracy". `as_printed`: leave every value as text."""
    import pandas as pd  # Late, since the workflow imports this module and needs no tables.

    if name not in SOURCES:
        raise ValueError(f"no published table {name!r}; known are {', '.join(SOURCES)}")
    study, table = name.split("_", 1)
    with resources.files(STUDIES[study]).joinpath(f"printed/{table}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype=str, keep_default_na=False) if as_printed else pd.read_csv(file)


def load_printed_means(name):
    """Return the means of a table with `<method>_mean` columns: a row per data set, a column per method."""
    table = load_printed(name)
    means = table.filter(regex="^(cvm|fw|mfw|swap|swap2o)_mean$").rename(columns=lambda c: c.removesuffix("_mean"))
    return means.set_index(table["dataset"])
