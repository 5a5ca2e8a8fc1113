"""Compare CVM at several kernel widths with the printed accuracy, to find the papers' width (beyond-gamma)."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm.reporting.artefact import NotDrawableError
from fwsvm.reporting.axes import limit_handle
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.style import ACCENT, GRID, MUTED, figure_style
from fwsvm.runs.table import summarise
from fwsvm.studies.benchmark.groups import WIDTH_STUDY
from fwsvm.studies.benchmark.numbers import drawable_runs, printed_numbers, rows_in_order
from fwsvm.studies.benchmark.protocol import Missing, missing_sets

_MARKS = {0.5: ("#8c8c8c", "o"), 1: ("#4a4a4a", "s"), 2: (ACCENT, "D")}
_OTHER = ("#6A51A3", "^")


def width_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Compute the accuracies of the experiment ``gamma`` at each width, next to the printed ones."""
    columns = {"gamma_rule": "factor"} | {f"test_accuracy_{name}": name for name in ("mean", "std", "n")}
    frame = summarise(runs, by=("gamma_rule", "C")).rename(columns=columns)
    frame = frame[["dataset", "factor", "C", "mean", "std", "n", "at_limit"]].astype({"dataset": str})
    frame["factor"] = frame["factor"].str.split("/").str[0].astype(float)
    frame["printed"] = frame["dataset"].map(printed_numbers("test_accuracy")["cvm_mean"])
    frame["difference"] = frame["mean"] - frame["printed"]
    smallest = frame["difference"].abs().groupby(frame["dataset"]).transform("min")
    frame["nearest"] = frame["difference"].abs() == smallest
    return rows_in_order(frame, ["dataset", "factor"])


def gamma_chart(runs: pd.DataFrame, missing: Missing = None) -> Chart:
    """Draw `width_numbers`: a row per data set, a mark per width, at its distance from the printed accuracy."""
    runs = drawable_runs(runs, "gamma").dropna(subset=["gamma_rule"])
    frame = width_numbers(runs)
    drawn = frame.dropna(subset=["difference"])
    if drawn.empty:
        raise NotDrawableError("needs a data set with a printed accuracy in the experiment gamma")
    names, factors = list(drawn["dataset"].unique()), sorted(drawn["factor"].unique())
    with figure_style():
        fig = Figure(figsize=(5.2, 1.0 + 0.3 * len(names)), layout="constrained")
        axes = fig.subplots()
        axes.axvline(0, color=MUTED, linewidth=1.0, linestyle="--", zorder=1)
        place = {name: i for i, name in enumerate(names)}
        for factor, rows in drawn.groupby("factor"):
            color, marker = _MARKS.get(factor, _OTHER)
            y = rows["dataset"].map(place) + 0.22 * (factors.index(factor) - (len(factors) - 1) / 2)
            bars = rows["std"].where(rows["n"] > 1, 0.0)
            axes.errorbar(rows["difference"], y, xerr=bars, color=color, linestyle="none", elinewidth=0.8, zorder=4)
            limited = rows["at_limit"] > 0
            for mask, face in ((~limited, color), (limited, "white")):
                look = {"color": color, "marker": marker, "markerfacecolor": face, "linestyle": "none"}
                label = f"γ = {factor:g}/β" if face == color else None
                axes.plot(rows.loc[mask, "difference"], y[mask], zorder=3, label=label, markersize=4.5, **look)
        printed = drawn.drop_duplicates("dataset").set_index("dataset")["printed"]
        axes.set_yticks(range(len(names)), [f"{name} ({value:.2f})" for name, value in printed.items()])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        for edge in range(1, len(names)):
            axes.axhline(edge - 0.5, color=GRID, linewidth=0.5, zorder=0.5)
        axes.set_xlabel("CVM's test accuracy − the printed one (points)")
        handles, _ = axes.get_legend_handles_labels()
        handles.append(Line2D([], [], color=MUTED, linestyle="--", label="printed"))
        handles += [limit_handle()] if (drawn["at_limit"] > 0).any() else []
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return Chart(fig, frame, missing_sets(WIDTH_STUDY, frame["dataset"], missing, "the study"))
