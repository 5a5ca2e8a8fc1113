"""The sub-commands of `fwsvm` that need the package `fwsvm_papers`.

`fwsvm.cli` reads the sub-commands from `COMMANDS`.

Each sub-command has two functions. One function adds the options of the sub-command to a parser,
and the other function runs the sub-command.
"""

COMMANDS = {  # maps a name to (function that adds the options, help text)
    "train": (
        f"{__name__}.data.configure_train",
        "train a model on a catalogue data set or a LIBSVM file",
    ),
    "predict": (f"{__name__}.data.configure_predict", "predict with a trained model"),
    "datasets": (
        f"{__name__}.datasets.configure",
        "list, fetch and describe the data sets of the catalogue",
    ),
    "compare": (
        f"{__name__}.compare.configure",
        "compare the columns of a table of results by rank tests (Wilcoxon, Friedman)",
    ),
    "claims": (
        f"{__name__}.claims.configure",
        "judge the quantitative statements of the papers by our runs",
    ),
    "summary": (f"{__name__}.summary.configure", "print the results of a run in one table"),
    "budget": (
        f"{__name__}.budget.configure",
        "count the runs of a configuration and estimate their time",
    ),
    "report": (f"{__name__}.results.configure_report", "write the HTML report of a run"),
    "verify": (
        f"{__name__}.verify.configure",
        "compare the results of a run with the released results",
    ),
    "clean": (
        f"{__name__}.clean.configure",
        "remove the results of one profile, or the prepared data of one data set",
    ),
    "release": (
        f"{__name__}.results.configure_release",
        "copy the results of a full run to the folders of committed results",
    ),
    "render": (
        f"{__name__}.results.configure_render",
        "write all tables, figures and pages of the released runs again",
    ),
}
