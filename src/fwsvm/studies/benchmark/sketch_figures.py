"""The papers' sketches, drawn from the runs of `fwsvm.studies.benchmark.sketches`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.labels import label_around
from fwsvm.reporting.simplex import draw_triangle, plane
from fwsvm.reporting.style import ACCENT, COLUMN_WIDTH, METHODS, MUTED, figure_style

MOST_STEPS = 12
"""Steps of a path that are drawn; more could not be told apart."""

_FEW_STEPS = 6
"""Steps of a path that are numbered."""

_RUN_NOTE = "Real runs on three points; grey: equal values of the dual objective, star: its minimiser."
_SHADES = (0.35, 0.5, 0.7, 1.0)


def balls_chart(balls: Mapping) -> Chart:
    """Draw the balls that BC and FW go through on points in the plane (frandi2013 fig. 1).

    Parameters
    ----------
    balls : mapping
        Result of `fwsvm.studies.benchmark.sketches.enclosing_balls`.
    """
    points = np.array(balls["points"])
    frame = pd.DataFrame(
        [
            {
                "algorithm": name,
                "iteration": k,
                "x": ball["center"][0],
                "y": ball["center"][1],
                "radius": ball["radius"],
            }
            for name in ("bc", "fw")
            for k, ball in enumerate(balls[name])
        ]
    )
    shown = {name: _spread(balls[name]) for name in ("bc", "fw")}
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH + 1.2, 2.85), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        _draw_balls(left, points, balls, "bc", shown["bc"], "#000000")
        _draw_balls(right, points, balls, "fw", shown["fw"], METHODS["fw"].color)
        left.set_title(f"BC: {len(balls['bc']) - 1} steps")
        right.set_title(f"FW: {len(balls['fw']) - 1} steps")
        handles = [
            Line2D([], [], color="#000000", label="ball of BC (Bădoiu and Clarkson)"),
            Line2D([], [], color=METHODS["fw"].color, label="ball of FW"),
            Line2D([], [], color=ACCENT, linestyle=":", linewidth=1.6, label="smallest enclosing ball"),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=3)
        figure.draw_without_rendering()  # numbers are placed on the page
        for axes, name in ((left, "bc"), (right, "fw")):
            centers = np.array([balls[name][k]["center"] for k in shown[name]])
            label_around(axes, list(map(str, shown[name])), *centers.T, centers)
    last = {name: len(balls[name]) - 1 for name in ("bc", "fw")}
    omitted = [k for k in range(last["fw"]) if k not in shown["fw"]]
    left_out = f" (of FW without {omitted[0]} to {omitted[-1]})" if omitted else ""
    caption = (
        f"BC, which takes the exact ball of its coreset, ends after {last['bc']} steps, and FW, which moves the centre "
        f"toward the furthest point, after {last['fw']}, when the ball widened by 1 + {balls['eps']:g} holds all "
        f"points. Balls after the steps written at their centres{left_out}, darker is later; "
        "filled: points with weight at the end, of BC its coreset."
    )
    return Chart(figure, frame, caption=caption)


def _spread(balls: Sequence) -> list[int]:
    """Steps that are drawn: the first ones, where the balls still change much, and the last."""
    last = len(balls) - 1
    return sorted({0, *(k for k in (1, 2) if k < last), last})


def _draw_balls(axes: Axes, points: np.ndarray, balls: Mapping, name: str, shown: Sequence[int], color: str) -> None:
    axes.set_aspect("equal")
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    meb = balls["meb"]
    for k, shade in zip(shown, _SHADES[-len(shown) :], strict=True):
        ball = balls[name][k]
        axes.add_patch(Circle(ball["center"], ball["radius"], fill=False, color=color, alpha=shade, linewidth=1.1))
        axes.plot(*ball["center"], marker="+", color=color, alpha=shade, markersize=5)
    ball = Circle(meb["center"], meb["radius"], fill=False, color=ACCENT, linestyle=":", linewidth=1.6, zorder=3)
    axes.add_patch(ball)
    held = balls[name][-1]["coreset"]
    axes.plot(*points.T, linestyle="none", marker="o", color="black", markerfacecolor="white", markersize=3.5)
    axes.plot(*points[held].T, linestyle="none", marker="o", color="black", markersize=3.5)
    reach = 1.08 * max(ball["radius"] for ball in balls[name])
    axes.set_xlim(meb["center"][0] - reach, meb["center"][0] + reach)
    axes.set_ylim(meb["center"][1] - reach, meb["center"][1] + reach)


def core_set_chart(core_set: Mapping) -> Chart:
    """Draw a core-set: the ball of its points, and the expansion that holds all points (tsang2005 fig. 1).

    Parameters
    ----------
    core_set : mapping
        Result of `fwsvm.studies.benchmark.sketches.core_set`.
    """
    points, chosen = np.array(core_set["points"]), list(core_set["coreset"])
    outside = np.linalg.norm(points - np.array(core_set["center"]), axis=1) > core_set["radius"] * (1 + 1e-6)
    inside = np.setdiff1d(np.flatnonzero(~outside), chosen)
    center, radius, eps = core_set["center"], core_set["radius"], core_set["eps"]
    ball, wider = {"color": "#000000", "linewidth": 1.1}, {"color": MUTED, "linewidth": 1.1, "linestyle": (0, (4, 2))}
    core = {"linestyle": "none", "marker": "s", "color": ACCENT, "markersize": 5.5}
    other = {"linestyle": "none", "marker": "o", "color": MUTED, "markersize": 3}
    far = {"linestyle": "none", "marker": "^", "color": "#000000", "markersize": 5.5, "markerfacecolor": "white"}
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH, 3.6), layout="constrained")
        axes = figure.subplots()
        axes.set_aspect("equal")
        axes.set(xticks=[], yticks=[])
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.add_patch(Circle(center, radius, fill=False, **ball))
        axes.add_patch(Circle(center, (1 + eps) * radius, fill=False, **wider))
        axes.plot(*points[inside].T, zorder=3, **other)
        axes.plot(*points[outside].T, zorder=4, **far)
        axes.plot(*points[chosen].T, zorder=3, **core)
        axes.plot(*center, marker="+", color="#000000", markersize=7)
        axes.annotate("", (center[0], center[1] + radius), center, arrowprops={"arrowstyle": "-", "linewidth": 0.7})
        axes.annotate("R", (center[0], center[1] + radius / 2), xytext=(3, 0), textcoords="offset points")
        reach = 1.03 * (1 + eps) * radius
        axes.set_xlim(center[0] - reach, center[0] + reach)
        axes.set_ylim(center[1] - reach, center[1] + reach)
        handles = [
            Line2D([], [], label="core-set", **core),
            Line2D([], [], label="other points in the ball", **other),
            Line2D([], [], label=f"points outside it ({outside.sum()})", **far),
            Line2D([], [], label="ball of the core-set, R", **ball),
            Line2D([], [], label="(1 + ε) R", **wider),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    caption = (
        f"A core-set of {len(chosen)} of {len(points)} points: {outside.sum()} lie outside its minimum "
        f"enclosing ball, of radius R, but none outside the ball widened by 1 + ε, ε = {eps:g}. R is "
        f"{radius / core_set['meb']['radius']:.3f} times the radius of the enclosing ball of all points. From a real "
        "run "
        f"of the scheme that CVM follows, {core_set['steps']} step{'' if core_set['steps'] == 1 else 's'} from a pair "
        "of "
        "far points."
    )
    frame = pd.DataFrame(points, columns=["x", "y"]).assign(is_core=np.isin(np.arange(len(points)), chosen))
    return Chart(figure, frame.assign(center_x=center[0], center_y=center[1], radius=radius, eps=eps), caption=caption)


def steps_chart(steps: Mapping) -> Chart:
    """Draw the paths of FW and MFW over the simplex of three points (frandi2013 fig. 2).

    Parameters
    ----------
    steps : mapping
        Result of `fwsvm.studies.benchmark.sketches.steps_on_simplex`.
    """
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH + 1.8, 2.55), layout="constrained")
        panels = figure.subplots(1, 2)
        for axes, method in zip(panels, ("fw", "mfw"), strict=True):
            _draw_simplex(axes, steps)
            _draw_path(axes, steps["runs"][method], method)
            taken = len(steps["runs"][method]) - 1
            drawn = f", first {MOST_STEPS} and last drawn" if taken > MOST_STEPS else ""
            axes.set_title(f"{METHODS[method].label}: {taken} steps{drawn}")
    caption = (
        "FW can only move toward a vertex and zigzags toward the edge on which the minimiser lies; MFW also moves away "
        f"from one (dashed), and its step {steps['directions']['at'] + 1} takes the point that does not belong to the "
        f"solution out of the active set. {_RUN_NOTE} Numbers: steps; both start at the open circle and end "
        f"(FW: open square) at a relative gap of {steps['eps']:g}."
    )
    frame = _path_frame(steps, ("fw", "mfw"))
    return Chart(figure, frame, caption=caption)


def _path_frame(steps: Mapping, methods: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"method": method, "iteration": k, "step": record["step"]}
            | {f"a{i + 1}": weight for i, weight in enumerate(record["weights"])}
            for method in methods
            for k, record in enumerate(steps["runs"][method])
        ]
    )


def directions_chart(steps: Mapping) -> Chart:
    """Draw the directions and the next iterates of FW, MFW and SWAP from one iterate (nanculef2014 fig. 1).

    Parameters
    ----------
    steps : mapping
        Result of `fwsvm.studies.benchmark.sketches.steps_on_simplex`.
    """
    directions = steps["directions"]
    start = np.array(directions["weights"])
    vertex = np.eye(3)
    toward, away = directions["toward"], directions["away"]
    targets = {"fw": vertex[toward], "mfw": vertex[away], "swap": None}
    with figure_style():
        figure = Figure(figsize=(COLUMN_WIDTH, 3.1), layout="constrained")
        axes = figure.subplots()
        _draw_simplex(axes, steps)
        for method, target in targets.items():
            style, end = METHODS[method], np.array(directions["ends"][method])
            if target is not None:
                _line(axes, start, target, color=style.color, linestyle=":", linewidth=1.0)
            _arrow(axes, start, end, style.color)
            axes.plot(*plane(end), marker=style.marker, color=style.color, zorder=5)
        swap = plane(vertex[toward]) - plane(vertex[away])
        middle = (plane(vertex[toward]) + plane(vertex[away])) / 2
        axes.annotate("", middle + 0.12 * swap, middle - 0.12 * swap, arrowprops=_arrow_look(METHODS["swap"].color))
        axes.plot(*plane(start), marker="o", color="black", zorder=6)
        axes.annotate("$\\alpha_k$", plane(start), xytext=(4, -9), textcoords="offset points", fontsize=9)
        handles = [
            Line2D([], [], color=METHODS[m].color, marker=METHODS[m].marker, label=METHODS[m].label) for m in targets
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=3)
    caption = (
        f"From the same iterate FW moves toward the ascent vertex e_{toward + 1}, MFW away from the descent vertex "
        f"e_{away + 1}, and SWAP parallel to the edge between the two (arrow on the edge), which leaves the weight of "
        "the "
        f"third as it is. Arrows: steps with exact line search; dotted: the vertices that define them. {_RUN_NOTE}"
    )
    frame = pd.DataFrame(
        [
            {"method": method} | {f"a{i + 1}": weight for i, weight in enumerate(end)}
            for method, end in {"start": directions["weights"], **directions["ends"]}.items()
        ]
    )
    return Chart(figure, frame, caption=caption)


def _draw_simplex(axes: Axes, steps: Mapping) -> None:
    """Draw the triangle of all weights with level lines of the objective, names of the vertices and the minimiser."""
    names = [f"$e_{i + 1}$" for i in range(3)]
    draw_triangle(
        axes, np.array(steps["Q"]), np.array(steps["optimum"]), (0.01, 0.04, 0.1, 0.2, 0.35, 0.55, 0.8), names
    )


def _draw_path(axes: Axes, records: Sequence[Mapping], method: str) -> None:
    style = METHODS[method]
    weights = np.array([record["weights"] for record in records[: MOST_STEPS + 1]])
    kinds = [record["step"] for record in records[1 : MOST_STEPS + 1]]
    for start, end, kind in zip(weights[:-1], weights[1:], kinds, strict=True):
        _line(axes, start, end, color=style.color, linestyle="--" if kind == "away" else "-", linewidth=1.3, zorder=4)
    axes.plot(*plane(weights[1:]), linestyle="none", marker=style.marker, color=style.color, markersize=3, zorder=5)
    axes.plot(*plane(weights[0]), linestyle="none", marker="o", color="black", markerfacecolor="white", zorder=6)
    last = len(records) - 1
    if last > MOST_STEPS:
        end = np.array(records[-1]["weights"])
        axes.plot(*plane(end), marker=style.marker, markerfacecolor="none", markersize=8, markeredgecolor=style.color,
                  markeredgewidth=1.2, zorder=7)  # fmt: skip
        _number_step(axes, end, last, (17, 2))
    elif last <= _FEW_STEPS:
        for k, (start, end) in enumerate(pairwise(weights), 1):
            _number_step(axes, end, k, (0, 9 if plane(end)[1] > plane(start)[1] else -9))


def _number_step(axes: Axes, weights: np.ndarray, number: int, side: Sequence[float]) -> None:
    axes.annotate(str(number), plane(weights), xytext=tuple(side), textcoords="offset points", ha="center",
                  va="center", fontsize=7, zorder=8)  # fmt: skip


def _line(axes: Axes, start: np.ndarray, end: np.ndarray, **look) -> None:
    axes.plot(*plane(np.array([start, end])), **look)


def _arrow(axes: Axes, start: np.ndarray, end: np.ndarray, color: str) -> None:
    axes.annotate("", plane(end), plane(start), arrowprops=_arrow_look(color), zorder=4)


def _arrow_look(color: str) -> dict:
    return {"arrowstyle": "-|>", "color": color, "linewidth": 1.5, "shrinkA": 2, "shrinkB": 2, "mutation_scale": 9}
