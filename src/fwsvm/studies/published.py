"""Read the papers' printed numbers, which are copied without changes into the folders `printed` of the studies."""

from importlib import resources

import pandas as pd

from fwsvm.studies.registry import STUDIES

SOURCES = {
    f"{name}_{table}": source
    for name, study in STUDIES.items()
    for table, source in getattr(study, "PRINTED", {}).items()
}
"""Maps ``<study>_<file>`` (a csv file in the folder `printed`) to the paper and table that it copies."""


def load(name, as_printed=False):
    """Read a table of printed numbers, for example "frandi2013_accuracy". `as_printed`: leave every value as text."""
    if name not in SOURCES:
        raise ValueError(f"no published table {name!r}; known are {', '.join(SOURCES)}")
    study, table = name.split("_", 1)
    with resources.files(STUDIES[study]).joinpath(f"printed/{table}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype=str, keep_default_na=False) if as_printed else pd.read_csv(file)


def load_means(name):
    """Return the means of a table with `<method>_mean` columns: a row per data set, a column per method."""
    table = load(name)
    means = table.filter(regex="^(cvm|fw|mfw|swap|swap2o)_mean$").rename(columns=lambda c: c.removesuffix("_mean"))
    return means.set_index(table["dataset"])
