"""The rows as files: one CSV of everything, and Markdown with a table per section for readers."""

from pathlib import Path

import numpy as np

from fwsvm.base.delimited_text import delimited_text
from fwsvm.base.markdown import markdown_rows
from fwsvm.base.result_files import write_atomically
from fwsvm.bench.libcvm import machine_pace
from fwsvm.bench.race_cells import race_cells
from fwsvm.bench.runner import SECTIONS
from fwsvm.bench.targets import best_ratios, scaled_to_this_machine, targets
from fwsvm.bench.timing import ENOUGH_S
from fwsvm.reporting.style import method_label
from fwsvm.reporting.text import NOTHING, is_missing, markdown, significant, whole


def write_tables(record, stem):
    """Write ``<stem>.csv`` and ``<stem>.md`` and return their paths."""
    stem = Path(stem)
    csv, text = stem.with_suffix(".csv"), stem.with_suffix(".md")
    write_atomically(csv, delimited_text(record.rows()).encode())
    write_atomically(text, as_markdown(record, stem.name).encode())
    return csv, text


def as_markdown(record, name):
    """The whole report; the figure beside it is called `<name>.png`."""
    picture = [] if set(_sections(record)) <= {"race"} else [f"![SVC, LibCVM, growth, kernels]({name}.png)"]
    parts = [_head(record), *picture, "## Targets", _targets(record)]
    if not (race := record.rows("race")).empty:
        parts += ["## Time to SVC's accuracy, and to a certified gap", _RACE_NOTE, _race(race, name)]
    if not (peers := record.rows("peers")).empty:
        parts += ["## SVC over the faster of SWAP and SWAP-2o", _ratios(peers)]
    for section, columns in _COLUMNS.items():
        rows = record.rows(section)
        if section == "libcvm":
            rows = scaled_to_this_machine(rows, record.rows("peers"))
        note = _NOTES[section](record) if section in _NOTES else ""
        if not rows.empty:
            parts += [f"## {SECTIONS[section].title}", *([note] if note else []), _table(rows, columns)]
    return "\n\n".join(parts) + "\n"


def _sections(record):
    """The sections that have rows."""
    return [name for name in SECTIONS if not record.rows(name).empty]


def _head(record):
    content = record.content
    machine, versions = content["machine"], content["machine"]["versions"]
    used = ", ".join(f"{name} {versions[name]}" for name in ("python", "numpy", "numba", "scikit-learn"))
    lines = [
        "# Benchmark" + (" (quick version)" if content["quick"] else ""),
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; {used}; commit {content['commit']}.",
        f"CPU seconds of one thread, medians of {content['repeats']} repeats (a competitor that has used {ENOUGH_S:g} "
        "s is not repeated), competitors in turn in one process, compiled code, certificates outside the clock. "
        "\\* the machine was disturbed (its calibration loop ran over 25 % slower than at its best); ≥ stopped at "
        f"{content['time_limit']:g} s or at the row's own limit.",
    ]
    if content["runs"] > 1:
        lines.append(f"Interrupted and resumed: {content['runs']} processes; each row is of one.")
    lines += [f"Left out: {markdown(name)}: {markdown(reason)}" for name, reason in record.missing.items()]
    return "\n\n".join(lines)


def _targets(record):
    """The targets that the run has rows for."""
    rows = [target.texts() for target in targets(record) if target.met is not None]
    return markdown_rows(["target", "limit", "measured", ""], rows, "lrrl")


def _ratios(peers):
    best = best_ratios(peers)
    table = best.groupby("case", sort=False)["ratio"].agg(["median", "min", "max"])
    rows = [[name, *(significant(value, 3) for value in values)] for name, *values in table.itertuples()]
    rows.append(["**all cells**", *(significant(best["ratio"].agg(how), 3) for how in ("median", "min", "max"))])
    return markdown_rows(["data set", "median over C", "smallest", "largest"], rows, "lrrr")


_RACE_NOTE = (
    "Ours is `method='auto'`, its certificate included. Equal accuracy: the largest of the gaps 0.1, 0.01, 0.001, "
    "0.0001 whose model is right on as many test points as SVC's, less at most one standard error (inf: none is). One "
    "thread: CPU seconds; more: wall seconds. ≥: the peer was ended at 4 times SVC's time, or 30 s."
)


def _race(rows, name):
    cells = race_cells(rows)
    heads = ["data set", "C", "gamma x beta", "threads", "SVC, s", "intelex, s", "ours, s", "at gap", "SVC / ours"]
    heads += ["intelex / ours", *(f"to {gap:g}, s" for gap in (1e-2, 1e-3, 1e-4)), "LIBSVM L2 / ours at 0.001"]
    table = [
        [
            markdown(cell["case"]), *(f"{cell[key]:g}" for key in ("C", "gamma_over_beta", "threads")),
            *(significant(cell[key], 3) for key in ("svc_s", "intelex_s", "equal_s")),
            NOTHING if is_missing(cell["gap"]) else f"{cell['gap']:g}",
            *(significant(cell[key], 3) for key in ("svc_ratio", "intelex_ratio", "s_0.01", "s_0.001", "s_0.0001")),
            ("≥ " if cell["libsvm_is_bound"] else "") + significant(cell["libsvm_ratio"], 3),
        ]
        for cell in cells.to_dict("records")
    ]  # fmt: skip
    return f"![ratios to the peers, time to a gap]({name}-race.png)\n\n" + markdown_rows(heads, table, "l" + 13 * "r")


def _libcvm_note(record):
    pace, cells = machine_pace(record.rows("peers"))
    if not cells:
        return (
            "LibCVM's seconds are those of another machine of the same kind, as they are: this run has no SVC time at "
            "a data set and C where one was taken there."
        )
    return (
        "LibCVM's seconds are those of another machine of the same kind, multiplied by the pace of this run: SVC took "
        f"{pace:.2f} times its seconds there (median of {cells} cells)."
    )


def _growth_note(record):
    rows = record.rows("growth")
    if rows.empty:
        return ""
    slopes = []
    for (case, method), series in rows.dropna(subset=["seconds"]).groupby(["case", "method"], sort=False):
        if len(series) > 2:
            last = series.sort_values("m").tail(3)
            slope = np.polyfit(np.log(last["m"].astype(float)), np.log(last["seconds"].astype(float)), 1)[0]
            slopes.append(f"{_method(method)} on {case} {slope:.2f}")
    return f"Exponent of m in the time, over the last three sizes: {', '.join(slopes)}." if slopes else ""


_NOTES = {"libcvm": _libcvm_note, "growth": _growth_note}


def _table(rows, columns):
    header = [name for name, _, _ in columns]
    cells = [[text(row) for _, _, text in columns] for _, row in rows.iterrows()]
    return markdown_rows(header, cells, "".join(side for _, side, _ in columns))


def _words(column):
    return lambda row: NOTHING if is_missing(row.get(column)) else markdown(str(row[column]))


def _number(column, digits=3, factor=1.0):
    def text(row):
        value = row.get(column)
        return NOTHING if is_missing(value) else significant(factor * value, digits)

    return text


def _count(column):
    return lambda row: whole(row.get(column))


def _plain(column):
    return lambda row: NOTHING if is_missing(row.get(column)) else f"{row[column]:g}"


def _is_unfinished(row):
    return row.get("stop_reason") in ("time_limit", "iteration_limit")


def _seconds(row):
    """The time, with the marks of an unfinished and of a disturbed run."""
    if is_missing(row.get("seconds")):
        return markdown(str(row.get("stop_reason")))
    disturbed = "\\*" if row.get("disturbed") is True else ""
    return ("≥ " if _is_unfinished(row) else "") + significant(row["seconds"], 3) + disturbed


def _ratio(row):
    """How many times faster; a run that did not finish is faster by less than this."""
    text = _number("ratio")(row)
    return f"≤ {text}" if _is_unfinished(row) and text != NOTHING else text


def _peer_seconds(row):
    lower = row.get("peer_is_lower_bound") is True
    return ("> " if lower else "") + _number("scaled_peer_s")(row)


_PEERS = {"auto": "auto", "svc": "SVC", "intelex": "SVC of scikit-learn-intelex", "libsvm_l2": "LIBSVM, L2"}


def _method(method):
    return _PEERS.get(method) or method_label(method)


def _percent(column):
    return lambda row: NOTHING if is_missing(row.get(column)) else f"{100 * row[column]:.2f}"


def _gap(row):
    return NOTHING if is_missing(row.get("relative_gap")) else f"{row['relative_gap']:.1e}"


_CASE = ("case", "l", _words("case"))
_C = ("C", "r", _plain("C"))
_METHOD = ("method", "l", lambda row: _method(row["method"]))
_TIME = ("s", "r", _seconds)
_RATIO = ("ratio", "r", _ratio)
_MODEL = (("accuracy %", "r", _percent("accuracy")), ("SVs", "r", _count("support_vectors")), ("gap / R", "r", _gap))
_COLUMNS = {
    "limits": (
        _CASE,
        ("float64", "r", _number("float64")),
        ("float32", "r", _number("float32")),
        ("", "l", _words("unit")),
    ),
    "kernels": (
        ("what", "l", _words("operation")),
        _CASE,
        ("precision", "l", _words("dtype")),
        ("path", "l", _words("kernel_path")),
        ("ms", "r", _number("seconds", factor=1e3)),
        ("ns / value", "r", _number("ns_per_value")),
        ("bound, ms", "r", _number("bound_s", factor=1e3)),
        ("by", "l", _words("limit")),
        ("x of bound", "r", _number("times_bound")),
        ("x of memory bus", "r", _number("times_bus")),
    ),
    "peers": (
        _CASE, ("m", "r", _count("m")), _C, _METHOD, _TIME, ("SVC, s", "r", _number("peer_s")), _RATIO, *_MODEL[:1],
        ("SVC %", "r", _percent("peer_accuracy")), *_MODEL[1:2], ("SVC SVs", "r", _count("peer_support_vectors")),
        *_MODEL[2:], ("certificate, s", "r", _number("certify_s")),
    ),
    "libcvm": (
        _CASE, ("m", "r", _count("m")), _C, ("gamma x beta", "r", _plain("gamma_over_beta")),
        ("cache, MB", "r", _plain("cache_mb")), _TIME, ("LibCVM, s", "r", _peer_seconds), _RATIO, *_MODEL[:1],
        ("LibCVM %", "r", _percent("peer_accuracy")), *_MODEL[1:2],
        ("LibCVM SVs", "r", _count("peer_support_vectors")), *_MODEL[2:],
    ),
    "race": (
        _CASE, _C, ("gamma x beta", "r", _plain("gamma_over_beta")), ("threads", "r", _count("threads")),
        ("gap / R asked for", "r", _plain("eps")), ("competitor", "l", lambda row: _method(row["method"])),
        ("cold, s", "r", _number("cold_s")), ("warm, s", "r", _seconds), ("SVC / this", "r", _ratio), *_MODEL,
    ),
    "growth": (
        _CASE, ("m", "r", _count("m")), _C, _METHOD, ("selection", "l", _words("selection")), _TIME,
        ("SVC / this", "r", _ratio), ("peak, MB", "r", _number("peak_mb")),
        ("cache, MB", "r", _plain("cache_mb")), *_MODEL,
    ),
    "screening": (
        _CASE, ("m", "r", _count("m")), _C, ("stop", "l", _words("stop")), _TIME, ("gap / R", "r", _gap),
        ("no SV, %", "r", _percent("outside")), ("safely screened, %", "r", _percent("screened")),
        ("ended", "l", _words("stop_reason")),
    ),
    "memory": (
        _CASE, ("m", "r", _count("m")), _METHOD, ("selection", "l", _words("selection")),
        ("cache, MB", "r", _plain("cache_mb")), ("peak, MB", "r", _number("peak_mb")),
        ("allowed, MB", "r", _number("allowed_mb")), ("x of allowed", "r", _number("times_allowed")), _TIME, *_MODEL,
    ),
}  # fmt: skip
