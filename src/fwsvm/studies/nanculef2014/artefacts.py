"""Tables and figures of nanculef2014 (SWAP and SWAP-2o against FW, MFW and CVM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.tables import Table
from fwsvm.studies.benchmark.conclusions import hypotheses_table
from fwsvm.studies.benchmark.groups import ADULT, LARGE, MEDIUM, PROTEIN, SHUTTLE_AND_REUTERS, WEB
from fwsvm.studies.benchmark.numbers import NANCULEF2014, POLY
from fwsvm.studies.benchmark.panels import datasets_chart
from fwsvm.studies.benchmark.quantities import DIFFERENCE, RATIO, SPEEDUP
from fwsvm.studies.benchmark.sketch_figures import directions_chart
from fwsvm.studies.benchmark.tables import features_table

Missing = Mapping[str, str] | None
Descriptions = Sequence[Mapping]

_POLY_METHODS = ("fw", "mfw", "swap", "swap2o")


def table1(descriptions: Descriptions, missing: Missing = None) -> Table:
    """Features of the data sets, ours beside the printed; frandi2013's sets and sizes (nanculef2014 table 1)."""
    return features_table(descriptions, missing)


def table2(tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Binary tests and Friedman's test with p-values and conclusions (nanculef2014 table 2)."""
    return hypotheses_table(tests, runs, "nanculef2014", missing)


def fig1(sketches: Mapping, missing: Missing = None) -> Chart:
    """Search directions of FW, MFW and SWAP, from real runs on three points (nanculef2014 fig. 1)."""
    return directions_chart(sketches["steps"])


def fig2(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Accuracies on Web and Adult (nanculef2014 fig. 2)."""
    rows = [(WEB, DIFFERENCE), (ADULT, DIFFERENCE)]
    return datasets_chart(runs, descriptions, rows, NANCULEF2014, missing, side_by_side=True)


def fig3(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Speed-ups on Web and Adult (nanculef2014 fig. 3; CVM's times stand above)."""
    rows = [(WEB, SPEEDUP), (ADULT, SPEEDUP)]
    return datasets_chart(runs, descriptions, rows, NANCULEF2014, missing, side_by_side=True)


def fig4(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Model sizes on Web and Adult next to CVM's (nanculef2014 fig. 4)."""
    rows = [(WEB, RATIO), (ADULT, RATIO)]
    return datasets_chart(runs, descriptions, rows, NANCULEF2014, missing, side_by_side=True)


def fig5(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Accuracies on the medium and large data sets (nanculef2014 fig. 5)."""
    rows = [(MEDIUM, DIFFERENCE), (LARGE, DIFFERENCE)]
    return datasets_chart(runs, descriptions, rows, NANCULEF2014, missing, side_by_side=True)


def fig6(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Accuracy and model size on protein (nanculef2014 fig. 6)."""
    rows = [(PROTEIN, "accuracy"), (PROTEIN, "size")]
    return datasets_chart(runs, descriptions, rows, NANCULEF2014, missing, printed_alone=True, side_by_side=True)


def fig7(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Model sizes on the medium and large data sets next to CVM's (nanculef2014 fig. 7)."""
    rows = [(MEDIUM, RATIO), (LARGE, RATIO)]
    return datasets_chart(runs, descriptions, rows, NANCULEF2014, missing, side_by_side=True)


def fig8(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Training time on protein (nanculef2014 fig. 8)."""
    rows = [(PROTEIN, "time"), (PROTEIN, SPEEDUP)]
    return datasets_chart(runs, descriptions, rows, NANCULEF2014, missing, printed_alone=True, side_by_side=True)


def fig9(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Speed-ups on the medium and large data sets (nanculef2014 fig. 9; CVM's times stand above)."""
    rows = [(MEDIUM, SPEEDUP), (LARGE, SPEEDUP)]
    return datasets_chart(runs, descriptions, rows, NANCULEF2014, missing, side_by_side=True)


def fig10(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Accuracies and times on Web with the polynomial kernel (nanculef2014 fig. 10)."""
    rows = [(WEB, "accuracy"), (WEB, "time")]
    return datasets_chart(runs, descriptions, rows, _POLY_METHODS, missing, POLY, side_by_side=True)


def fig11(runs: pd.DataFrame, descriptions: Descriptions, missing: Missing = None) -> Chart:
    """Model sizes on Web, and all on shuttle and reuters, with the polynomial kernel (nanculef2014 fig. 11)."""
    rows = [(WEB, "size"), *((SHUTTLE_AND_REUTERS, quantity) for quantity in ("accuracy", "time", "size"))]
    return datasets_chart(runs, descriptions, rows, _POLY_METHODS, missing, POLY, side_by_side=True)
