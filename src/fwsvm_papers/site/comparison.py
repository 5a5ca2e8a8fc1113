"""Functions that compare methods with CVM by their speed-up and by their share of CVM's gain over
the majority class.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.text import NOTHING, interval_in_words, significant, small_exponents
from fwsvm_papers.runs.comparison import (
    KEPT,
    MEASURES,
    TIE,
    Bound,
    against,
    lower_bounds,
    means,
    median_with_bound,
    order_is_unknown,
    shown_means,
)
from fwsvm_papers.runs.protocols import WORDS, protocol_words
from fwsvm_papers.runs.table import protocols_of, summarise
from fwsvm_papers.statistics.effects import Estimate, bootstrap_estimate
from fwsvm_papers.studies.ladder import (
    ALL,
    AS_PRINTED,
    AUTHORS,
    PATIENCE,
    RUNGS,
    family_of,
    rung_words,
)

BENCHMARK, SVC = "benchmark", "svc"
# The measures that the leaderboard can show. A value of this dict has the name of a measure, and
# says whether larger numbers are better.
SHOWN = {
    "speedup": ("speed-up over CVM", True),
    "kept": ("gain kept (%)", True),
    "accuracy": ("accuracy (%)", True),
    "time": ("CPU time (s)", False),
    "support_vectors": ("support vectors", False),
    "relative_gap": ("relative gap", False),
}
_RANGES = {
    f"{MEASURES[name]}_{end}": f"{name}_{end}"
    for name in ("accuracy", "time")
    for end in ("min", "max")
}
_KEYS, _PRINTED_COLUMNS = ["protocol", "dataset", "method"], ["printed_accuracy", "printed_time"]


def words_of(protocol: str) -> str:
    """Return the words that the pages show for a protocol or for a rung. `protocol` is the name of
    the protocol or rung.

    A rung is a comparison of methods with CVM in the study `ladder`. For example, on one rung, some
    settings of the first protocol are replaced by those of LibCVM.
    """
    is_rung = protocol not in WORDS and (protocol in RUNGS or protocol.startswith("gap "))
    return rung_words(protocol) if is_rung else protocol_words(protocol)


def board_table(
    runs: pd.DataFrame,
    summary: pd.DataFrame,
    ladder: pd.DataFrame,
    majority: dict[str, float | None],
) -> pd.DataFrame:
    """Return a table of means and ranges over the repetitions, with a row per protocol (or rung),
    data set and method.

    `time_bound` is the bound of the time, and `bound` is the bound of the speed-up. The papers'
    numbers come from `summary`, and the rows of the rungs come from `ladder`. `majority` maps each
    data set to the accuracy (%) of the majority prediction. The rows of SVC are runs of the
    experiment `peers` with the same C and gamma as in the benchmark. In the rows of CVM, `speedup`
    and `kept` are NaN.
    """
    own, peers = (runs[runs["experiment"] == name] for name in (BENCHMARK, "peers"))
    parts = [shown_means(summarise(own), protocols_of(own))]
    for protocol in protocols_of(own):
        used = own.loc[own["protocol"] == protocol, ["dataset", "C", "gamma"]].drop_duplicates()
        svc = peers[(peers["method"] == SVC) & (peers["stop_reason"] != "memory_limit")]
        svc = svc.merge(used, on=["dataset", "C", "gamma"])
        parts.append(means(summarise(svc)).assign(protocol=protocol))
    table = against("cvm", pd.concat(parts, ignore_index=True), majority=majority)
    table = table.rename(columns=_RANGES)
    printed = (
        summary[[*_KEYS[1:], *_PRINTED_COLUMNS]].drop_duplicates(_KEYS[1:]) if len(summary) else ()
    )
    table = (
        table.merge(printed, "left")
        if len(printed)
        else table.assign(**dict.fromkeys(_PRINTED_COLUMNS, np.nan))
    )
    if len(ladder) and len(table):
        first = table["protocol"].iloc[0]
        # The rungs with a protocol of the benchmark are left out, because these protocols are
        # already in the table. The rungs of the papers and of the authors' program are left out,
        # because their times were not measured on our machine.
        rungs = ladder[~ladder["rung"].isin([AS_PRINTED, AUTHORS, *protocols_of(own)])]
        # The first sentences of the report are about the first two rungs. The rung on which only
        # the patience changes comes last, so that it is not one of them.
        rungs = rungs.sort_values("rung", key=lambda rung: rung == PATIENCE, kind="stable")
        rungs = rungs.rename(columns={"rung": "protocol"})
        rungs["bound"] = rungs["bound"].map(Bound)
        parts = [
            table[table["protocol"] == first],
            rungs[[name for name in rungs if name in table]],
        ]
        table = pd.concat([*parts, table[table["protocol"] != first]], ignore_index=True)
    table["time_bound"] = lower_bounds(table["at_limit"])
    table.loc[table["method"] == "cvm", ["speedup", "kept"]] = np.nan
    return table


def parameters(runs: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Return a dict of texts with the settings of the benchmark.

    The text of the key (protocol, data set) has C, gamma and the inner tolerance of CVM. The text
    of the key (protocol, data set, "C") has only C.
    """
    found = {}
    labels = {"C": "C = ", "gamma": "gamma = ", "inner_tolerance": "inner tolerance of CVM "}
    for key, rows in runs[runs["experiment"] == BENCHMARK].groupby(
        ["protocol", "dataset"], sort=False
    ):
        used = {
            name: " or ".join(map(_plain, sorted(rows[name].dropna().unique()))) for name in labels
        }
        found[key] = ", ".join(labels[name] + value for name, value in used.items() if value)
        found[(*key, "C")] = used["C"]
    return found


def times(value: float, bound: Bound) -> str:
    """Return a speed-up in words, such as "508 times", "at most 0.17 times" or "about 1.9
    times".
    """
    number = f"{significant(value, 2) if value < 100 else f'{value:.0f}'} times"
    return f"about {number}" if bound is Bound.UNKNOWN else bound.in_words(number)


def answers(table: pd.DataFrame, method: str) -> list[tuple[str, str, dict, dict]]:
    """Return a list of tuples for one data set, whose rows are in `table`. The tuple of a protocol
    has the protocol in words, the speed-up in words, the row of the method and the row of CVM.
    Protocols without a known speed-up are left out.
    """
    found = []
    for protocol, rows in table.groupby("protocol", sort=False):
        by = rows.set_index("method")
        if method in by.index and not pd.isna(by.loc[method, "speedup"]):
            own, cvm = by.loc[method], by.loc["cvm"]
            fast = times(own["speedup"], own["bound"])
            found.append((words_of(protocol), fast, own.to_dict(), cvm.to_dict()))
    return found


def by_family(families: pd.DataFrame, method: str) -> dict[str, dict[str, dict]]:
    """Return a dict from each rung to the median speed-ups of a method over several selections of
    data sets.

    `families` is the table beyond-ladder-families. The value of a rung maps each selection to a
    dict. In this dict, `sets` is the number of data sets, `shown` is the median as text, `interval`
    is its 95 % interval as text (empty if there is no interval), and `is_tie` says whether the
    comparison is a tie.
    """
    found: dict[str, dict[str, dict]] = {}
    if families.empty:
        return found
    own = families[(families["method"] == method) & (families["measure"] == "speedup")]
    for row in own.to_dict("records"):
        interval = interval_in_words(row["low"], row["high"])
        found.setdefault(row["rung"], {})[row["over"]] = {
            "sets": row["sets"],
            "shown": Bound(row["bound"]).before(significant(row["median"], 2)),
            "interval": "" if interval == NOTHING else interval,
            "is_tie": row["order"] == TIE,
        }
    return found


def in_short(
    table: pd.DataFrame, method: str, families: Mapping[str, Mapping] | None = None
) -> dict[str, dict]:
    """Compare a method with CVM under each protocol.

    The keys of the result are the protocols in words. Each value is a dict with the median speed-up
    and several numbers of data sets. Protocols without a known speed-up are left out. `families` is
    a result of `by_family` and has the intervals of the medians.

    The entry `kept` of a value is the number of data sets on which the method keeps at least 90 %
    of CVM's gain over the majority class, and `sets` is the number of data sets on which this share
    is known. The entry `unknown` is the number of data sets on which it is unknown whether the
    method or CVM is faster, because runs ended at a limit or the speed-up is missing. The entry
    `faster` is a text such as "3 of 5": the method is faster on 3 of the 5 other data sets.
    """
    found = {}
    for protocol, part in table[table["method"] == method].groupby("protocol", sort=False):
        median, bound = median_with_bound(part["speedup"], part["bound"])
        if np.isnan(median):
            continue
        known = ~order_is_unknown(part)
        faster = ((part["speedup"] > 1) & known).sum()
        over_all = (families or {}).get(protocol, {}).get(ALL, {})
        found[words_of(protocol)] = {
            "interval": over_all.get("interval", ""),
            "is_tie": over_all.get("is_tie", False),
            "median": median,
            "times": times(median, bound),
            "shown": bound.before(significant(median, 2)),
            "faster": f"{faster} of {known.sum()}",
            "unknown": (~known).sum(),
            "kept": (part["kept"] >= KEPT).sum(),
            "sets": part["kept"].notna().sum(),
        }
    return found


def per_set(table: pd.DataFrame, method: str) -> dict[str, Any]:
    """Return the speed-ups of a method over CVM.

    The result is a dict. `columns` is a list of the protocols in words. `rows` maps each data set
    to a list with a text for each of these protocols.
    """
    own = table[(table["method"] == method) & table["speedup"].notna()]
    shown = {
        (row["dataset"], row["protocol"]): row["bound"].before(significant(row["speedup"], 2))
        for row in own.to_dict("records")
    }
    protocols = list(dict.fromkeys(own["protocol"]))
    rows = {
        name: [shown.get((name, protocol), NOTHING) for protocol in protocols]
        for name in dict.fromkeys(own["dataset"])
    }
    return {"columns": list(map(words_of, protocols)), "rows": rows}


def fastest(short: dict[str, dict], labels: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return a list with a tuple of texts for each protocol: the protocol in words, the method with
    the largest median speed-up, and this speed-up.
    """
    found = []
    for words in dict.fromkeys(words for said in short.values() for words in said):
        of_methods = {name: said[words] for name, said in short.items() if words in said}
        best = max(of_methods, key=lambda name: of_methods[name]["median"])
        found.append((words, labels[best], of_methods[best]["times"]))
    return found


def near_print(table: pd.DataFrame) -> dict[str, Estimate]:
    """Estimate by how many percentage points our accuracies under the first protocol differ from
    those of the papers.

    The distance of a data set is the median of the absolute differences of its methods. The result
    maps `ALL` and, if there are several families of data sets, each family to an estimate of the
    median of the distances. If the papers give no accuracies, the result is empty.
    """
    first = table[table["protocol"] == table["protocol"].iloc[0]] if len(table) else table
    differences = (first["accuracy"] - first["printed_accuracy"]).abs()
    of_sets = differences.groupby(first["dataset"]).median().dropna()
    families = of_sets.groupby(of_sets.index.map(family_of))
    parts = {ALL: of_sets} | {name: part for name, part in families if families.ngroups > 1}
    return {name: bootstrap_estimate(part) for name, part in parts.items() if len(part)}


def kept_by_family(table: pd.DataFrame, method: str) -> dict[str, tuple[int, int]]:
    """Count the data sets on which a method keeps at least 90 % of CVM's gain in accuracy over the
    majority class.

    Only the first protocol of the method in the table is used. Data sets with an unknown share of
    the gain are left out. The result is a dict. Its key "all sets" has a pair of numbers: the
    count, and the number of data sets with a known share. If there are several families (Web,
    Adult, other data sets), each family is also a key with its own pair.
    """
    own = table[table["method"] == method]
    own = own[own["protocol"] == own["protocol"].iloc[0]] if len(own) else own
    known = own.dropna(subset="kept").set_index("dataset")["kept"] >= KEPT
    families = known.groupby(known.index.map(family_of))
    parts = {ALL: known} | {name: part for name, part in families if families.ngroups > 1}
    return {name: (int(part.sum()), len(part)) for name, part in parts.items() if len(part)}


def board(table: pd.DataFrame, labels: dict[str, str]) -> dict:
    """Return a dict with the data of the leaderboard.

    The entry `values` has a list for each measure, with a number (or None) for each row of the
    table. The entry `words` has lists of the names of protocols, data sets and methods. The entry
    `codes` has, for each row, the indices of its names in the lists of `words`. The entry `titles`
    has the texts that are shown instead of the names of protocols and methods. The entry `signs`
    has, for each row, the signs of the bounds of the time and of the speed-up. The entry `shown` is
    `SHOWN`.
    """
    columns = {
        name: [None if pd.isna(value) else float(f"{value:.6g}") for value in table[name]]
        for name in SHOWN
    }
    words = {name: list(dict.fromkeys(table[name])) for name in _KEYS}
    codes = {name: [words[name].index(value) for value in table[name]] for name in _KEYS}
    titles = {
        "protocol": list(map(words_of, words["protocol"])),
        "method": [labels.get(one, one) for one in words["method"]],
    }
    bounds = {"time": table["time_bound"], "speedup": table["bound"]}
    signs = {name: [bound.sign for bound in column] for name, column in bounds.items()}
    return {
        "values": columns,
        "words": words,
        "codes": codes,
        "titles": titles,
        "signs": signs,
        "shown": SHOWN,
    }


def _plain(number: float) -> str:
    """Return a number as text with at most four significant digits. The exponents of small numbers
    are written as in 1e-7.
    """
    if 0 < abs(number) < 1e-4:
        return small_exponents(f"{number:.4g}")
    return np.format_float_positional(number, 4, fractional=False, trim="-")
