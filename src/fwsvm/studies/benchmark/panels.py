"""Figures over data sets: a row of panels per group and quantity, a column per protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm.reporting.axes import (
    MAJORITY,
    PALE,
    PRINTED,
    by_rows,
    draw_method,
    limit_handle,
    logarithmic,
    majority_handle,
    method_handle,
    printed_handle,
    say_nothing_run,
)
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import (
    COLUMN_WIDTH,
    MUTED,
    TEXT_WIDTH,
    MethodStyle,
    figure_style,
    method_label,
    method_styles,
)
from fwsvm.reporting.text import copied, joined, significant
from fwsvm.runs.protocols import CVM_PROTOCOL, PROTOCOLS, protocol_sentence, protocol_words
from fwsvm.runs.table import CERTIFIED
from fwsvm.studies.benchmark.groups import Group
from fwsvm.studies.benchmark.numbers import BENCHMARK, ONLY_PRINTED, experiment_runs, has_certified, methods_shown
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.benchmark.quantities import (
    COMPARED,
    DIFFERENCE,
    QUANTITIES,
    RATIO,
    SHARE,
    SPEEDUP,
    figure_numbers,
)

Rows = Sequence[tuple[Group, str]]
"""Group of data sets and quantity of each row of panels, top to bottom."""

_WIDTHS = {1: COLUMN_WIDTH, 2: 5.4}
_TRAINING = {"linestyle": (0, (5, 1.5, 1, 1.5)), "linewidth": 1.2, "color": MUTED}
_WIDE_LABEL = 14
"""Letters of a label beyond which a narrow figure has no room for three in a row."""
_PRINTED_DASH = {"linestyle": "none", "markersize": 9, "markeredgewidth": 1.8, "alpha": 0.5}
_MAJORITY_DASH = {"color": MAJORITY["color"], "linestyle": MAJORITY["linestyle"], "linewidth": 1.1, "zorder": 1}
_ROW_HEIGHT, _NAMES_HEIGHT, _LEGEND_HEIGHT = 1.55, 0.5, 0.45


def datasets_chart(
    runs: pd.DataFrame,
    descriptions: Sequence[Mapping],
    rows: Rows,
    paper_methods: Sequence[str],
    missing: Mapping[str, str] | None = None,
    experiment: str = BENCHMARK,
    printed_alone: bool = False,
) -> Chart:
    """Draw quantities over groups of data sets, one column of panels per protocol.

    Parameters
    ----------
    descriptions : sequence of mapping
        One per data set: ``dataset`` (or ``name``) and ``m``.
    rows : sequence of (Group, str)
        The rows of panels; those of one group stand together. Groups of which nothing was run are left out.
    paper_methods : sequence of str
        Methods that the paper's figure has.
    experiment : str
        Which runs are drawn.
    printed_alone : bool
        Whether the printed numbers are drawn where there are no runs.

    Raises
    ------
    NotDrawableError
        If none of the data sets has been run.
    """
    datasets = [name for group in dict.fromkeys(group for group, _ in rows) for name in group.datasets]
    runs = experiment_runs(runs, experiment, datasets)
    if runs.empty and not printed_alone:
        what = "the benchmark" if experiment == BENCHMARK else f"the experiment {experiment}"
        raise NotDrawableError(needs(what, datasets, missing))
    methods = methods_shown(runs, paper_methods)
    runs = runs[runs["method"].isin(methods)]
    if has_certified(runs):
        methods.insert(1, CERTIFIED)
    run = set(runs["dataset"].dropna())
    if run:
        rows = [(group, quantity) for group, quantity in rows if run & set(group.datasets)]
    groups = list(dict.fromkeys(group for group, _ in rows))
    numbers = pd.concat(
        [
            figure_numbers(runs, descriptions, group, methods, [q for g, q in rows if g is group], experiment)
            for group in groups
        ],
        ignore_index=True,
    )
    if not run:
        numbers = numbers[numbers["printed"].notna()].reset_index(drop=True)
        rows = [(group, quantity) for group, quantity in rows if quantity in set(numbers["quantity"])]
    protocols = list(dict.fromkeys(numbers["protocol"]))
    with figure_style():
        figure = _draw(numbers, rows, protocols, method_styles(methods))
    caption = joined(
        _takeaway(numbers, list(dict.fromkeys(quantity for _, quantity in rows))),
        _reading(numbers) if run else "Nothing was run here.",
        missing_sets(datasets, runs["dataset"].dropna(), missing),
    )
    return Chart(figure, caption, numbers)


_MEDIANS = {
    "accuracy": ("accuracy in per cent", "{:.2f}".format),
    DIFFERENCE: ("accuracy minus CVM's in points", "{:+.2f}".format),
    SPEEDUP: ("speed-up over CVM", lambda value: significant(value, 2)),
    "time": ("CPU seconds", lambda value: significant(value, 2)),
    "size": ("support vectors", "{:,.0f}".format),
    RATIO: ("support vectors over CVM's", "{:.2f}".format),
}
"""Quantity -> its name and how a median is written."""

_TOLD = 3
"""Quantities of which the caption gives medians."""


def _takeaway(numbers: pd.DataFrame, quantities: Sequence[str]) -> str:
    """Medians over the data sets, of the first protocol, with the printed ones; these alone where nothing was run."""
    first, said = numbers["protocol"].iloc[0], []
    alone = first == ONLY_PRINTED
    told = [name for name in quantities if name in _MEDIANS and (name != "time" or SPEEDUP not in quantities)]
    for quantity in told[:_TOLD]:
        name, write = _MEDIANS[quantity]
        rows = numbers[(numbers["quantity"] == quantity) & (numbers["protocol"] == first)]
        rows = rows[rows["printed" if alone else "value"].notna() & (rows["method"] != CERTIFIED)]
        parts = []
        for method, of_method in rows.groupby("method", sort=False):
            printed = of_method["printed"]
            if alone:
                value = copied(printed.median())
            else:
                value = write(of_method["value"].median())
                what = "" if any("(printed" in part for part in (*said, *parts)) else "printed "
                value += f" ({what}{write(printed.median())})" if printed.notna().all() else ""
                value += ", some bounds" if (of_method["bound"] != "").any() else ""
            parts.append(f"{method_label(method)} {value.replace('-', '−')}")
        said.append(f"{'Printed' if alone else 'Median'} {name}: {', '.join(parts)}.")
    return joined(*said)


def _reading(numbers: pd.DataFrame) -> str:
    first = numbers["protocol"].iloc[0]
    parts = ["Means, bars: range over the repetitions"]
    if numbers["at_limit"].any():
        parts.append("open: stopped at a limit, an arrow points to where the true value is")
    if (numbers["method"] == "cvm").any() and first not in (PROTOCOLS[0], CVM_PROTOCOL):
        parts.append("CVM with LibCVM's samples")
    return joined(f"{'; '.join(parts)}.", protocol_sentence(first))


def _draw(numbers: pd.DataFrame, rows: Rows, protocols: Sequence[str], styles: Mapping[str, MethodStyle]) -> Figure:
    last = [i + 1 == len(rows) or rows[i + 1][0] is not rows[i][0] for i in range(len(rows))]
    width = _WIDTHS.get(len(protocols), TEXT_WIDTH)
    handles = _legend(numbers, rows, styles)
    wide = max((len(handle.get_label()) for handle in handles), default=0) > _WIDE_LABEL
    columns = min(len(handles), (2 if wide else 3) if width < 5 else 4 if width < TEXT_WIDTH else 6)
    height = (
        _LEGEND_HEIGHT + 0.17 * ((len(handles) - 1) // columns) + _ROW_HEIGHT * len(rows) + _NAMES_HEIGHT * sum(last)
    )
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02, hspace=0.02)
    panels = figure.subplots(len(rows), len(protocols), sharey="row", squeeze=False)
    several = len({group.name for group, _ in rows}) > 1
    for place, (group, quantity) in enumerate(rows):
        of_row = numbers[(numbers["group"] == group.name) & (numbers["quantity"] == quantity)]
        order = list(dict.fromkeys(of_row["dataset"]))
        limits = _limits(of_row) if quantity in ("accuracy", DIFFERENCE) else None
        for axes, protocol in zip(panels[place], protocols, strict=True):
            _draw_panel(axes, of_row[of_row["protocol"] == protocol], group, quantity, order, styles, limits)
            _name_datasets(axes, of_row, order, width / len(protocols) - 0.3, shown=last[place])
        if QUANTITIES[quantity].logarithmic:
            logarithmic(panels[place, 0])
        elif quantity == SHARE:
            panels[place, 0].set_ylim(bottom=-0.04 * panels[place, 0].get_ylim()[1])
        label = QUANTITIES[quantity].label
        panels[place, 0].set_ylabel(f"{group.name}\n{label}" if several else label)
    for axes, protocol in zip(panels[0], protocols, strict=True):
        axes.set_title(protocol_words(protocol))
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
    limits: tuple[float, float] | None,
) -> None:
    """Draw one quantity under one protocol.

    Lines of a series that coincide stay visible, since each is narrower than those below it. `limits` is the range of
    an axis of accuracies; runs at a limit that lie outside stand at its edge, with their value.
    """
    methods = [method for method in styles if (shown["method"] == method).any()]
    step = min(*((0.1, 0.3) if group.grows else (0.16, 0.72)) / np.array((1, max(len(methods), 1))))
    printed = PRINTED if group.grows else _PRINTED_DASH
    for place, method in enumerate(methods):
        rows, style = shown[shown["method"] == method].set_index("dataset").loc[list(order)], styles[method]
        x = np.arange(len(order)) + step * (place - (len(methods) - 1) / 2)
        marker = style.marker if group.grows else "_"
        axes.plot(x, rows["printed"], **({"color": style.color, "marker": marker, "zorder": 2} | printed))
        if limits:
            rows = _at_the_edge(axes, x, rows, style, limits)
        wide = {"lines.linewidth": 0.8 + 0.35 * (len(methods) - 1 - place)} if group.grows else {}
        with mpl.rc_context(wide):
            for bound in ("", "lower", "upper"):
                of_bound = rows["bound"] == bound
                joined = group.grows and (rows["bound"] == "").all()
                draw_method(axes, x[of_bound], rows[of_bound], style, joined=joined, bound=bound or None)
        if group.grows and not (rows["bound"] == "").all():
            axes.plot(x, rows["value"], color=style.color, zorder=3)
    if limits:
        axes.set_ylim(*limits)
        constant = shown.drop_duplicates("dataset").set_index("dataset").loc[list(order), "majority"]
        if group.grows:
            axes.plot(np.flatnonzero(constant.notna()), constant.dropna(), zorder=1, **MAJORITY)
        else:
            axes.hlines(constant, np.arange(len(order)) - 0.4, np.arange(len(order)) + 0.4, **_MAJORITY_DASH)
    if quantity in COMPARED:
        color = styles["cvm"].color if "cvm" in styles else MUTED
        axes.axhline(0 if quantity == DIFFERENCE else 1, color=color, linewidth=0.9, zorder=1)
    if quantity == "size" and group.grows:
        sizes = shown.drop_duplicates("dataset").set_index("dataset")["m"]
        axes.plot(range(len(order)), sizes.loc[list(order)], zorder=1, **_TRAINING)
    if not group.grows:
        axes.grid(visible=False, axis="x")
        for left, _ in pairwise(range(len(order))):
            axes.axvline(left + 0.5, color="#d9d9d9", linewidth=0.5, zorder=0)
    if shown[["value", "printed"]].isna().all(axis=None):
        say_nothing_run(axes)


def _shows_majority(numbers: pd.DataFrame) -> bool:
    """Whether the majority class lies within an axis of accuracies."""
    of_accuracy = numbers[numbers["quantity"].isin(["accuracy", DIFFERENCE])]
    return any(rows["majority"].between(*_limits(rows)).any() for _, rows in of_accuracy.groupby(["group", "quantity"]))


def _limits(numbers: pd.DataFrame) -> tuple[float, float]:
    """Range of an axis of accuracies: means of finished runs and printed numbers, the constant answer if near.

    Bars over the repetitions count as far as they do not squeeze the means.
    """
    finished = numbers[~numbers["at_limit"]]
    known = pd.concat([finished["value"], numbers["printed"]]).dropna()
    known = known if len(known) else numbers["value"].dropna()
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    if (numbers["quantity"] == DIFFERENCE).any():
        low, high = min(low, 0.0), max(high, 0.0)
    span = max(high - low, 0.2)
    low, high = (
        max(low - span, np.nanmin([low, finished["low"].min()])),
        min(high + span, np.nanmax([high, finished["high"].max()])),
    )
    near = numbers["majority"][(numbers["majority"] >= low - span) & (numbers["majority"] <= high + span)]
    low, high = min([low, *near]), max([high, *near])
    return low - 0.1 * span, high + 0.1 * span


def _at_the_edge(
    axes: Axes, x: np.ndarray, rows: pd.DataFrame, style: MethodStyle, limits: tuple[float, float]
) -> pd.DataFrame:
    """Draw values below the axis at its lower edge; return the rows without them."""
    outside = (rows["value"] < limits[0]).to_numpy()
    edge = limits[0] + 0.06 * (limits[1] - limits[0])
    look = {"marker": style.marker, "color": style.color, "markerfacecolor": "white", "linestyle": "none"}
    axes.plot(x[outside], np.full(outside.sum(), edge), zorder=5, **look)
    for place, value in zip(x[outside], rows["value"][outside], strict=True):
        axes.annotate(f"{value:.0f}".replace("-", "−"), (place, edge), xytext=(4, 0), textcoords="offset points",
                      fontsize=6, color=style.color, va="center")  # fmt: skip
    return rows.assign(value=rows["value"].mask(outside))


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
    shown = {name: style for name, style in styles.items() if (numbers["method"] == name).any()}
    if numbers["value"].isna().all():
        dash = _PRINTED_DASH | {"marker": "_", "linestyle": "none"}
        return [
            Line2D([], [], label=f"{style.label}, printed", **dash | {"color": style.color}) for style in shown.values()
        ]
    handles = [method_handle(style, joined) for style in shown.values()]
    if numbers["quantity"].isin(COMPARED).any() and "cvm" in styles and "cvm" not in shown:
        handles.insert(0, Line2D([], [], color=styles["cvm"].color, label="CVM", linewidth=0.9))
    if numbers["printed"].notna().any():
        handles.append(
            printed_handle() if joined else Line2D([], [], label="printed", **_PRINTED_DASH, color=MUTED, marker="_")
        )
    if any(quantity == "size" and group.grows for group, quantity in rows):
        handles.append(Line2D([], [], label="training points", **_TRAINING))
    if numbers["at_limit"].any():
        handles.append(limit_handle("both" if numbers["bound"].astype(bool).any() else None))
    if _shows_majority(numbers):
        handles.append(majority_handle())
    return handles
