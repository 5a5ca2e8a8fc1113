"""Sketches of the weighted SVM, drawn from the solutions of `fwsvm.studies.alaiz2018.sketches`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.simplex import CORNERS, draw_levels, plane
from fwsvm.reporting.style import ACCENT, COLUMN_WIDTH, GRID, MUTED, TEXT_WIDTH, figure_style

# Directions in which the axes of a_1, a_2 and a_3 are drawn.
_SPACE = np.array([[0.0, 1.0], [-0.8, -0.38], [0.8, -0.38]])
_LONGEST = 2.0
_PATTERN_STYLES = {"largest": ("#000000", "-"), "middle": (MUTED, (0, (5, 1.5))), "smallest": (ACCENT, (0, (1.5, 1.2)))}


_PLAIN = {"marker": "o", "color": ACCENT, "markerfacecolor": "none", "markersize": 8, "linestyle": "none", "zorder": 4}
"""The solution where all weights are 1: a ring that a star fits in."""


def regions_chart(regions: Mapping) -> Chart:
    """Draw feasible regions and solutions for several weights of each pattern (alaiz2018 fig. 1).

    Parameters
    ----------
    regions : mapping
        Result of `fwsvm.studies.alaiz2018.sketches.weighted_regions`.
    """
    Q, plain = np.array(regions["Q"]), _plain(regions)
    rows = [[entry for entry in regions["plane"] if entry["pattern"] == pattern] for pattern in range(3)]
    columns = max(len(regions["space"]), *(len(row) for row in rows))
    with figure_style():
        figure = Figure(figsize=(min(TEXT_WIDTH, 1.45 * columns), 6.1), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.08)
        panels = figure.subplots(4, columns, squeeze=False, gridspec_kw={"height_ratios": [1, 1, 1, 1.75]})
        for axes in panels.flat:
            axes.set_axis_off()
            axes.set_aspect("equal")
        for row, entries in zip(panels[:3], rows, strict=True):
            for axes, entry in zip(row, entries, strict=False):
                _draw_simplex(axes, Q, entry, plain)
        for axes, entry in zip(panels[3], reversed(regions["space"]), strict=False):
            _draw_space(axes, entry, plain)
        handles = [
            Line2D([], [], marker="*", color="black", linestyle="none", markersize=7, label="solution"),
            Line2D([], [], label="solution, all weights 1", **_PLAIN),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    moved = [
        np.argmax(row[-1]["t"]) == pattern
        and row[-1]["t"][pattern] * row[-1]["a"][pattern] > row[0]["t"][pattern] * row[0]["a"][pattern]
        for pattern, row in enumerate(rows)
    ]
    caption = (
        f"A larger weight moves the solution of the weighted SVM towards its pattern in {sum(moved)} of 3 rows: min "
        "a'Qa "
        "with Σ t_i a_i = 1, a ≥ 0, three patterns, solved exactly. First rows: one weight changes (bold); triangles "
        "of "
        "the shares t_i a_i, grey: equal values of the objective. Last row: the region in the space of a; it lengthens "
        "as "
        "t_1 falls and has no end at t_1 = 0 (arrows: cut off)."
    )
    frame = pd.DataFrame(
        [
            {"row": place, "pattern": entry["pattern"] + 1}
            | {f"t{i + 1}": value for i, value in enumerate(entry["t"])}
            | {f"a{i + 1}": value for i, value in enumerate(entry["a"])}
            for place, entries in (*enumerate(rows, start=1), (4, regions["space"]))
            for entry in entries
        ]
    )
    return Chart(figure, frame, caption=caption)


def _plain(regions: Mapping) -> np.ndarray:
    return np.array(next(entry["a"] for entry in regions["plane"] if set(entry["t"]) == {1.0}))


def _weights_title(entry: Mapping) -> str:
    names = [
        f"$\\mathbf{{{value:g}}}$" if place == entry["pattern"] else f"{value:g}"
        for place, value in enumerate(entry["t"])
    ]
    return f"t = ({', '.join(names)})"


def _draw_simplex(axes: Axes, Q: np.ndarray, entry: Mapping, plain: np.ndarray) -> None:
    """The triangle of b_i = t_i a_i, where the objective is that of Q_ij / (t_i t_j)."""
    t, a = np.array(entry["t"]), np.array(entry["a"])
    solution = t * a
    draw_levels(axes, Q / np.outer(t, t), solution, (0.004, 0.015, 0.04, 0.1, 0.2, 0.35, 0.6), "#bdbdbd")
    axes.plot(*plane(plain), **_PLAIN)
    axes.plot(*plane(solution), marker="*", color="black", markersize=6, zorder=5)
    for i, (offset, side) in enumerate(zip(((-3, -3), (3, -3), (0, 6)), ("right", "left", "center"), strict=True)):
        axes.annotate(f"{i + 1}", CORNERS[i], xytext=offset, textcoords="offset points", ha=side, va="center",
                      weight="bold" if i == entry["pattern"] else "normal")  # fmt: skip
    axes.set(xlim=(-0.14, 1.14), ylim=(-0.1, 1.0))
    axes.set_title(_weights_title(entry), fontsize=7.5, pad=6)


def _draw_space(axes: Axes, entry: Mapping, plain: np.ndarray) -> None:
    t, a = np.array(entry["t"]), np.array(entry["a"])
    for i, direction in enumerate(_SPACE):
        end = (_LONGEST * 1.12 if i == 0 else 1.35) * direction
        axes.annotate(
            "",
            end,
            (0, 0),
            arrowprops={"arrowstyle": "-|>", "color": MUTED, "linewidth": 0.7, "mutation_scale": 7},
            zorder=0,
        )
        axes.annotate(f"$a_{i + 1}$", end, xytext=(0, 6) if i == 0 else (0, -7), textcoords="offset points",
                      ha="center", va="center", fontsize=8)  # fmt: skip
    color = MUTED
    if t[0] > 0 and 1 / t[0] <= _LONGEST:
        corners = (np.diag(1 / t)) @ _SPACE
        axes.fill(*corners.T, facecolor=GRID, edgecolor="none", zorder=1)
        axes.plot(*np.vstack([corners, corners[:1]]).T, color=color, linewidth=1.1)
    else:
        _draw_cut_region(axes, t, color)
    axes.plot(*(plain @ _SPACE), **_PLAIN)
    axes.plot(*(a @ _SPACE), marker="*", color="black", markersize=6, zorder=5)
    axes.set(xlim=(-1.25, 1.25), ylim=(-0.95, _LONGEST * 1.12 + 0.3))
    axes.set_title(_weights_title(entry), fontsize=7.5, pad=6)


def _draw_cut_region(axes: Axes, t: np.ndarray, color: str) -> None:
    """A region that reaches beyond the picture: cut off at a_1 = `_LONGEST`."""
    base = np.array([[0.0, 1 / t[1], 0.0], [0.0, 0.0, 1 / t[2]]])
    left = 1 - t[0] * _LONGEST
    top = left * base + np.array([_LONGEST, 0.0, 0.0])
    corners = np.vstack([base[0], base[1], top[1], top[0]]) @ _SPACE
    axes.fill(*corners.T, facecolor=GRID, edgecolor="none", zorder=1)
    for below, above in zip(base @ _SPACE, top @ _SPACE, strict=True):
        axes.annotate("", above, below, arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 1.1, "shrinkA": 0,
                                                    "shrinkB": 0, "mutation_scale": 8})  # fmt: skip
    axes.plot(*(base @ _SPACE).T, color=color, linewidth=1.1)


def weights_chart(paths: Mapping) -> Chart:
    """Draw the multipliers of three patterns against their weights (alaiz2018 fig. 2).

    Parameters
    ----------
    paths : mapping
        Result of `fwsvm.studies.alaiz2018.sketches.weight_paths`.
    """
    frame = pd.concat(
        [pd.DataFrame({"which": path["which"], "pattern": path["pattern"], "weight": path["weight"],
                       "multiplier": path["multiplier"]}) for path in paths["paths"]], ignore_index=True,
    )  # fmt: skip
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH + 0.7, 2.5), layout="constrained")
        axes = figure.subplots()
        for path in paths["paths"]:
            color, line = _PATTERN_STYLES[path["which"]]
            label = f"{path['which']} ({path['plain']:.3f})"
            axes.plot(path["weight"], path["multiplier"], color=color, linestyle=line, linewidth=1.4, label=label)
            axes.plot(1.0, path["plain"], marker="o", color=color, markersize=3.5)
        axes.axvline(1.0, color=MUTED, linestyle=":", linewidth=1.0, zorder=1)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator([2.0**k for k in range(-4, 5)]))
        axes.xaxis.set_major_formatter(FuncFormatter(_fraction))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set(xlabel="weight $t_i$ before scaling (all others: 1)", ylabel="multiplier $a_i$")
        figure.legend(
            title="multiplier in the plain SVM", title_fontsize=7.5, loc="outside upper center", ncols=3,
            columnspacing=1.2, handlelength=1.8, handletextpad=0.5,
        )  # fmt: skip
    never = [path["which"] for path in paths["paths"] if np.all(np.diff(path["multiplier"]) >= -1e-9)]
    caption = (
        f"{_monotone(never, len(paths['paths']))} So a larger weight makes a pattern a support vector more easily. "
        f"{paths['m']} points in two overlapping classes (RBF kernel, γ = {paths['gamma']:g}, C = {paths['C']:g}), "
        "solved exactly; all other weights are 1, and all are then divided by the largest, hence the bend at 1. "
        "Drawn are the patterns with the largest, the middle and the smallest multiplier of the plain SVM (dots)."
    )
    return Chart(figure, frame, caption=caption)


def _monotone(never: Sequence[str], number: int) -> str:
    if len(never) == number:
        return "No multiplier ever falls as its weight grows."
    return f"{number - len(never)} of {number} multipliers fall somewhere as their weights grow."


def _fraction(value: float, _position: int | None = None) -> str:
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"
