"""The papers' significance tests on a runs table, under each protocol's heading."""

import pandas as pd

from fwsvm.runs.table import protocols_of, summarise, wide
from fwsvm.studies.benchmark import hypotheses

METHODS = ("cvm", "fw", "mfw", "swap", "swap2o")


def test_protocols(runs, experiment="benchmark"):
    """Evaluate all hypotheses under every protocol present.

    Parameters
    ----------
    runs : DataFrame
        A runs table.
    experiment : str

    Returns
    -------
    DataFrame
        `hypotheses.evaluate` of the mean times and accuracies per data set, with a leading column `protocol`.
    """
    runs = runs[runs["experiment"] == experiment]
    summary, tables = summarise(runs), []
    for protocol in protocols_of(runs):
        measures = (wide(summary, name, protocol, METHODS) for name in ("train_cpu_s", "test_accuracy"))
        table = hypotheses.evaluate(*measures)
        table.insert(0, "protocol", protocol)
        tables.append(table)
    if not tables:
        return pd.DataFrame(columns=["protocol", *hypotheses.COLUMNS])
    return pd.concat(tables, ignore_index=True)


# The name says what it does; it is no test of pytest's.
test_protocols.__test__ = False
