"""Show speed-ups under changed settings (beyond-ladder and its tables), and times to equal gaps
(beyond-equal).
"""

from collections.abc import Mapping
from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import logarithmic_x
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.panels import add_legend
from fwsvm_papers.reporting.style import (
    ACCENT,
    CLASSES,
    COLUMN_WIDTH,
    METHODS,
    MUTED,
    figure_style,
    method_label,
)
from fwsvm_papers.reporting.tables import (
    Cell,
    Column,
    Footnotes,
    Section,
    Table,
    ours_beside_printed,
)
from fwsvm_papers.reporting.text import (
    NOTHING,
    counted,
    is_missing,
    significant,
    whole,
)
from fwsvm_papers.runs.comparison import KEPT, TIE, Bound
from fwsvm_papers.runs.table import stand_ins
from fwsvm_papers.studies.benchmark.groups import ADULT, WEB
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.ladder import AUTO, RUNGS, rung_words
from fwsvm_papers.studies.ladder.families import (
    ALL,
    OTHERS,
    VARIANTS,
    family_of,
    interval_in_words,
)
from fwsvm_papers.studies.ladder.rungs import (
    ALL_THREE,
    AS_AUTHORS,
    family_medians,
    inner_numbers,
    ladder_numbers,
    medians,
)

_ALL = "all"
_LIMIT_NOTE = "Training ended at a limit before the gap was this small."
_PRECISION_NOTE = "Training stopped because the remaining gap was smaller than rounding errors."

_LOOKS = {WEB.name: CLASSES[1], ADULT.name: CLASSES[0], OTHERS: (MUTED, "D")}
"""Colours and marks of the three families of data sets."""
_TRIANGLES = {Bound.AT_MOST: "<", Bound.AT_LEAST: ">"}
_NAMED = "w8a"
"""The data set that has a mark of its own: the papers stress its speed-ups."""
_NAMED_LOOK = {"marker": "*", "color": ACCENT, "markersize": 6, "linestyle": "none", "zorder": 4}
_AUTO_LOOK = {
    "marker": "|",
    "color": METHODS[AUTO].color,
    "markersize": 6,
    "markeredgewidth": 1.6,
    "linestyle": "none",
    "zorder": 4.5,
}
_MEDIAN = {"color": "black", "linewidth": 1.8, "solid_capstyle": "butt", "zorder": 5}
_ROW, _STRIP_DISTANCE = 0.5, 0.24
"""Height of a rung in inches, and the distance of its strips as a share of it."""
_SHORT = {
    "printed": "printed",
    "authors_program": "the authors' program,\nanother machine",
    "as_run": "our runs,\nauthors' settings",
    "inner": "only inner tolerance\nas in LibCVM",
    "only_patience": "only patience\nas in LibCVM",
    "patient": "inner tolerance and\npatience as in LibCVM",
}
_SPEEDUP_WORDS = {
    "speedup": "in CPU seconds",
    "speedup_in_kernel_values": "in requested kernel values",
}


def not_run(table: pd.DataFrame) -> str:
    """Name the rungs that have no speed-up."""
    present = set(table.loc[table["speedup"].notna() & (table["method"] != "cvm"), "rung"])
    absent = [words for rung, words in RUNGS.items() if rung not in present]
    return f"Not run: {'; '.join(absent)}." if absent else ""


def ladder_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw the speed-ups over CVM of the first and of the last method: a row per rung, with a
    strip of data sets for each family.
    """
    table = ladder_numbers(runs, descriptions)
    methods = [name for name in dict.fromkeys(table["method"]) if name not in ("cvm", AUTO)]
    methods = [methods[0], methods[-1]] if len(methods) > 1 else methods
    frame = table[table["method"].isin(methods) & table["speedup"].notna()]
    require(not frame.empty, needs("CVM and another method in the experiment ladder", []))
    frame = frame.assign(family=frame["dataset"].map(family_of)).reset_index(drop=True)
    middles = family_medians(table[table["method"].isin([*methods, AUTO])], stand_ins(runs))
    middles = middles[middles["measure"] == "speedup"].set_index("method")
    drawn = {name: frame[frame["method"] == name] for name in methods}
    drawn = {name: rows for name, rows in drawn.items() if len(rows)}
    heights = [rows["rung"].nunique() for rows in drawn.values()]
    with figure_style():
        size = (COLUMN_WIDTH, 0.75 + 0.3 * len(drawn) + _ROW * sum(heights))
        fig = Figure(figsize=size, layout="constrained")
        panels = fig.subplots(len(drawn), 1, sharex=True, squeeze=False, height_ratios=heights)
        for axes, (method, rows) in zip(panels[:, 0], drawn.items(), strict=True):
            _draw(axes, rows, middles.loc[[method]], middles[middles.index == AUTO])
            axes.set_title(f"{method_label(method)}: medians (95 %)", loc="left")
        logarithmic_x(panels[-1, 0], ticks=9)
        panels[-1, 0].set_xlabel("speed-up over CVM (log scale)\nCVM faster  |  method faster")
        add_legend(fig, _handles(frame, AUTO in middles.index), columns=2)
    columns = ["dataset", "rung", "method", "family", "speedup", "speedup_in_kernel_values"]
    frame = frame[[*columns, "bound", "kept", "relative_gap", "time", "cvm_time"]]
    return Chart(fig, frame, not_run(table))


def _draw(axes: Axes, rows: pd.DataFrame, middles: pd.DataFrame, auto: pd.DataFrame) -> None:
    rungs = list(dict.fromkeys(rows["rung"]))
    for place, rung in enumerate(rungs):
        here = rows[rows["rung"] == rung]
        strips = [name for name in _LOOKS if (here["family"] == name).any()]
        for number, family in enumerate(strips):
            height = place + _STRIP_DISTANCE * (number - (len(strips) - 1) / 2)
            strip = here[here["family"] == family]
            _draw_strip(axes, strip, height, *_LOOKS[family])
            middle = middles[(middles["rung"] == rung) & (middles["over"] == family)]
            ends = [height - 0.45 * _STRIP_DISTANCE, height + 0.45 * _STRIP_DISTANCE]
            axes.plot(middle["median"].repeat(2), ends * len(middle), **_MEDIAN)
            beside = auto[(auto["rung"] == rung) & (auto["over"] == family)]
            axes.plot(beside["median"], [height] * len(beside), **_AUTO_LOOK)
        if place:
            axes.axhline(place - 0.5, color="#d9d9d9", linewidth=0.5, zorder=0.5)
    overall = middles[middles["over"] == ALL].set_index("rung")
    labels = [f"{_short_words(rung)}\n{_median(overall.loc[rung])}" for rung in rungs]
    axes.set_yticks(range(len(rungs)), labels, fontsize=7)
    axes.set_ylim(len(rungs) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.axvline(1, color="black", linewidth=0.9, zorder=1)


def _short_words(rung: str) -> str:
    return _SHORT.get(rung) or rung_words(rung).replace(", ", ",\n")


def _draw_strip(axes: Axes, strip: pd.DataFrame, height: float, color: str, marker: str) -> None:
    look = {"color": color, "markersize": 3.4, "alpha": 0.8, "linestyle": "none", "zorder": 3}
    named = strip["dataset"] == _NAMED
    for bound, shape in {Bound.EXACT: marker, **_TRIANGLES}.items():
        marks = strip.loc[(strip["bound"] == bound) & ~named, "speedup"]
        axes.plot(marks, [height] * len(marks), marker=shape, **look)
    for row in strip[named].to_dict("records"):
        is_bound = row["bound"] in _TRIANGLES
        shape = {"marker": _TRIANGLES[row["bound"]], "markersize": 4} if is_bound else {}
        axes.plot([row["speedup"]], [height], **_NAMED_LOOK | shape)


def _median(row: Mapping) -> str:
    """Write a median with its interval: ``≤ 0.20 (0.10 to 0.35)``."""
    if is_missing(row["median"]):
        return NOTHING
    median = row["bound"].before(significant(row["median"], 2))
    return median if _interval(row) == NOTHING else f"{median} ({_interval(row)})"


def _interval(row: Mapping) -> str:
    return interval_in_words(row["low"], row["high"])


def _handles(frame: pd.DataFrame, with_auto: bool) -> list[Line2D]:
    mark = {"linestyle": "none", "markersize": 4}
    present = set(frame["family"])
    handles = [
        Line2D([], [], label=name, color=color, marker=marker, **mark)
        for name, (color, marker) in _LOOKS.items()
        if name in present
    ]
    if (frame["dataset"] == _NAMED).any():
        handles.append(Line2D([], [], label=_NAMED, **_NAMED_LOOK))
    median = {"marker": "|", "color": "black", "markersize": 7, "markeredgewidth": 1.8}
    handles.append(Line2D([], [], label="median", linestyle="none", **median))
    if with_auto:
        handles.append(Line2D([], [], label="median of auto", **_AUTO_LOOK))
    for bound, shape in _TRIANGLES.items():
        if (frame["bound"] == bound).any():
            label = f"{bound} this (limit)"
            handles.append(Line2D([], [], label=label, color=MUTED, marker=shape, **mark))
    return handles


def families_table(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Table:
    """Lay out `family_medians`: a section per method and measure of cost, a row per rung."""
    table = ladder_numbers(runs, descriptions)
    frame = family_medians(table, stand_ins(runs))
    require(not frame.empty, needs("CVM and another method in the experiment ladder", []))
    keys = ["method", "measure", "rung"]
    rows = []
    for (method, measure, rung), part in frame.groupby(keys, sort=False):
        of = part.set_index("over").to_dict("index")
        row = {"section": (method, measure), "rung": rung, "of": of}
        row["holds"] = len({one["order"] for one in of.values()}) == 1
        rows.append(row)
    order = {key: place for place, key in enumerate(dict.fromkeys(row["section"] for row in rows))}
    shown = pd.DataFrame(sorted(rows, key=lambda row: order[row["section"]]))

    def median(over: str, row: Mapping) -> str:
        one = row["of"].get(over)
        if one is None or is_missing(one["median"]):
            return NOTHING
        return one["bound"].before(significant(one["median"], 2))

    columns = [
        Column("rung", lambda row: rung_words(row["rung"]), align="l"),
        Column("sets", lambda row: str(row["of"][ALL]["sets"])),
        Column(ALL, partial(median, ALL), "median speed-up over CVM"),
        Column("95 %", lambda row: _interval(row["of"][ALL]), "median speed-up over CVM"),
        *(Column(over, partial(median, over), "median speed-up over CVM") for over in VARIANTS[1:]),
        Column("order", lambda row: _order(row["of"][ALL]["order"])),
        Column("in every column", lambda row: "yes" if row["holds"] else "no"),
    ]
    return ours_beside_printed(shown, columns, "section", _section, not_run(table), csv=frame)


def _section(section: tuple[str, str]) -> str:
    method, measure = section
    return f"{method_label(method)}, {_SPEEDUP_WORDS[measure]}"


def _order(order: str) -> str:
    return "a tie" if order == TIE else order


def inner_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Lay out `inner_numbers`: a row per data set, and the medians."""
    frame = inner_numbers(runs)
    words = {
        "inner_tolerance": "tolerance 1e-3",
        "inner_fixed": "tolerance halved",
        "inner_steps": "no limit of steps",
        ALL_THREE: ALL_THREE,
    }
    frame_by = frame.set_index(["dataset", "changed"])
    medians_of = frame.groupby("changed")[["speedup", "speedup_in_kernel_values"]].median()
    rows = [{"dataset": name, "of": frame_by.loc[name]} for name in frame["dataset"].unique()]
    rows.append({"dataset": "median", "of": medians_of.assign(bound=Bound.EXACT)})

    def ratio(changed: str, measure: str, row: Mapping) -> str:
        if changed not in row["of"].index or is_missing(row["of"].loc[changed, measure]):
            return NOTHING
        one = row["of"].loc[changed]
        return one["bound"].before(significant(one[measure], 2))

    def seconds(row: Mapping) -> str:
        if "time" not in row["of"]:
            return NOTHING
        return significant(row["of"].loc[AS_AUTHORS, "time"], 3)

    columns = [
        Column("data set", lambda row: row["dataset"], align="l"),
        Column(AS_AUTHORS, seconds, "CPU seconds"),
        *(
            Column(name, partial(ratio, changed, measure), f"speed-up {_SPEEDUP_WORDS[measure]}")
            for measure in _SPEEDUP_WORDS
            for changed, name in words.items()
        ),
    ]
    return ours_beside_printed(pd.DataFrame(rows), columns, csv=frame)


def _faster(row: Mapping) -> str:
    """Count the data sets on which a method is faster than CVM, out of those where it is known
    which is faster.
    """
    known = f"{row['faster']:.0f} of {row['sets'] - row['unknown']:.0f}"
    return known + (f" ({row['unknown']:.0f} unknown)" if row["unknown"] else "")


def ladder_table(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Table:
    """Lay out `ladder_numbers`, with the medians over all data sets first and then a section per
    data set.
    """
    table = ladder_numbers(runs, descriptions)
    everything = medians(table).assign(dataset=_ALL)
    intervals = family_medians(table, stand_ins(runs))
    chosen = (intervals["over"] == ALL) & (intervals["measure"] == "speedup")
    intervals = intervals[chosen].set_index(["rung", "method"])[["low", "high", "order"]]
    everything = everything.join(intervals, on=["rung", "method"])
    require(not everything.empty, needs("CVM and another method in the experiment ladder", []))
    by_set = [rows for _, rows in table.groupby("dataset", sort=False)]
    counts = everything.to_dict("records")
    everything["faster_on"] = list(map(_faster, counts))
    everything["keeps"] = [f"{row['accurate']} of {row['sets']}" for row in counts]
    rows = pd.concat([everything, *by_set], ignore_index=True).fillna(
        {"faster_on": "", "keeps": "", "order": ""}
    )

    def ratio(name: str, row: Mapping) -> str:
        if row["method"] == "cvm" or is_missing(row[name]):
            return NOTHING
        bound = row[f"{name}_bound"] if row["dataset"] == _ALL else row["bound"]
        return bound.before(significant(row[name], 2))

    def seconds(row: Mapping) -> str:
        return (
            NOTHING
            if row["dataset"] == _ALL
            else ("≥ " if row["at_limit"] else "") + significant(row["time"], 3)
        )

    columns = [
        Column("rung", lambda row: rung_words(row["rung"]), align="l"),
        Column("method", lambda row: method_label(row["method"]), align="l"),
        Column("CPU seconds", seconds),
        Column("in CPU seconds", partial(ratio, "speedup"), "speed-up over CVM"),
        Column(
            "95 %",
            lambda row: _interval(row) if row["dataset"] == _ALL else "",
            "speed-up over CVM",
        ),
        Column("order", lambda row: _order(row["order"]), "speed-up over CVM"),
        Column(
            "in requested kernel values",
            partial(ratio, "speedup_in_kernel_values"),
            "speed-up over CVM",
        ),
        Column("faster on", lambda row: row["faster_on"], "sets"),
        Column(f"keeps {KEPT} %", lambda row: row["keeps"], "sets"),
        Column("accuracy − CVM's (points)", partial(_signed, "difference", "+.2f")),
        Column("gain kept (%)", partial(_signed, "kept", ".0f")),
        Column("relative gap", lambda row: significant(row["relative_gap"], 2)),
    ]
    heading = f"Medians over {counted(len(by_set), 'data set')}"
    return ours_beside_printed(
        rows,
        columns,
        "dataset",
        lambda name: heading if name == _ALL else name,
        not_run(table),
        table,
    )


def _signed(name: str, form: str, row: Mapping) -> str:
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
