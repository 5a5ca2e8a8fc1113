"""Tables and figures of alaiz2018 (M-FW for sparser machines)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.tables import Table
from fwsvm.studies.alaiz2018.charts import iterations_chart, path_chart
from fwsvm.studies.alaiz2018.protocol import Details, Missing
from fwsvm.studies.alaiz2018.sketch_figures import regions_chart, weights_chart
from fwsvm.studies.alaiz2018.starts_table import starts_table
from fwsvm.studies.alaiz2018.tables import comparison_table, datasets_table, larger_table, summary_table


def fig1(sketches: Mapping, missing: Missing = None) -> Chart:
    """Feasible region of the weighted SVM for three patterns and several weights (alaiz2018 fig. 1)."""
    return regions_chart(sketches["regions"])


def fig2(sketches: Mapping, missing: Missing = None) -> Chart:
    """A pattern's weight against its multiplier (alaiz2018 fig. 2)."""
    return weights_chart(sketches["weight_paths"])


def fig3(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Chart:
    """Accuracy, support vectors and iterations against C on the larger sets (alaiz2018 fig. 3)."""
    return path_chart(runs, alaiz2018, missing)


def fig4(alaiz2018: Details, missing: Missing = None) -> Chart:
    """Accuracy and support vectors against iterations on the largest set (alaiz2018 fig. 4)."""
    return iterations_chart(alaiz2018, missing)


def table1(alaiz2018: Details, missing: Missing = None) -> Table:
    """Sizes, dimension and majority class of the data sets (alaiz2018 table 1)."""
    return datasets_table(alaiz2018, missing)


def table2(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Table:
    """SVM and M-FW on the larger data sets (alaiz2018 table 2)."""
    return larger_table(runs, alaiz2018, missing)


def table3(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Table:
    """SVM, M-FW and M-FW with a fixed C on the smaller data sets (alaiz2018 table 3)."""
    return comparison_table(runs, alaiz2018, missing)


def table4(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Table:
    """M-FW in per cent of the SVM (alaiz2018 table 4)."""
    return summary_table(runs, alaiz2018, missing)


def table5(runs: pd.DataFrame, alaiz2018: Details, missing: Missing = None) -> Table:
    """How M-FW depends on its initial point (alaiz2018 table 5)."""
    return starts_table(runs, alaiz2018, missing)
