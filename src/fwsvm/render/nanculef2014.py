"""Tables and figures of nanculef2014 (SWAP and SWAP-2o against FW, MFW and CVM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.render.benchmark_tables import features_table
from fwsvm.render.significance import hypotheses_table
from fwsvm.render.tables import Table


def table1(descriptions: Sequence[Mapping], missing: Mapping[str, str] | None = None) -> Table:
    """Features of the data sets, ours beside the printed; frandi2013's sets and sizes (nanculef2014 table 1)."""
    return features_table("nanculef2014-table1", descriptions, "Features of the data sets.", missing)


def table2(tests: pd.DataFrame, runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Table:
    """Binary tests and Friedman's test with p-values and conclusions (nanculef2014 table 2)."""
    title = (
        "Hypotheses, p-values and conclusions of the significance tests over the data sets at hand; the "
        "printed p-values of SWAP-2o against SWAP are lost, their conclusions stand in the paper's text."
    )
    return hypotheses_table("nanculef2014-table2", tests, runs, "nanculef2014", title, missing)
