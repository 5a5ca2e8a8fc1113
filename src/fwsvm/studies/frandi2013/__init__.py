"""Frandi et al. 2013: tables, figures and claims."""

from fwsvm.reporting.artefact import figure, table

_DRAWN = "fwsvm.studies.frandi2013.artefacts"

ARTEFACTS = {
    "frandi2013-table1": table(_DRAWN, "table1", "descriptions", "Features of the data sets, ours beside the printed."),
    "frandi2013-table2": table(
        _DRAWN,
        "table2",
        "runs descriptions",
        "Test accuracy of CVM, FW and MFW under each protocol, beside the printed and the majority class.",
    ),
    "frandi2013-table3": table(
        _DRAWN, "table3", "runs", "Training time of CVM, FW and MFW under each protocol, beside the printed."
    ),
    "frandi2013-table4": table(_DRAWN, "table4", "", "Null and alternative hypotheses of the binary tests."),
    "frandi2013-table5": table(_DRAWN, "table5", "tests runs", "Wilcoxon's W and Friedman's F, beside the printed."),
    "frandi2013-table6": table(
        _DRAWN, "table6", "tests runs", "p-values of the significance tests, beside the printed."
    ),
    "frandi2013-table7": table(
        _DRAWN, "table7", "tests runs", "Conclusions of the binary tests in words, beside the printed."
    ),
    "frandi2013-table8": table(
        _DRAWN,
        "table8",
        "runs descriptions",
        "Polynomial kernel: accuracy and time of FW and MFW, beside the printed.",
    ),
    "frandi2013-fig1": figure(_DRAWN, "fig1", "sketches", "Sketch: approximating balls of BC and FW."),
    "frandi2013-fig2": figure(_DRAWN, "fig2", "sketches", "Sketch: search directions of FW and MFW."),
    "frandi2013-fig3": figure(
        _DRAWN,
        "fig3",
        "runs descriptions",
        "Web series: accuracy, speed-up over CVM and model size next to CVM's.",
        one_protocol=True,
    ),
    "frandi2013-fig4": figure(
        _DRAWN,
        "fig4",
        "runs descriptions",
        "Adult series: accuracy, speed-up over CVM and model size next to CVM's.",
        one_protocol=True,
    ),
    "frandi2013-fig5": figure(
        _DRAWN,
        "fig5",
        "runs descriptions",
        "Smaller single data sets: accuracy and speed-up over CVM.",
        one_protocol=True,
    ),
    "frandi2013-fig6": figure(
        _DRAWN,
        "fig6",
        "runs descriptions",
        "Larger single data sets: accuracy and speed-up over CVM.",
        one_protocol=True,
    ),
    "frandi2013-fig7": figure(
        _DRAWN, "fig7", "runs descriptions", "Accuracy and time against C on shuttle and kdd99-10pc."
    ),
    "frandi2013-fig8": figure(
        _DRAWN, "fig8", "runs descriptions", "Accuracy and time against C on pendigits and reuters."
    ),
}

_PAPER = "Frandi et al. 2013, Training Support Vector Machines Using Frank-Wolfe Optimization Methods"
PRINTED = {
    "datasets": f"{_PAPER}, table 1",
    "accuracy": f"{_PAPER}, table 2",
    "time": f"{_PAPER}, table 3",
    "tests": f"{_PAPER}, tables 4 to 6",
    "poly": f"{_PAPER}, table 8",
}
