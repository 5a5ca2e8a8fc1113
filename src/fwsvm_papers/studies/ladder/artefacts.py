"""Show speed-ups under changed settings (beyond-ladder and its table), and times to equal gaps
(beyond-equal).
"""

from collections.abc import Mapping
from functools import partial
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import logarithmic
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.labels import label_aside
from fwsvm_papers.reporting.panels import add_legend
from fwsvm_papers.reporting.style import CLASSES, MUTED, TEXT_WIDTH, figure_style, method_label
from fwsvm_papers.reporting.tables import (
    Cell,
    Column,
    Footnotes,
    Section,
    Table,
    ours_beside_printed,
)
from fwsvm_papers.reporting.text import NOTHING, counted, is_missing, significant, whole
from fwsvm_papers.runs.comparison import KEPT, Bound, order_is_unknown
from fwsvm_papers.studies.benchmark.groups import ADULT, WEB
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.ladder import AUTO, LIBCVM_PATIENCE
from fwsvm_papers.studies.ladder.rungs import (
    FIRST,
    INNER,
    PATIENT,
    PRINTED,
    ladder_numbers,
    medians,
)

_WORDS = {
    PRINTED: "printed",
    FIRST: "our runs,\nauthors' settings",
    INNER: "inner tolerance\nas in LibCVM",
    PATIENT: f"both stop alike,\nafter {LIBCVM_PATIENCE} samples",
}
_SHORT = {
    PRINTED: "printed",
    FIRST: "ours",
    INNER: "inner tolerance",
    PATIENT: f"{LIBCVM_PATIENCE} samples",
}
_SERIES = {
    name: (of.name, *look)
    for of, look in ((WEB, CLASSES[1]), (ADULT, CLASSES[0]))
    for name in of.datasets
}
_OTHERS = ("others", MUTED, "D")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (7, 3)))
_ALL = "all"
_LIMIT_NOTE = "Training ended at a limit before the gap was this small."
_PRECISION_NOTE = "Training stopped because the remaining gap was smaller than rounding errors."
_TRIANGLES = {Bound.AT_MOST: ("v", 5.0), Bound.AT_LEAST: ("^", 5.0)}
_UNKNOWN = {
    "marker": "$?$",
    "linestyle": "none",
    "markersize": 5.5,
    "markeredgewidth": 0.3,
    "zorder": 4,
}
# The figure names at most this many data sets: those with the largest speed-ups.
_NAMED = 8
_MEDIAN = {"color": "black", "linewidth": 1.6, "zorder": 2.5}


def _words(rung: str) -> str:
    return _WORDS.get(rung) or f"all points, to a\ngap of {rung.removeprefix('gap ')}"


def ladder_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw speed-ups over CVM with a line per data set. The first method has a large panel."""
    table = ladder_numbers(runs, descriptions)
    frame = table[~table["method"].isin(["cvm", AUTO]) & table["speedup"].notna()].reset_index(
        drop=True
    )
    require(not frame.empty, needs("CVM and another method in the experiment ladder", []))
    first, *others = frame["method"].unique()
    rungs = [rung for rung in table["rung"].unique() if rung in set(frame["rung"])]
    summary = medians(table).set_index(["method", "rung"])
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 6.0 if others else 3.8), layout="constrained")
        layout = [[first] * max(len(others), 1), *([others] if others else [])]
        panels = fig.subplot_mosaic(layout, height_ratios=[1.75, 1] if others else None)
        for method, axes in panels.items():
            _draw(axes, frame[frame["method"] == method], rungs)
            _write_medians(
                axes, summary.loc[method].reindex(rungs).dropna(how="all"), rungs, method == first
            )
        large = panels[first]
        large.set_ylabel(f"speed-up of {method_label(first)} over CVM (log scale)")
        large.set_xticks(range(len(rungs)), map(_words, rungs))
        large.set_xlim(-0.4, len(rungs) - 0.1)
        for method in others:
            panels[method].sharey(panels[others[0]])
            panels[others[0]].set_ylabel("speed-up over CVM")
            panels[method].set_title(f"{method_label(method)}, with medians", loc="left")
            panels[method].tick_params(labelleft=method == others[0])
            own = [place for place, rung in enumerate(rungs) if (method, rung) in summary.index]
            short = [_SHORT.get(rungs[place], rungs[place]) for place in own]
            panels[method].set_xticks(own, short, rotation=35, ha="right", rotation_mode="anchor")
        for axes in panels.values():
            logarithmic(axes)
        add_legend(fig, _handles(frame))
        fig.draw_without_rendering()  # The positions of names depend on the layout.
        last = frame[(frame["method"] == first) & (frame["rung"] == rungs[-1])].nlargest(
            _NAMED, "speedup"
        )
        places = [len(rungs) - 1] * len(last)
        label_aside(
            large, list(last["dataset"]), places, last["speedup"].to_numpy(), len(rungs) - 0.7
        )
    counts = summary.reset_index()[["rung", "method", "faster", "sets", "unknown"]]
    hidden = table[table["unknown"] & (table["method"] == first)].groupby("rung", sort=False)[
        "dataset"
    ]
    where = "; ".join(f"{', '.join(names)} ({_SHORT.get(rung, rung)})" for rung, names in hidden)
    notes = f"Limits hide whether {method_label(first)} is faster: {where}." if where else ""
    frame = frame.drop(columns="unknown").merge(counts, on=["rung", "method"])
    return Chart(fig, frame, notes)


def _draw(axes: Axes, rows: pd.DataFrame, rungs: list[str]) -> None:
    dashes = cycle(_DASHES)
    for dataset, line in rows.groupby("dataset", sort=False):
        _, color, marker = _SERIES.get(dataset, _OTHERS)
        look = next(dashes) if color == MUTED else "-"
        values = line.set_index("rung").reindex(rungs)
        axes.plot(
            range(len(rungs)),
            values["speedup"],
            color=color,
            linestyle=look,
            linewidth=0.8,
            alpha=0.75,
        )
        places = np.arange(len(rungs))
        speedup = values["speedup"].to_numpy()
        kept = (values["kept"] >= KEPT).to_numpy()
        mark = {"color": color, "linestyle": "none", "zorder": 3, "label": dataset}
        for bound, (shape, size) in {Bound.EXACT: (marker, 3.6), **_TRIANGLES}.items():
            here = (values["bound"] == bound).to_numpy()
            for chosen, face in ((kept, color), (~kept, "white")):
                look = mark | {"marker": shape, "markersize": size, "markerfacecolor": face}
                axes.plot(places[here & chosen], speedup[here & chosen], **look)
        unknown = (order_is_unknown(values) & values["speedup"].notna()).to_numpy()
        axes.plot(places[unknown] - 0.09, speedup[unknown], color="black", **_UNKNOWN)
    axes.axhline(1, color="black", linewidth=0.8, zorder=1)
    axes.grid(visible=False, axis="x")
    axes.margins(x=0.07, y=0.08)


def _write_medians(axes: Axes, summary: pd.DataFrame, rungs: list[str], with_counts: bool) -> None:
    """Draw the medians and write them above the panel.

    With `with_counts`, also say on how many sets CVM is slower.
    """
    places = [rungs.index(rung) for rung in summary.index]
    axes.plot(places, summary["speedup"], **_MEDIAN)
    labels = []
    for row in summary.to_dict("records"):
        median = row["speedup_bound"].before(significant(row["speedup"], 2))
        counts = _faster(row).replace(" (", "\n(")
        labels.append(f"{median}×\n{counts}" if with_counts else median.replace(" ", ""))
    top = axes.secondary_xaxis("top")
    top.set_xticks(places, labels, fontsize=7 if with_counts else 6)
    top.tick_params(length=0, pad=1)
    top.spines["top"].set_visible(False)
    if with_counts:
        top.set_xlabel(
            "median, and the number of data sets on which the method is faster than CVM", fontsize=7
        )


def _faster(row: Mapping) -> str:
    """Count the data sets on which a method is faster than CVM, out of those where it is known
    which is faster.
    """
    known = f"{row['faster']:.0f} of {row['sets'] - row['unknown']:.0f}"
    return known + (f" ({row['unknown']:.0f} unknown)" if row["unknown"] else "")


def _handles(frame: pd.DataFrame) -> list[Line2D]:
    present = {_SERIES.get(name, _OTHERS) for name in frame["dataset"]}
    looks = [look for look in dict.fromkeys([*_SERIES.values(), _OTHERS]) if look in present]
    handles = [
        Line2D([], [], label=name, color=color, marker=marker, linewidth=0.8)
        for name, color, marker in looks
    ]
    open_mark = {"marker": "o", "color": "black", "linestyle": "none"}
    handles.append(Line2D([], [], label=f"keeps {KEPT} % of CVM's gain", **open_mark))
    handles.append(Line2D([], [], label="keeps less", markerfacecolor="white", **open_mark))
    handles.append(Line2D([], [], label="median", **_MEDIAN))
    for bound, words in (
        (Bound.AT_MOST, "ended at a limit: this or lower"),
        (Bound.AT_LEAST, "CVM did: this or higher"),
    ):
        if (frame["bound"] == bound).any():
            handles.append(
                Line2D([], [], label=words, **open_mark | {"marker": _TRIANGLES[bound][0]})
            )
    if order_is_unknown(frame).any():
        handles.append(Line2D([], [], label="order unknown", color="black", **_UNKNOWN))
    return handles


def ladder_table(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Table:
    """Lay out `ladder_numbers`, with the medians over all data sets first and then a section per
    data set.
    """
    table = ladder_numbers(runs, descriptions)
    everything = medians(table).assign(dataset=_ALL)
    require(not everything.empty, needs("CVM and another method in the experiment ladder", []))
    by_set = [rows for _, rows in table.groupby("dataset", sort=False)]
    counts = everything.to_dict("records")
    everything["faster_on"] = list(map(_faster, counts))
    everything["keeps"] = [f"{row['accurate']} of {row['sets']}" for row in counts]
    rows = pd.concat([everything, *by_set], ignore_index=True).fillna(
        {"faster_on": "", "keeps": ""}
    )

    def ratio(name, row):
        if row["method"] == "cvm" or is_missing(row[name]):
            return NOTHING
        bound = row[f"{name}_bound"] if row["dataset"] == _ALL else row["bound"]
        return bound.before(significant(row[name], 2))

    def seconds(row):
        return (
            NOTHING
            if row["dataset"] == _ALL
            else ("≥ " if row["at_limit"] else "") + significant(row["time"], 3)
        )

    columns = [
        Column("rung", lambda row: _words(row["rung"]).replace("\n", " "), align="l"),
        Column("method", lambda row: method_label(row["method"]), align="l"),
        Column("CPU seconds", seconds),
        Column("in CPU seconds", partial(ratio, "speedup"), "speed-up over CVM"),
        Column(
            "in requested kernel values",
            partial(ratio, "speedup_in_kernel_values"),
            "speed-up over CVM",
        ),
        Column("faster on", lambda row: row["faster_on"], "sets"),
        Column(f"keeps {KEPT} %", lambda row: row["keeps"], "sets"),
        Column("accuracy − CVM's (points)", partial(_written, "difference", "+.2f")),
        Column("gain kept (%)", partial(_written, "kept", ".0f")),
        Column("relative gap", lambda row: significant(row["relative_gap"], 2)),
    ]
    heading = f"Medians over {counted(len(by_set), 'data set')}"
    return ours_beside_printed(
        rows, columns, "dataset", lambda name: heading if name == _ALL else name, csv=table
    )


def _written(name: str, form: str, row: Mapping) -> str:
    if is_missing(row[name]) or row["method"] == "cvm":
        return NOTHING
    text = f"{row[name]:{form}}".replace("-", "−")
    return text.lstrip("+−") if float(text.lstrip("+−")) == 0 else text


def equal_gap_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Lay out each method's time and model size at equal certified gaps: a section per gap, a
    row per data set.
    """
    table = ladder_numbers(runs, [])
    frame, notes, sections = table[table["rung"].str.startswith("gap")], Footnotes(), []
    methods = list(frame["method"].unique())
    for rung, part in frame.groupby("rung", sort=False):
        rows = []
        for name, of_set in part.groupby("dataset", sort=False):
            fastest = of_set.loc[of_set["reached"], "time"].min()
            found = of_set.set_index("method").reindex(methods).to_dict("records")
            sizes = [row["support_vectors"] if row["reached"] is True else None for row in found]
            times = [_time(row, fastest, notes) for row in found]
            rows.append((Cell(name), *times, *(Cell(whole(size)) for size in sizes)))
        sections.append(Section(f"relative {rung}", tuple(rows)))
    groups = ("CPU seconds", "support vectors")
    header = (
        ("", "data set"),
        *((group, method_label(name)) for group in groups for name in methods),
    )
    return Table(frame, header, tuple(sections), notes.listed())


def _time(row: Mapping, fastest: float, notes: Footnotes) -> Cell:
    if is_missing(row["time"]):
        return Cell(NOTHING)
    if row["reached"]:
        return Cell(significant(row["time"], 3), bold=row["time"] == fastest)
    if row["at_limit"]:
        return Cell(f"≥ {significant(row['time'], 3)}", (notes.mark(_LIMIT_NOTE),))
    return Cell(NOTHING, (notes.mark(_PRECISION_NOTE),))
