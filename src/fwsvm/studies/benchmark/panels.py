"""Figures over data sets: a row of panels per group and quantity, a column per selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm.reporting.axes import (
    PALE,
    PRINTED,
    by_rows,
    draw_method,
    limit_handle,
    logarithmic,
    method_handle,
    printed_handle,
    say_nothing_run,
)
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import COLUMN_WIDTH, MUTED, TEXT_WIDTH, MethodStyle, figure_style, method_styles
from fwsvm.runs.table import CERTIFIED, selections_of
from fwsvm.studies.benchmark.groups import Group
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs, has_certified, methods_shown
from fwsvm.studies.benchmark.protocol import CVM_NOTE, missing_sets, protocol, selections_sentence
from fwsvm.studies.benchmark.quantities import QUANTITIES, SPEEDUP, figure_numbers

Rows = Sequence[tuple[Group, str]]
"""Group of data sets and quantity of each row of panels, top to bottom."""

_WIDTHS = {1: COLUMN_WIDTH, 2: 5.4}
_TRAINING = {"linestyle": ":", "linewidth": 1.4, "color": MUTED}
_ROW_HEIGHT, _NAMES_HEIGHT, _LEGEND_HEIGHT = 1.55, 0.5, 0.45


def datasets_chart(
    artefact_id: str,
    runs: pd.DataFrame,
    descriptions: Sequence[Mapping],
    rows: Rows,
    paper_methods: Sequence[str],
    title: str,
    missing: Mapping[str, str] | None = None,
    experiment: str = BENCHMARK,
) -> Chart:
    """Draw quantities over groups of data sets, one column of panels per selection.

    Parameters
    ----------
    artefact_id : str
        Which artefact it is.
    runs : DataFrame
        Runs table.
    descriptions : sequence of mapping
        One per data set: ``dataset`` (or ``name``) and ``m``.
    rows : sequence of (Group, str)
        The rows of panels; those of one group stand together. Groups of which nothing was run are left out.
    paper_methods : sequence of str
        Methods that the paper's figure has.
    title : str
        First sentences of the caption.
    missing : mapping, optional
        Data set -> why it is not here.
    experiment : str
        Which runs are drawn.

    Returns
    -------
    Chart

    Raises
    ------
    NotDrawableError
        If none of the data sets has been run.
    """
    datasets = [name for group in dict.fromkeys(group for group, _ in rows) for name in group.datasets]
    runs = experiment_runs(runs, experiment, datasets)
    if runs.empty:
        what = "the benchmark" if experiment == BENCHMARK else f"the experiment {experiment}"
        raise NotDrawableError(artefact_id, needs(what, datasets, missing))
    methods = methods_shown(runs, paper_methods)
    runs = runs[runs["method"].isin(methods)]
    if has_certified(runs):
        methods.insert(1, CERTIFIED)
    run = set(runs["dataset"].dropna())
    rows = [(group, quantity) for group, quantity in rows if run & set(group.datasets)]
    groups = list(dict.fromkeys(group for group, _ in rows))
    numbers = pd.concat(
        [
            figure_numbers(runs, descriptions, group, methods, [q for g, q in rows if g is group], experiment)
            for group in groups
        ],
        ignore_index=True,
    )
    selections = selections_of(runs)
    with figure_style():
        figure = _draw(numbers, rows, selections, method_styles(methods))
    caption = [
        title,
        selections_sentence(runs, selections),
        _reading(numbers, groups),
        *([CVM_NOTE] if "cvm" in methods else []),
        protocol(runs),
        missing_sets(datasets, runs["dataset"].dropna(), missing),
    ]
    return Chart(figure, " ".join(caption), numbers)


def _reading(numbers: pd.DataFrame, groups: Sequence[Group]) -> str:
    printed = numbers["printed"].notna().any()
    drawn = "Dashed, pale" if any(group.grows for group in groups) else "Small, pale"
    parts = [
        "Markers: mean over the repetitions; bars: their range.",
        f"{drawn}: printed in the paper; pale names: not run." if printed else "Pale names: not run.",
        "Open marker: a run ended at its time or iteration limit.",
    ]
    if (numbers["quantity"] == "size").any() and any(group.grows for group in groups):
        parts.append("Dotted: training points m.")
    if (numbers["quantity"] == SPEEDUP).any():
        parts.append("Speed-up: mean CVM time over mean time.")
    return " ".join(parts)


def _draw(numbers: pd.DataFrame, rows: Rows, selections: Sequence[str], styles: Mapping[str, MethodStyle]) -> Figure:
    last = [i + 1 == len(rows) or rows[i + 1][0] is not rows[i][0] for i in range(len(rows))]
    width = _WIDTHS.get(len(selections), TEXT_WIDTH)
    handles = _legend(numbers, rows, styles)
    columns = min(len(handles), 3 if width < 5 else 5 if width < TEXT_WIDTH else 8)
    height = _LEGEND_HEIGHT + 0.17 * (len(handles) - 1) // columns + _ROW_HEIGHT * len(rows) + _NAMES_HEIGHT * sum(last)
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02, hspace=0.02)
    panels = figure.subplots(len(rows), len(selections), sharey="row", squeeze=False)
    several = len({group.name for group, _ in rows}) > 1
    for place, (group, quantity) in enumerate(rows):
        of_row = numbers[(numbers["group"] == group.name) & (numbers["quantity"] == quantity)]
        order = list(dict.fromkeys(of_row["dataset"]))
        for axes, selection in zip(panels[place], selections, strict=True):
            _draw_panel(axes, of_row[of_row["selection"] == selection], group, quantity, order, styles)
            _name_datasets(axes, of_row, order, width / len(selections) - 0.3, shown=last[place])
        if QUANTITIES[quantity].logarithmic:
            logarithmic(panels[place, 0])
        label = QUANTITIES[quantity].label
        panels[place, 0].set_ylabel(f"{group.name}\n{label}" if several else label)
    for axes, selection in zip(panels[0], selections, strict=True):
        axes.set_title(selection)
    figure.align_ylabels(panels[:, 0])
    figure.legend(handles=by_rows(handles, columns), loc="outside upper center", ncols=columns)
    return figure


def _draw_panel(
    axes: Axes,
    shown: pd.DataFrame,
    group: Group,
    quantity: str,
    order: Sequence[str],
    styles: Mapping[str, MethodStyle],
) -> None:
    methods = [method for method in styles if (shown["method"] == method).any()]
    step = 0.09 if group.grows else min(0.16, 0.72 / max(len(methods), 1))
    for place, method in enumerate(methods):
        rows = shown[shown["method"] == method].set_index("dataset").loc[list(order)]
        x = np.arange(len(order)) + step * (place - (len(methods) - 1) / 2)
        look = PRINTED if group.grows else PRINTED | {"linestyle": "none"}
        axes.plot(x, rows["printed"], color=styles[method].color, marker=styles[method].marker, zorder=2, **look)
        draw_method(axes, x, rows, styles[method], joined=group.grows)
    if quantity == SPEEDUP:
        axes.axhline(1, color=MUTED, linewidth=0.8, zorder=1)
    if quantity == "size" and group.grows:
        sizes = shown.drop_duplicates("dataset").set_index("dataset")["m"]
        axes.plot(range(len(order)), sizes.loc[list(order)], zorder=1, **_TRAINING)
    if not group.grows:
        axes.grid(visible=False, axis="x")
        for left, _ in pairwise(range(len(order))):
            axes.axvline(left + 0.5, color="#d9d9d9", linewidth=0.5, zorder=0)
    if shown["value"].isna().all():
        say_nothing_run(axes)


def _name_datasets(axes: Axes, numbers: pd.DataFrame, order: Sequence[str], width: float, shown: bool) -> None:
    """Write the data sets below a panel of that width (inches); pale where nothing was run."""
    axes.set_xlim(-0.5, len(order) - 0.5)
    if not shown:
        axes.set_xticks(range(len(order)), [""] * len(order))
        return
    run = set(numbers.loc[numbers["value"].notna(), "dataset"])
    crowded = max(map(len, order)) * 0.065 > width / len(order)
    turned = {"rotation": 50, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    axes.set_xticks(range(len(order)), order, **turned)
    for name, label in zip(order, axes.get_xticklabels(), strict=True):
        label.set_color("black" if name in run else PALE)


def _legend(numbers: pd.DataFrame, rows: Rows, styles: Mapping[str, MethodStyle]) -> list[Line2D]:
    joined = any(group.grows for group, _ in rows)
    handles = [method_handle(style, joined) for style in styles.values()]
    if numbers["printed"].notna().any():
        handles.append(printed_handle(joined))
    if any(quantity == "size" and group.grows for group, quantity in rows):
        handles.append(Line2D([], [], label="training points", **_TRAINING))
    if numbers["at_limit"].any():
        handles.append(limit_handle())
    return handles
