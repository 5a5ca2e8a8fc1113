"""Whether our runs say what the papers say: the order of the methods by time, and the conclusions of the tests."""

from dataclasses import dataclass

import pandas as pd

from fwsvm.runs.table import summarise, wide
from fwsvm.statistics.tests import mean_ranks
from fwsvm.studies import published
from fwsvm.studies.benchmark.hypotheses import CONCLUSION_LEVEL, NOT_REJECTED


@dataclass(frozen=True)
class TimeOrder:
    """Methods by mean rank of training time (1 = fastest), ours and printed, over the same data sets.

    Attributes
    ----------
    datasets : tuple of str
        Those with our time and a printed time of every method.
    ours, printed : dict
        Method -> mean rank, fastest first; methods that the papers print.
    """

    datasets: tuple[str, ...]
    ours: dict[str, float]
    printed: dict[str, float]


def time_order(runs, protocol, experiment="benchmark"):
    """Order CVM, FW and MFW, the methods with printed times, by mean rank of their mean training time.

    Parameters
    ----------
    runs : DataFrame
        A runs table.
    protocol : str
        The heading; CVM's runs are its own under every heading.
    experiment : str

    Returns
    -------
    TimeOrder or None
        None where no data set has our time of all three methods.
    """
    printed = published.load_means("frandi2013_time")
    summary = summarise(runs[(runs["experiment"] == experiment).fillna(False)])
    ours = wide(summary, "train_cpu_s", protocol, tuple(printed)).dropna()
    common = [name for name in printed.index if name in ours.index]
    if not common:
        return None
    return TimeOrder(tuple(common), _ranks(ours.loc[common]), _ranks(printed.loc[common]))


def _ranks(times):
    ranks = dict(zip(times.columns, mean_ranks(times, lower_is_better=True), strict=True))
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def agreement(tests):
    """Compare our conclusions at 5 % with the papers': "agrees", "differs" or "cannot tell" for each test.

    The last is for tests that did not run, or that no result on this number of data sets could make significant.
    """
    cannot = tests["p_value"].isna() | tests["conclusion_published"].isna()
    cannot |= (tests["p_smallest"] > CONCLUSION_LEVEL).fillna(False)
    rejected = tests["decision_5"].fillna(False).astype(bool)
    same = rejected == (tests["conclusion_published"] != NOT_REJECTED)
    return pd.Series("differs", tests.index).mask(same, "agrees").mask(cannot, "cannot tell")
