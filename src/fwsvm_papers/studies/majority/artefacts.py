"""The figure beyond-majority, which shows speed-ups over CVM, and shares of CVM's gain over the
majority class. The gain of a method is its accuracy minus that of always predicting the majority
class.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.axes import draw_bounds, limit_handle, logarithmic
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.labels import label_around, label_aside
from fwsvm_papers.reporting.style import ACCENT, MUTED, TEXT_WIDTH, figure_style, method_label
from fwsvm_papers.reporting.text import counted
from fwsvm_papers.runs.comparison import KEPT, Bound, against, comparison
from fwsvm_papers.runs.table import protocols_of
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.protocol import Details, Missing

METHODS = numbers.FRANDI2013[1:]
FAST = 5
"""A method counts as fast if its speed-up over CVM is at least this number."""

FAR = 1
"""A model is far from the optimum if its relative gap is larger than this number."""

_SHARES = (-4.0, 104.0)
"""Range of the drawn shares of the gain, in per cent. Shares outside the range are drawn at its
ends.
"""
_NAMES_FROM = 108.0
"""x value at which the column of names begins."""
_LETTER = 0.022
"""Width of a character of a name, as a share of the width of a panel."""

_NEAR_COLOUR, _FAR_COLOUR, _REGION = "#3388FF", ACCENT, "#e8f1ea"
_MARK = {"marker": "o", "linestyle": "none", "markersize": 4.6}
_PRINTED = {**_MARK, "color": MUTED, "markerfacecolor": "none", "markeredgewidth": 0.7, "zorder": 3}


def majority_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Return a table with a row for each data set and each method except CVM.

    A row has the speed-up of the method over CVM, and the method's share of CVM's gain over the
    majority class, both for the paper and for our runs under the first protocol. Rows in which one
    of our two numbers is unknown are left out.
    """
    runs = numbers.drawable_runs(runs, numbers.BENCHMARK)
    majority = numbers.majority_accuracies(descriptions)
    table = comparison(runs, majority, numbers.FRANDI2013)
    table = table[table["protocol"] == protocols_of(runs)[0]]
    printed = numbers.printed_rows(dict.fromkeys(table["dataset"]), numbers.FRANDI2013)
    printed = against("cvm", printed, ["dataset"], majority)
    printed = printed.set_index(["dataset", "method"])[["kept", "speedup"]].add_prefix("printed_")
    table = table.join(printed, on=["dataset", "method"])
    names = ["kept", "speedup", "speedup_in_kernel_values", "printed_kept", "printed_speedup"]
    shown = ["protocol", "dataset", "method", "majority", "accuracy", "cvm_accuracy", *names]
    table = table[table["method"] != "cvm"].dropna(subset=["kept", "speedup"])
    return numbers.rows_in_order(table, ["dataset", "method"])[[*shown, "relative_gap", "bound"]]


def majority_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw `majority_numbers` with a panel per method. Open marks show the results in the paper."""
    frame = majority_numbers(runs, descriptions)
    require(not frame.empty, "needs a data set on which CVM is better than the majority class")
    names = [name for name in METHODS if (frame["method"] == name).any()]
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 4.1), layout="constrained")
        panels = fig.subplots(1, len(names), sharex=True, sharey=True, squeeze=False)[0]
        speeds = pd.concat([frame["speedup"], frame["printed_speedup"]])
        panels[0].set_ylim(min(speeds.min(), 0.8) / 1.5, 2 * max(speeds.max(), FAST))
        for axes, method in zip(panels, names, strict=True):
            rows = frame[frame["method"] == method]
            _draw(axes, rows)
            fast = rows.query("bound in ('exact', 'at least') and speedup >= @FAST")
            kept = (fast["kept"] >= KEPT).sum()
            counts = (
                f"at least {FAST} times as fast on {counted(len(fast), 'data set')};\n"
                f"on {kept} of these, at least {KEPT} % of the gain kept"
            )
            axes.set_title(f"{method_label(method)}\n{counts}", loc="left")
        logarithmic(panels[0])
        panels[0].set_ylabel("speed-up over CVM (log scale)")
        fig.supxlabel(
            "gain over the majority class, as a percentage of CVM's gain (100: CVM's gain)",
            fontsize=8,
        )
        fig.legend(handles=_handles(frame), loc="outside upper center", ncols=4)
        fig.draw_without_rendering()  # the positions of names depend on the layout
        for axes, method in zip(panels, names, strict=True):
            _name(axes, frame[frame["method"] == method])
    return Chart(fig, frame)


def _draw(axes: Axes, rows: pd.DataFrame) -> None:
    left, beside = _SHARES[0] - 2, rows.loc[rows["kept"] >= KEPT, "dataset"]
    names = _LETTER * (1 + max(map(len, beside), default=0))
    axes.set_xlim(left, max(axes.get_xlim()[1], left + (_NAMES_FROM - left) / (1 - names)))
    axes.set_xticks([0, 20, 40, 60, 80, 100])
    top = axes.get_ylim()[1]
    axes.fill_between([KEPT, _SHARES[1]], FAST, top, color=_REGION, zorder=0, linewidth=0)
    axes.hlines(1, _SHARES[0] - 2, _SHARES[1], color=MUTED, linewidth=0.8, zorder=1)
    axes.plot(rows["printed_kept"].clip(*_SHARES), rows["printed_speedup"], **_PRINTED)
    far = rows["relative_gap"] > FAR
    for chosen, color in ((~far, _NEAR_COLOUR), (far, _FAR_COLOUR)):
        marks = rows[chosen].assign(kept=rows.loc[chosen, "kept"].clip(*_SHARES))
        axes.plot(marks["kept"], marks["speedup"], color=color, zorder=4, **_MARK)
        for bound in (Bound.AT_MOST, Bound.AT_LEAST):
            bounded = marks[marks["bound"] == bound]
            draw_bounds(axes, bounded["kept"], bounded["speedup"], color, bound)


def _handles(frame: pd.DataFrame) -> list[Line2D]:
    handles = [
        Line2D([], [], label=f"ours, relative gap above {FAR}", color=_FAR_COLOUR, **_MARK),
        Line2D([], [], label=f"ours, gap at most {FAR}", color=_NEAR_COLOUR, **_MARK),
    ]
    if frame["printed_kept"].notna().any():
        handles.append(Line2D([], [], label="printed", **_PRINTED))
    if (frame["bound"] != Bound.EXACT).any():
        handles.append(limit_handle(frame["bound"]))
    return handles


def _name(axes: Axes, rows: pd.DataFrame) -> None:
    """Write the names of data sets next to our marks.

    The name of a data set is in a column at the right if the method keeps at least `KEPT` per cent
    of CVM's gain on the data set.
    """
    rows = rows.assign(kept=rows["kept"].clip(*_SHARES))
    marks = pd.concat([rows["kept"], rows["printed_kept"].clip(*_SHARES)])
    heights = pd.concat([rows["speedup"], rows["printed_speedup"]])
    taken = np.column_stack([marks, heights])
    taken = taken[~np.isnan(taken).any(axis=1)]
    for kept, part in rows.groupby(rows["kept"] >= KEPT):
        where = list(part["dataset"]), part["kept"].to_numpy(), part["speedup"].to_numpy()
        label_aside(axes, *where, _NAMES_FROM) if kept else label_around(axes, *where, taken)
