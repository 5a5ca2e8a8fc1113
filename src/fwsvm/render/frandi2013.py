"""Tables and figures of frandi2013 (FW and MFW against CVM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.render import benchmark, text
from fwsvm.render.benchmark_tables import benchmark_table, features_table
from fwsvm.render.figures_io import Chart
from fwsvm.render.series import series_chart
from fwsvm.render.significance import matrix_table
from fwsvm.render.tables import Table

Missing = Mapping[str, str] | None


def table1(descriptions: Sequence[Mapping], missing: Missing = None) -> Table:
    """Features of the data sets, ours beside the printed (frandi2013 table 1)."""
    return features_table("frandi2013-table1", descriptions, "Features of the data sets.", missing)


def table2(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Test accuracies beside the printed (frandi2013 table 2)."""
    return benchmark_table(
        "frandi2013-table2",
        runs,
        "test_accuracy",
        text.accuracy,
        "Test accuracy in per cent.",
        missing,
        tolerance=1,
    )


def table3(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Training times beside the printed (frandi2013 table 3)."""
    title = "Training time in CPU seconds, without loading, compilation and prediction."
    return benchmark_table("frandi2013-table3", runs, "train_cpu_s", text.seconds, title, missing, ratio=True)


def table5(tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Statistics W and F beside the printed (frandi2013 table 5)."""
    title = "Statistics of the significance tests over the data sets at hand."
    return matrix_table("frandi2013-table5", tests, runs, "frandi2013", "statistic", title, missing)


def table6(tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None) -> Table:
    """p-values beside the printed (frandi2013 table 6)."""
    title = "p-values of the significance tests over the data sets at hand."
    return matrix_table("frandi2013-table6", tests, runs, "frandi2013", "p_value", title, missing)


def fig3(runs: pd.DataFrame, descriptions: Sequence[Mapping], missing: Missing = None) -> Chart:
    """The Web series (frandi2013 fig. 3)."""
    title = "Accuracies, speed-ups, training times and sizes on the Web data sets w1a to w8a."
    return series_chart("frandi2013-fig3", runs, descriptions, benchmark.WEB, benchmark.FRANDI2013, title, missing)


def fig4(runs: pd.DataFrame, descriptions: Sequence[Mapping], missing: Missing = None) -> Chart:
    """The Adult series (frandi2013 fig. 4)."""
    title = "Accuracies, speed-ups, training times and sizes on the Adult data sets a1a to a7a."
    return series_chart("frandi2013-fig4", runs, descriptions, benchmark.ADULT, benchmark.FRANDI2013, title, missing)
