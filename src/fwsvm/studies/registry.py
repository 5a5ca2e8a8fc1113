"""The registry of studies. To add a study, make its folder and add its name to `NAMES`.

A study's package may declare these names. It must not import anything that trains or draws.

* ``EXPERIMENTS`` maps a name in the configuration's list `experiments` to a `fwsvm.runs.jobs.Experiment`.
* ``ARTEFACTS`` maps the id of a table or figure to a `fwsvm.reporting.artefact.Artefact`.
* ``PRINTED`` maps a file of the folder `printed`, without .csv, to the paper and table from which it was copied.
* ``SKETCHES`` names a module whose `compute()` returns the numbers of the sketches.

The claims of a study (`fwsvm.claims.judging.claim`) are in its module ``claims``.
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
"""Maps an experiment's name in the configuration to the experiment."""

WITH_DETAILS = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.has_details)
"""The experiments that save details besides their rows of the runs table."""

SOURCES = {
    f"{name}_{table}": source
    for name, study in STUDIES.items()
    for table, source in getattr(study, "PRINTED", {}).items()
}
"""Maps ``<study>_<file>`` (a csv file in the folder `printed`) to the paper and table from which it was copied."""


def load_printed(name, as_printed=False):
    """Read a paper's numbers, for example "frandi2013_accuracy". With `as_printed`, every value stays text."""
    import pandas as pd  # Imported here because the workflow imports this module without pandas.

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
