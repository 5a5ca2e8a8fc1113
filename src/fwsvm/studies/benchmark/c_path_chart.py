"""Accuracy and training time against C: a column of panels per data set, on a base-2 axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from fwsvm.reporting.axes import (
    MAJORITY,
    by_rows,
    draw_method,
    limit_handle,
    logarithmic,
    majority_handle,
    method_handle,
)
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import COLUMN_WIDTH, MUTED, MethodStyle, figure_style, method_label, method_styles
from fwsvm.reporting.text import joined, listing
from fwsvm.runs.protocols import protocol_sentence
from fwsvm.runs.table import protocols_of, summarise
from fwsvm.studies.benchmark.numbers import (
    BENCHMARK,
    C_PATH,
    FRANDI2013,
    experiment_runs,
    majority_accuracies,
    methods_shown,
    parameters,
)
from fwsvm.studies.benchmark.protocol import borrowed_cvm, missing_sets, repetitions
from fwsvm.studies.benchmark.quantities import QUANTITIES, time_correlation

FALLING = -0.5
"""A rank correlation of time with C below this counts as "faster as C grows"."""

_LEAST_SPAN = 1.0
"""Points of accuracy that an axis shows at least."""

_AS_CONSTANT = 0.1
"""Points of accuracy above the majority class up to which a method counts as no better."""

_CLEAR = {"facecolor": "white", "edgecolor": "none", "pad": 1}

_TUNED = {"color": MUTED, "linestyle": (0, (5, 2)), "linewidth": 0.9}


def c_path_numbers(runs: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Compute what the figure draws.

    Parameters
    ----------
    runs : DataFrame
        Runs of the experiment ``c_path`` under one protocol (and CVM under its own).
    methods : sequence of str

    Returns
    -------
    DataFrame
        One row per quantity (``accuracy``, ``time``), data set, method and ``C``, in this order: ``value``,
        ``low``, ``high`` (range over repetitions), ``at_limit``.
    """
    summary = summarise(runs, by=("C",))
    summary = summary[summary["method"].isin(methods)]
    blocks = []
    for quantity in ("accuracy", "time"):
        measure = QUANTITIES[quantity].measure
        columns = {f"{measure}_mean": "value", f"{measure}_min": "low", f"{measure}_max": "high"}
        block = summary[["dataset", "method", "C", *columns, "at_limit"]].rename(columns=columns)
        blocks.append(block.assign(quantity=quantity).sort_values(["dataset", "method", "C"], kind="stable"))
    numbers = pd.concat(blocks, ignore_index=True)
    numbers["at_limit"] = numbers["at_limit"].astype(bool)
    return numbers[["quantity", "dataset", "method", "C", "value", "low", "high", "at_limit"]]


def c_path_chart(
    runs: pd.DataFrame,
    descriptions: Sequence[Mapping],
    datasets: Sequence[str],
    missing: Mapping[str, str] | None = None,
) -> Chart:
    """Draw accuracy (first row) and training time (second row) against C, a column per data set.

    Parameters
    ----------
    descriptions : sequence of mapping
        One per data set, for the accuracy of the constant answer.
    datasets : sequence of str
        Data sets of the paper's figure.

    Raises
    ------
    NotDrawableError
        If the experiment ran on none of the data sets.
    """
    benchmark = experiment_runs(runs, BENCHMARK, datasets)
    runs = experiment_runs(runs, C_PATH, datasets)
    same = benchmark["protocol"].isin(protocols_of(runs)).fillna(False)
    tuned = parameters(benchmark[same], datasets)["C"]
    if runs.empty:
        raise NotDrawableError(needs("the experiment c_path", datasets, missing))
    methods = methods_shown(runs, FRANDI2013)
    numbers = c_path_numbers(runs, methods)
    present = [name for name in datasets if name in set(runs["dataset"].dropna())]
    majority = {name: value for name, value in majority_accuracies(descriptions).items() if name in present}
    with figure_style():
        figure = _draw(numbers, present, tuned, majority, method_styles(methods))
    many = repetitions(runs)
    caption = joined(
        _trend(numbers),
        *_constant(numbers, majority),
        "One run for each C." if many == "1 repetition" else f"Means, bars: range over {many}.",
        _limits(numbers[(numbers["quantity"] == "time") & numbers["at_limit"]]["value"]),
        protocol_sentence(protocols_of(runs)[0]),
        borrowed_cvm(runs),
        missing_sets(datasets, runs["dataset"].dropna(), missing),
    )
    return Chart(figure, numbers, caption=caption)


def _trend(numbers: pd.DataFrame) -> str:
    """Say whether training gets faster as C grows, which the paper says of all methods, and where it does not."""
    correlations = {}
    for curve, rows in numbers[numbers["quantity"] == "time"].groupby(["dataset", "method"]):
        rows = rows.dropna(subset=["value"])
        correlations[curve] = time_correlation(rows["C"], rows["value"], rows["at_limit"])
    correlations = {curve: value for curve, value in correlations.items() if value is not None}
    if not correlations:
        return ""
    others = [f"{method_label(method)} on {name}" for (name, method), value in correlations.items() if value >= FALLING]
    falling = len(correlations) - len(others)
    return (
        f"Training gets faster as C grows on {falling} of {len(correlations)} curves (rank correlation of time with C "
        f"below −{-FALLING:g}){f', not of {listing(others)}' if others else ''}; the paper says so of all."
    )


def _constant(numbers: pd.DataFrame, majority: Mapping[str, float]) -> list[str]:
    """Say which methods are no better than the constant answer from some C on."""
    from_C: dict[tuple[str, float], list[str]] = {}
    for (dataset, method), rows in numbers[numbers["quantity"] == "accuracy"].groupby(["dataset", "method"]):
        better = rows["value"] > majority.get(dataset, -np.inf) + _AS_CONSTANT
        flat = rows.sort_values("C")[~better.sort_index()[::-1].cummax()[::-1]]
        if len(flat) > 1:
            from_C.setdefault((dataset, flat["C"].iloc[0]), []).append(method_label(method))
    return [
        f"On {dataset} {listing(names)} stay{'s' if len(names) == 1 else ''} within {_AS_CONSTANT:g} points of the "
        f"majority class from C = {C:g} on."
        for (dataset, C), names in from_C.items()
    ]


def _limits(seconds: pd.Series) -> str:
    """Say what runs at a time limit are."""
    if seconds.empty:
        return ""
    low, high = (f"{value:.0f}" for value in (seconds.min(), seconds.max()))
    span = low if low == high else f"{low} to {high}"
    return (
        f"Open: stopped by the time limit, which pairs of classes share, at {span} CPU s; the true time is longer "
        "(arrow), a tie in the correlation."
    )


def _draw(
    numbers: pd.DataFrame,
    datasets: Sequence[str],
    tuned: pd.Series,
    majority: Mapping[str, float],
    styles: Mapping[str, MethodStyle],
) -> Figure:
    figure = Figure(figsize=(COLUMN_WIDTH if len(datasets) == 1 else 5.2, 4.0), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.03)
    panels, drawn = figure.subplots(2, len(datasets), squeeze=False), False
    for row, quantity in enumerate(("accuracy", "time")):
        for column, dataset in enumerate(datasets):
            axes = panels[row, column]
            shown = numbers[(numbers["quantity"] == quantity) & (numbers["dataset"] == dataset)]
            _draw_panel(axes, shown, tuned[dataset], styles, "lower" if quantity == "time" else None)
            _power_axis(axes, numbers["C"], named=row == 1)
            if quantity == "time":
                axes.margins(y=0.2 if shown["at_limit"].any() else 0.05)  # room for the arrows
                logarithmic(axes)
                axes.set_xlabel("C")
            else:
                axes.set_title(dataset)
                _not_below(axes, _LEAST_SPAN)
                drawn |= _draw_majority(axes, majority.get(dataset))
        panels[row, 0].set_ylabel(QUANTITIES[quantity].label)
    figure.align_ylabels(panels[:, 0])
    handles = [method_handle(style) for style in styles.values()]
    if tuned.notna().any():
        handles.append(Line2D([], [], label="tuned C", **_TUNED))
    if drawn:
        handles.append(majority_handle())
    if numbers["at_limit"].any():
        handles.append(limit_handle())
    columns = min(len(handles), 3 if len(datasets) == 1 else 5)
    figure.legend(handles=by_rows(handles, columns), loc="outside upper center", ncols=columns)
    return figure


def _draw_panel(
    axes: Axes, shown: pd.DataFrame, tuned: float | None, styles: Mapping[str, MethodStyle], bound: str | None
) -> None:
    for method, style in styles.items():
        rows = shown[shown["method"] == method]
        draw_method(axes, rows["C"].to_numpy(), rows, style, bound=bound)
    if pd.notna(tuned):
        axes.axvline(tuned, zorder=1, **_TUNED)


def _draw_majority(axes: Axes, majority: float | None) -> bool:
    """Draw the accuracy of the constant answer, or write it at the edge of the axis below which it lies.

    Returns whether there is a line.
    """
    if majority is None:
        return False
    low, high = axes.get_ylim()
    if majority < low:
        axes.set_ylim(low - 0.12 * (high - low), high)
        axes.text(
            0.03, 0.05, f"majority ↓{majority:.0f}", transform=axes.transAxes, color=MUTED, fontsize=6.5, bbox=_CLEAR
        )
    else:
        axes.axhline(majority, zorder=1, **MAJORITY)
    return majority >= low


def _not_below(axes: Axes, span: float) -> None:
    """Let an axis of accuracies show so many points at least, so that noise is not taken for a trend."""
    low, high = axes.get_ylim()
    missing = max(span - (high - low), 0)
    axes.set_ylim(low - missing / 2, high + missing / 2)


def _power_axis(axes: Axes, values: pd.Series, named: bool) -> None:
    """Make the x axis logarithmic to base 2 over the range of C, with powers of 2 as names."""
    axes.set_xscale("log", base=2)
    axes.set_xlim(values.min() / 2**0.5, values.max() * 2**0.5)
    powers = np.log2(values.max() / values.min())
    axes.xaxis.set_major_locator(LogLocator(base=4 if powers > 7 else 2, numticks=30))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(_power if named else lambda *_: ""))


def _power(value: float, _position: int | None = None) -> str:
    return f"$2^{{{np.log2(value):.0f}}}$"
