"""The figure beyond-gamma, which shows the accuracy at each kernel width, and the table
beyond-splits, which shows how C depends on the validation part.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.axes import RING, limit_handle, name_rows
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import ACCENT, MUTED, figure_style
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import joined
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.table import summarise
from fwsvm_papers.studies.benchmark.groups import WIDTH_STUDY
from fwsvm_papers.studies.benchmark.numbers import drawable_runs, printed_numbers, rows_in_order
from fwsvm_papers.studies.benchmark.protocol import Missing, missing_sets
from fwsvm_papers.studies.tuning import SPLITS, WIDTHS

_FACTOR_LOOKS = {0.5: ("#8c8c8c", "o"), 1: ("#4a4a4a", "s"), 2: (ACCENT, "D")}
_OTHER = ("#6A51A3", "^")
# The kernel width whose accuracy is nearest to the printed accuracy counts as the nearest width.
# Another width also counts as nearest if its accuracy is at most `_TIE` percentage points farther
# from the printed accuracy.
_TIE = 0.01
# the data sets of the experiment `splits` in config/paper.yaml
_SPLIT_SETS = ("a1a", "a2a", "a3a", "a4a", "w1a", "w4a", "reuters", "letter", "ijcnn1")


def width_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the accuracies of the experiment ``gamma`` at each kernel width, next to
    the paper's accuracies.
    """
    columns = {"gamma_rule": "factor"} | {
        f"test_accuracy_{name}": name for name in ("mean", "std", "n")
    }
    frame = summarise(runs, by=("gamma_rule", "C")).rename(columns=columns)
    frame = frame[["dataset", "factor", "C", "mean", "std", "n", "at_limit"]].astype(
        {"dataset": str}
    )
    frame["factor"] = frame["factor"].str.split("/").str[0].astype(float)
    frame["printed"] = frame["dataset"].map(printed_numbers("test_accuracy")["cvm_mean"])
    frame["difference"] = frame["mean"] - frame["printed"]
    smallest = frame["difference"].abs().groupby(frame["dataset"]).transform("min")
    frame["nearest"] = frame["difference"].abs() <= smallest + _TIE
    return rows_in_order(frame, ["dataset", "factor"])


def gamma_chart(runs: pd.DataFrame, missing: Missing = None) -> Chart:
    """Draw `width_numbers` with a row per data set.

    Each kernel width has a mark, which shows our accuracy minus the accuracy in the paper.
    """
    runs = drawable_runs(runs, WIDTHS).dropna(subset=["gamma_rule"])
    frame = width_numbers(runs)
    drawn = frame.dropna(subset=["difference"])
    require(not drawn.empty, "needs a data set of the experiment gamma that has a printed accuracy")
    names, factors = list(drawn["dataset"].unique()), sorted(drawn["factor"].unique())
    with figure_style():
        fig = Figure(figsize=(5.2, 1.0 + 0.34 * len(names)), layout="constrained")
        axes = fig.subplots()
        axes.axvline(0, color=MUTED, linewidth=1.0, linestyle="--", zorder=1)
        for factor, rows in drawn.groupby("factor"):
            color, marker = _FACTOR_LOOKS.get(factor, _OTHER)
            y = rows["dataset"].map(names.index) + 0.26 * (
                factors.index(factor) - (len(factors) - 1) / 2
            )
            bars = rows["std"].where(rows["n"] > 1, 0.0)
            axes.errorbar(
                rows["difference"],
                y,
                xerr=bars,
                color=color,
                linestyle="none",
                elinewidth=0.8,
                zorder=4,
            )
            limited = rows["at_limit"] > 0
            for mask, face in ((~limited, color), (limited, "white")):
                look = {
                    "color": color,
                    "marker": marker,
                    "markerfacecolor": face,
                    "linestyle": "none",
                }
                label = f"γ = {factor:g}/β" if face == color else None
                axes.plot(
                    rows.loc[mask, "difference"],
                    y[mask],
                    zorder=3,
                    label=label,
                    markersize=4.5,
                    **look,
                )
            axes.plot(rows["difference"][rows["nearest"]], y[rows["nearest"]], zorder=5, **RING)
        printed = drawn.drop_duplicates("dataset").set_index("dataset")["printed"]
        name_rows(axes, [f"{name} ({value:.2f})" for name, value in printed.items()])
        axes.set_xlabel("CVM's test accuracy minus the printed one (percentage points)")
        handles, _ = axes.get_legend_handles_labels()
        handles.append(Line2D([], [], color=MUTED, linestyle="--", label="printed"))
        handles.append(Line2D([], [], label="nearest", **RING))
        handles += [limit_handle()] if (drawn["at_limit"] > 0).any() else []
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    notes = (
        f"Bars are standard deviations over {drawn['n'].max():.0f} runs."
        if drawn["n"].max() > 1
        else ""
    )
    return Chart(
        fig, frame, joined(notes, missing_sets(WIDTH_STUDY, frame["dataset"], missing, "the study"))
    )


def splits_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a table that summarises the runs of the experiment ``splits`` over the validation
    parts.
    """
    runs = runs.assign(
        C=runs["C"].astype(float), accuracy=100 * runs["test_accuracy"].astype(float)
    )
    groups = runs.sort_values("repetition").groupby(["protocol", "dataset"])
    frame = groups.agg(
        C=("C", list),
        lowest=("C", "min"),
        highest=("C", "max"),
        accuracy_lowest=("accuracy", "min"),
        accuracy_highest=("accuracy", "max"),
        splits=("C", "size"),
        level=("C_rule", "first"),
    ).reset_index()
    frame["level"] = frame["level"].str.extract("; (.*) within", expand=False).fillna("")
    frame.insert(5, "doublings", np.log2(frame["highest"] / frame["lowest"]))
    frame.insert(8, "spread", frame["accuracy_highest"] - frame["accuracy_lowest"])
    return rows_in_order(frame, ["protocol", "dataset"])


def splits_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Return the table of `splits_numbers`. The table has a section per protocol and a row per data
    set.
    """
    frame = splits_numbers(drawable_runs(runs, SPLITS))
    columns = [Column("data set", lambda row: row["dataset"], align="l")]
    for part in range(int(frame["splits"].max())):
        columns.append(
            Column(f"part {part + 1}", lambda row, part=part: f"{row['C'][part]:g}", "tuned C")
        )
    columns.append(
        Column(
            "values within a standard error of the best (part 1)",
            lambda row: row["level"],
            "tuned C",
            align="l",
        )
    )
    for end in ("lowest", "highest"):
        columns.append(
            Column(end, lambda row, end=end: f"{row[f'accuracy_{end}']:.2f}", "accuracy (%)")
        )
    notes = missing_sets(_SPLIT_SETS, frame["dataset"], missing, "the study")
    csv = frame.assign(C=[" ".join(f"{C:g}" for C in values) for values in frame["C"]])
    return ours_beside_printed(frame, columns, "protocol", protocol_words, notes, csv)
