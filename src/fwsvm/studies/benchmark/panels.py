"""Figures over data sets: a row of panels per group and quantity, a column per protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm.reporting.axes import (
    MAJORITY,
    PALE,
    by_rows,
    draw_method,
    limit_handle,
    logarithmic,
    majority_handle,
    method_handle,
    say_nothing_run,
)
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import COLUMN_WIDTH, GRID, MUTED, TEXT_WIDTH, MethodStyle, figure_style, method_styles
from fwsvm.reporting.text import joined
from fwsvm.runs.protocols import protocol_words
from fwsvm.runs.stop_reasons import LIMIT_REASONS
from fwsvm.runs.table import CERTIFIED
from fwsvm.studies.benchmark.groups import Group
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs, has_certified, methods_shown
from fwsvm.studies.benchmark.panel_captions import reading, takeaway
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.benchmark.quantities import COMPARED, DIFFERENCE, QUANTITIES, SPEEDUP, figure_numbers

Rows = Sequence[tuple[Group, str]]
"""Group of data sets and quantity of each row of panels, top to bottom."""

_WIDTHS = {1: COLUMN_WIDTH, 2: 5.4}
_FEWEST = 3.5
"""A panel is as wide as if it had this many data sets at least."""
_PRINTED_DASH = {"marker": "_", "linestyle": "none", "markersize": 7.5, "markeredgewidth": 1.6, "alpha": 0.65}
_MAJORITY_DASH = {"color": MAJORITY["color"], "linestyle": MAJORITY["linestyle"], "linewidth": 1.1, "zorder": 1}
_EMPTIED = 0.4
"""A panel of which the values span less than this share of a shared axis has its own."""
_EQUAL = {"linewidth": 0.9, "zorder": 1}
_OWN = {"color": MUTED, "fontsize": 6.5}
_ROW_HEIGHT, _SIDE_HEIGHT, _NAMES_HEIGHT, _LEGEND_HEIGHT = 1.55, 2.0, 0.5, 0.6


def datasets_chart(
    runs: pd.DataFrame,
    descriptions: Sequence[Mapping],
    rows: Rows,
    paper_methods: Sequence[str],
    missing: Mapping[str, str] | None = None,
    experiment: str = BENCHMARK,
    printed_alone: bool = False,
    side_by_side: bool = False,
) -> Chart:
    """Draw quantities over groups of data sets, one column of panels per protocol.

    Data sets of which a group has no number at all are left out.

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
    side_by_side : bool
        Whether the panels of `rows` stand side by side, one row of them per protocol.

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
    known = numbers[["value", "printed"]].notna().any(axis=1)
    kept = known.groupby([numbers["group"], numbers["dataset"]]).transform("any") if run else known
    numbers = numbers[kept].reset_index(drop=True)
    if numbers.empty:  # a quantity next to CVM's without CVM
        raise NotDrawableError(needs("CVM and another method", ()))
    panels = [(group.name, quantity) for group, quantity in rows]
    if not run:
        rows = [(group, quantity) for group, quantity in rows if quantity in set(numbers["quantity"])]
    protocols = list(dict.fromkeys(numbers["protocol"]))
    with figure_style():
        figure = _draw(numbers, rows, protocols, method_styles(methods), side_by_side and len(rows) > 1)
    caption = joined(
        takeaway(numbers, panels, methods),
        reading(numbers, runs.loc[runs["stop_reason"].isin(LIMIT_REASONS), "train_cpu_s"])
        if run
        else "Nothing was run here.",
        missing_sets(datasets, runs["dataset"].dropna(), missing),
    )
    return Chart(figure, numbers, caption=caption)


def _draw(
    numbers: pd.DataFrame, rows: Rows, protocols: Sequence[str], styles: Mapping[str, MethodStyle], side_by_side: bool
) -> Figure:
    first = [i == 0 or rows[i - 1][0] is not rows[i][0] for i in range(len(rows))]
    last = [side_by_side or following for following in [*first[1:], True]]
    same = side_by_side and len({quantity for _, quantity in rows}) == 1
    blocks = [numbers[(numbers["group"] == group.name) & (numbers["quantity"] == quantity)] for group, quantity in rows]
    own = _own_scale(blocks) if same else []
    one_axis = same and not own
    several = len({group.name for group, _ in rows}) > 1 or numbers["value"].isna().all()
    limits = [_limits(numbers[numbers["quantity"] == rows[0][1]] if one_axis else block) for block in blocks]
    handles = _legend(numbers, blocks, limits, styles)
    width = TEXT_WIDTH if side_by_side else _WIDTHS.get(len(protocols), TEXT_WIDTH)
    columns = _columns([handle.get_label() for handle in handles], width)
    lines, each = (len(protocols), _SIDE_HEIGHT) if side_by_side else (len(rows), _ROW_HEIGHT)
    height = lines * each + min(lines, sum(last)) * _NAMES_HEIGHT
    height += _LEGEND_HEIGHT + 0.17 * ((len(handles) - 1) // columns)
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02, hspace=0.02)
    if side_by_side:
        places = [max(_FEWEST, block["dataset"].nunique()) for block in blocks]
        panels = figure.subplots(len(protocols), len(rows), squeeze=False, width_ratios=places).T
        widths = [width * place / sum(places) - 0.4 for place in places]
    else:
        panels = figure.subplots(len(rows), len(protocols), squeeze=False)
        widths = [(width - 0.6) / len(protocols)] * len(rows)
    for place, ((group, quantity), of_row) in enumerate(zip(rows, blocks, strict=True)):
        order = list(dict.fromkeys(of_row["dataset"]))
        label = QUANTITIES[quantity].label
        leading = panels[0 if one_axis else place, 0]
        for axes, protocol in zip(panels[place], protocols, strict=True):
            if axes is not leading:
                axes.sharey(leading)
                axes.tick_params(labelleft=False)
            shown = of_row[of_row["protocol"] == protocol]
            _draw_panel(axes, shown, quantity, order, styles, limits[place])
            _name_datasets(axes, of_row, order, widths[place], shown=last[place])
            if quantity in COMPARED and shown["cvm"].notna().any():
                _write_cvm(axes, shown, quantity)
            heading = [protocol_words(protocol)] if len(protocols) > 1 and place == 0 else []
            if several and (side_by_side or (first[place] and not heading)):
                heading.append(f"{group.name}, own scale" if place in own else group.name)
            if side_by_side and not same:
                heading.append(label if len(label) * 0.06 < widths[place] else label.replace(" (", "\n("))
            between = ": " if sum(map(len, heading)) * 0.06 < widths[place] else ":\n"
            axes.set_title(between.join(heading))
        if (numbers["bound"] != "").any() or numbers["value"].isna().all():
            leading.margins(y=0.13)  # for the arrows, or the numbers above the dashes
        if QUANTITIES[quantity].logarithmic:
            logarithmic(leading)
        if same or not side_by_side:
            leading.set_ylabel(label if leading is panels[0, 0] or not same else "")
    figure.align_ylabels(panels[:, 0])
    title = protocol_words(protocols[0]) if len(protocols) == 1 else None
    look = {"ncols": columns, "title": title, "title_fontsize": 8}
    figure.legend(handles=by_rows(handles, columns), loc="outside upper center", **look)
    return figure


def _own_scale(blocks: Sequence[pd.DataFrame]) -> list[int]:
    """Places of the panels that a shared axis would leave almost empty."""
    spans = []
    for block in blocks:
        values = block[["value", "low", "high", "printed"]].to_numpy(dtype=float)
        low, high = _limits(block) or np.log([np.nanmin(values), np.nanmax(values)])
        spans.append(high - low)
    return [place for place, span in enumerate(spans) if span < _EMPTIED * max(spans)]


def _columns(labels: Sequence[str], width: float) -> int:
    """Most columns of a legend that fit into a figure of that width (inches)."""
    for rows in range(1, len(labels) + 1):
        columns = -(-len(labels) // rows)
        if sum(0.42 + 0.05 * max(map(len, labels[place::columns])) for place in range(columns)) < width:
            return columns
    return 1


def _write_cvm(axes: Axes, shown: pd.DataFrame, quantity: str) -> None:
    """Write CVM's own value above each data set."""
    of = shown.drop_duplicates("dataset")
    at_limit = (shown["at_limit"] & (shown["bound"] != "upper")).groupby(shown["dataset"], sort=False).any()
    write = COMPARED[quantity].write
    labels = [
        "" if np.isnan(value) else f"{'≥ ' if limited and quantity == SPEEDUP else ''}{write(value)}"
        for value, limited in zip(of["cvm"], at_limit, strict=True)
    ]
    top = axes.secondary_xaxis("top")
    top.set_xticks(range(len(of)), labels, **_OWN)
    top.tick_params(length=0, pad=1)
    top.spines["top"].set_visible(False)
    top.set_xlabel(f"CVM's {COMPARED[quantity].name}", **_OWN)


def _draw_panel(
    axes: Axes,
    shown: pd.DataFrame,
    quantity: str,
    order: Sequence[str],
    styles: Mapping[str, MethodStyle],
    limits: tuple[float, float] | None,
) -> None:
    """Draw one quantity under one protocol.

    Methods stand side by side. `limits` is the range of an axis of accuracies; runs
    at a limit that lie outside stand at its edge, with their value.
    """
    methods = [method for method in styles if (shown["method"] == method).any()]
    step = min(0.2, 0.76 / max(len(methods), 1))
    for place, method in enumerate(methods):
        rows, style = shown[shown["method"] == method].set_index("dataset").loc[list(order)], styles[method]
        x = np.arange(len(order)) + step * (place - (len(methods) - 1) / 2)
        beside = np.where(rows["at_limit"], 0.6 * step, 0)  # off the arrow
        axes.plot(x + beside, rows["printed"], color=style.color, zorder=2, **_PRINTED_DASH)
        if rows["value"].isna().all() and shown["value"].isna().all():
            _write_printed(axes, x, rows["printed"])
        if limits:
            rows = _at_the_edge(axes, x, rows, style, limits)
        for bound in ("", "lower", "upper"):
            of_bound = rows["bound"] == bound
            draw_method(axes, x[of_bound], rows[of_bound], style, joined=False, bound=bound or None)
    if limits:
        axes.set_ylim(*limits)
        constant = shown.drop_duplicates("dataset").set_index("dataset").loc[list(order), "majority"]
        axes.hlines(constant, np.arange(len(order)) - 0.4, np.arange(len(order)) + 0.4, **_MAJORITY_DASH)
        for place, value in enumerate(constant):
            if value < limits[0]:
                number = f"↓{value:.0f}".replace("-", "−")
                axes.text(place, 0.02, number, ha="center", transform=axes.get_xaxis_transform(), **_OWN)
    if quantity in COMPARED:
        axes.axhline(COMPARED[quantity].equal, color=styles["cvm"].color if "cvm" in styles else MUTED, **_EQUAL)
    axes.grid(visible=False, axis="x")
    for left, _ in pairwise(range(len(order))):
        axes.axvline(left + 0.5, color=GRID, linewidth=0.5, zorder=0)
    if shown[["value", "printed"]].isna().all(axis=None):
        say_nothing_run(axes)


def _write_printed(axes: Axes, x: np.ndarray, printed: pd.Series) -> None:
    """Write printed numbers above their dashes."""
    for place, value in zip(x, printed, strict=True):
        if np.isfinite(value):
            axes.annotate(f"{value:,.10g}", (place, value), xytext=(0, 3), textcoords="offset points", ha="center",
                          fontsize=7)  # fmt: skip


def _limits(numbers: pd.DataFrame) -> tuple[float, float] | None:
    """Range of an axis of accuracies: means of finished runs and printed numbers, the constant answer if near.

    Bars over the repetitions count as far as they do not squeeze the means. Where the constant answer lies below the
    axis there is a strip for its value.
    """
    if not numbers["quantity"].isin(["accuracy", DIFFERENCE]).all():
        return None
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
    strip = 0.1 * (max(high - low, 0.2)) * (numbers["majority"] < low - span).any()
    low, high = min([low, *near]), max([high, *near])
    return low - 0.1 * span - strip, high + 0.1 * span


def _at_the_edge(
    axes: Axes, x: np.ndarray, rows: pd.DataFrame, style: MethodStyle, limits: tuple[float, float]
) -> pd.DataFrame:
    """Draw values below the axis at its lower edge; return the rows without them."""
    outside = (rows["value"] < limits[0]).to_numpy()
    edge = limits[0] + 0.14 * (limits[1] - limits[0])
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
    crowded = max(map(len, order)) * 0.06 > width / len(order)
    turned = {"rotation": 50, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    axes.set_xticks(range(len(order)), order, **turned)
    for name, label in zip(order, axes.get_xticklabels(), strict=True):
        label.set_color("black" if name in run else PALE)


def _legend(
    numbers: pd.DataFrame,
    blocks: Sequence[pd.DataFrame],
    limits: Sequence[tuple[float, float] | None],
    styles: Mapping[str, MethodStyle],
) -> list[Line2D]:
    shown = {name: style for name, style in styles.items() if (numbers["method"] == name).any()}
    if numbers["value"].isna().all():
        return [
            Line2D([], [], label=f"{style.label}, printed", color=style.color, **_PRINTED_DASH)
            for style in shown.values()
        ]
    handles = [method_handle(style, joined=False) for style in shown.values()]
    if numbers["quantity"].isin(COMPARED).any() and "cvm" in styles and "cvm" not in shown:
        handles.insert(0, Line2D([], [], color=styles["cvm"].color, label="CVM", linewidth=0.9))
    if numbers["printed"].notna().any():
        handles.append(Line2D([], [], label="printed", color=MUTED, **_PRINTED_DASH))
    if numbers["at_limit"].any():
        handles.append(limit_handle("both" if numbers["bound"].astype(bool).any() else None))
    if numbers["majority"].notna().any():
        off = any((block["majority"] < limit[0]).any() for block, limit in zip(blocks, limits, strict=True) if limit)
        handles.append(majority_handle())
        handles[-1].set_label(f"majority class{' (↓)' if off else ''}")
    return handles
