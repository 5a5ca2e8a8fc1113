"""The benchmark's methods over all data sets: beyond-gap, beyond-profile, beyond-cd."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from fwsvm.reporting.axes import limit_handle, method_handle, plain_number
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import MUTED, TEXT_WIDTH, figure_style, method_label, method_styles
from fwsvm.reporting.text import listing
from fwsvm.runs.protocols import protocol_words
from fwsvm.runs.table import stand_ins
from fwsvm.studies.benchmark.numbers import BENCHMARK, NEAR, experiment_runs
from fwsvm.studies.rankings.numbers import (
    LEVEL,
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

_CLOSE = 0.35
"""Mean ranks nearer than this have labels on either side of their stems."""

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
        axes.axvline(1, color=MUTED, linewidth=0.8)
        for method, style in styles.items():
            rows = frame[frame["method"] == method].set_index("dataset").reindex(names)
            aside = 0.13 * (list(styles).index(method) - (len(styles) - 1) / 2)
            place, limited = np.arange(len(names)) + aside, (rows["at_limit"] > 0).to_numpy()
            axes.hlines(place, rows["min"], rows["max"], color=style.color, linewidth=0.8)
            for mask, face in ((~limited, style.color), (limited, "white")):
                axes.plot(rows["median"][mask], place[mask], linestyle="none", marker=style.marker, color=style.color,
                          markerfacecolor=face)  # fmt: skip
        axes.set_yticks(np.arange(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.set_xlabel("certified relative duality gap over all training points, median and range (log scale)")
        handles = [method_handle(style, joined=False) for style in styles.values()]
        handles += [limit_handle()] * bool((frame["at_limit"] > 0).any())
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    above = frame.assign(above=frame["median"] > 1).groupby("method", sort=False)["above"].agg(["sum", "size"])
    counts = listing([f"{method_label(name)} on {n} of {of}" for name, (n, of) in above.reindex(methods).iterrows()])
    caption = (
        f"Certified duality gaps exceed the objective itself (line at 1) for {counts} data sets. Marks are medians "
        f"over the repetitions, bars their range; {protocol_words(protocol)}. The gap is computed in float64 "
        "over all training points after training."
    )
    return Chart(fig, caption, frame)


def profile_chart(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Chart:
    """Draw performance profiles of CPU time: as stopped, where equally accurate, and to the same gap."""
    all_runs = runs
    runs, protocol, methods = _benchmark(runs)
    table = measures(runs, protocol, methods)
    times, accuracy, ended = table["train_cpu_s"], table["test_accuracy"], ended_by_themselves(runs, protocol, methods)
    accurate = accuracy.ge(accuracy.max(axis=1) - NEAR, axis=0)
    panels = [
        ("where each method stops", performance_ratios(times, ended)),
        (f"within {NEAR:g} points of the best accuracy", performance_ratios(times, ended & accurate)),
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
                axes.plot(
                    [*tau, farthest], [*(100 * share), 100 * share[-1]], drawstyle="steps-post", color=style.color
                )
                axes.plot(
                    tau[:1], 100 * share[:1], linestyle="none", marker=style.marker, color=style.color, clip_on=False
                )
            axes.set_xscale("log")
            axes.set_xlim(1, farthest)
            axes.set_ylim(0, 103)
            axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
            axes.set_title(f"{title}\n({len(ratios)} sets)", loc="left")
        drawn[0].set_ylabel("share of data sets (%)")
        fig.supxlabel("CPU time within this factor of the fastest (log scale)", fontsize=8)
        fig.legend(
            handles=[method_handle(style) for style in styles.values()], loc="outside upper center", ncols=len(styles)
        )
    to_a_gap = "".join(f", and {_winners(ratios)} {title}" for title, ratios in panels[2:])
    caption = (
        f"Most often the fastest is {_winners(panels[0][1])} as methods stop, "
        f"{_winners(panels[1][1])} among runs within {NEAR:g} points of the best accuracy{to_a_gap}. A curve "
        "starts at the share of sets on which the method is fastest and ends at the share that it solves (Dolan and "
        "Moré 2002), not at a limit. "
        f"First two panels: {protocol_words(protocol)}."
    )
    return Chart(fig, caption, pd.DataFrame(rows))


def _winners(ratios: pd.DataFrame) -> str:
    if ratios.empty:
        return "none"
    first = (ratios == 1).mean()
    best = [method_label(name) for name in first.index[first == first.max()]]
    return f"{listing(best)} ({100 * first.max():.0f} %{' each' if len(best) > 1 else ''})"


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
    complete, replaced = {name: table.dropna() for name, table in tables.items()}, stand_ins(runs)
    if min(len(table) for table in complete.values()) < FEWEST:
        raise NotDrawableError(f"needs {FEWEST} data sets on which every method ran")
    styles, frames, not_different, without = method_styles(methods), [], [], []
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 0.6 + 1.05 * len(_COMPARED)), layout="constrained")
        for axes, (name, title, lower) in zip(fig.subplots(len(_COMPARED), 1), _COMPARED, strict=True):
            ranks, pairs = compare(complete[name], lower)
            groups = groups_without_difference(ranks, pairs)
            _draw_ranks(axes, ranks, groups, styles)
            axes.set_title(f"{title}: mean rank over {len(complete[name])} data sets, 1 = best", loc="left")
            not_different.append(f"{title} {int((~pairs['differ']).sum())} of {len(pairs)}")
            own = complete[name].drop(index=replaced, errors="ignore")
            if len(own) >= FEWEST:
                _, fewer = compare(own, lower)
                without.append(f"{int((~fewer['differ']).sum())}")
            pairs = pairs.assign(
                measure=name, first_rank=pairs["first"].map(ranks), second_rank=pairs["second"].map(ranks)
            )
            frames.append(pairs)
    also = f" (without stand-ins {', '.join(without)})" if replaced and without else ""
    ended = ended_by_themselves(runs, protocol, methods).loc[complete["train_cpu_s"].index]
    bounds = int((~ended).to_numpy().sum())
    limits = f"{bounds} of {ended.size} times are limits at which runs ended. " if bounds else ""
    caption = (
        f"Pairs of methods that do not differ significantly: {listing(not_different)}{also}. Bars join methods "
        f"of which no pair differs (two-sided Wilcoxon signed-rank tests over data sets, Holm's correction within a "
        f"panel, level {LEVEL:g}); marks stand at the mean ranks (Demšar 2006). "
        f"{limits}Protocol: {protocol_words(protocol)}."
    )
    return Chart(fig, caption, pd.concat(frames, ignore_index=True))


def _label_places(ranks: pd.Series) -> list[tuple[int, str]]:
    """(height, side) of each label by ascending rank, so that no stem runs through the label of a close neighbour.

    Of close ones the outer labels are low and reach outwards, the inner ones stand higher.
    """
    ascending = ranks.sort_values().to_numpy()
    chains = np.split(ascending, np.flatnonzero(np.diff(ascending) >= _CLOSE) + 1)
    places = []
    for chain in chains:
        for place in range(len(chain)):
            inner = min(place, len(chain) - 1 - place)
            side = "center" if 2 * place + 1 == len(chain) else "right" if 2 * place + 1 < len(chain) else "left"
            places.append((inner, side))
    return places


def _draw_ranks(axes: Axes, ranks: pd.Series, groups: list[tuple[str, str]], styles: Mapping) -> None:
    axes.set_xlim(0.8, len(ranks) + 0.2)
    highest = max(level for level, _ in _label_places(ranks))
    axes.set_ylim(-0.25 - 0.3 * max(len(groups), 1), 0.85 + 0.4 * max(highest, 1))
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xticks(range(1, len(ranks) + 1))
    for (name, rank), (level, side) in zip(ranks.sort_values(kind="stable").items(), _label_places(ranks), strict=True):
        style, height = styles[name], 0.45 + 0.4 * level
        axes.plot([rank, rank], [0, height - 0.08], color=style.color, linewidth=0.8)
        axes.plot([rank], [0], marker=style.marker, color=style.color, linestyle="none", clip_on=False)
        axes.annotate(f"{style.label} {rank:.2f}", (rank, height), ha=side, va="bottom", fontsize=7.5)
    for place, (best, worst) in enumerate(groups):
        height = -0.25 - 0.3 * place
        axes.plot([ranks[best] - 0.04, ranks[worst] + 0.04], [height, height], color=MUTED, linewidth=2.5)
