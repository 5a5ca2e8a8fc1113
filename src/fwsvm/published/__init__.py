"""The printed numbers of the papers, copied cell by cell; nothing here is computed.

Means and standard deviations are over the papers' repetitions; accuracies in percent, times in seconds.
"""

from importlib import resources

import pandas as pd

_FRANDI2013 = "Frandi et al. 2013, Training Support Vector Machines Using Frank-Wolfe Optimization Methods"
_NANCULEF2014 = "Nanculef et al. 2014, A Novel Frank-Wolfe Algorithm: Analysis and Applications to Large-Scale SVM"
_SINGH = "Singh, Modified Frank-Wolfe Algorithm for Solving L2-SVM via the MEB Problem"
SOURCES = {
    "frandi2013_datasets": f"{_FRANDI2013}, table 1",
    "frandi2013_accuracy": f"{_FRANDI2013}, table 2",
    "frandi2013_time": f"{_FRANDI2013}, table 3",
    "frandi2013_tests": f"{_FRANDI2013}, tables 4 to 6",
    "frandi2013_poly": f"{_FRANDI2013}, table 8",
    "nanculef2014_tests": f"{_NANCULEF2014} Training, table 2",
    "text_numbers": "Tsang et al. 2005, sec. 5.1, and Nanculef et al. 2014, sec. 6 (sentences, no tables)",
    "authors_code": "the authors' program, efrandi/FW-SVMs, commit 5af83db of 2015, as measured (no table)",
    "singh_cost": f"{_SINGH}, sec. 4.1 and 4.2 (no table)",
}
"""Name of each file (without .csv) -> the paper and table it was copied from."""


def load(name, as_printed=False):
    """Read one table of printed numbers.

    Parameters
    ----------
    name : str
        A key of `SOURCES`, e.g. "frandi2013_accuracy".
    as_printed : bool
        True leaves every cell the string that was printed ("1.20e-04"); False parses the numbers.

    Returns
    -------
    pandas.DataFrame
        One row per line of the printed table.

    Raises
    ------
    ValueError
        If there is no such table; the message lists those there are.
    """
    if name not in SOURCES:
        raise ValueError(f"no published table {name!r}; known are {', '.join(SOURCES)}")
    with resources.files(__name__).joinpath(f"{name}.csv").open(encoding="utf-8") as file:
        if as_printed:
            return pd.read_csv(file, dtype=str, keep_default_na=False)
        return pd.read_csv(file)


def load_means(name):
    """Means of a table with `<method>_mean` columns ("frandi2013_accuracy", "frandi2013_time").

    Returns
    -------
    pandas.DataFrame
        Indexed by data set, one column per method, named like the methods of `fwsvm.solve`.

    Raises
    ------
    ValueError
        If there is no such table or it has no such columns.
    """
    table = load(name)
    means = table.filter(regex="^(cvm|fw|mfw|swap|swap2o)_mean$").rename(columns=lambda c: c.removesuffix("_mean"))
    if means.empty:
        raise ValueError(f"published table {name!r} has no <method>_mean columns")
    return means.set_index(table["dataset"])
