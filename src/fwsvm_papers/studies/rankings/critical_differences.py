"""Mean ranks of the benchmark's methods over all data sets, and tests of their differences
(artefact beyond-cd).
"""

from collections.abc import Mapping
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import MUTED, TEXT_WIDTH, figure_style, method_styles
from fwsvm_papers.reporting.text import joined, listing
from fwsvm_papers.runs.comparison import MEASURES, comparison
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.statistics.tests import holm, mean_ranks, wilcoxon_signed_rank
from fwsvm_papers.studies.benchmark.protocol import Missing
from fwsvm_papers.studies.rankings.artefacts import (
    FEWEST,
    TOO_FEW,
    benchmark_runs,
    by_method,
    costs_to_gap,
)

LEVEL = 0.05
"""Family-wise significance level of the pairwise tests on one measure."""
_BAR = {"color": MUTED, "linewidth": 2.5, "solid_capstyle": "butt"}
_PASSING = {"color": MUTED, "linewidth": 1.0, "linestyle": (0, (1, 1.5))}
_GAP = 0.01
_TO_GAP = f"train_cpu_s_to_gap_{_GAP:g}"
_COMPARED = {
    "train_cpu_s": ("CPU time, own stopping rule", True),
    "test_accuracy": ("test accuracy, own stopping rule", False),
    "support_vectors": ("support vectors, own stopping rule", True),
}
"""Maps a measure to its title, and to whether lower values are better."""


def compare(table: pd.DataFrame, lower_is_better: bool) -> tuple[pd.Series, pd.DataFrame]:
    """Return the mean ranks of the methods over the data sets, and a table with a test of every
    pair of methods (Demsar 2006, sec. 3.2).
    """
    ranks = pd.Series(mean_ranks(table.to_numpy(dtype=float), lower_is_better), index=table.columns)
    pairs = pd.DataFrame(combinations(table.columns, 2), columns=["first", "second"])
    pairs["p"] = [
        wilcoxon_signed_rank(table[one], table[other]).p_value for one, other in pairs.to_numpy()
    ]
    pairs["p_holm"] = holm(pairs["p"])
    return ranks, pairs.assign(differ=pairs["p_holm"] <= LEVEL)


def groups_without_difference(ranks: pd.Series, pairs: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the groups of methods without significant differences, except groups that are parts of
    larger groups.

    Groups and methods are in the order of the ranks.

    The methods of a group need not have consecutive ranks. For example, if the second of three
    methods differs from the other two, and these two do not differ, then the first and the third
    method are a group.
    """
    order = list(ranks.sort_values(kind="stable").index)
    differ = {
        frozenset(pair) for pair in pairs.loc[pairs["differ"], ["first", "second"]].to_numpy()
    }
    groups: list[tuple[str, ...]] = []
    for size in range(len(order), 1, -1):
        for group in combinations(order, size):
            is_new = not any(set(group) <= set(larger) for larger in groups)
            if is_new and differ.isdisjoint(map(frozenset, combinations(group, 2))):
                groups.append(group)
    return sorted(groups, key=lambda group: [order.index(name) for name in group])


def _pairs_around_a_difference(ranks: pd.Series, pairs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of methods whose bar in the figure passes a method that differs.

    The two methods of such a pair do not differ significantly. But the pair and the methods with
    ranks between them include two methods that differ significantly. One of these two can be a
    method of the pair. For example, the second of three methods can differ from the first, although
    the first does not differ from the third.
    """
    order = list(ranks.sort_values(kind="stable").index)
    groups = [set(group) for group in groups_without_difference(ranks, pairs)]
    found = []
    for start, end in combinations(range(len(order)), 2):
        both, between = {order[start], order[end]}, set(order[start : end + 1])
        if any(both <= group for group in groups) and not any(between <= group for group in groups):
            found.append((order[start], order[end]))
    return found


def failures_last(costs: pd.DataFrame) -> pd.DataFrame:
    """Return the costs with infinity replaced by a number that is larger than all finite costs, or
    by 1 if there are none.

    With this number, all failures on a data set share the last rank.
    """
    highest = costs.where(np.isfinite(costs)).max().max()
    return costs.replace(np.inf, 1.0 if np.isnan(highest) else 10 * highest)


def critical_difference_chart(runs: pd.DataFrame, missing: Missing = None) -> Chart:
    """Draw mean ranks and pairwise tests.

    One panel has the times to an equal gap, if there are at least `FEWEST` data sets with runs of
    all methods to this gap. The other panels have the time, the accuracy and the model size when
    each method stops by its own rule.
    """
    to_gap = costs_to_gap(runs, _GAP).dropna()
    runs, protocol, methods = benchmark_runs(runs)
    table = comparison(runs)
    complete = {
        MEASURES[column]: by_method(table, column, methods).dropna()
        for column in MEASURES
        if MEASURES[column] in _COMPARED
    }
    require(min(map(len, complete.values())) >= FEWEST, TOO_FEW)
    compared = {
        name: (title, compare(complete[name], lower)) for name, (title, lower) in _COMPARED.items()
    }
    if len(to_gap) >= FEWEST:
        complete[_TO_GAP] = to_gap
        of_gap = f"CPU time to gap {_GAP:g}", compare(failures_last(to_gap), True)
        compared = {_TO_GAP: of_gap, **compared}
    styles = method_styles(dict.fromkeys([*methods, *to_gap.columns]))
    frames, around = [], []
    with figure_style():
        down = -(-len(compared) // 2)
        fig = Figure(
            figsize=(TEXT_WIDTH, 0.8 + down * (0.5 + 0.22 * len(styles))), layout="constrained"
        )
        grid = fig.subplots(down, 2, squeeze=False)
        for axes in grid.flat[len(compared) :]:
            axes.remove()
        for axes, (name, (title, (ranks, pairs))) in zip(grid.flat, compared.items(), strict=False):
            _draw_ranks(axes, ranks, groups_without_difference(ranks, pairs), styles)
            axes.set_title(f"{title} ({len(complete[name])} data sets)", loc="left")
            both = {f"{side}_rank": pairs[side].map(ranks) for side in ("first", "second")}
            frames.append(pairs.assign(measure=name, **both))
            passed = [
                listing(styles[method].label for method in pair)
                for pair in _pairs_around_a_difference(ranks, pairs)
            ]
            if passed:
                first, *others = passed
                bars = [f"one dotted bar joins {first}"]
                bars += [f"another joins {pair}" for pair in others]
                around.append(f'In the panel "{title}", {", and ".join(bars)}.')
        fig.supxlabel("mean rank (1 = best)", fontsize=8)
        bar = Line2D(
            [], [], label="no significant difference among the methods along the bar", **_BAR
        )
        handles = [bar]
        if around:
            handles.append(Line2D([], [], label="the bar passes a method that differs", **_PASSING))
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    notes = f"Runs have the {protocol_words(protocol)}."
    if around:
        notes = joined(*around, notes)
    return Chart(fig, pd.concat(frames, ignore_index=True), notes)


def _draw_ranks(
    axes: Axes, ranks: pd.Series, groups: list[tuple[str, ...]], styles: Mapping
) -> None:
    rows = {name: row for row, name in enumerate(ranks.sort_values(kind="stable").index)}
    for name, row in rows.items():
        style = styles[name]
        axes.plot([1, ranks[name]], [row, row], color=style.color, linewidth=0.8)
        axes.plot(
            [ranks[name]],
            [row],
            marker=style.marker,
            color=style.color,
            linestyle="none",
            clip_on=False,
        )
        axes.annotate(
            f"{ranks[name]:.2f}",
            (ranks[name], row),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    for place, group in enumerate(groups):
        right = len(ranks) + 1 + 0.3 * place
        edges = [rows[group[0]] - 0.2]
        for above, below in pairwise(group):
            if rows[below] > rows[above] + 1:
                axes.plot([right, right], [rows[above] + 0.2, rows[below] - 0.2], **_PASSING)
                edges += [rows[above] + 0.2, rows[below] - 0.2]
        edges.append(rows[group[-1]] + 0.2)
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            axes.plot([right, right], [start, end], **_BAR)
    axes.set_yticks(range(len(rows)), [styles[name].label for name in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(1, len(ranks) + 1 + 0.3 * max(len(groups), 1))
    axes.set_xticks(range(1, len(ranks) + 1))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
