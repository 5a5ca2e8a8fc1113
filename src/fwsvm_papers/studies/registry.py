"""The list of all studies. To add a study, create its folder and add its name to `NAMES`.

The package of a study must not import a module that trains models or draws figures. The package can
define the following names:

* ``EXPERIMENTS`` maps a name in the configuration's list `experiments` to a
  `fwsvm_papers.runs.jobs.Experiment`.
* ``ARTEFACTS`` maps the id of a table or figure to a `fwsvm_papers.reporting.artefact.Artefact`.
* ``PRINTED`` maps the name of a file `printed/<name>.csv` to its source, usually the paper and the
  table from which the file was copied.
* ``SKETCHES`` is the name of a module with a function `compute`, which returns the numbers for
  sketches.
"""

from __future__ import annotations

import importlib
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

NAMES = (
    "benchmark",
    "tsang2005",
    "frandi2013",
    "nanculef2014",
    "singh",
    "alaiz2018",
    "tuning",
    "summary",
    "stopping",
    "peers",
    "race",
    "majority",
    "rankings",
    "ladder",
    "convergence",
    "theory",
    "cost",
)

USES_FILES = "studies/*/printed/*.csv"  # these files are read by name, see `fwsvm_papers.code_hash`

STUDIES = {name: importlib.import_module(f"fwsvm_papers.studies.{name}") for name in NAMES}
"""Maps the name of a study to its package."""

EXPERIMENTS = {
    name: experiment
    for study in STUDIES.values()
    for name, experiment in getattr(study, "EXPERIMENTS", {}).items()
}
"""Maps the name of an experiment in the configuration to the experiment."""

WITH_DETAILS = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.has_details)
"""The experiments that save details in addition to their rows in the table of runs."""

SOURCES = {
    f"{name}_{table}": source
    for name, study in STUDIES.items()
    for table, source in getattr(study, "PRINTED", {}).items()
}
"""Maps ``<study>_<file>`` (a csv file in the folder `printed`) to the source of the file, usually
the paper and the table from which it was copied.
"""


def load_printed(name: str, as_printed: bool = False) -> pd.DataFrame:
    """Return a csv file of a folder `printed` as a table. `name` is a key of `SOURCES`, such as
    "frandi2013_accuracy".

    If `as_printed` is true, all values are the strings in the file. If `name` is unknown, a
    ValueError is raised.
    """
    import pandas as pd  # imported here, so that importing this module does not load pandas

    if name not in SOURCES:
        raise ValueError(f"no published table {name!r}; the known tables are {', '.join(SOURCES)}")
    study, table = name.split("_", 1)
    with (
        resources.files(STUDIES[study])
        .joinpath(f"printed/{table}.csv")
        .open(encoding="utf-8") as file
    ):
        return (
            pd.read_csv(file, dtype=str, keep_default_na=False) if as_printed else pd.read_csv(file)
        )


def load_printed_means(name: str) -> pd.DataFrame:
    """Return the columns `<method>_mean` of a table of a paper, without the ending ``_mean``.

    The result has a row per data set and a column per method.
    """
    table = load_printed(name)
    means = table.filter(regex="^(cvm|fw|mfw|swap|swap2o)_mean$").rename(
        columns=lambda c: c.removesuffix("_mean")
    )
    return means.set_index(table["dataset"])
