"""The benchmark's methods over all data sets: beyond-gap, beyond-profile, beyond-cd."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from fwsvm.reporting.axes import limit_handle, method_handle, plain_number
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import GRID, MUTED, TEXT_WIDTH, figure_style, method_styles
from fwsvm.runs.protocols import protocol_words
from fwsvm.studies.benchmark.numbers import BENCHMARK, NEAR, experiment_runs
from fwsvm.studies.rankings.numbers import (
    compare,
    ended_by_themselves,
    first_heading,
    gap_numbers,
    groups_without_difference,
    measures,
    performance_ratios,
    profile,
)

EQUAL = "equal_gap"
"""The experiment whose runs go to the same relative gap."""
FEWEST = 3
"""Data sets without which nothing is ranked."""

_LEFT = 0.6
"""Where the axis of a performance profile begins; left of 1 stand the starts of the curves."""
_ABOVE, _FAR = "#f3e3e6", 1e9
_BAR = {"color": MUTED, "linewidth": 2.5, "solid_capstyle": "butt"}
_COMPARED = (("train_cpu_s", "CPU time", True), ("test_accuracy", "test accuracy", False),
             ("support_vectors", "support vectors", True))  # fmt: skip


def _benchmark(runs: pd.DataFrame) -> tuple[pd.DataFrame, str, list[str]]:
    runs = experiment_runs(runs, BENCHMARK)
    if runs.empty or runs["method"].nunique() < 2:
        raise NotDrawableError(needs("the benchmark with two methods or more", []))
    return first_heading(runs)


def gap_chart(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Chart:
    """Draw `gap_numbers`: a row per data set, a mark per method."""
    runs, protocol, methods = _benchmark(runs)
    frame = gap_numbers(runs)
    if frame.empty:
        raise NotDrawableError("needs runs with a certified gap")
    styles, names = method_styles(methods), list(dict.fromkeys(frame["dataset"]))
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 0.9 + 0.23 * len(names)), layout="constrained")
        axes = fig.subplots()
        axes.axvspan(1, _FAR, color=_ABOVE, zorder=0, linewidth=0)
        for method, style in styles.items():
            rows = frame[frame["method"] == method].set_index("dataset").reindex(names)
            aside = 0.17 * (list(styles).index(method) - (len(styles) - 1) / 2)
            place, limited = np.arange(len(names)) + aside, (rows["at_limit"] > 0).to_numpy()
            axes.hlines(place, rows["min"], rows["max"], color=style.color, linewidth=0.8)
            for mask, face in ((~limited, style.color), (limited, "white")):
                axes.plot(rows["median"][mask], place[mask], linestyle="none", marker=style.marker, color=style.color,
                          markerfacecolor=face, markersize=3.6)  # fmt: skip
        axes.set_yticks(np.arange(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        for edge in np.arange(1, len(names)) - 0.5:
            axes.axhline(edge, color=GRID, linewidth=0.5, zorder=0.5)
        axes.set_xscale("log")
        axes.set_xlim(0.7 * min(frame["min"].min(), 1), 1.5 * max(frame["max"].max(), 2))
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.set_xlabel("certified relative duality gap over all training points, median and range (log scale)")
        handles = [method_handle(style, joined=False) for style in styles.values()]
        handles += [limit_handle()] * bool((frame["at_limit"] > 0).any())
        handles += [Patch(color=_ABOVE, label="gap above the objective")]
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return Chart(fig, frame, f"Protocol: {protocol_words(protocol)}.")


def profile_chart(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Chart:
    """Draw performance profiles of CPU time: as stopped, where equally accurate, and to the same gap."""
    all_runs = runs
    runs, protocol, methods = _benchmark(runs)
    table = measures(runs, protocol, methods)
    times, accuracy, ended = table["train_cpu_s"], table["test_accuracy"], ended_by_themselves(runs, protocol, methods)
    accurate = accuracy.ge(accuracy.max(axis=1) - NEAR, axis=0)
    panels = [
        ("where each method stops", performance_ratios(times, ended)),
        (f"within {NEAR:g} points of best accuracy", performance_ratios(times, ended & accurate)),
        *_equal_gap(all_runs),
    ]
    if len(panels[0][1]) < FEWEST:
        raise NotDrawableError(f"needs {FEWEST} data sets on which every method ran")
    styles = method_styles(dict.fromkeys(name for _, ratios in panels for name in ratios.columns))
    rows = []
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 2.6), layout="constrained")
        drawn = fig.subplots(1, len(panels), sharey=True)
        for axes, (title, ratios) in zip(drawn, panels, strict=True):
            farthest = max(10.0, 1.3 * ratios.where(np.isfinite(ratios)).max().max())
            for method in [name for name in styles if name in ratios.columns]:
                tau, share = profile(ratios[method])
                rows += [
                    {"panel": title, "method": method, "factor": t, "share": s} for t, s in zip(tau, share, strict=True)
                ]
                style = styles[method]
                start = _LEFT ** (1 - (list(styles).index(method) + 1) / (len(styles) + 1))
                look = {"linestyle": "none", "marker": style.marker, "color": style.color, "clip_on": False}
                axes.plot([start], [100 * share[0]], markersize=3, **look)
                axes.plot(
                    [*tau, farthest], [*(100 * share), 100 * share[-1]], drawstyle="steps-post", color=style.color
                )
                spot = farthest ** ((list(styles).index(method) + 1) / (len(styles) + 1))  # one of its own for each
                height = 100 * share[np.searchsorted(tau, spot, side="right") - 1]
                axes.plot([spot], [height], **look)
            axes.set_xscale("log")
            axes.set_xlim(_LEFT, farthest)
            axes.set_ylim(0, 103)
            axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
            axes.set_title(f"{title}\n({len(ratios)} sets)", loc="left")
        drawn[0].set_ylabel("share of data sets (%)")
        fig.supxlabel("CPU time within this factor of the fastest (log scale)", fontsize=8)
        fig.legend(
            handles=[method_handle(style) for style in styles.values()], loc="outside upper center", ncols=len(styles)
        )
    return Chart(fig, pd.DataFrame(rows), f"First two panels: {protocol_words(protocol)}.")


def _equal_gap(runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The panel of runs to a relative gap of 1e-3, where there are any.

    A run that ended at a limit has not solved, nor has a method that missed a looser gap and so did not try this one.
    """
    runs = experiment_runs(runs, EQUAL)
    runs = runs.assign(solved=(runs["stop_reason"] == "converged").astype(float))
    here = runs[np.isclose(runs["eps"].astype(float), 1e-3)]
    if here.empty:
        return []

    def wide(rows, value, summed):
        return rows.pivot_table(index="dataset", columns="method", values=value, aggfunc=summed)

    ran = wide(runs, "solved", "size")[list(method_styles(runs["method"].dropna()))].notna()
    costs = wide(here, "train_cpu_s", "mean").reindex(index=ran.index, columns=ran.columns)
    costs = costs.mask(ran & costs.isna(), np.inf)
    solved = wide(here, "solved", "mean").reindex_like(costs) == 1
    return [("to a relative gap of 0.001", performance_ratios(costs, solved))]


def critical_difference_chart(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Chart:
    """Draw mean ranks and pairwise tests for time, accuracy and size, one panel each."""
    runs, protocol, methods = _benchmark(runs)
    tables = measures(runs, protocol, methods)
    complete = {name: table.dropna() for name, table in tables.items()}
    if min(len(table) for table in complete.values()) < FEWEST:
        raise NotDrawableError(f"needs {FEWEST} data sets on which every method ran")
    styles, frames = method_styles(methods), []
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 0.95 + 0.24 * len(methods)), layout="constrained")
        for axes, (name, title, lower) in zip(fig.subplots(1, len(_COMPARED)), _COMPARED, strict=True):
            ranks, pairs = compare(complete[name], lower)
            _draw_ranks(axes, ranks, groups_without_difference(ranks, pairs), styles)
            axes.set_title(f"{title} ({len(complete[name])} data sets)", loc="left")
            pairs = pairs.assign(
                measure=name, first_rank=pairs["first"].map(ranks), second_rank=pairs["second"].map(ranks)
            )
            frames.append(pairs)
        fig.supxlabel("mean rank (1 = best)", fontsize=8)
        bar = Line2D([], [], label="no significant difference among the methods along the bar", **_BAR)
        fig.legend(handles=[bar], loc="outside upper center")
    return Chart(fig, pd.concat(frames, ignore_index=True), f"Protocol: {protocol_words(protocol)}.")


def _draw_ranks(axes: Axes, ranks: pd.Series, groups: list[tuple[str, str]], styles: Mapping) -> None:
    """One row per method, the best on top; bars on the right join the rows of methods that do not differ."""
    rows = {name: row for row, name in enumerate(ranks.sort_values(kind="stable").index)}
    for name, row in rows.items():
        style = styles[name]
        axes.plot([1, ranks[name]], [row, row], color=style.color, linewidth=0.8)
        axes.plot([ranks[name]], [row], marker=style.marker, color=style.color, linestyle="none", clip_on=False)
        axes.annotate(f"{ranks[name]:.2f}", (ranks[name], row), xytext=(5, 0), textcoords="offset points", va="center",
                      fontsize=7)  # fmt: skip
    for place, (best, worst) in enumerate(groups):
        right = len(ranks) + 1 + 0.3 * place
        axes.plot([right, right], [rows[best] - 0.2, rows[worst] + 0.2], **_BAR)
    axes.set_yticks(range(len(rows)), [styles[name].label for name in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(1, len(ranks) + 1 + 0.3 * max(len(groups), 1))
    axes.set_xticks(range(1, len(ranks) + 1))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
