"""The tables and figures of Nanculef et al. 2014, who compare SWAP and SWAP-2o with FW, MFW and
CVM.
"""

from fwsvm_papers.reporting.artefact import Artefact, figure, table
from fwsvm_papers.studies.benchmark.groups import (
    ADULT,
    LARGE,
    MEDIUM,
    NANCULEF2014,
    PROTEIN,
    SHUTTLE_AND_REUTERS,
    WEB,
)


def _panels(*rows: tuple, **options: object) -> Artefact:
    options = {"rows": rows, "methods": NANCULEF2014, "across": 2, **options}
    module = "fwsvm_papers.studies.benchmark.panels"
    return figure(module, "datasets_chart", "runs descriptions", one_protocol=True, **options)


def _poly(*rows: tuple, **options: object) -> Artefact:
    methods = ("fw", "mfw", "swap", "swap2o")
    return _panels(*rows, methods=methods, experiment="poly", **options)


_TESTS = "fwsvm_papers.studies.benchmark.significance_tables"

ARTEFACTS = {
    "nanculef2014-table1": table(
        "fwsvm_papers.studies.benchmark.tables", "features_table", "descriptions"
    ),
    "nanculef2014-table2": table(_TESTS, "hypotheses_table", "tests runs", paper="nanculef2014"),
    "nanculef2014-fig1": figure(
        "fwsvm_papers.studies.benchmark.sketch_figures", "directions_chart", "sketches"
    ),
    "nanculef2014-fig2": _panels((WEB, "difference"), (ADULT, "difference")),
    "nanculef2014-fig3": _panels((WEB, "speedup"), (ADULT, "speedup")),
    "nanculef2014-fig4": _panels((WEB, "ratio"), (ADULT, "ratio")),
    "nanculef2014-fig5": _panels((MEDIUM, "difference"), (LARGE, "difference")),
    "nanculef2014-fig6": _panels((PROTEIN, "accuracy"), (PROTEIN, "size")),
    "nanculef2014-fig7": _panels((MEDIUM, "ratio"), (LARGE, "ratio")),
    "nanculef2014-fig8": _panels((PROTEIN, "time"), (PROTEIN, "speedup")),
    "nanculef2014-fig9": _panels((MEDIUM, "speedup"), (LARGE, "speedup")),
    "nanculef2014-fig10": _poly((WEB, "accuracy"), (WEB, "time")),
    "nanculef2014-fig11": _poly((WEB, "size")),
    "nanculef2014-fig11b": _poly(
        *((SHUTTLE_AND_REUTERS, quantity) for quantity in ("accuracy", "time", "size")), across=3
    ),
}

_PAPER = (
    "Nanculef et al. 2014, A Novel Frank-Wolfe Algorithm: Analysis and Applications to Large-Scale"
    " SVM Training"
)
PRINTED = {"tests": f"{_PAPER}, table 2", "text": f"{_PAPER}, sec. 6 (sentences, no tables)"}
