"""The tables and figures of Frandi et al. 2013, who compare FW and MFW with CVM."""

from fwsvm_papers.reporting.artefact import Artefact, figure, table
from fwsvm_papers.studies.benchmark.groups import ADULT, FRANDI2013, LARGE, MEDIUM, PROTEIN, WEB

_PANELS = "fwsvm_papers.studies.benchmark.panels"
_TABLES = "fwsvm_papers.studies.benchmark.tables"
_TESTS = "fwsvm_papers.studies.benchmark.significance_tables"
_SKETCHES = "fwsvm_papers.studies.benchmark.sketch_figures"


def _panels(*rows: tuple) -> Artefact:
    needs = "runs descriptions"
    return figure(
        _PANELS, "datasets_chart", needs, one_protocol=True, rows=rows, methods=FRANDI2013
    )


def _c_path(*datasets: str) -> Artefact:
    return figure(_PANELS, "c_path_chart", "runs descriptions", datasets=datasets)


ARTEFACTS = {
    "frandi2013-table1": table(_TABLES, "features_table", "descriptions"),
    "frandi2013-table2": table(
        _TABLES, "benchmark_table", "runs descriptions", measure="test_accuracy"
    ),
    "frandi2013-table3": table(_TABLES, "benchmark_table", "runs", measure="train_cpu_s"),
    "frandi2013-table4": table(_TESTS, "design_table", "", paper="frandi2013"),
    "frandi2013-table5": table(
        _TESTS, "matrix_table", "tests runs", paper="frandi2013", value="statistic"
    ),
    "frandi2013-table6": table(
        _TESTS, "matrix_table", "tests runs", paper="frandi2013", value="p_value"
    ),
    "frandi2013-table7": table(_TESTS, "conclusions_table", "tests runs", paper="frandi2013"),
    "frandi2013-table8": table(_TABLES, "poly_table", "runs descriptions", methods=("fw", "mfw")),
    "frandi2013-fig1": figure(_SKETCHES, "balls_chart", "sketches"),
    "frandi2013-fig2": figure(_SKETCHES, "steps_chart", "sketches"),
    "frandi2013-fig3": _panels((WEB, "accuracy"), (WEB, "speedup"), (WEB, "ratio")),
    "frandi2013-fig4": _panels((ADULT, "difference"), (ADULT, "speedup"), (ADULT, "ratio")),
    # The paper does not name the data sets in its figure 5. We draw the data sets outside Web and
    # Adult whose largest binary problem has fewer than 15,000 points.
    "frandi2013-fig5": _panels(
        (MEDIUM, "difference"), (MEDIUM, "speedup"), (PROTEIN, "difference"), (PROTEIN, "speedup")
    ),
    "frandi2013-fig6": _panels((LARGE, "difference"), (LARGE, "speedup")),
    "frandi2013-fig7": _c_path("shuttle", "kdd99-10pc"),
    "frandi2013-fig8": _c_path("pendigits", "reuters"),
}

_PAPER = (
    "Frandi et al. 2013, Training Support Vector Machines Using Frank-Wolfe Optimization Methods"
)
PRINTED = {
    "datasets": f"{_PAPER}, table 1",
    "accuracy": f"{_PAPER}, table 2",
    "time": f"{_PAPER}, table 3",
    "tests": f"{_PAPER}, tables 4 to 6",
    "poly": f"{_PAPER}, table 8",
}
