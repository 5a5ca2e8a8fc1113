"""The papers' significance tests on a table of runs, under each protocol, and their agreement with the printed ones."""

import pandas as pd

from fwsvm.runs.table import of_method, protocols_of, stand_ins, summarise, wide
from fwsvm.studies.benchmark import hypotheses

METHODS = ("cvm", "fw", "mfw", "swap", "swap2o")
WITHOUT = {"n_datasets": "n_without", "p_value": "p_without", "conclusion": "conclusion_without"}
"""Columns of the tests -> of the same tests without the data sets that are stand-ins."""


def test_protocols(runs, experiment="benchmark"):
    """Evaluate all hypotheses under every protocol in the runs, on the mean times and accuracies of each data set.

    The columns are ``protocol``, those of `hypotheses.evaluate`, and those of `WITHOUT`, empty where no data set is a
    stand-in.
    """
    runs = runs[runs["experiment"] == experiment]
    summary, tables, replaced = summarise(runs), [], stand_ins(runs)
    for protocol in protocols_of(runs):
        measures = [wide(summary, name, protocol, METHODS) for name in ("train_cpu_s", "test_accuracy")]
        measures.append(_ended(summary, protocol))
        table = hypotheses.evaluate(*measures)
        if replaced:
            others = hypotheses.evaluate(*(measure.drop(index=replaced, errors="ignore") for measure in measures))
            table = table.assign(**{name: others[column] for column, name in WITHOUT.items()})
        else:
            table = table.assign(**dict.fromkeys(WITHOUT.values()))
        table.insert(0, "protocol", protocol)
        tables.append(table)
    if not tables:
        return pd.DataFrame(columns=["protocol", *hypotheses.COLUMNS, *WITHOUT.values()])
    return pd.concat(tables, ignore_index=True)


def _ended(summary, protocol):
    """Data sets by methods: whether one of the runs behind a mean time ended at a limit."""
    columns = {method: of_method(summary, protocol, method)["at_limit"] > 0 for method in METHODS}
    return pd.DataFrame(columns).fillna(False).astype(bool)


# The name says what it does; it is no test of pytest's.
test_protocols.__test__ = False


def agreement(tests):
    """Compare our conclusions at 5 % with the papers': "agrees", "differs" or "cannot tell" for each test.

    The last is for tests that did not run, or that no result on this number of data sets could make significant.
    """
    cannot = tests["p_value"].isna() | tests["conclusion_published"].isna()
    cannot |= (tests["p_smallest"] > hypotheses.CONCLUSION_LEVEL).fillna(False)
    rejected = tests["decision_5"].fillna(False).astype(bool)
    same = rejected == (tests["conclusion_published"] != hypotheses.NOT_REJECTED)
    return pd.Series("differs", tests.index).mask(same, "agrees").mask(cannot, "cannot tell")
