"""The printed numbers of the papers, copied cell by cell into the folders `printed` of their studies."""

from importlib import resources

import pandas as pd

from fwsvm.studies.registry import STUDIES

SOURCES = {
    f"{name}_{table}": source
    for name, study in STUDIES.items()
    for table, source in getattr(study, "PRINTED", {}).items()
}
"""Study and file in its folder `printed` (without .csv) -> the paper and table that it was copied from."""


def load(name, as_printed=False):
    """One table of printed numbers, e.g. "frandi2013_accuracy"; `as_printed` leaves every cell a string."""
    if name not in SOURCES:
        raise ValueError(f"no published table {name!r}; known are {', '.join(SOURCES)}")
    study, table = name.split("_", 1)
    with resources.files(STUDIES[study]).joinpath(f"printed/{table}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, dtype=str, keep_default_na=False) if as_printed else pd.read_csv(file)


def load_means(name):
    """Means of a table with `<method>_mean` columns ("frandi2013_accuracy"), by data set and method."""
    table = load(name)
    means = table.filter(regex="^(cvm|fw|mfw|swap|swap2o)_mean$").rename(columns=lambda c: c.removesuffix("_mean"))
    return means.set_index(table["dataset"])
