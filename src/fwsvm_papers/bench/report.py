"""Write the rows of a benchmark: a CSV of all rows, and Markdown tables for readers."""

from pathlib import Path

import numpy as np
import pandas as pd

from fwsvm_papers.bench.race import ENOUGH_S, GAPS, SHORT_S
from fwsvm_papers.reporting.text import NOTHING, is_missing, markdown, significant
from fwsvm_papers.result_files import delimited_text, markdown_rows, write_atomically

_CELL = ["case", "C", "gamma_over_beta", "threads"]
_RACE_NOTE = (
    "Ours is `method='auto'`, certificate included. Equal accuracy: the largest of the gaps 0.1,"
    " 0.01, 0.001, 0.0001 at which our accuracy is at least SVC's minus one standard error (inf: no"
    " such gap). Times: CPU seconds on one thread, wall seconds on two. ≥: the peer was stopped at"
    " 30 s or 4 times SVC's time, whichever is longer."
)


def write_tables(record, stem):
    """Write ``<stem>.csv`` and ``<stem>.md`` and return their paths."""
    csv, text = Path(stem).with_suffix(".csv"), Path(stem).with_suffix(".md")
    write_atomically(csv, delimited_text(record.rows()).encode())
    write_atomically(text, as_markdown(record, Path(stem).name).encode())
    return csv, text


def as_markdown(record, name):
    """Return the whole report in Markdown; it shows the figure `<name>.svg` from the same
    folder.
    """
    picture = f"![speed-up over each peer, seconds to each gap]({name}.svg)"
    title = "## Time to SVC's accuracy and to gaps"
    return "\n\n".join([_head(record), title, _RACE_NOTE, picture, _race(record.rows())]) + "\n"


def _head(record):
    content = record.content
    machine, versions = content["machine"], content["machine"]["versions"]
    used = ", ".join(
        f"{name} {versions[name]}" for name in ("python", "numpy", "numba", "scikit-learn")
    )
    lines = [
        "# Benchmark" + (" (quick version)" if content["quick"] else ""),
        (
            f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; {used}; commit"
            f" {content['commit']}."
        ),
        (
            f"Medians of {content['repeats']} repeats, or of as many as take {SHORT_S:g} s; a"
            f" competitor that used {ENOUGH_S:g} s on a case is not run on it again. No run takes"
            f" more than {content['time_limit']:g} s."
        ),
    ]
    if content["runs"] > 1:
        lines.append(
            f"The run was interrupted and resumed: {content['runs']} processes measured different"
            " rows."
        )
    lines += [
        f"Left out: {markdown(name)}: {markdown(reason)}" for name, reason in record.missing.items()
    ]
    return "\n\n".join(lines)


def _race(rows):
    heads = [
        "data set",
        "C",
        "gamma x beta",
        "threads",
        "SVC, s",
        "intelex, s",
        "ours, s",
        "at gap",
        "SVC / ours",
    ]
    heads += [
        "intelex / ours",
        *(f"to {gap:g}, s" for gap in (1e-2, 1e-3, 1e-4)),
        "LIBSVM L2 / ours at 0.001",
    ]
    table = [
        [
            markdown(cell["case"]),
            *(f"{cell[key]:g}" for key in ("C", "gamma_over_beta", "threads")),
            *(significant(cell[key], 3) for key in ("svc_s", "intelex_s", "equal_s")),
            NOTHING if is_missing(cell["gap"]) else f"{cell['gap']:g}",
            *(
                significant(cell[key], 3)
                for key in ("svc_ratio", "intelex_ratio", "s_0.01", "s_0.001", "s_0.0001")
            ),
            ("≥ " if cell["libsvm_is_bound"] else "") + significant(cell["libsvm_ratio"], 3),
        ]
        for cell in race_cells(rows).to_dict("records")
    ]
    return markdown_rows(heads, table, "l" + 13 * "r")


def race_cells(rows):
    """Return a table with a row for each data set, C, gamma and number of threads."""
    groups = rows.groupby(_CELL, sort=False)
    return pd.DataFrame(
        [dict(zip(_CELL, key, strict=True)) | _cell(group) for key, group in groups]
    )


def _cell(rows):
    svc, intelex = _seconds(rows, "svc"), _seconds(rows, "intelex")
    gap, equal_s = _equal_accuracy(rows)
    libsvm = rows[(rows["method"] == "libsvm_l2") & np.isclose(rows["eps"].astype(float), 1e-3)]
    peer_s, own_s = _seconds(libsvm, "libsvm_l2"), _seconds(rows, "auto", 1e-3)
    if np.isnan(own_s) and (rows["method"] == "auto").any():
        own_s = np.inf  # stopped before it reached the gap
    return {
        "svc_s": svc,
        "intelex_s": intelex,
        "gap": gap,
        "equal_s": equal_s,
        "svc_ratio": svc / equal_s,
        "intelex_ratio": intelex / equal_s,
        "libsvm_ratio": peer_s / own_s,
        "libsvm_is_bound": bool((libsvm["stop_reason"] == "time_limit").any()),
        **{f"s_{each:g}": _seconds(rows, "auto", each) for each in GAPS},
    }


def _seconds(rows, method, gap=None):
    """Return a competitor's time (s), or NaN if it was not timed or did not reach the gap."""
    rows = rows[rows["method"] == method]
    if gap is not None:
        rows = rows[
            np.isclose(rows["eps"].astype(float), gap) & (rows["stop_reason"] == "converged")
        ]
    values = rows["seconds"].dropna() if "seconds" in rows else rows.iloc[:0]
    return float(values.iloc[0]) if len(values) else np.nan


def _equal_accuracy(rows):
    """Return the largest gap at which we reach SVC's accuracy, and our time (inf: no such gap;
    NaN: no runs).
    """
    svc = rows[rows["method"] == "svc"]
    own = rows[rows["method"] == "auto"]
    if own.empty or "m_test" not in rows or svc["accuracy"].isna().all():
        return np.nan, np.nan
    own = own[own["stop_reason"] == "converged"]
    share, m_test = float(svc["accuracy"].iloc[0]), float(svc["m_test"].iloc[0])
    enough = share - np.sqrt(share * (1.0 - share) / m_test)
    own = own[own["accuracy"] >= enough].sort_values("eps", ascending=False)
    return (
        (float(own["eps"].iloc[0]), float(own["seconds"].iloc[0])) if len(own) else (np.nan, np.inf)
    )
