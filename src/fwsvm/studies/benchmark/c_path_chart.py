"""Accuracy and training time against C: a column of panels per data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.axes import MAJORITY, logarithmic, majority_handle
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.panels import facets
from fwsvm.reporting.style import COLUMN_WIDTH, MUTED, figure_style, method_styles
from fwsvm.reporting.text import joined
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
from fwsvm.studies.benchmark.protocol import borrowed_cvm, missing_sets
from fwsvm.studies.benchmark.quantities import QUANTITIES

_LEAST_SPAN = 1.0
"""An axis of accuracies shows at least this many points, so that noise does not look like a trend."""
_CLEAR = {"facecolor": "white", "edgecolor": "none", "pad": 1}
_TUNED = {"color": MUTED, "linestyle": (0, (5, 2)), "linewidth": 0.9}


def c_path_numbers(runs: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Mean, least and largest accuracy and time of each data set, method and C."""
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
    descriptions: Sequence[Mapping] = (),
    missing: Mapping[str, str] | None = None,
    *,
    datasets: Sequence[str],
) -> Chart:
    """Draw accuracy (first row) and training time (second row) against C, a column per data set."""
    benchmark = experiment_runs(runs, BENCHMARK, datasets)
    runs = experiment_runs(runs, C_PATH, datasets)
    if runs.empty:
        raise NotDrawableError(needs("the experiment c_path", datasets, missing))
    same = benchmark["protocol"].isin(protocols_of(runs)).fillna(False)
    tuned = parameters(benchmark[same], datasets)["C"]
    methods = methods_shown(runs, FRANDI2013)
    numbers = c_path_numbers(runs, methods)
    present = [name for name in datasets if name in set(numbers["dataset"])]
    majority = majority_accuracies(descriptions)
    drawn = numbers.assign(
        dataset=pd.Categorical(numbers["dataset"], present),
        bound=np.where(numbers["at_limit"] & (numbers["quantity"] == "time"), "lower", ""),
    )
    with figure_style():
        panels = facets(
            drawn, "C", "value", row="quantity", col="dataset", limited="at_limit",
            styles=method_styles(methods), logx=2, share=lambda row, col: (row, col), xlabel="C",
            labels={name: quantity.label for name, quantity in QUANTITIES.items()},
            size=(COLUMN_WIDTH if len(present) == 1 else 5.2, 1.85),
        )  # fmt: skip
        has_line = False
        for (quantity, dataset), axes in panels.items():
            if pd.notna(tuned[dataset]):
                axes.axvline(tuned[dataset], zorder=1, **_TUNED)
            if quantity == "accuracy":
                has_line |= _accuracies(axes, majority.get(dataset))
            else:
                axes.margins(y=0.2)  # room for the arrows
                logarithmic(axes)
        more = [Line2D([], [], label="tuned C", **_TUNED)] if tuned.notna().any() else []
        more += [majority_handle()] if has_line else []
        figure = panels.finish(*more)
    notes = joined(
        protocol_sentence(protocols_of(runs)[0]),
        borrowed_cvm(runs),
        missing_sets(datasets, runs["dataset"].dropna(), missing),
    )
    return Chart(figure, numbers, notes)


def _accuracies(axes: Axes, majority: float | None) -> bool:
    """Widen an axis of accuracies, and draw that of the majority class (True), or write it where it lies below."""
    low, high = axes.get_ylim()
    missing = max(_LEAST_SPAN - (high - low), 0)
    low, high = low - missing / 2, high + missing / 2
    axes.set_ylim(low, high)
    if majority is not None and majority < low:
        axes.set_ylim(low - 0.12 * (high - low), high)
        look = {"color": MUTED, "fontsize": 6.5, "bbox": _CLEAR}
        axes.text(0.03, 0.05, f"majority ↓{majority:.0f}", transform=axes.transAxes, **look)
    elif majority is not None:
        axes.axhline(majority, zorder=1, **MAJORITY)
        return True
    return False
