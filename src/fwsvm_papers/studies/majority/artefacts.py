"""Draw beyond-majority: speed-ups over CVM, and shares of CVM's gain over the majority class."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, to_rgba
from matplotlib.figure import Figure

from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.axes import draw_bounds, limit_handle, logarithmic
from fwsvm_papers.reporting.figures import STAR, Chart
from fwsvm_papers.reporting.labels import SIZE, label_around, label_aside
from fwsvm_papers.reporting.style import MUTED, TEXT_WIDTH, figure_style, method_label
from fwsvm_papers.runs.comparison import KEPT, Bound, against, comparison
from fwsvm_papers.runs.table import protocols_of, stand_ins
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.groups import ADULT
from fwsvm_papers.studies.benchmark.protocol import Details, Missing

METHODS = numbers.FRANDI2013[1:]
FAST = 5
"""Lowest speed-up over CVM of a fast method."""

_SHARES, _GAPS = (-4.0, 103.0), (1e-2, 1e1)
"""Ranges of the shares (x axis) and of the gaps (colour scale). Values outside are clipped."""

_STRETCH, _BRACKET, _NAMES_FROM, _RIGHT_END = 3, 103.5, 105.5, 118.0
"""Stretch factor of the x axis above `KEPT`, and x values of the Adult sets' bracket, the names
and the right edge.
"""

_COLOUR_MAP, _REGION = "viridis_r", "#e8f1ea"


def majority_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Compute each method's speed-up and share of CVM's gain over the majority class, in the
    paper and in our runs.
    """
    runs = numbers.drawable_runs(runs, numbers.BENCHMARK)
    majority = numbers.majority_accuracies(descriptions)
    table = comparison(runs, majority, numbers.FRANDI2013)
    table = table[table["protocol"] == protocols_of(runs)[0]]
    printed = numbers.printed_rows(dict.fromkeys(table["dataset"]), numbers.FRANDI2013)
    printed = against("cvm", printed, ["dataset"], majority)
    printed = printed.set_index(["dataset", "method"])[["kept", "speedup"]].add_prefix("printed_")
    table = table.assign(relative_gap=table["relative_gap_median"]).join(
        printed, on=["dataset", "method"]
    )
    names = ["kept", "speedup", "speedup_in_kernel_values", "printed_kept", "printed_speedup"]
    shown = ["protocol", "dataset", "method", "majority", "accuracy", "cvm_accuracy", *names]
    table = table[table["method"] != "cvm"].dropna(subset=["kept", "speedup"])
    return numbers.rows_in_order(table, ["dataset", "method"])[[*shown, "relative_gap", "bound"]]


def majority_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw `majority_numbers` with a column per method: our runs in the first row, the paper's
    in the second.
    """
    frame = majority_numbers(runs, descriptions)
    require(not frame.empty, "needs a data set on which CVM is better than the majority class")
    norm = LogNorm(*_GAPS, clip=True)
    printed = frame.assign(
        kept=frame["printed_kept"],
        speedup=frame["printed_speedup"],
        bound=Bound.EXACT,
        relative_gap=np.nan,
    )
    tables = {"our runs": frame, "printed": printed.dropna(subset=["kept", "speedup"])}
    tables = {words: rows for words, rows in tables.items() if len(rows)}
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 0.5 + 2.45 * len(tables)), layout="constrained")
        panels = fig.subplots(len(tables), len(METHODS), sharex=True, sharey=True, squeeze=False)
        speeds = pd.concat(list(tables.values()))["speedup"]
        panels[0, 0].set_ylim(min(speeds.min(), 0.8) / 1.5, 4 * max(speeds.max(), FAST))
        drawn = {}
        for (words, rows), row in zip(tables.items(), panels, strict=True):
            for axes, method in zip(row, METHODS, strict=True):
                drawn[axes] = rows[rows["method"] == method]
                _draw(axes, drawn[axes], norm)
                fast = drawn[axes].query("bound in ('exact', 'at least') and speedup >= @FAST")
                kept = (fast["kept"] >= KEPT).sum()
                counts = f"≥ {FAST:g}× as fast on {len(fast)} sets, {kept} keep {KEPT} %"
                axes.set_title(f"{method_label(method)}, {words}\n{counts}", loc="left")
        logarithmic(panels[0, 0])
        fig.supylabel("speed-up over CVM (log scale)", fontsize=8)
        fig.supxlabel(
            f"share of CVM's gain over the majority class (%, axis stretched above {KEPT} %)",
            fontsize=8,
        )
        bar = fig.colorbar(
            ScalarMappable(norm, _COLOUR_MAP),
            ax=panels,
            fraction=0.03,
            pad=0.01,
            aspect=40,
            extend="both",
        )
        bar.set_label("certified relative duality gap (our runs)")
        bar.ax.tick_params(which="minor", size=0)
        if (frame["bound"] != Bound.EXACT).any():
            fig.legend(handles=[limit_handle(frame["bound"])], loc="outside upper right")
        fig.draw_without_rendering()  # The positions of names depend on the layout.
        for axes, rows in drawn.items():
            _name_marks(axes, rows, STAR * bool(set(ADULT.datasets) & set(stand_ins(runs))))
    return Chart(fig, frame)


def _draw(axes: Axes, rows: pd.DataFrame, norm: LogNorm) -> None:
    stretch = (
        lambda share: share + (_STRETCH - 1) * np.maximum(share - KEPT, 0),
        lambda place: np.minimum(place, KEPT) + np.maximum(place - KEPT, 0) / _STRETCH,
    )
    axes.set_xscale("function", functions=stretch)
    axes.set_xlim(_SHARES[0] - 2, _RIGHT_END)
    axes.set_xticks([0, 30, 60, KEPT, 95, 100])
    top = axes.get_ylim()[1]
    axes.fill_between([KEPT, _SHARES[1]], FAST, top, color=_REGION, zorder=0, linewidth=0)
    axes.hlines(1, _SHARES[0] - 2, _SHARES[1], color=MUTED, linewidth=0.8, zorder=1)
    for x, words, y, side in ((0, "majority", 0.15, "left"), (100, "CVM", 0.97, "right")):
        axes.axvline(x, color=MUTED, linewidth=0.8, linestyle=":", zorder=1)
        axes.annotate(
            words,
            (x, y),
            xycoords=("data", "axes fraction"),
            xytext=(2 if x == 0 else -2, 0),
            rotation=90,
            textcoords="offset points",
            fontsize=SIZE,
            color=MUTED,
            ha=side,
            va="bottom" if x == 0 else "top",
        )
    for bound, marks in rows.assign(kept=rows["kept"].clip(*_SHARES)).groupby("bound"):
        gaps = marks["relative_gap"]
        colours = ScalarMappable(norm, _COLOUR_MAP).to_rgba(gaps.fillna(_GAPS[0]))
        colours[gaps.isna()] = to_rgba(MUTED)
        faces = "white" if bound != Bound.EXACT else colours
        axes.scatter(
            marks["kept"],
            marks["speedup"],
            s=24,
            c=faces,
            edgecolors=colours,
            linewidths=0.9,
            zorder=4,
        )
        if bound in (Bound.AT_MOST, Bound.AT_LEAST):
            draw_bounds(axes, marks["kept"], marks["speedup"], MUTED, bound)


def _name_marks(axes: Axes, rows: pd.DataFrame, star: str) -> None:
    rows = rows.assign(kept=rows["kept"].clip(*_SHARES))
    marks = rows[["kept", "speedup"]].to_numpy(dtype=float)
    for kept, part in rows.groupby(rows["kept"] >= KEPT):
        if kept and set(ADULT.datasets) <= set(part["dataset"]):
            part = _bracket(axes, part, star)
        where = list(part["dataset"]), part["kept"].to_numpy(), part["speedup"].to_numpy()
        label_aside(axes, *where, _NAMES_FROM) if kept else label_around(axes, *where, marks)


def _bracket(axes: Axes, rows: pd.DataFrame, star: str) -> pd.DataFrame:
    """Draw a bracket beside the Adult sets.

    Return the rows to label, with a single row for all Adult sets.
    """
    adult = rows["dataset"].isin(ADULT.datasets)
    low, high = rows.loc[adult, "speedup"].agg(["min", "max"])
    axes.plot(
        [_BRACKET - 0.4, _BRACKET, _BRACKET, _BRACKET - 0.4],
        [low, low, high, high],
        color=MUTED,
        linewidth=0.9,
    )
    name = f"{ADULT.datasets[0]} to {ADULT.datasets[-1]}{star}"
    one = pd.DataFrame({"dataset": [name], "kept": [_BRACKET], "speedup": [np.sqrt(low * high)]})
    return pd.concat([rows[~adult], one])
