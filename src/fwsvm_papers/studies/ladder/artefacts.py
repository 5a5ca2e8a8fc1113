"""The tables of the ladder: speed-ups under changed settings (beyond-ladder-table,
beyond-ladder-families and beyond-ladder-inner), and times to equal gaps (beyond-equal).
"""

from collections.abc import Mapping
from functools import partial

import pandas as pd

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.style import method_label
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
    interval_in_words,
    is_missing,
    significant,
    whole,
)
from fwsvm_papers.runs.comparison import KEPT, OPEN, TIE, Bound, lower_bounds
from fwsvm_papers.runs.table import stand_ins
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.ladder import ALL, SELECTIONS, rung_words
from fwsvm_papers.studies.ladder.rungs import (
    ALL_THREE,
    AS_AUTHORS,
    family_medians,
    inner_numbers,
    ladder_numbers,
    medians,
    not_run,
    speedup_medians,
)

_ALL, _MEDIAN = "all", "median"
_LIMIT_NOTE = "Training ended at its time or iteration limit before it reached this gap."
_PRECISION_NOTE = (
    "Training stopped before it reached this gap, because the remaining gap was smaller than"
    " rounding errors."
)

_SPEEDUP_WORDS = {
    "speedup": "in CPU seconds",
    "speedup_in_kernel_values": "in requested kernel values",
}


def _interval(row: Mapping) -> str:
    return interval_in_words(row["low"], row["high"])


def families_table(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Table:
    """Return the table of `family_medians`. The table has a section per method and measure of cost,
    and a row per rung.
    """
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
        number = one["bound"].before(significant(one["median"], 2))
        is_decided = one["order"] not in (TIE, OPEN)
        return number if is_decided else f"{number} ({one['order']})"

    columns = [
        Column("settings", lambda row: rung_words(row["rung"]), align="l"),
        Column("data sets", lambda row: str(row["of"][ALL]["sets"])),
        Column(ALL, partial(median, ALL), "median speed-up over CVM"),
        Column("95 % interval", lambda row: _interval(row["of"][ALL]), "median speed-up over CVM"),
        *(
            Column(over, partial(median, over), "median speed-up over CVM")
            for over in SELECTIONS[1:]
        ),
        Column(
            "same verdict (faster, slower, tie) in all columns",
            lambda row: "yes" if row["holds"] else "no",
        ),
    ]
    return ours_beside_printed(shown, columns, "section", _section, not_run(table), csv=frame)


def _section(section: tuple[str, str]) -> str:
    method, measure = section
    return f"{method_label(method)}, {_SPEEDUP_WORDS[measure]}"


def _order(order: str) -> str:
    return {TIE: "a tie", OPEN: "unknown"}.get(order, order)


def inner_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Return the table of `inner_numbers`, with a row per data set, and with the medians over the
    data sets.
    """
    frame = inner_numbers(runs)
    words = {
        "inner_tolerance": "tolerance 1e-3",
        "inner_fixed": "tolerance halved",
        "inner_steps": "no limit on steps",
        ALL_THREE: ALL_THREE,
    }
    frame_by = frame.set_index(["dataset", "changed"])
    medians_of = {changed: speedup_medians(part) for changed, part in frame.groupby("changed")}
    rows = [{"dataset": name, "of": frame_by.loc[name]} for name in frame["dataset"].unique()]
    rows.append({"dataset": _MEDIAN, "of": pd.DataFrame.from_dict(medians_of, orient="index")})

    def ratio(changed: str, measure: str, row: Mapping) -> str:
        if changed not in row["of"].index or is_missing(row["of"].loc[changed, measure]):
            return NOTHING
        one = row["of"].loc[changed]
        bound = one[f"{measure}_bound" if row["dataset"] == _MEDIAN else "bound"]
        return bound.before(significant(one[measure], 2))

    def seconds(row: Mapping) -> str:
        if row["dataset"] == _MEDIAN or AS_AUTHORS not in row["of"].index:
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
    """Return a text such as "5 of 8", or "5 of 8 (2 unknown)".

    The first number is the number of data sets on which a method is faster than CVM. The second is
    the number of data sets on which it is known whether the method or CVM is faster. The third is
    the number of all other data sets.
    """
    known = f"{row['faster']:.0f} of {row['sets'] - row['unknown']:.0f}"
    return known + (f" ({row['unknown']:.0f} unknown)" if row["unknown"] else "")


def ladder_table(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Table:
    """Return the table of `ladder_numbers`. The medians over all data sets come first. A section
    for each data set follows.
    """
    table = ladder_numbers(runs, descriptions)
    everything = medians(table).assign(dataset=_ALL)
    require(not everything.empty, needs("CVM and another method in the experiment ladder", []))
    intervals = family_medians(table, stand_ins(runs))
    chosen = (intervals["over"] == ALL) & (intervals["measure"] == "speedup")
    intervals = intervals[chosen].set_index(["rung", "method"])[["low", "high", "order"]]
    everything = everything.join(intervals, on=["rung", "method"])
    by_set = [rows for _, rows in table.groupby("dataset", sort=False)]
    counts = everything.to_dict("records")
    everything["faster_on"] = list(map(_faster, counts))
    everything["keeps"] = [f"{row['accurate']} of {row['with_gain']}" for row in counts]
    rows = pd.concat([everything, *by_set], ignore_index=True).fillna(
        {"faster_on": "", "keeps": "", "order": ""}
    )

    def ratio(name: str, row: Mapping) -> str:
        if row["method"] == "cvm" or is_missing(row[name]):
            return NOTHING
        bound = row[f"{name}_bound"] if row["dataset"] == _ALL else row["bound"]
        return bound.before(significant(row[name], 2))

    def seconds(row: Mapping) -> str:
        if row["dataset"] == _ALL:
            return NOTHING
        (bound,) = lower_bounds([row["at_limit"]])
        return bound.before(significant(row["time"], 3))

    columns = [
        Column("settings", lambda row: rung_words(row["rung"]), align="l"),
        Column("method", lambda row: method_label(row["method"]), align="l"),
        Column("in CPU seconds", partial(ratio, "speedup"), "speed-up over CVM"),
        Column(
            "95 % interval",
            lambda row: _interval(row) if row["dataset"] == _ALL else "",
            "speed-up over CVM",
        ),
        Column("in words", lambda row: _order(row["order"]), "speed-up over CVM"),
        Column(
            "in requested kernel values",
            partial(ratio, "speedup_in_kernel_values"),
            "speed-up over CVM",
        ),
        Column("CPU seconds", seconds),
        Column("faster than CVM", lambda row: row["faster_on"], "data sets"),
        Column(f"{KEPT} % of gain kept", lambda row: row["keeps"], "data sets"),
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
    """Return the table of the time and model size of each method at equal certified gaps. The table
    has a section per gap and a row per data set.
    """
    table = ladder_numbers(runs, [])
    # without descriptions of the data sets, the share of the gain is unknown
    frame = table[table["rung"].str.startswith("gap")].drop(columns="kept")
    notes, sections = Footnotes(), []
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
        shown = Bound.AT_LEAST.before(significant(row["time"], 3))
        return Cell(shown, (notes.mark(_LIMIT_NOTE),))
    return Cell(NOTHING, (notes.mark(_PRECISION_NOTE),))
