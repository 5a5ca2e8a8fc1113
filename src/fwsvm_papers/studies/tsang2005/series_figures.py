"""The figures of tsang2005: series of growing training sets (a column per C), and one-class
SVMs.
"""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogFormatterMathtext, LogLocator, NullLocator

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import MAJORITY, UP, draw_bounds, logarithmic, majority_handle
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.labels import label_aside
from fwsvm_papers.reporting.panels import Panels, facets
from fwsvm_papers.reporting.style import (
    ACCENT,
    MUTED,
    TEXT_WIDTH,
    figure_style,
    method_label,
    method_styles,
)
from fwsvm_papers.reporting.text import joined, listing
from fwsvm_papers.runs import LIMIT_REASONS
from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.studies.benchmark.numbers import majority_accuracies
from fwsvm_papers.studies.benchmark.protocol import Details, Missing, missing_sets
from fwsvm_papers.studies.registry import load_printed
from fwsvm_papers.studies.tsang2005.scaling import SETTING, curves, series_runs

ROWS = {"time": "CPU time (s)", "support_vectors": "support vectors", "error": "test error (%)"}
"""Maps a quantity to the label of its row of panels."""

WITH_GAP = {**ROWS, "relative_gap": "certified relative gap"}
"""Like `ROWS`, with a further row for the certified gap at the end of each run. LIBSVM does not
certify a gap.
"""

PANELS = {
    "auc": "area under the ROC curve",
    "share": "support vectors (% of m)",
    "time": "CPU time (s)",
}
"""Maps a quantity of the one-class SVMs to the title of its panel."""

_RUN = ["dataset", "method", "gamma_rule", "partition", "C", "repetition"]
_CORE_SET = {"linewidth": 4.5, "color": MUTED, "alpha": 0.3, "solid_capstyle": "butt"}
_THIN = {"lines.markersize": 3.4, "lines.linewidth": 1.0}
# CVM has bold lines, because the other methods are compared with it. LIBSVM has open marks, so that
# marks of other methods remain visible inside them.
_LOOKS = {
    "cvm": {"markersize": 4.6, "linewidth": 2.0},
    "auto": {"markersize": 8, "linewidth": 1.6},
    "libsvm_l1": {"markersize": 8, "markerfacecolor": "none", "markeredgewidth": 0.8},
    "libsvm_l2": {"markersize": 6.5, "markerfacecolor": "none", "markeredgewidth": 0.8},
}
_STOPPED = {
    "marker": "x",
    "color": ACCENT,
    "markersize": 9,
    "markeredgewidth": 1.3,
    "linestyle": "none",
    "zorder": 6,
}
"""Style of the cross over the mark of a run that ended at a limit."""
_THICK = {"lines.linewidth": 2.0, "lines.markersize": 5, "lines.markeredgewidth": 1.4}
_NAME_COLUMN = 0.85
"""Share of the figure's width that the panels take. The names of the curves are in the rest, at the
right.
"""


def fig2(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Draw time, model size and error on the checkerboard (tsang2005 fig. 2)."""
    numbers, drawn, notes = _of_part(runs, tsang2005, "checkerboard", ("checkerboard-1m",), missing)
    printed = float(load_printed("tsang2005_text")["value"].iloc[0])
    with figure_style(), mpl.rc_context(_THIN):
        panels = _draw_series(drawn)
        largest = drawn[(drawn["method"] == "cvm") & (drawn["task_size"] == 1_000_000)].dropna(
            subset=["error"]
        )
        # the time that the paper reports is marked in the panel of the C at which CVM's error is
        # lowest
        if len(largest):
            axes = panels.axes["time", largest.sort_values("error")["C"].iloc[0]]
            axes.plot(
                1_000_000,
                printed,
                marker="_",
                markersize=9,
                markeredgewidth=1.4,
                color=ACCENT,
                zorder=6,
            )
            draw_bounds(axes, np.array([1_000_000]), np.array([printed]), ACCENT, Bound.AT_MOST)
            axes.annotate(
                f"printed: under {printed:g} s",
                (1_000_000, printed),
                xytext=(5, -28),
                ha="right",
                textcoords="offset points",
                fontsize=6.5,
                color=ACCENT,
            )
        return Chart(_finish(panels, drawn), numbers, joined(notes, _each_limit(drawn)))


def fig3(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Draw time, model size, error and certified gap on forest cover type, class 2 against the rest
    (tsang2005 fig. 3).
    """
    numbers, drawn, notes = _of_part(runs, tsang2005, "forest", ("covtype",), missing)
    with figure_style(), mpl.rc_context(_THIN):
        panels = _draw_series(drawn, quantities=WITH_GAP)
        ends = drawn[drawn["limit"].notna()]
        for (quantity, C), axes in panels.axes.items():
            here = ends[ends["C"] == C]
            if quantity == "time":
                here = here.sort_values("task_size").drop_duplicates("method")
                axes.plot(here["task_size"], here["limit"], **_STOPPED)
            elif quantity == "relative_gap":
                axes.plot(here["task_size"], here["relative_gap"], **_STOPPED)
        panels.handles = [
            handle for handle in panels.handles if not handle.get_label().startswith("stopped")
        ]
        if len(ends):
            panels.handles.append(Line2D([], [], label="stopped at the time limit", **_STOPPED))
        return Chart(_finish(panels, drawn), numbers, joined(notes, limit_in_words(drawn)))


def _each_limit(numbers: pd.DataFrame) -> str:
    """Return a sentence with the time limits. If there are fewer than two different limits, return
    an empty text.
    """
    limits = [f"{seconds:g} s for {who}" for seconds, who in _limits(numbers).items()]
    return f"The time limits are {', and '.join(limits)}." if len(limits) > 1 else ""


def limit_in_words(numbers: pd.DataFrame) -> str:
    """Return sentences about the time limits. The sentences say at which size each method was
    stopped, and whether all methods had the same limit.
    """
    limits = _limits(numbers)
    if not limits:
        return "No run reached its time limit."
    ends = numbers[numbers["limit"].notna()].groupby("method")["task_size"].min().sort_values()
    sizes_of = ends.groupby(ends.index.map(_short_name)).nunique()

    def name(method: str) -> str:
        """Return the short name, or the full name if other variants ended at other sizes."""
        short = _short_name(method)
        return short if sizes_of[short] == 1 else method_label(method)

    names = {size: sorted(set(map(name, of.index))) for size, of in ends.groupby(ends)}
    places = listing(f"{listing(who)} at {size:,.0f} or more points" for size, who in names.items())
    seconds = min(limits)
    if len(limits) == 1 and not (numbers["time"] > 1.1 * seconds).any():
        return f"The time limit of {seconds:g} s is the same for all methods. It stopped {places}."
    ends, plural = " and ".join(f"{end:g} s" for end in limits), "s" if len(limits) > 1 else ""
    return (
        "The time limits differ between methods."
        f" The time limit{plural} of {ends} stopped {places}."
    )


def fig4(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Draw time, model size and error on the Adult series (tsang2005 fig. 4)."""
    numbers, drawn, notes = _of_part(
        runs, tsang2005, "adult", [f"a{i}a" for i in range(1, 10)], missing
    )
    names = (
        runs_of_part(runs, tsang2005, "adult")
        .drop_duplicates("task_size")
        .set_index("task_size")["dataset"]
    )
    constant = 100 - names.sort_index().map(majority_accuracies(tsang2005)).astype(float).dropna()
    with figure_style(), mpl.rc_context(_THIN):
        panels = _draw_series(drawn, names, constant)
        more = [majority_handle()] if len(constant) else []
        return Chart(_finish(panels, drawn, *more), numbers, joined(notes, _each_limit(drawn)))


def runs_of_part(
    runs: pd.DataFrame,
    details: Details,
    part: str,
    expected: Sequence[str] = (),
    missing: Missing = None,
) -> pd.DataFrame:
    """Return the runs of a part of the study, such as "checkerboard" or "one_class".

    If there are no such runs, raise a `NotDrawableError`.
    """
    rows = series_runs(runs, [entry["dataset"] for entry in details if entry["series"] == part])
    rows = rows[rows["partition"].notna() == (part == "one_class")]
    require(not rows.empty, needs("the study tsang2005", expected, missing))
    return rows


def _of_part(
    runs: pd.DataFrame, details: Details, part: str, expected: Sequence[str], missing: Missing
) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Return two tables and a text for a part of the study: all numbers, the numbers at the best
    kernel width, and the notes.
    """
    rows = runs_of_part(runs, details, part, expected, missing)
    numbers = series_numbers(rows)
    width = best_width(numbers)
    drawn = numbers[numbers["gamma_rule"] == width]
    most, absent = drawn["n"].max(), missing_sets(expected, rows["dataset"], missing)
    upto = drawn[drawn["n"] == most]["task_size"].max()
    fewer = f" (fewer beyond {upto:,.0f} points)" if (drawn["n"] < most).any() else ""
    draws = f"Each size has up to {most} random training sets{fewer}."
    beta = ", where β is the average squared distance between points" if "beta" in width else ""
    said = joined(
        "Each mark is one run." if most == 1 else draws,
        f"γ is {width.replace('beta', 'β')}{beta}.",
    )
    return numbers, drawn, joined(said, _memory_in_words(rows[rows["gamma_rule"] == width]), absent)


def _memory_in_words(runs: pd.DataFrame) -> str:
    """Return a sentence about the methods that would have exceeded their memory limit."""
    over = runs[runs["stop_reason"] == "memory_limit"]
    sizes = over.groupby(over["method"].map(_short_name))["task_size"].min().astype(float)
    places = [f"{name} at {size:,.0f} or more points" for name, size in sizes.items()]
    return f"The memory limit stopped {listing(places)}." if places else ""


def series_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `scaling.curves` with two further columns.

    ``limit`` is the mean time of the runs that ended at a limit of time or steps, and
    ``relative_gap`` is the mean relative gap.
    """
    keys = ["method", *SETTING, "task_size"]
    known = runs.assign(
        task_size=runs["task_size"].astype(float),
        limit=runs["train_cpu_s"].astype(float).where(runs["stop_reason"].isin(LIMIT_REASONS)),
    )
    means = (
        known.groupby(keys, dropna=False)[["limit", "relative_gap"]]
        .mean()
        .astype(float)
        .reset_index()
    )
    return curves(runs).merge(means, on=keys, how="left")


def best_width(numbers: pd.DataFrame) -> str:
    """Return the kernel width (`gamma_rule`) at which CVM has the lowest median error. If no error
    of CVM is known, use the errors of all methods.
    """
    rows = numbers[(numbers["method"] == "cvm") & numbers["error"].notna()]
    rows = rows if len(rows) else numbers
    return rows.groupby("gamma_rule")["error"].median().sort_values(kind="stable").index[0]


def _draw_series(
    drawn: pd.DataFrame,
    names: pd.Series | None = None,
    constant: pd.Series | None = None,
    quantities: Mapping[str, str] = ROWS,
) -> Panels:
    shown = drawn
    if names is not None:
        sizes = [
            f"{name}{end}"
            for name in ("support_vectors", "coreset")
            for end in ("", "_low", "_high")
        ]
        shown = drawn.assign(**{name: 100 * drawn[name] / drawn["task_size"] for name in sizes})
    gap = shown["relative_gap"]
    shown = shown.assign(relative_gap_low=gap, relative_gap_high=gap)
    curve = shown[["method", "C", "task_size"]].assign(ended=False, bound=Bound.EXACT)
    blocks = [
        curve.assign(
            quantity=name, value=shown[name], low=shown[f"{name}_low"], high=shown[f"{name}_high"]
        )
        for name in quantities
    ]
    frame = pd.concat([*blocks, _bounds(shown)]).sort_values(["C", "task_size"], kind="stable")
    frame["quantity"] = pd.Categorical(frame["quantity"], quantities)
    share = {"support_vectors": "support vectors\n(% of points)"} if names is not None else {}
    styles = method_styles(frame["method"].unique())
    values = list(frame["C"].unique())
    square = len(values) == 1 and len(quantities) == 4
    panels = facets(
        frame,
        "task_size",
        "value",
        styles=styles,
        limited="ended",
        logx=10,
        share=lambda row, col: row if len(values) > 1 else col,
        labels={**quantities, **share},
        titles={C: f"C = {C:g}" for C in values} if len(values) > 1 else quantities,
        size=(5.2 if square else TEXT_WIDTH, 1.55 if len(values) > 1 else 2.0),
        wrap=2 if square else None,
        row="quantity" if len(values) > 1 else None,
        col="C" if len(values) > 1 else "quantity",
    )
    if len(values) == 1:
        panels.axes = {(quantity, values[0]): axes for (_, quantity), axes in panels.axes.items()}
    looks: dict = {styles[name].color: _LOOKS.get(name, {}) for name in styles}
    limits = _limits(shown)
    lines = [line for axes in panels.axes.values() for line in axes.get_lines()]
    for line in [*panels.handles, *lines]:
        if line.get_label().startswith("stopped"):
            line.set(marker=UP, markersize=13, label="stopped at a limit")
        # arrows (marks of size 10 or more) and ends of bars (marks "_") keep their look
        elif line.get_markersize() < 10 and line.get_marker() != "_":
            line.set(**looks.get(line.get_color(), {}))
    for (quantity, C), axes in panels.axes.items():
        cvm = shown[(shown["method"] == "cvm") & (shown["C"] == C)]
        if quantity == "support_vectors":
            axes.plot(cvm["task_size"], cvm["coreset"], zorder=1, **_CORE_SET)
        if quantity == "error" and constant is not None:
            axes.plot(constant.index, constant, **MAJORITY)
        for seconds in limits if quantity == "time" else ():
            axes.axhline(seconds, color=MUTED, linewidth=0.6, zorder=1)
            if values[0] == C:
                axes.annotate(
                    f"limit {seconds:g} s",
                    (0, seconds),
                    xycoords=axes.get_yaxis_transform(),
                    xytext=(2, 1.5),
                    textcoords="offset points",
                    fontsize=6.5,
                    color=MUTED,
                )
        _size_axis(axes, drawn["task_size"], names)
    for quantity in quantities:
        axes = panels.axes[quantity, values[0]]
        if quantity in share:
            axes.set_ylim(bottom=0)
        else:
            axes.margins(y=0.14)
            logarithmic(axes)
    panels.handles.append(Line2D([], [], label="coreset of CVM", **_CORE_SET))
    words = "training points" if names is None else "training set, placed at its number of points"
    words += f" (C = {values[0]:g})" if len(values) == 1 else ""
    panels.figure.supxlabel(words, fontsize=8)
    return panels


def _finish(panels: Panels, drawn: pd.DataFrame, *more: Line2D) -> Figure:
    """Draw the legend, and write the names of the curves at the right of the last column of panels.
    Return the figure.
    """
    figure = panels.finish(*more)
    values = drawn["C"].unique()
    if len(values) == 1:
        return figure
    figure.get_layout_engine().set(rect=(0, 0, _NAME_COLUMN, 1))
    figure.draw_without_rendering()  # the positions of names depend on the layout
    color_of = {
        style.label: style.color for style in method_styles(drawn["method"].unique()).values()
    }
    for axes in [axes for (_, C), axes in panels.axes.items() if values.max() == C]:
        ends = curve_ends(axes, drawn["method"].unique())
        if not ends:
            continue
        x, y = (list(places) for places in zip(*ends.values(), strict=True))
        colors = [color_of[name] for name in ends]
        label_aside(axes, list(ends), x, y, axes.get_xlim()[1] * 1.25, size=7.5, colors=colors)
    return figure


def curve_ends(axes: Axes, methods: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return a dict that maps the label of each method to the last point of its curve. Methods
    without a curve are left out.
    """
    found = {}
    for style in method_styles(methods).values():
        curves_of = [line for line in axes.get_lines() if line.get_color() == style.color]
        points = np.vstack([np.empty((0, 2)), *(line.get_xydata() for line in curves_of)])
        points = points[~np.isnan(points).any(axis=1)]
        if len(points):
            found[style.label] = tuple(points[np.argmax(points[:, 0])])
    return found


def _limits(numbers: pd.DataFrame) -> dict[float, str]:
    """Return a dict that maps each time limit (s) to a text with the methods that reached this
    limit.

    Times within 10 % of each other count as one limit.
    """
    seconds = numbers.groupby("method")["limit"].min().dropna().sort_values()
    names = seconds.index.map(_short_name)
    groups = seconds.set_axis(names).groupby((seconds.pct_change() > 0.1).cumsum().to_numpy())
    return {float(f"{group.iloc[0]:.2g}"): listing(sorted(set(group.index))) for _, group in groups}


def _short_name(method: str) -> str:
    """Return the name of a method without its variant, such as LIBSVM or LSVM."""
    return method_label(method).replace(",", " (").partition(" (")[0]


def _bounds(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a row for each curve (method and C) that ends at a limit.

    A row has the CPU seconds of the stopped run, which are a lower bound on the training time of
    this run.
    """
    rows = (
        numbers[numbers["limit"].notna()].sort_values("task_size").drop_duplicates(["method", "C"])
    )
    return rows[["method", "C", "task_size"]].assign(
        quantity="time",
        value=rows["limit"],
        low=rows["limit"],
        high=rows["limit"],
        ended=True,
        bound=Bound.AT_LEAST,
    )


def _size_axis(axes: Axes, sizes: pd.Series, names: pd.Series | None) -> None:
    low, high = sizes.min(), sizes.max()
    axes.set_xlim(low / 1.35, high * 1.35)
    if names is not None:
        axes.set_xticks(names.index, names, rotation=90)
    elif high / low < 10:
        shown = np.unique(sizes.astype(int))
        axes.set_xticks(shown, [f"{size:,}" for size in shown])
    else:
        axes.xaxis.set_major_locator(LogLocator(numticks=10))
        axes.xaxis.set_major_formatter(LogFormatterMathtext())
    axes.xaxis.set_minor_locator(NullLocator())


def oneclass(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Draw the results of the one-class L2-SVM (tsang2005 sec. 3.2.1) and of scikit-learn's
    OneClassSVM on real data.
    """
    rows = runs_of_part(runs, tsang2005, "one_class", ["usps"], missing)
    numbers = novelty_numbers(
        rows, [entry for entry in tsang2005 if entry["series"] == "one_class"]
    )
    keys = ["dataset", "gamma_rule", "method", "partition", "nu"]
    long = (
        numbers.melt(keys, list(PANELS), "quantity")
        .groupby([*keys, "quantity"], as_index=False)["value"]
        .mean()
    )
    long["quantity"] = pd.Categorical(long["quantity"], PANELS)
    long["case"] = long["dataset"] + ", γ = " + long["gamma_rule"].str.replace("beta", "β")
    cases = list(long["case"].unique())
    means = long.groupby(["case", "method", "nu", "quantity"], as_index=False, observed=True)[
        "value"
    ].mean()
    styles = method_styles(numbers["method"].unique())
    with figure_style(), mpl.rc_context(_THICK):
        panels = facets(
            means,
            "nu",
            "value",
            row="case",
            col="quantity",
            styles=styles,
            titles=PANELS,
            logx=10,
            share=lambda row, col: (row, col),
            xlabel="ν = 1 / (C m)",
            size=(TEXT_WIDTH, 2.3),
            labels={cases[0]: ""} if len(cases) == 1 else None,
        )
        for (case, quantity), axes in panels.axes.items():
            shown = long[(long["case"] == case) & (long["quantity"] == quantity)]
            for method, of_method in shown.groupby("method"):
                ends = of_method.groupby("nu")["value"].agg(["min", "max"])
                look = {"color": styles[method].color, "alpha": 0.15, "linewidth": 0}
                axes.fill_between(ends.index, ends["min"], ends["max"], zorder=1, **look)
            if quantity != "auc":
                logarithmic(axes)
        band = Patch(color=MUTED, alpha=0.3, label="range over the classes", linewidth=0)
        figure = panels.finish(band, title=cases[0] if len(cases) == 1 else None)
    return Chart(figure, numbers)


def novelty_numbers(runs: pd.DataFrame, details: Details) -> pd.DataFrame:
    """Return a table with a row per run. The table has the area under the ROC curve, the number of
    support vectors (% of the training points), the training time and the relative gap.
    """
    notes = pd.DataFrame(
        {"dataset": job["dataset"], "method": job["method"], **run}
        for job in details
        for run in job["runs"]
    )
    frame = runs[[*_RUN, "relative_gap"]].assign(
        share=100.0 * runs["support_vectors"].astype(float) / runs["task_size"].astype(float),
        time=runs["train_cpu_s"],
        partition=runs["partition"].astype(int),
        repetition=runs["repetition"].astype(int),
    )
    joined = frame.merge(notes[[*_RUN, "nu", "auc"]], on=_RUN, how="left").astype({"auc": float})
    columns = [
        "dataset",
        "method",
        "gamma_rule",
        "partition",
        "nu",
        "repetition",
        *PANELS,
        "relative_gap",
    ]
    return joined[columns].sort_values(columns[:6], kind="stable", ignore_index=True)
