"""Figures that compare the benchmark's methods over all data sets (artefacts beyond-gap and
beyond-profile).
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.axes import limit_handle, method_handle, name_rows, plain_number
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.labels import label_aside
from fwsvm_papers.reporting.panels import dodged, facets
from fwsvm_papers.reporting.style import METHODS, TEXT_WIDTH, figure_style, method_styles
from fwsvm_papers.runs.comparison import comparison
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.table import ordered, protocols_of, quiet_times, summarise, under
from fwsvm_papers.studies.benchmark.numbers import (
    BENCHMARK,
    LADDER,
    NEAR,
    drawable_runs,
    experiment_runs,
    rows_in_order,
)
from fwsvm_papers.studies.benchmark.protocol import Missing

FEWEST = 3
"""Methods are ranked only if there are at least this number of data sets."""
TOO_FEW = f"needs {FEWEST} data sets on which every method ran"

_GAP = 1e-3
_PROFILE_WIDTH, _CURVES_SHARE = 4.4, 0.8
"""Width of the figure of profiles in inches, and the share of this width that the curves take. The
names of the methods are right of the curves.
"""
_ABOVE, _BAND_END = "#f3e3e6", 1e9


def benchmark_runs(runs: pd.DataFrame) -> tuple[pd.DataFrame, str, list[str]]:
    """Return the runs of the benchmark under its first protocol, the name of this protocol, and the
    methods.
    """
    runs = drawable_runs(runs, BENCHMARK)
    require(runs["method"].nunique() >= 2, "needs runs of the benchmark with at least two methods")
    protocol = protocols_of(runs)[0]
    runs = under(runs, protocol)
    return runs, protocol, ordered(runs["method"].dropna(), tuple(METHODS))


def by_method(table: pd.DataFrame, column: str, methods: list[str]) -> pd.DataFrame:
    """Return a column of `table`, a result of `fwsvm_papers.runs.comparison.comparison`, as a table
    with a row per data set and a column per method. Missing runs are NaN.
    """
    by_set = table.set_index("dataset")
    columns = {method: by_set.loc[by_set["method"] == method, column] for method in methods}
    return pd.DataFrame(columns, dtype=float).sort_index()


def gap_chart(runs: pd.DataFrame, missing: Missing = None) -> Chart:
    """Draw the certified gaps, with a row per data set and a mark per method."""
    runs, protocol, methods = benchmark_runs(runs)
    columns = {f"relative_gap_{name}": name for name in ("mean", "min", "max")}
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
        axes.axvspan(1, _BAND_END, color=_ABOVE, zorder=0, linewidth=0)
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
            axes.plot(rows["mean"][~limited], place[~limited], **look)
            axes.plot(rows["mean"][limited], place[limited], markerfacecolor="white", **look)
        name_rows(axes, names)
        axes.set_xscale("log")
        axes.set_xlim(0.7 * min(frame["min"].min(), 1), 1.5 * max(frame["max"].max(), 2))
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.set_xlabel(
            "certified relative duality gap over all training points, mean and range (log scale)"
        )
        handles = [method_handle(style, joined=False) for style in styles.values()]
        handles += [limit_handle()] * bool((frame["at_limit"] > 0).any())
        handles += [Patch(color=_ABOVE, label="gap above the objective")]
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return Chart(fig, frame, f"All runs have the {protocol_words(protocol)}.")


def performance_ratios(costs: pd.DataFrame, solved: pd.DataFrame) -> pd.DataFrame:
    """Return each cost divided by the lowest cost on the same data set, among the methods that did
    not fail on it. Dolan and More (2002) call this ratio r_ps.

    If `solved` is false for a method and a data set, the method failed, and the ratio is infinite.
    A data set is left out if one of the methods did not run on it, or if all methods failed on it.
    """
    complete = costs.dropna()
    counted = complete.where(solved.loc[complete.index, complete.columns], np.inf)
    least = counted.min(axis=1)
    return counted[np.isfinite(least)].div(least[np.isfinite(least)], axis=0)


def profile(ratios: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return two arrays, the performance profile: factors tau, and for each tau the share of data
    sets whose ratio is at most tau.
    """
    finite = np.sort(ratios[np.isfinite(ratios)].to_numpy())
    tau = np.concatenate([[1.0], finite])
    return tau, np.searchsorted(finite, tau, side="right") / max(len(ratios), 1)


def profile_chart(runs: pd.DataFrame, missing: Missing = None) -> Chart:
    """Draw three performance profiles, which differ in what a method must do on a data set.

    In the first profile, it must reach a relative gap of 0.001. This profile is left out if the
    ladder has no runs to this gap. In the second, all runs of the method must end before their
    limits. In the third, the accuracy of the method must also be at most `NEAR` percentage points
    below the best accuracy on the data set.
    """
    equal = costs_to_gap(runs, _GAP)
    runs, protocol, methods = benchmark_runs(runs)
    table = comparison(runs)
    times, accuracy, limited = (
        by_method(table, name, methods) for name in ("time", "accuracy", "at_limit")
    )
    ended = limited == 0
    accurate = accuracy.ge(accuracy.max(axis=1) - NEAR, axis=0)
    own_rule = performance_ratios(times, ended)
    require(len(own_rule) >= FEWEST, TOO_FEW)
    ratios = {
        "each method's own stopping rule": own_rule,
        f"within {NEAR:g} points of the best accuracy": performance_ratios(times, ended & accurate),
    }
    if len(equal):
        to_gap = performance_ratios(equal, np.isfinite(equal))
        ratios = {f"to a relative gap of {_GAP:g}": to_gap, **ratios}
    styles = method_styles(
        dict.fromkeys(name for table in ratios.values() for name in table.columns)
    )
    # all panels have the same x axis, so that curves in different panels can be compared
    slowest = max(table.where(np.isfinite(table)).max().max() for table in ratios.values())
    right = max(10.0, 1.3 * slowest)
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
            # marks of different methods are at different places on their curves
            part = place / (len(styles) + 1)
            mark = right**part
            height = share[np.searchsorted(tau, mark, side="right") - 1]
            marks.append((title, method, mark, 100 * height))
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
            size=(_PROFILE_WIDTH, 1.9),
            titles={title: f"{title} ({len(table)} data sets)" for title, table in ratios.items()},
            wrap=1,
        )
        figure = panels.figure
        for (_, title), axes in panels.axes.items():
            for method, rows in frame[frame["panel"] == title].groupby("method"):
                heights = 100 * rows["share"]
                axes.plot(
                    [*rows["factor"], right],
                    [*heights, heights.iloc[-1]],
                    drawstyle="steps-post",
                    color=styles[method].color,
                    linewidth=1.5,
                )
            axes.set_xlim(0.9, right)
            axes.set_ylim(-4, 104)  # leave room for marks at 0 and 100 %
            axes.set_title(axes.get_title(), fontsize=9)
            axes.tick_params(labelsize=8.5)
        figure.supylabel("share of data sets (%), higher is better", fontsize=9)
        words = "CPU time / time of the fastest method (log scale)"
        words += "\n1 means that the method is the fastest"
        figure.supxlabel(words, fontsize=9)
        figure.get_layout_engine().set(rect=(0, 0, _CURVES_SHARE, 1))
        figure.draw_without_rendering()  # the positions of names depend on the layout
        for (_, title), axes in panels.axes.items():
            last = frame[frame["panel"] == title].groupby("method")["share"].max()
            names = [name for name in styles if name in last.index]
            label_aside(
                axes,
                [styles[name].label for name in names],
                [right] * len(names),
                list(100 * last[names]),
                right**1.1,
                size=8.5,
                colors=[styles[name].color for name in names],
            )
    panels = "The other panels" if len(equal) else "The panels"
    notes = f"{panels} have the stopping rules of the {protocol_words(protocol)}."
    return Chart(figure, frame, notes)


def costs_to_gap(runs: pd.DataFrame, gap: float) -> pd.DataFrame:
    """Return a table of mean CPU times to a relative gap, with a row per data set and a column per
    method.

    Disturbed runs are left out as in `quiet_times`. The time of a method is infinite if one of its
    runs did not reach the gap, or if the method has runs to other gaps only. The time is NaN if the
    method did not run. If there are no runs to this gap, the table is empty.
    """
    runs = experiment_runs(runs, LADDER)
    runs = runs[(runs["selection"] == "full").fillna(False)]
    runs = runs.assign(solved=(runs["stop_reason"] == "converged").astype(float))
    here = runs[np.isclose(runs["eps"].astype(float), gap)]
    if here.empty:
        return pd.DataFrame()
    here = here.assign(train_cpu_s=quiet_times(here, ["dataset", "method"]))
    keys = {"index": "dataset", "columns": "method"}
    # A method that did not reach a larger gap was not run to this gap. It counts as failed, so
    # `ran` also counts runs to larger gaps.
    ran = runs.pivot_table("solved", **keys, aggfunc="size")[
        list(method_styles(runs["method"].dropna()))
    ].notna()
    costs = here.pivot_table("train_cpu_s", **keys).reindex(index=ran.index, columns=ran.columns)
    solved = here.pivot_table("solved", **keys).reindex_like(costs) == 1
    return costs.mask(ran & ~solved, np.inf)
