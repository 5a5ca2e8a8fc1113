"""Draw the figure of the race: for every case, the speed-up over each peer, and our time to
reach each gap.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from fwsvm_papers.bench.report import race_cells
from fwsvm_papers.reporting.figures import save_figure
from fwsvm_papers.reporting.style import MUTED, figure_style

_RATIOS = (
    ("a  Speed-up over SVC, at equal accuracy", "svc_ratio"),
    ("b  Over scikit-learn-intelex, at equal accuracy", "intelex_ratio"),
    ("c  Over LIBSVM's L2-SVM, at gap 0.001", "libsvm_ratio"),
)
_C_LOOKS = {1: ("o", -0.28), 64: ("s", 0.0), 1024: ("^", 0.28)}
# Colour, vertical shift and label of the markers for each gamma x beta (beta: average squared
# distance).
_WIDTH_LOOKS = {
    0.5: ("#0072B2", -0.06, "gamma = 1 / (2 beta)"),
    2.0: ("#D55E00", 0.06, "gamma = 2 / beta"),
}
_ENDS = ("s_0.1", "s_0.0001")
_RIGHT = Path([(0, 0), (1, 0), (0.72, -0.2), (1, 0), (0.72, 0.2)], [1, 2, 1, 2, 2])


def write(record, stem):
    """Write the figure as SVG, PDF and PNG and return the paths (an empty list if nothing ran on
    one thread).
    """
    rows = record.rows()
    cells = race_cells(rows[rows["threads"] == 1]) if len(rows) else rows
    return (
        save_figure(draw(cells), stem, "fwsvm benchmark: the race, one thread")
        if len(cells)
        else []
    )


def draw(cells):
    """Draw three panels of ratios and one of times, one below the other, with a row for each
    data set.
    """
    panels = [(cells[cells[column].notna()], title, column) for title, column in _RATIOS]
    heights = [part["case"].nunique() + 1 for part, *_ in panels] + [cells["case"].nunique() + 1]
    with figure_style():
        fig = Figure(figsize=(4.0, 2.2 + 0.22 * sum(heights)), layout="constrained")
        *ratios, seconds = fig.subplots(4, height_ratios=heights)
        all_ratios = cells[[column for _, column in _RATIOS]].to_numpy(float)
        known = np.append(all_ratios[np.isfinite(all_ratios) & (all_ratios > 0)], (0.6, 2.0))
        for axes, panel in zip(ratios, panels, strict=True):
            _ratio_panel(axes, *panel, (0.9 * known.min(), 1.6 * known.max()))
        _seconds_panel(seconds, cells)
        fig.legend(handles=_handles(cells), loc="outside upper left", ncols=2)
    return fig


def _rows(axes, cells):
    """Give each data set a row.

    Yield each cell, its height, its marker, and arguments for its colour and label.
    """
    names = list(dict.fromkeys(cells["case"]))
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(names) - 0.4, -0.6)
    for y in range(len(names) - 1):
        axes.axhline(y + 0.5, color="#dddddd", linewidth=0.5, zorder=0)
    for cell in cells.to_dict("records"):
        marker, shift = _C_LOOKS.get(cell["C"], ("D", 0.0))
        color, more, width = _WIDTH_LOOKS.get(cell["gamma_over_beta"], (MUTED, 0.0, ""))
        look = {"color": color, "label": f"C = {cell['C']:g}, {width}"}
        yield cell, names.index(cell["case"]) + shift + more, marker, look


def _ratio_panel(axes, cells, title, column, limits):
    for cell, y, marker, look in _rows(axes, cells):
        if cell[column] == 0.0:
            at_the_left = axes.get_yaxis_transform()
            axes.plot(0, y, "x", **look, markersize=4.5, clip_on=False, transform=at_the_left)
        elif np.isfinite(cell[column]):
            axes.plot(cell[column], y, marker, **look, markerfacecolor="white", markersize=3.8)
            if column == "libsvm_ratio" and cell["libsvm_is_bound"]:
                axes.plot(
                    cell[column],
                    y,
                    marker=_RIGHT,
                    **look,
                    markersize=22,
                    markerfacecolor="none",
                    ls="",
                )
    _log_axis(axes, title, "time of the peer / time of auto")
    axes.set_xlim(limits)
    axes.axvline(1.0, color="black", linewidth=0.9, zorder=1)


def _seconds_panel(axes, cells):
    """Draw auto's times: a line from gap 0.1 to 0.0001, and a marker at gap 0.001.

    A stroke shows SVC's time.
    """
    for cell, y, marker, look in _rows(axes, cells):
        axes.plot([cell[name] for name in _ENDS], [y, y], **look, linewidth=1.0)
        axes.plot(cell["s_0.001"], y, marker, **look, markerfacecolor="white", markersize=3.8)
        axes.plot(
            cell["svc_s"],
            y,
            "|",
            **look | {"label": "SVC, " + look["label"]},
            markersize=4.5,
            markeredgewidth=1.6,
        )
    _log_axis(
        axes,
        "d  Seconds of auto, from gap 0.1 to 0.0001",
        "CPU seconds of one thread, certificate included",
    )


def _log_axis(axes, title, label):
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=8))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_title(title, loc="left", weight="bold")
    axes.set_xlabel(label)


def _handles(cells):
    looks = {"color": MUTED, "markerfacecolor": "white", "markersize": 3.8, "ls": ""}
    handles = [
        Line2D([], [], marker=marker, label=f"C = {C:g}", **looks)
        for C, (marker, _) in _C_LOOKS.items()
        if (cells["C"] == C).any()
    ]
    widths = [width for width in _WIDTH_LOOKS if (cells["gamma_over_beta"] == width).any()]
    if len(widths) > 1:
        handles += [
            Line2D([], [], color=_WIDTH_LOOKS[width][0], label=_WIDTH_LOOKS[width][2])
            for width in widths
        ]
    handles.append(
        Line2D([], [], marker="|", color=MUTED, markeredgewidth=1.6, ls="", label="SVC (in d)")
    )
    if (cells["svc_ratio"] == 0.0).any():
        handles.append(
            Line2D(
                [],
                [],
                marker="x",
                color=MUTED,
                markersize=4.5,
                ls="",
                label="less accurate or stopped",
            )
        )
    if cells["libsvm_is_bound"].any():
        arrow = {
            "marker": _RIGHT,
            "color": MUTED,
            "markersize": 16,
            "markerfacecolor": "none",
            "ls": "",
        }
        handles.append(Line2D([], [], label="peer stopped: at least this ratio", **arrow))
    return handles
