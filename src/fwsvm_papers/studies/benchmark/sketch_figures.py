"""The papers' sketches, drawn from the runs of `fwsvm_papers.studies.benchmark.sketches`."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from fwsvm_papers.reporting.axes import draw_triangle, plane
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import (
    ACCENT,
    COLUMN_WIDTH,
    METHODS,
    MUTED,
    TEXT_WIDTH,
    figure_style,
)
from fwsvm_papers.studies.benchmark.protocol import Missing

MOST_STEPS = 12
"""Maximum number of steps of a path that are drawn. A drawing with more steps would be hard to
read.
"""
_NUMBER_DISTANCE = 10
"""Distance, in points, of a step's number from its mark. The number is on the side of the mark that
is away from the path.
"""
_WEIGHTS = ["a1", "a2", "a3"]
_LEVELS = (0.01, 0.04, 0.1, 0.2, 0.35, 0.55, 0.8)
_SMALLEST = {"color": ACCENT, "linestyle": ":", "linewidth": 1.6}
_OPEN = {"linestyle": "none", "marker": "o", "color": "black", "markerfacecolor": "white"}
_ARROW = {"arrowstyle": "-|>", "linewidth": 1.5, "shrinkA": 2, "shrinkB": 2, "mutation_scale": 9}


def balls_chart(sketches: Mapping, missing: Missing = None) -> Chart:
    """Draw the successive balls of BC (Bădoiu and Clarkson) and FW for points in the plane
    (frandi2013 fig. 1).
    """
    balls = sketches["balls"]
    names = {"bc": ("BC", "#000000"), "fw": ("FW", METHODS["fw"].color)}
    rows = [
        (name, k, *ball["center"], ball["radius"])
        for name in names
        for k, ball in enumerate(balls[name])
    ]
    frame = pd.DataFrame(rows, columns=["algorithm", "iteration", "x", "y", "radius"])
    across = max(len(_shown(balls[name])) for name in names)
    with figure_style():
        figure = Figure(figsize=(TEXT_WIDTH, 3.9), layout="constrained")
        grid = figure.subplots(2, across, sharex=True, sharey=True)
        for (name, (label, color)), line in zip(names.items(), grid, strict=True):
            for axes, step in zip(line, _shown(balls[name]), strict=False):
                _draw_ball(axes, balls, balls[name][step], color)
                axes.set_title(f"{label}, {'start' if step == 0 else f'step {step}'}")
            for axes in line[len(_shown(balls[name])) :]:
                axes.set_axis_off()
        handles = [
            *(
                Line2D([], [], color=color, label=f"ball of {name}")
                for name, color in names.values()
            ),
            Line2D([], [], label="smallest enclosing ball", **_SMALLEST),
            Line2D(
                [], [], label="point of the coreset", linestyle="none", marker="o", color="black"
            ),
            Line2D([], [], label="other point", **_OPEN),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=5)
    return Chart(figure, frame)


def _steps_drawn(taken: int, drawn: int) -> str:
    return f"{taken} steps" + (f"\n(the first {drawn - 1} and the last)" if drawn < taken else "\n")


def _shown(balls: Sequence) -> list[int]:
    """Return the indices of the balls that are drawn.

    The first three balls are drawn, because they change most. The last ball is also drawn.
    """
    return sorted({*range(len(balls))[:3], len(balls) - 1})


def _draw_ball(axes: Axes, balls: Mapping, ball: Mapping, color: str) -> None:
    points, meb = np.array(balls["points"]), balls["meb"]
    look = {"fill": True, "facecolor": to_rgba(color, 0.08), "edgecolor": color, "linewidth": 1.3}
    axes.add_patch(Circle(ball["center"], ball["radius"], **look))
    axes.plot(*ball["center"], marker="+", color=color, markersize=6)
    axes.add_patch(Circle(meb["center"], meb["radius"], fill=False, zorder=3, **_SMALLEST))
    axes.plot(*points.T, markersize=3.5, **_OPEN)
    chosen = points[ball["coreset"]]
    axes.plot(*chosen.T, linestyle="none", marker="o", color="black", markersize=3.5)
    _around(axes, meb["center"], 1.2 * meb["radius"])


def core_set_chart(sketches: Mapping, missing: Missing = None) -> Chart:
    """Draw a coreset, its enclosing ball, and the expanded ball that contains all points
    (tsang2005 fig. 1).
    """
    core_set = sketches["core_set"]
    points, chosen = np.array(core_set["points"]), list(core_set["coreset"])
    center, radius, eps = core_set["center"], core_set["radius"], core_set["eps"]
    distances = np.linalg.norm(points - np.array(center), axis=1) / radius
    outside = distances > 1 + 1e-6
    inside = np.setdiff1d(np.flatnonzero(~outside), chosen)
    looks = {
        "coreset": (chosen, {"marker": "s", "color": ACCENT, "markersize": 5.5}),
        "other points in the ball": (inside, {"marker": "o", "color": MUTED, "markersize": 3}),
        f"points outside the ball ({outside.sum()})": (
            outside,
            {"marker": "^", "color": "#000000", "markersize": 3.5},
        ),
    }
    circles: dict[str, tuple[float, dict[str, Any]]] = {
        "coreset's ball, radius R": (1, {"color": "#000000"})
    }
    circles[f"(1 + ε) R = {1 + eps:g} R"] = (1 + eps, {"color": MUTED, "linestyle": (0, (4, 2))})
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH + 1.8, 3.1), layout="constrained")
        axes = figure.subplots()
        for label, (places, look) in looks.items():
            axes.plot(*points[places].T, linestyle="none", zorder=3, label=label, **look)
        for label, (times, look) in circles.items():
            axes.add_patch(Circle(center, times * radius, fill=False, linewidth=1.1, **look))
            axes.plot([], [], linewidth=1.1, label=label, **look)
        for i in np.flatnonzero(outside):
            axes.annotate(
                f"{distances[i]:.3f} R",
                points[i],
                xytext=(34, -5),
                textcoords="offset points",
                va="center",
                arrowprops={"arrowstyle": "-", "linewidth": 0.5, "shrinkB": 3},
                fontsize=7,
            )
        axes.plot(*center, marker="+", color="#000000", markersize=7)
        axes.annotate(
            "",
            (center[0], center[1] + radius),
            center,
            arrowprops={"arrowstyle": "-", "linewidth": 0.7},
        )
        axes.annotate(
            "R", (center[0], center[1] + radius / 2), xytext=(3, 0), textcoords="offset points"
        )
        _around(axes, center, 1.03 * (1 + eps) * radius)
        figure.legend(loc="outside right center")
    frame = pd.DataFrame(points, columns=["x", "y"]).assign(
        is_core=np.isin(np.arange(len(points)), chosen)
    )
    return Chart(
        figure, frame.assign(center_x=center[0], center_y=center[1], radius=radius, eps=eps)
    )


def _around(axes: Axes, center: Sequence[float], reach: float) -> None:
    axes.set(
        xlim=(center[0] - reach, center[0] + reach),
        ylim=(center[1] - reach, center[1] + reach),
        aspect="equal",
    )
    axes.set_axis_off()


def steps_chart(sketches: Mapping, missing: Missing = None) -> Chart:
    """Draw the paths of FW and MFW on the simplex of three points (frandi2013 fig. 2)."""
    steps = sketches["steps"]
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH + 1.8, 2.9), layout="constrained")
        for axes, method in zip(figure.subplots(1, 2), ("fw", "mfw"), strict=True):
            _draw_simplex(axes, steps)
            _draw_path(axes, steps["runs"][method], method)
            taken = len(steps["runs"][method]) - 1
            title = f"{METHODS[method].label}: {_steps_drawn(taken, MOST_STEPS + 1)}"
            axes.set_title(title, pad=10)
    rows = [
        (method, k, record["step"], *record["weights"])
        for method in ("fw", "mfw")
        for k, record in enumerate(steps["runs"][method])
    ]
    return Chart(figure, pd.DataFrame(rows, columns=["method", "iteration", "step", *_WEIGHTS]))


def directions_chart(sketches: Mapping, missing: Missing = None) -> Chart:
    """Draw the directions and next iterates of FW, MFW and SWAP from one iterate (nanculef2014
    fig. 1).
    """
    steps = sketches["steps"]
    directions, vertex = steps["directions"], np.eye(3)
    start = np.array(directions["weights"])
    toward = vertex[directions["toward"]]
    away = vertex[directions["away"]]
    targets = {"fw": toward, "mfw": away, "swap": None}
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH, 3.4), layout="constrained")
        axes = figure.subplots()
        _draw_simplex(axes, steps)
        for method, target in targets.items():
            style, end = METHODS[method], np.array(directions["ends"][method])
            if target is not None:
                axes.plot(
                    *plane(np.array([start, target])),
                    color=style.color,
                    linestyle=":",
                    linewidth=1.0,
                )
            axes.annotate(
                "", plane(end), plane(start), arrowprops=_ARROW | {"color": style.color}, zorder=4
            )
            axes.plot(
                *plane(end), marker=style.marker, color=style.color, zorder=5, label=style.label
            )
        swap, middle = plane(toward) - plane(away), (plane(toward) + plane(away)) / 2
        edge = {"color": METHODS["swap"].color, "linewidth": 0.9, "linestyle": (0, (3, 2))}
        axes.annotate("", middle + 0.12 * swap, middle - 0.12 * swap, arrowprops=_ARROW | edge)
        axes.plot(*plane(start), marker="o", color="black", zorder=6)
        axes.annotate(
            "$\\alpha_k$", plane(start), xytext=(4, -9), textcoords="offset points", fontsize=9
        )
        axes.plot([], [], label="direction of SWAP", **edge)
        straight = {"color": MUTED, "linestyle": ":", "linewidth": 1.0}
        axes.plot([], [], label="directions of FW, MFW", **straight)
        figure.legend(loc="outside lower center", ncols=2)
    ends = {"start": directions["weights"], **directions["ends"]}
    return Chart(
        figure,
        pd.DataFrame.from_dict(ends, "index", columns=_WEIGHTS).rename_axis("method").reset_index(),
    )


def _draw_simplex(axes: Axes, steps: Mapping) -> None:
    draw_triangle(
        axes,
        np.array(steps["Q"]),
        np.array(steps["optimum"]),
        _LEVELS,
        [f"$e_{i + 1}$" for i in range(3)],
    )


def _draw_path(axes: Axes, records: Sequence[Mapping], method: str) -> None:
    style = METHODS[method]
    weights = np.array([record["weights"] for record in records[: MOST_STEPS + 1]])
    for ends, record in zip(pairwise(weights), records[1:], strict=False):
        look = {
            "color": style.color,
            "linestyle": "--" if record["step"] == "away" else "-",
            "linewidth": 1.3,
        }
        axes.plot(*plane(np.array(ends)), zorder=4, **look)
    axes.plot(
        *plane(weights[1:]),
        linestyle="none",
        marker=style.marker,
        color=style.color,
        markersize=3,
        zorder=7,
    )
    axes.plot(*plane(weights[0]), zorder=6, **_OPEN)
    last = len(records) - 1
    if last > MOST_STEPS:
        end = np.array(records[-1]["weights"])
        axes.plot(
            *plane(end),
            marker=style.marker,
            markerfacecolor="none",
            markersize=8,
            markeredgecolor=style.color,
            markeredgewidth=1.2,
            zorder=7,
        )
        _number_step(axes, plane(end), last, (17, 2))
    else:
        places = [plane(point) for point in weights]
        for k, end in enumerate(places[1:], 1):
            outward = end - np.mean([places[k - 1], *places[k + 1 : k + 2]], axis=0)
            outward *= _NUMBER_DISTANCE / max(float(np.linalg.norm(outward)), 1e-9)
            _number_step(axes, end, k, tuple(outward))


def _number_step(
    axes: Axes,
    place: Sequence[float] | np.ndarray,
    number: int,
    side: Sequence[float],
    color: str = "black",
) -> None:
    box = {"facecolor": "white", "linewidth": 0, "pad": 0.3}
    axes.annotate(
        str(number),
        tuple(place),
        xytext=tuple(side),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=7,
        color=color,
        zorder=8,
        bbox=box,
    )
