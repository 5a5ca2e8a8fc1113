"""Sketches of the weighted SVM, drawn from the solutions of
`fwsvm_papers.studies.alaiz2018.sketches`.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from fwsvm_papers.reporting.axes import draw_triangle, plane
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import ACCENT, COLUMN_WIDTH, GRID, MUTED, TEXT_WIDTH, figure_style
from fwsvm_papers.studies.benchmark.protocol import Missing

# directions of the axes of the multipliers a_1 to a_3
_DIRECTIONS = np.array([[0.0, 1.0], [-0.8, -0.38], [0.8, -0.38]])
_LONGEST = 2.0  # upper end of the axis of the multiplier a_1
_LEVELS = (0.004, 0.015, 0.04, 0.1, 0.2, 0.35, 0.6)
_PATTERN_STYLES = {
    "largest": ("#000000", "-"),
    "middle": (MUTED, (0, (5, 1.5))),
    "smallest": (ACCENT, (0, (1.5, 1.2))),
}
_SOLUTION = {"marker": "*", "color": "black", "linestyle": "none", "markersize": 6, "zorder": 5}
# A ring marks the solution of the SVM without weights, in which all weights t_i are 1. A star marks
# the solution for the weights t in the title of the panel.
_UNWEIGHTED = {
    "marker": "o",
    "color": ACCENT,
    "markerfacecolor": "none",
    "markersize": 8,
    "linestyle": "none",
    "zorder": 4,
}


def fig1(sketches: dict, missing: Missing = None) -> Chart:
    """Draw the feasible region of the weighted SVM for three patterns and several weights
    (alaiz2018 fig. 1).
    """
    regions = sketches["regions"]
    plain = np.array(next(entry["a"] for entry in regions["plane"] if set(entry["t"]) == {1.0}))
    rows = [
        [entry for entry in regions["plane"] if entry["pattern"] == pattern] for pattern in range(3)
    ]
    rows.append(regions["space"])
    columns = max(map(len, rows))
    with figure_style():
        figure = Figure(figsize=(min(TEXT_WIDTH, 1.55 * columns), 6.5), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.08)
        panels = figure.subplots(
            4, columns, squeeze=False, gridspec_kw={"height_ratios": [1, 1, 1, 1.75]}
        )
        for axes in panels.flat:
            axes.set_axis_off()
            axes.set_aspect("equal")
        for place, entries in enumerate([*rows[:3], rows[3][::-1]]):
            what = "the multipliers" if place == 3 else "weight × multiplier"
            words = f"{what},\nweight $t_{entries[0]['pattern'] + 1}$ varies"
            look = {"transform": panels[place, 0].transAxes, "fontsize": 8, "rotation": 90}
            panels[place, 0].text(-0.12, 0.5, words, ha="right", va="center", **look)
            for axes, entry in zip(panels[place], entries, strict=False):
                t, a = np.array(entry["t"]), np.array(entry["a"])
                if place == 3:
                    _draw_space(axes, t, a, plain)
                # The triangle shows b_i = t_i a_i, the weight times the multiplier. If the
                # objective is written as a function of b, its matrix has the entries Q_ij / (t_i
                # t_j).
                else:
                    draw_triangle(
                        axes,
                        np.array(regions["Q"]) / np.outer(t, t),
                        t * a,
                        _LEVELS,
                        bold=entry["pattern"],
                    )
                    axes.plot(*plane(plain), **_UNWEIGHTED)
                weights = [f"{value:g}" for value in t]
                weights[entry["pattern"]] = f"$\\mathbf{{{t[entry['pattern']]:g}}}$"
                axes.set_title(f"t = ({', '.join(weights)})", pad=8)
        handles = [Line2D([], [], label="solution for the weights t", **_SOLUTION)]
        handles.append(Line2D([], [], label="solution, all weights 1", **_UNWEIGHTED))
        figure.legend(handles=handles, loc="outside upper center", ncols=2, borderpad=1.2)
    frame = pd.DataFrame(
        {"row": place, "pattern": entry["pattern"] + 1}
        | {f"t{i + 1}": value for i, value in enumerate(entry["t"])}
        | {f"a{i + 1}": value for i, value in enumerate(entry["a"])}
        for place, entries in enumerate(rows, start=1)
        for entry in entries
    )
    return Chart(figure, frame)


def _draw_space(axes: Axes, t: np.ndarray, a: np.ndarray, plain: np.ndarray) -> None:
    arrow = {"arrowstyle": "-|>", "color": MUTED, "linewidth": 0.7, "mutation_scale": 7}
    for i, direction in enumerate(_DIRECTIONS):
        end = (_LONGEST * 1.12 if i == 0 else 1.35) * direction
        axes.annotate("", end, (0, 0), arrowprops=arrow, zorder=0)
        axes.annotate(
            f"$a_{i + 1}$",
            end,
            xytext=(0, 6 if i == 0 else -7),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
        )
    base = np.array([[0.0, 1 / t[1], 0.0], [0.0, 0.0, 1 / t[2]]])
    is_cut = t[0] * _LONGEST < 1
    height = _LONGEST if is_cut else 1 / t[0]
    top = (1 - t[0] * height) * base + np.array([height, 0.0, 0.0])
    corners = np.vstack([base, top[::-1]]) @ _DIRECTIONS
    axes.fill(*corners.T, facecolor=GRID, edgecolor="none", zorder=1)
    axes.plot(*(base @ _DIRECTIONS).T, color=MUTED, linewidth=1.1)
    for below, above in zip(base @ _DIRECTIONS, top @ _DIRECTIONS, strict=True):
        axes.plot(*zip(below, above, strict=True), color=MUTED, linewidth=1.1)
        if is_cut:
            axes.annotate(
                "",
                above,
                below,
                arrowprops=arrow | {"mutation_scale": 8, "shrinkA": 0, "shrinkB": 0},
            )
    axes.plot(*(plain @ _DIRECTIONS), **_UNWEIGHTED)
    axes.plot(*(a @ _DIRECTIONS), **_SOLUTION)
    axes.set(xlim=(-1.25, 1.25), ylim=(-0.95, _LONGEST * 1.12 + 0.3))


def fig2(sketches: dict, missing: Missing = None) -> Chart:
    """Draw the multiplier of a pattern against its weight, for three patterns (alaiz2018 fig.
    2).
    """
    paths = sketches["weight_paths"]["paths"]
    columns = ("which", "pattern", "weight", "multiplier")
    frame = pd.concat(
        [pd.DataFrame({key: path[key] for key in columns}) for path in paths], ignore_index=True
    )
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH + 0.7, 2.5), layout="constrained")
        axes = figure.subplots()
        for path in paths:
            color, line = _PATTERN_STYLES[path["which"]]
            label = f"{path['which']} ({path['plain']:.3f})"
            axes.plot(
                path["weight"],
                path["multiplier"],
                color=color,
                linestyle=line,
                linewidth=1.4,
                label=label,
            )
            axes.plot(1.0, path["plain"], marker="o", color=color, markersize=3.5)
        axes.axvline(1.0, color=MUTED, linestyle=":", linewidth=1.0, zorder=1)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator([2.0**k for k in range(-4, 5)]))
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda t, _: f"{t:g}" if t >= 1 else f"1/{1 / t:g}")
        )
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set(xlabel="weight $t_i$ before scaling (all others: 1)", ylabel="multiplier $a_i$")
        look = {
            "columnspacing": 1.2,
            "handlelength": 1.8,
            "handletextpad": 0.5,
            "title_fontsize": 7.5,
        }
        figure.legend(
            title="multiplier in the plain SVM", loc="outside upper center", ncols=3, **look
        )
    return Chart(figure, frame)
