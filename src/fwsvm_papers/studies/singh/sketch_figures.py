"""The sketches of singh: the hard margin and the losses (fig. 6)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import ACCENT, CLASSES, MUTED, figure_style
from fwsvm_papers.studies.singh.cost_table import Missing
from fwsvm_papers.studies.singh.figures import RINGED


def fig6(sketches: dict, missing: Missing = None) -> Chart:
    """Draw sketches of the hard margin and of the hinge loss (singh fig. 6)."""
    margin = sketches["margin"]
    X, y, w = np.array(margin["points"]), np.array(margin["labels"]), np.array(margin["w"])
    length = np.linalg.norm(w)
    normal, along = w / length, np.array([-w[1], w[0]]) / length
    reach = 1.12 * np.abs(X).max()
    with figure_style():
        figure = Figure(figsize=(5.2, 2.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        for level in (-1, 0, 1):  # draw the line h(x) = level
            ends = normal * (level - margin["b"]) / length + np.outer(
                [-2 * reach, 2 * reach], along
            )
            color, line = (MUTED, "--") if level else ("black", "-")
            left.plot(*ends.T, color=color, linestyle=line, linewidth=1.0)
        for label, (color, marker) in zip((-1, 1), CLASSES, strict=True):
            left.plot(*X[y == label].T, linestyle="", marker=marker, color=color)
        left.plot(*X[margin["support"]].T, **RINGED | {"markersize": 8, "markeredgewidth": 0.9})
        start = 1.25 * along - normal * margin["b"] / length
        arrow = {
            "arrowstyle": "<|-|>",
            "color": "black",
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 7,
        }
        left.annotate("", start + normal / length, start, arrowprops=arrow)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        left.annotate(
            "$1/\\|w\\|$",
            start + normal / (2 * length),
            xytext=(-6, 6),
            textcoords="offset points",
            ha="right",
            fontsize=8,
            bbox=box,
        )
        left.set_aspect("equal")
        left.grid(visible=False)
        left.set(
            xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[], title="hard margin"
        )
        z = np.concatenate([np.linspace(-1.5, 0, 61), np.linspace(0, 2.5, 101)])
        hinge = np.maximum(0, 1 - z)
        # z = 0 occurs twice, so that the curve of the misclassification loss has a vertical part
        right.plot(
            z,
            np.repeat([1.0, 0.0], [61, 101]),
            color=MUTED,
            linestyle=":",
            label="misclassification",
        )
        right.plot(z, hinge, color=ACCENT, label="hinge")
        right.plot(z, hinge**2, color="#000000", linestyle="--", label="squared hinge")
        right.set(ylim=(-0.1, 3.1), xlabel="$y\\,h(x)$", ylabel="loss", title="hinge loss")
        right.legend(loc="upper right")
    support = np.isin(range(len(y)), margin["support"])
    return Chart(
        figure, pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "label": y, "support": support})
    )
