"""Nanculef et al. 2014: tables, figures and claims."""

from fwsvm.reporting.artefact import figure, table

_DRAWN = "fwsvm.studies.nanculef2014.artefacts"

ARTEFACTS = {
    "nanculef2014-table1": table(
        _DRAWN, "table1", "descriptions", "Features of the data sets, ours beside the printed."
    ),
    "nanculef2014-table2": table(
        _DRAWN,
        "table2",
        "tests runs",
        "Significance tests of SWAP and SWAP-2o against FW, MFW and CVM, beside the printed.",
    ),
    "nanculef2014-fig1": figure(_DRAWN, "fig1", "sketches", "Sketch: search directions of FW, MFW and SWAP."),
    "nanculef2014-fig2": figure(_DRAWN, "fig2", "runs descriptions", "Web and Adult: accuracy.", one_protocol=True),
    "nanculef2014-fig3": figure(
        _DRAWN, "fig3", "runs descriptions", "Web and Adult: speed-up over CVM.", one_protocol=True
    ),
    "nanculef2014-fig4": figure(
        _DRAWN, "fig4", "runs descriptions", "Web and Adult: model size next to CVM's.", one_protocol=True
    ),
    "nanculef2014-fig5": figure(
        _DRAWN, "fig5", "runs descriptions", "Medium and large data sets: accuracy.", one_protocol=True
    ),
    "nanculef2014-fig6": figure(_DRAWN, "fig6", "runs descriptions", "protein: accuracy (and model size where run)."),
    "nanculef2014-fig7": figure(
        _DRAWN, "fig7", "runs descriptions", "Medium and large data sets: model size next to CVM's.", one_protocol=True
    ),
    "nanculef2014-fig8": figure(_DRAWN, "fig8", "runs descriptions", "protein: training time and speed-up over CVM."),
    "nanculef2014-fig9": figure(
        _DRAWN,
        "fig9",
        "runs descriptions",
        "Medium and large data sets: speed-up over CVM.",
        one_protocol=True,
    ),
    "nanculef2014-fig10": figure(
        _DRAWN, "fig10", "runs descriptions", "Polynomial kernel on Web: accuracy and training time.", one_protocol=True
    ),
    "nanculef2014-fig11": figure(
        _DRAWN,
        "fig11",
        "runs descriptions",
        "Polynomial kernel: model size on Web; accuracy, time and size on shuttle and reuters.",
        one_protocol=True,
    ),
}

_PAPER = "Nanculef et al. 2014, A Novel Frank-Wolfe Algorithm: Analysis and Applications to Large-Scale SVM Training"
PRINTED = {"tests": f"{_PAPER}, table 2", "text": f"{_PAPER}, sec. 6 (sentences, no tables)"}
