"""Functions that draw charts of the methods on groups of data sets, and charts of accuracy and time
against C.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import MAJORITY, logarithmic, majority_handle
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.panels import Panels, dodged, facets, values_of
from fwsvm_papers.reporting.style import (
    COLUMN_WIDTH,
    MUTED,
    TEXT_WIDTH,
    MethodStyle,
    figure_style,
    method_styles,
)
from fwsvm_papers.reporting.text import capitalised, joined
from fwsvm_papers.runs.comparison import Bound, lower_bounds
from fwsvm_papers.runs.protocols import protocol_sentence, protocol_words
from fwsvm_papers.runs.table import protocols_of, summarise
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.groups import FRANDI2013, Group
from fwsvm_papers.studies.benchmark.protocol import Details, Missing, missing_sets
from fwsvm_papers.studies.benchmark.quantities import (
    COMPARED,
    DIFFERENCE,
    QUANTITIES,
    SPEEDUP,
    figure_numbers,
)

Rows = Sequence[tuple[Group, str]]
"""Panels in the order of drawing. A panel is a pair: a group of data sets, and the name of a
quantity.
"""
Styles = Mapping[str, MethodStyle]

_ONE_COLUMN = 4.2
"""Width, in inches, of a figure with one column of panels."""
_LEAST_SETS = 3.5
"""A panel with fewer data sets than this number has the width of a panel with this number."""
_EQUAL = {"linewidth": 0.9, "zorder": 1}
_SMALL_TEXT = {"color": MUTED, "fontsize": 6.5}
_LETTER = 0.063
"""Width of one character of a data set's name below a panel, in inches."""
_CLEAR = {"facecolor": "white", "edgecolor": "none", "pad": 1}
_TUNED = {"color": MUTED, "linestyle": (0, (5, 2)), "linewidth": 0.9}


def datasets_chart(
    runs: pd.DataFrame,
    descriptions: Details,
    missing: Missing = None,
    *,
    rows: Rows,
    methods: Sequence[str],
    experiment: str = numbers.BENCHMARK,
    across: int = 1,
) -> Chart:
    """Draw one quantity for one group of data sets in each panel, with `across` panels in a row.

    Each element of `rows` is a panel, that is, a pair of a group and the name of a quantity. If a
    group has no runs, its panels are left out. A data set is left out if neither our runs nor the
    papers have a value for it. Only the first protocol of the runs is drawn.
    """
    datasets = [
        name for group in dict.fromkeys(group for group, _ in rows) for name in group.datasets
    ]
    runs = numbers.drawable_runs(runs, experiment, datasets, missing)
    methods = numbers.methods_shown(runs, methods)
    runs = runs[runs["method"].isin(methods)]
    run = set(runs["dataset"].dropna())
    rows = [(group, quantity) for group, quantity in rows if run & set(group.datasets)]
    of_groups = [
        figure_numbers(
            runs, descriptions, group, methods, [q for g, q in rows if g is group], experiment
        )
        for group in dict.fromkeys(group for group, _ in rows)
    ]
    frame = pd.concat(of_groups, ignore_index=True)
    known = frame[["value", "printed"]].notna().any(axis=1)
    frame = frame[known.groupby([frame["group"], frame["dataset"]]).transform("any")].reset_index(
        drop=True
    )
    # a ratio can only be computed if CVM and another method ran
    require(frame["value"].notna().any(), needs("CVM and another method", ()))
    with figure_style():
        figure = _draw(frame, rows, method_styles(methods), min(across, len(rows)))
    notes = joined(
        protocol_sentence(frame["protocol"].iloc[0]), missing_sets(datasets, run, missing)
    )
    return Chart(figure, frame, notes)


def _draw(frame: pd.DataFrame, rows: Rows, styles: Styles, across: int) -> Figure:
    keys = [f"{group.name} {quantity}" for group, quantity in rows]
    of_panel = dict(zip(keys, rows, strict=True))
    protocol = frame["protocol"].iloc[0]
    frame = frame[frame["protocol"] == protocol]
    frame = frame.assign(panel=pd.Categorical(frame["group"] + " " + frame["quantity"], keys))
    limits = {key: _axis_limits(rows) for key, rows in frame.groupby("panel", observed=True)}
    frame["lowest"] = (
        frame["panel"].map({key: limit[0] for key, limit in limits.items() if limit}).astype(float)
    )
    outside = frame["value"] < frame["lowest"]
    sizes = frame.groupby("panel", observed=True)["dataset"].nunique().clip(lower=_LEAST_SETS)
    quantities = {quantity for _, quantity in rows}
    same = across > 1 and quantities == {SPEEDUP}
    one_line = 1 < across == len(rows)
    panels = facets(
        frame.assign(value=frame["value"].mask(outside)),
        "dataset",
        "value",
        styles=styles,
        limited="at_limit",
        printed="printed",
        joined=False,
        share=lambda row, col: same or (row, col),
        widths=list(sizes) if one_line else None,
        size=(_ONE_COLUMN if across == 1 else TEXT_WIDTH, 2.6 if one_line else 1.8),
        **({"row": "panel"} if across == 1 else {"col": "panel", "wrap": across}),
    )
    sizes = sizes if one_line else sizes.clip(upper=_LEAST_SETS)
    widths = (
        (panels.figure.get_figwidth() - 0.6 * across) * sizes / sizes.sum() * len(sizes) / across
    )
    for place, ((one, other), axes) in enumerate(panels.axes.items()):
        key = one or other
        group, quantity = of_panel[key]
        shown = frame[frame["panel"] == key]
        if quantity in COMPARED:
            axes.axhline(
                COMPARED[quantity][0],
                color=styles["cvm"].color if "cvm" in styles else MUTED,
                **_EQUAL,
            )
            _write_cvm(axes, shown, quantity)
        for column, name in enumerate(values_of(shown["dataset"])):
            if shown["value"][shown["dataset"] == name].isna().all():
                axes.text(
                    column,
                    0.03,
                    "not run",
                    ha="center",
                    transform=axes.get_xaxis_transform(),
                    **_SMALL_TEXT,
                )
        if limit := limits[key]:
            axes.set_ylim(*limit)
            _draw_majority(axes, shown, limit)
            _draw_below(axes, shown, outside[shown.index], styles, limit)
        elif (frame["bound"] != Bound.EXACT).any():
            axes.margins(y=0.13)  # leave room for arrows
        if QUANTITIES[quantity].logarithmic:
            logarithmic(axes)
        first = across > 1 or place == 0 or rows[place - 1][0] != group
        last = across > 1 or key == keys[-1] or rows[place + 1][0] != group
        _name_datasets(axes, shown, widths[key], last)
        words = [group.name] if first and len({group for group, _ in rows}) > 1 else []
        if across > 1:
            words.append(QUANTITIES[quantity].label.replace("\n", " "))
        axes.set_title(capitalised(": ".join(words)))
        axes.set_ylabel("" if across > 1 else QUANTITIES[quantity].label)
    panels.handles = _legend(panels, frame, styles)
    return panels.finish(title=protocol_words(protocol))


def _write_cvm(axes: Axes, shown: pd.DataFrame, quantity: str) -> None:
    of = shown.drop_duplicates("dataset")
    if of["cvm"].isna().all():
        return
    at_limit = (
        (shown["at_limit"] & (shown["bound"] != Bound.AT_MOST))
        .groupby(shown["dataset"], sort=False)
        .any()
    )
    bounds = lower_bounds(at_limit & (quantity == SPEEDUP))
    _, name, write = COMPARED[quantity]
    labels = [
        "" if np.isnan(value) else bound.before(write(value))
        for value, bound in zip(of["cvm"], bounds, strict=True)
    ]
    top = axes.secondary_xaxis("top")
    top.set_xticks(range(len(of)), labels, **_SMALL_TEXT)
    top.tick_params(length=0, pad=1)
    top.spines["top"].set_visible(False)
    top.set_xlabel(f"CVM's {name}", **_SMALL_TEXT)


def _draw_majority(axes: Axes, shown: pd.DataFrame, limits: tuple[float, float]) -> None:
    constant = shown.drop_duplicates("dataset")["majority"].to_numpy()
    places = np.arange(len(constant))
    axes.hlines(constant, places - 0.4, places + 0.4, zorder=1, **MAJORITY)
    for place, value in zip(places, constant, strict=True):
        if value < limits[0]:
            number = f"↓{value:.0f}".replace("-", "−")
            axes.text(
                place,
                0.02,
                number,
                ha="center",
                transform=axes.get_xaxis_transform(),
                **_SMALL_TEXT,
            )


def _draw_below(
    axes: Axes,
    shown: pd.DataFrame,
    below: pd.Series,
    styles: Styles,
    limits: tuple[float, float],
) -> None:
    edge = limits[0] + 0.14 * (limits[1] - limits[0])
    places = dodged(shown, "dataset", styles)
    for (method, value), place in zip(
        shown.loc[below, ["method", "value"]].to_numpy(), places[below], strict=True
    ):
        style = styles[method]
        axes.plot(
            place, edge, marker=style.marker, color=style.color, markerfacecolor="white", zorder=5
        )
        axes.annotate(
            f"{value:.0f}".replace("-", "−"),
            (place, edge),
            xytext=(4, 0),
            textcoords="offset points",
            fontsize=6,
            color=style.color,
            va="center",
        )


def _axis_limits(frame: pd.DataFrame) -> tuple[float, float] | None:
    """Return the ends (low, high) of an axis of accuracies or of differences of accuracies. If the
    panel shows another quantity, return None.

    The results of the finished runs and the printed values are inside these ends. The accuracy of
    the majority class is inside only if it is close to the other values.
    """
    if not frame["quantity"].isin(["accuracy", DIFFERENCE]).all():
        return None
    finished = frame[~frame["at_limit"]]
    known = pd.concat([finished["value"], frame["printed"]]).dropna()
    known = known if len(known) else frame["value"].dropna()
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    if (frame["quantity"] == DIFFERENCE).any():
        low, high = min(low, 0.0), max(high, 0.0)
    span = max(high - low, 0.2)
    # a limit on the extension of the axis by bars keeps differences of the means visible
    low = max(low - span, np.nanmin([low, finished["low"].min()]))
    high = min(high + span, np.nanmax([high, finished["high"].max()]))
    majority = frame["majority"].dropna()
    near = majority[majority.between(low - span, high + span)]
    # if the accuracy of a majority class is outside the axis, this strip has room for it as text
    strip = 0.1 * max(high - low, 0.2) * (majority < low - span).any()
    return min([low, *near]) - 0.1 * span - strip, max([high, *near]) + 0.1 * span


def _name_datasets(axes: Axes, shown: pd.DataFrame, width: float, named: bool) -> None:
    names = list(dict.fromkeys(shown["dataset"]))
    crowded = any(
        _LETTER * (len(left + right) / 2 + 1) > width / len(names)
        for left, right in pairwise(names)
    )
    turned = {"rotation": 50, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    axes.set_xticks(range(len(names)), names if named else [""] * len(names), **turned)


def _legend(panels: Panels, frame: pd.DataFrame, styles: Styles) -> list[Line2D]:
    handles = list(panels.handles)
    if (
        frame["quantity"].isin(COMPARED).any()
        and "cvm" in styles
        and not (frame["method"] == "cvm").any()
    ):
        handles.insert(0, Line2D([], [], color=styles["cvm"].color, label="CVM", linewidth=0.9))
    if frame["majority"].notna().any():
        below = (frame["majority"] < frame["lowest"])[frame["majority"].notna()]
        handles.append(majority_handle())
        handles[-1].set_label(f"majority class{' (↓)' if below.any() else ''}")
        if below.all():
            handles[-1].set(linestyle="none", marker=r"$\downarrow$", label="majority class")
    printed = frame.dropna(subset=["printed"]).groupby("method")["dataset"].nunique()
    if set(frame["method"]) - set(printed.index):
        words = ", ".join(styles[key].label for key in styles if printed.get(key, 0) > 1)
        words = "; ".join(
            [words, *(f"{styles[key].label} on one set" for key in styles if printed.get(key) == 1)]
        )
        for handle in handles:
            handle.set_label(
                handle.get_label().replace("printed", f"printed ({words.removeprefix('; ')})")
            )
    return handles


def c_path_chart(
    runs: pd.DataFrame,
    descriptions: Details = (),
    missing: Missing = None,
    *,
    datasets: Sequence[str],
) -> Chart:
    """Draw accuracy and training time against C, with a column of panels per data set."""
    benchmark = numbers.experiment_runs(runs, numbers.BENCHMARK, datasets)
    runs = numbers.drawable_runs(runs, numbers.C_PATH, datasets, missing)
    same = benchmark["protocol"].isin(protocols_of(runs)).fillna(False)
    tuned = numbers.parameters(benchmark[same], datasets)["C"]
    methods = numbers.methods_shown(runs, FRANDI2013)
    summary = summarise(runs, by=("C",))
    summary = summary[summary["method"].isin(methods)].assign(at_limit=summary["at_limit"] > 0)
    columns = ["quantity", "dataset", "method", "C", "value", "low", "high", "at_limit"]
    blocks = []
    for quantity in ("accuracy", "time"):
        mean, low, high = (
            summary[f"{QUANTITIES[quantity].measure}_{name}"] for name in ("mean", "min", "max")
        )
        blocks.append(summary.assign(quantity=quantity, value=mean, low=low, high=high)[columns])
    frame = pd.concat(blocks).sort_values(columns[:4], kind="stable", ignore_index=True)
    present = [name for name in datasets if name in set(frame["dataset"])]
    majority = numbers.majority_accuracies(descriptions)
    sideways = frame["method"].map(methods.index) - (len(methods) - 1) / 2
    drawn = frame.assign(
        dataset=pd.Categorical(frame["dataset"], present),
        x=frame["C"].astype(float) * 2 ** (0.16 * sideways),
        bound=lower_bounds(frame["at_limit"] & (frame["quantity"] == "time")),
    )
    has_line = False
    with figure_style():
        panels = facets(
            drawn,
            "x",
            "value",
            row="quantity",
            col="dataset",
            limited="at_limit",
            styles=method_styles(methods),
            logx=2,
            share=lambda row, col: (row, col),
            xlabel="C",
            labels={name: quantity.label for name, quantity in QUANTITIES.items()},
            size=(COLUMN_WIDTH if len(present) == 1 else 5.2, 1.85),
        )
        for (quantity, dataset), axes in panels.axes.items():
            if pd.notna(tuned[dataset]):
                axes.axvline(tuned[dataset], zorder=1, **_TUNED)
            if quantity == "accuracy":
                has_line |= _show_accuracies(axes, majority.get(dataset, np.nan))
            else:
                axes.margins(y=0.2)  # leave room for the arrows
                logarithmic(axes)
        more = [Line2D([], [], label="tuned C", **_TUNED)] if tuned.notna().any() else []
        more += [majority_handle()] if has_line else []
        figure = panels.finish(*more)
    notes = joined(
        protocol_sentence(protocols_of(runs)[0]),
        missing_sets(datasets, runs["dataset"].dropna(), missing),
    )
    return Chart(figure, frame, notes)


def _show_accuracies(axes: Axes, majority: float) -> bool:
    """Extend an axis of accuracies to at least 1 percentage point, so that random differences look
    small. Draw a line at the accuracy of the majority class, or write the accuracy as text if it is
    below the axis.

    Return whether the line was drawn.
    """
    low, high = axes.get_ylim()
    missing = max(1.0 - (high - low), 0)
    low, high = low - missing / 2, high + missing / 2
    axes.set_ylim(low - 0.12 * (high - low), high)
    if majority < low:
        axes.text(
            0.03,
            0.05,
            f"majority ↓{majority:.0f}",
            transform=axes.transAxes,
            bbox=_CLEAR,
            **_SMALL_TEXT,
        )
    else:
        axes.axhline(majority, zorder=1, **MAJORITY)
    return majority >= low
