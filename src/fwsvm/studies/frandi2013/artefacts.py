"""Tables and figures of frandi2013 (FW and MFW against CVM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.reporting import text
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.tables import Table
from fwsvm.studies.benchmark.c_path_chart import c_path_chart
from fwsvm.studies.benchmark.conclusions import conclusions_table, design_table
from fwsvm.studies.benchmark.groups import ADULT, LARGE, MEDIUM, PROTEIN, WEB
from fwsvm.studies.benchmark.numbers import FRANDI2013
from fwsvm.studies.benchmark.panels import datasets_chart
from fwsvm.studies.benchmark.poly_table import poly_table
from fwsvm.studies.benchmark.quantities import DIFFERENCE, RATIO, SPEEDUP
from fwsvm.studies.benchmark.significance_table import matrix_table
from fwsvm.studies.benchmark.sketch_figures import balls_chart, steps_chart
from fwsvm.studies.benchmark.tables import benchmark_table, features_table

Missing = Mapping[str, str] | None
Descriptions = Sequence[Mapping]


def table1(descriptions: Descriptions, missing: Missing = None) -> Table:
    """Features of the data sets, ours beside the printed (frandi2013 table 1)."""
    return features_table(descriptions, missing)


def table2(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Table:
    """Test accuracies beside the printed and the majority class (frandi2013 table 2)."""
    return benchmark_table(runs, "test_accuracy", text.accuracy, missing, tolerance=1, descriptions=descriptions)


def table3(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Training times beside the printed (frandi2013 table 3)."""
    return benchmark_table(runs, "train_cpu_s", text.seconds, missing, ratio=True)


def table4(missing: Missing = None) -> Table:
    """Null and alternative hypotheses of the binary tests (frandi2013 table 4); they need no runs."""
    return design_table("frandi2013")


def table5(tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Statistics W and F beside the printed (frandi2013 table 5)."""
    return matrix_table(tests, runs, "frandi2013", "statistic", missing)


def table6(tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None) -> Table:
    """p-values beside the printed (frandi2013 table 6)."""
    return matrix_table(tests, runs, "frandi2013", "p_value", missing)


def table7(tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Conclusions of the binary tests in words (frandi2013 table 7)."""
    return conclusions_table(tests, runs, "frandi2013", missing)


def table8(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Table:
    """Accuracies and times with the polynomial kernel beside the printed (frandi2013 table 8)."""
    return poly_table(runs, descriptions, ("fw", "mfw"), missing)


def fig1(sketches: Mapping, missing: Missing = None) -> Chart:
    """Approximating balls of BC and FW, from real runs in the plane (frandi2013 fig. 1)."""
    return balls_chart(sketches["balls"])


def fig2(sketches: Mapping, missing: Missing = None) -> Chart:
    """Search directions of FW and MFW, from real runs on three points (frandi2013 fig. 2)."""
    return steps_chart(sketches["steps"])


def fig3(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """The Web series (frandi2013 fig. 3; its times are in table 3)."""
    rows = [(WEB, quantity) for quantity in ("accuracy", SPEEDUP, RATIO)]
    return datasets_chart(runs, descriptions, rows, FRANDI2013, missing)


def fig4(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """The Adult series (frandi2013 fig. 4; its times are in table 3)."""
    rows = [(ADULT, quantity) for quantity in (DIFFERENCE, SPEEDUP, RATIO)]
    return datasets_chart(runs, descriptions, rows, FRANDI2013, missing)


def fig5(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """The smaller single data sets (frandi2013 fig. 5).

    The paper does not say which of its eleven single sets stand in figure 5 and which in figure 6; here those whose
    largest binary subproblem is below 15,000 points are in figure 5.
    """
    rows = [(group, quantity) for group in (MEDIUM, PROTEIN) for quantity in (DIFFERENCE, SPEEDUP)]
    return datasets_chart(runs, descriptions, rows, FRANDI2013, missing)


def fig6(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """The larger single data sets (frandi2013 fig. 6)."""
    rows = [(LARGE, DIFFERENCE), (LARGE, SPEEDUP)]
    return datasets_chart(runs, descriptions, rows, FRANDI2013, missing)


def fig7(runs: pd.DataFrame, descriptions: Descriptions = (), missing: Missing = None) -> Chart:
    """Accuracy and time against C on shuttle and kdd99-10pc (frandi2013 fig. 7)."""
    return c_path_chart(runs, descriptions, missing, datasets=("shuttle", "kdd99-10pc"))


def fig8(runs: pd.DataFrame, descriptions: Descriptions = (), missing: Missing = None) -> Chart:
    """Accuracy and time against C on pendigits and reuters (frandi2013 fig. 8)."""
    return c_path_chart(runs, descriptions, missing, datasets=("pendigits", "reuters"))
