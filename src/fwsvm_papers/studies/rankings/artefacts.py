"""Compare the benchmark's methods over all data sets (artefacts beyond-gap, beyond-profile and
beyond-cd).
"""

from collections.abc import Mapping
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.axes import limit_handle, method_handle, name_rows, plain_number
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.panels import dodged, facets
from fwsvm_papers.reporting.style import METHODS, MUTED, TEXT_WIDTH, figure_style, method_styles
from fwsvm_papers.reporting.text import counted, listing
from fwsvm_papers.runs.comparison import MEASURES, comparison
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.records import ordered
from fwsvm_papers.runs.table import protocols_of, shown_under, summarise
from fwsvm_papers.statistics.tests import holm, mean_ranks, wilcoxon_signed_rank
from fwsvm_papers.studies.benchmark.numbers import (
    BENCHMARK,
    LADDER,
    NEAR,
    drawable_runs,
    experiment_runs,
    rows_in_order,
)
from fwsvm_papers.studies.benchmark.protocol import Missing

LEVEL = 0.05
"""Family-wise significance level of the pairwise tests on one measure."""
FEWEST = 3
"""Smallest number of data sets on which methods are ranked."""
_TOO_FEW = f"needs {FEWEST} data sets on which every method ran"

_ABOVE, _FAR = "#f3e3e6", 1e9
_BAR = {"color": MUTED, "linewidth": 2.5, "solid_capstyle": "butt"}
_PASSING = {"color": MUTED, "linewidth": 1.0, "linestyle": (0, (1, 1.5))}
_COMPARED = (
    ("time", "CPU time", True),
    ("accuracy", "test accuracy", False),
    ("support_vectors", "support vectors", True),
)


def _benchmark(runs: pd.DataFrame) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the runs to compare under the benchmark's first protocol, the name of this
    protocol, and the methods.
    """
    runs = drawable_runs(runs, BENCHMARK)
    require(runs["method"].nunique() >= 2, "needs runs of the benchmark with at least two methods")
    protocol = protocols_of(runs)[0]
    runs = shown_under(runs, protocol)
    return runs, protocol, ordered(runs["method"].dropna(), tuple(METHODS))


def _by_method(table: pd.DataFrame, column: str, methods: list[str]) -> pd.DataFrame:
    """Arrange a column of the comparison as data sets by methods, with NaN for missing runs."""
    by_set = table.set_index("dataset")
    columns = {method: by_set.loc[by_set["method"] == method, column] for method in methods}
    return pd.DataFrame(columns, dtype=float).sort_index()


def gap_chart(runs: pd.DataFrame, missing: Missing = None) -> Chart:
    """Draw the certified gaps, with a row per data set and a mark per method."""
    runs, protocol, methods = _benchmark(runs)
    columns = {f"relative_gap_{name}": name for name in ("median", "min", "max")}
    summary = summarise(runs.dropna(subset=["relative_gap"])).rename(columns=columns)
    frame = rows_in_order(
        summary[["dataset", "method", *columns.values(), "at_limit"]], ["dataset"]
    )
    require(not frame.empty, "needs runs with a certified gap")
    styles, names = method_styles(methods), list(dict.fromkeys(frame["dataset"]))
    places = dodged(frame, "dataset", styles)
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 0.9 + 0.23 * len(names)), layout="constrained")
        axes = fig.subplots()
        axes.axvspan(1, _FAR, color=_ABOVE, zorder=0, linewidth=0)
        for method, style in styles.items():
            mine = (frame["method"] == method).to_numpy()
            rows = frame[mine]
            place = places[mine]
            limited = (frame[mine]["at_limit"] > 0).to_numpy()
            axes.hlines(place, rows["min"], rows["max"], color=style.color, linewidth=0.8)
            look = {
                "linestyle": "none",
                "marker": style.marker,
                "color": style.color,
                "markersize": 3.6,
            }
            axes.plot(rows["median"][~limited], place[~limited], **look)
            axes.plot(rows["median"][limited], place[limited], markerfacecolor="white", **look)
        name_rows(axes, names)
        axes.set_xscale("log")
        axes.set_xlim(0.7 * min(frame["min"].min(), 1), 1.5 * max(frame["max"].max(), 2))
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.set_xlabel(
            "certified relative duality gap over all training points, median and range (log scale)"
        )
        handles = [method_handle(style, joined=False) for style in styles.values()]
        handles += [limit_handle()] * bool((frame["at_limit"] > 0).any())
        handles += [Patch(color=_ABOVE, label="gap above the objective")]
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return Chart(fig, frame, f"Protocol: {protocol_words(protocol)}.")


def performance_ratios(costs: pd.DataFrame, solved: pd.DataFrame) -> pd.DataFrame:
    """Divide each cost by the data set's lowest cost (r_ps of Dolan and More 2002).

    The ratio of a failure is inf.
    """
    complete = costs.dropna()
    counted = complete.where(solved.loc[complete.index, complete.columns], np.inf)
    least = counted.min(axis=1)
    return counted[np.isfinite(least)].div(least[np.isfinite(least)], axis=0)


def profile(ratios: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return factors tau, and for each tau the share of data sets whose ratio is at most tau
    (performance profile).
    """
    finite = np.sort(ratios[np.isfinite(ratios)].to_numpy())
    tau = np.concatenate([[1.0], finite])
    return tau, np.searchsorted(finite, tau, side="right") / max(len(ratios), 1)


def profile_chart(runs: pd.DataFrame, missing: Missing = None) -> Chart:
    """Draw performance profiles for finished runs, accurate runs, and runs to a gap of 0.001."""
    equal = experiment_runs(runs, LADDER)
    runs, protocol, methods = _benchmark(runs)
    table = comparison(runs)
    times, accuracy, limited = (
        _by_method(table, name, methods) for name in ("time", "accuracy", "at_limit")
    )
    ended = limited == 0
    accurate = accuracy.ge(accuracy.max(axis=1) - NEAR, axis=0)
    ratios = {
        "each method's own stopping rule": performance_ratios(times, ended),
        f"within {NEAR:g} points of the best accuracy": performance_ratios(times, ended & accurate),
        **_equal_gap(equal),
    }
    require(len(next(iter(ratios.values()))) >= FEWEST, _TOO_FEW)
    styles = method_styles(
        dict.fromkeys(name for table in ratios.values() for name in table.columns)
    )
    ends = {
        title: max(10.0, 1.3 * table.where(np.isfinite(table)).max().max())
        for title, table in ratios.items()
    }
    steps, marks = [], []
    for title, table in ratios.items():
        for place, method in enumerate(styles, start=1):
            if method not in table.columns:
                continue
            tau, share = profile(table[method])
            found = {
                "panel": title,
                "method": method,
                "factor": tau,
                "share": share,
                "sets": share * len(table),
            }
            steps.append(pd.DataFrame(found))
            part = place / (len(styles) + 1)  # Keep the methods' marks apart.
            right = ends[title] ** part
            height = share[np.searchsorted(tau, right, side="right") - 1]
            marks.append((title, method, right, 100 * height))
    frame = pd.concat(steps, ignore_index=True)
    with figure_style():
        panels = facets(
            pd.DataFrame(marks, columns=["panel", "method", "factor", "share"]),
            "factor",
            "share",
            col="panel",
            joined=False,
            logx=10,
            share=lambda row, col: None,
            size=(TEXT_WIDTH, 2.1),
            titles={title: f"{title}\n({len(table)} sets)" for title, table in ratios.items()},
        )
        for (_, title), axes in panels.axes.items():
            for method, rows in frame[frame["panel"] == title].groupby("method"):
                heights = 100 * rows["share"]
                axes.plot(
                    [*rows["factor"], ends[title]],
                    [*heights, heights.iloc[-1]],
                    drawstyle="steps-post",
                    color=styles[method].color,
                )
            axes.set_xlim(0.9, ends[title])
            axes.set_ylim(-4, 104)  # Leave room for marks at 0 and 100 %.
        panels.figure.supylabel("share of data sets (%)", fontsize=8)
        panels.figure.supxlabel(
            "CPU time within this factor of the fastest (log scale)", fontsize=8
        )
        figure = panels.finish()
    return Chart(figure, frame, f"First two panels: {protocol_words(protocol)}.")


def _equal_gap(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Map a panel's title to the performance ratios of runs with tolerance 1e-3.

    Without such runs, return {}.
    """
    runs = runs[runs["selection"] == "full"]
    runs = runs.assign(solved=(runs["stop_reason"] == "converged").astype(float))
    here = runs[np.isclose(runs["eps"].astype(float), 1e-3)]
    if here.empty:
        return {}
    keys = {"index": "dataset", "columns": "method"}
    ran = runs.pivot_table("solved", **keys, aggfunc="size")[
        list(method_styles(runs["method"].dropna()))
    ].notna()
    costs = here.pivot_table("train_cpu_s", **keys).reindex(index=ran.index, columns=ran.columns)
    costs = costs.mask(ran & costs.isna(), np.inf)
    solved = here.pivot_table("solved", **keys).reindex_like(costs) == 1
    return {"to a relative gap of 0.001": performance_ratios(costs, solved)}


def compare(table: pd.DataFrame, lower_is_better: bool) -> tuple[pd.Series, pd.DataFrame]:
    """Rank the methods over the data sets and test every pair of methods (Demsar 2006, sec.
    3.2).
    """
    ranks = pd.Series(mean_ranks(table.to_numpy(dtype=float), lower_is_better), index=table.columns)
    pairs = pd.DataFrame(combinations(table.columns, 2), columns=["first", "second"])
    pairs["p"] = [
        wilcoxon_signed_rank(table[one], table[other]).p_value for one, other in pairs.to_numpy()
    ]
    pairs["p_holm"] = holm(pairs["p"])
    return ranks, pairs.assign(differ=pairs["p_holm"] <= LEVEL)


def groups_without_difference(ranks: pd.Series, pairs: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the maximal groups of methods without significant differences.

    Groups and methods are in rank order.

    A group need not be a range of ranks: if only the second of three methods differs, the group is
    the other two.
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
    """Return the pairs without a significant difference for which some methods ranked from one
    to the other differ.
    """
    order = list(ranks.sort_values(kind="stable").index)
    groups = [set(group) for group in groups_without_difference(ranks, pairs)]
    found = []
    for start, end in combinations(range(len(order)), 2):
        both, between = {order[start], order[end]}, set(order[start : end + 1])
        if any(both <= group for group in groups) and not any(between <= group for group in groups):
            found.append((order[start], order[end]))
    return found


def critical_difference_chart(runs: pd.DataFrame, missing: Missing = None) -> Chart:
    """Draw mean ranks and pairwise tests, with one panel each for time, accuracy and model size."""
    runs, protocol, methods = _benchmark(runs)
    table = comparison(runs)
    complete = {name: _by_method(table, name, methods).dropna() for name, _, _ in _COMPARED}
    require(min(map(len, complete.values())) >= FEWEST, _TOO_FEW)
    styles, frames, around = method_styles(methods), [], []
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 0.95 + 0.24 * len(methods)), layout="constrained")
        for axes, (name, title, lower) in zip(
            fig.subplots(1, len(_COMPARED)), _COMPARED, strict=True
        ):
            ranks, pairs = compare(complete[name], lower)
            _draw_ranks(axes, ranks, groups_without_difference(ranks, pairs), styles)
            axes.set_title(f"{title} ({len(complete[name])} data sets)", loc="left")
            both = {f"{side}_rank": pairs[side].map(ranks) for side in ("first", "second")}
            frames.append(pairs.assign(measure=MEASURES[name], **both))
            for pair in _pairs_around_a_difference(ranks, pairs):
                around.append(f"{listing(styles[method].label for method in pair)} ({title})")
        fig.supxlabel("mean rank (1 = best)", fontsize=8)
        bar = Line2D(
            [], [], label="no significant difference among the methods along the bar", **_BAR
        )
        handles = [bar]
        if around:
            handles.append(Line2D([], [], label="passes a method that differs", **_PASSING))
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    notes = f"Protocol: {protocol_words(protocol)}."
    if around:
        have = "has" if len(around) == 1 else "have"
        hidden = (
            f"{counted(len(around), 'pair')} without a significant difference {have} a differing"
            " method between"
        )
        notes = f"{hidden} (dotted): {'; '.join(around)}. {notes}"
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
