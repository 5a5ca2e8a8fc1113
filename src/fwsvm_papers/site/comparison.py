"""Compare methods with CVM by their speed-up and share of CVM's gain over the majority class."""

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.text import significant
from fwsvm_papers.runs.comparison import (
    KEPT,
    MEASURES,
    Bound,
    against,
    lower_bounds,
    means,
    median_with_bound,
    order_is_unknown,
    shown_means,
)
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.table import protocols_of, summarise
from fwsvm_papers.studies.ladder import AS_PRINTED, AUTHORS, FIRST, PATIENCE, RUNGS, rung_words

BENCHMARK, SVC = "benchmark", "svc"
# Measures that the leaderboard can show: their names, and whether larger is better.
SHOWN = {
    "speedup": ("speed-up over CVM", True),
    "kept": ("gain kept (%)", True),
    "accuracy": ("accuracy (%)", True),
    "time": ("CPU time (s)", False),
    "support_vectors": ("support vectors", False),
    "relative_gap": ("relative gap", False),
}
_CHANGED = list(RUNGS)[list(RUNGS).index(FIRST) + 1 :]
_RANGES = {
    f"{MEASURES[name]}_{end}": f"{name}_{end}"
    for name in ("accuracy", "time")
    for end in ("min", "max")
}
_KEYS, _PRINTED_COLUMNS = ["protocol", "dataset", "method"], ["printed_accuracy", "printed_time"]


def words_of(protocol: str) -> str:
    """Describe a protocol or a rung of `fwsvm_papers.studies.ladder`, which is the first protocol
    with some settings changed, in words.
    """
    is_rung = protocol.startswith("gap ") or protocol in _CHANGED
    return rung_words(protocol) if is_rung else protocol_words(protocol)


def comparison(
    runs: pd.DataFrame,
    summary: pd.DataFrame,
    ladder: pd.DataFrame,
    majority: dict[str, float | None],
) -> pd.DataFrame:
    """Return a row per protocol, data set and method, with means and ranges over the repetitions.

    `time_bound` is the bound of the time, and `bound` that of the speed-up. `summary` has the
    papers' numbers, and `ladder` the speed-ups.
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
        # Not on our machine: the papers' times and those of the authors' program.
        rungs = ladder[~ladder["rung"].isin([AS_PRINTED, AUTHORS, first])]
        # The leading sentences name the first two rungs, so one cause alone comes later.
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
    """Say, for each protocol and data set of the benchmark, which C, gamma and inner tolerance of
    CVM were used.

    The key (protocol, data set, "C") gives C alone.
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
    """Write a speed-up: "508 times", "at most 0.17 times"."""
    return bound.in_words(f"{significant(value, 2) if value < 100 else f'{value:.0f}'} times")


def answers(table: pd.DataFrame, method: str) -> list[tuple[str, str, dict, dict]]:
    """For each protocol on one data set, return the protocol and speed-up in words, the method's
    row and CVM's row.
    """
    found = []
    for protocol, rows in table.groupby("protocol", sort=False):
        by = rows.set_index("method")
        if method in by.index and not pd.isna(by.loc[method, "speedup"]):
            own, cvm = by.loc[method], by.loc["cvm"]
            fast = times(own["speedup"], own["bound"])
            found.append((words_of(protocol), fast, own.to_dict(), cvm.to_dict()))
    return found


def in_short(table: pd.DataFrame, method: str) -> dict[str, dict]:
    """Map each protocol, in words, to a comparison of a method with CVM: the median speed-up and
    counts of data sets.

    `kept` counts data sets with at least 90 % of CVM's gain over the majority class, and `unknown`
    those on which a limit hides which method is faster.
    """
    found = {}
    for protocol, part in table[table["method"] == method].groupby("protocol", sort=False):
        median, bound = median_with_bound(part["speedup"], part["bound"])
        if np.isnan(median):
            continue
        known = ~order_is_unknown(part)
        faster = ((part["speedup"] > 1) & known).sum()
        found[words_of(protocol)] = {
            "median": median,
            "times": times(median, bound),
            "shown": bound.before(significant(median, 2)),
            "faster": f"{faster} of {known.sum()}",
            "unknown": (~known).sum(),
            "kept": (part["kept"] >= KEPT).sum(),
            "sets": len(part),
        }
    return found


def fastest(short: dict[str, dict], labels: dict[str, str]) -> list[tuple[str, str, str]]:
    """For each protocol, in words, name the method with the largest median speed-up, and give
    this speed-up.
    """
    found = []
    for words in dict.fromkeys(words for said in short.values() for words in said):
        of_methods = {name: said[words] for name, said in short.items() if words in said}
        best = max(of_methods, key=lambda name: of_methods[name]["median"])
        found.append((words, labels[best], of_methods[best]["times"]))
    return found


def near_print(table: pd.DataFrame) -> float:
    """Return the median absolute difference between the papers' accuracies and ours under the
    first protocol.
    """
    first = table[table["protocol"] == table["protocol"].iloc[0]] if len(table) else table
    return (first["accuracy"] - first["printed_accuracy"]).abs().median()


def board(table: pd.DataFrame, labels: dict[str, str]) -> dict:
    """Return the leaderboard's values.

    `codes` are indices of protocols, data sets and methods in `words`.
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
    """Write at most four significant digits, without an exponent."""
    return np.format_float_positional(number, 4, fractional=False, trim="-")
