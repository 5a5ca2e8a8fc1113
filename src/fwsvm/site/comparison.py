"""Compare the methods on each data set: speed-up over CVM, and the share of CVM's gain in accuracy that they keep."""

import numpy as np
import pandas as pd

from fwsvm.reporting.text import significant
from fwsvm.runs.protocols import protocol_words
from fwsvm.runs.table import of_method, protocols_of, summarise
from fwsvm.studies.ladder import LIBCVM_PATIENCE

BENCHMARK, SVC = "benchmark", "svc"
# Each rung of the ladder changes one more setting of the first protocol. Rungs are shown like protocols.
_RUNGS = {
    "inner": "the same runs, over CVM with the inner tolerance as in LibCVM",
    "patient": f"both stop alike, after {LIBCVM_PATIENCE} samples without a violation",
}
# Measures that the leaderboard can show: words, and whether larger is better.
SHOWN = {
    "speed_up": ("speed-up over CVM", True),
    "kept": ("gain kept (%)", True),
    "accuracy": ("accuracy (%)", True),
    "time": ("CPU time (s)", False),
    "support_vectors": ("support vectors", False),
    "relative_gap": ("relative gap", False),
}
_MEASURES = {"accuracy": "test_accuracy", "time": "train_cpu_s", "support_vectors": "support_vectors",
             "relative_gap": "relative_gap"}  # fmt: skip
_KEYS = ["protocol", "dataset", "method"]
_PRINTED = ["printed_accuracy", "printed_time"]


def words_of(protocol: str) -> str:
    """Describe a protocol or a rung of the ladder in words."""
    gap = f"all points, to a relative {protocol}" if protocol.startswith("gap ") else protocol_words(protocol)
    return _RUNGS.get(protocol, gap.replace("gap ", "gap of "))


def comparison(runs, summary, ladder, majority: dict[str, float | None]) -> pd.DataFrame:
    """Return a row per protocol, data set and method, with means and ranges over the repetitions.

    `sign` is "≥" if a run ended at a limit, so the time is a lower bound. `sign_of_speed_up` is the sign of
    the speed-up, or "?" if both times are bounds. `summary` has the papers' numbers, `ladder` the table of the rungs.
    """
    own, peers = (runs[runs["experiment"] == name] for name in (BENCHMARK, "peers"))
    numbers, parts = summarise(own), []
    for protocol in protocols_of(own):
        parts += [_renamed(of_method(numbers, protocol, name), protocol) for name in dict.fromkeys(numbers["method"])]
        used = own.loc[own["protocol"] == protocol, ["dataset", "C", "gamma"]].drop_duplicates()
        svc = peers[peers["method"] == SVC].merge(used, on=["dataset", "C", "gamma"])
        parts.append(_renamed(summarise(svc), protocol))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=[*_KEYS, *SHOWN, "sign"])
    cvm = table[table["method"] == "cvm"].set_index(_KEYS[:2])
    cvm_time, cvm_accuracy, cvm_sign = (
        pd.Series(cvm[name].reindex(pd.MultiIndex.from_frame(table[_KEYS[:2]])).array, table.index)
        for name in ("time", "accuracy", "sign")
    )
    table["sign_of_speed_up"] = table["sign"].map({"≥": "≤"}).fillna("") + cvm_sign.fillna("")
    table["sign_of_speed_up"] = table["sign_of_speed_up"].replace("≤≥", "?")
    table["speed_up"] = (cvm_time / table["time"]).mask(table["sign_of_speed_up"] == "?")
    base = table["dataset"].map(majority).astype(float)
    gain = (cvm_accuracy - base).astype(float)
    table["kept"] = 100 * (table["accuracy"] - base) / gain.where(gain > 0)
    printed = summary[[*_KEYS[1:], *_PRINTED]].drop_duplicates(_KEYS[1:]) if len(summary) else ()
    table = table.merge(printed, "left") if len(printed) else table.assign(**dict.fromkeys(_PRINTED, np.nan))
    if len(ladder) and len(table):
        first = table["protocol"].iloc[0]
        rungs = ladder[~ladder["rung"].isin(["printed", first])].rename(
            columns={"rung": "protocol", "speedup": "speed_up"}
        )
        rungs["sign"] = rungs["at_limit"].map({True: "≥", False: ""})
        rungs["sign_of_speed_up"] = rungs["bound"].map({"upper": "≤", "lower": "≥"}).fillna("")
        parts = [table[table["protocol"] == first], rungs[[name for name in rungs if name in table]]]
        table = pd.concat([*parts, table[table["protocol"] != first]], ignore_index=True)
    table.loc[table["method"] == "cvm", ["speed_up", "kept"]] = np.nan
    return table


def _renamed(rows: pd.DataFrame, protocol: str) -> pd.DataFrame:
    names = {f"{measure}_mean": name for name, measure in _MEASURES.items()}
    names |= {f"{_MEASURES[name]}_{end}": f"{name}_{end}" for name in ("accuracy", "time") for end in ("min", "max")}
    rows = rows.reset_index().rename(columns=names)
    sign = np.where(rows["at_limit"] > 0, "≥", "")
    return rows[["dataset", "method", "repetitions", *names.values()]].assign(protocol=protocol, sign=sign)


def parameters(runs: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Say, for each protocol and data set of the benchmark, which C, gamma and inner tolerance of CVM were used."""
    found = {}
    labels = {"C": "C = ", "gamma": "gamma = ", "inner_tolerance": "CVM's inner problems to "}
    for key, rows in runs[runs["experiment"] == BENCHMARK].groupby(["protocol", "dataset"], sort=False):
        values = {label: sorted(rows[name].dropna().unique()) for name, label in labels.items()}
        words = [label + " or ".join(f"{value:.4g}" for value in used) for label, used in values.items() if used]
        found[key] = ", ".join(words)
    return found


def times(value: float, sign: str = "") -> str:
    """Write a speed-up: "508 times", "at least 2.1 times", and "1/15" below one half."""
    bound = {"≥": "at least ", "≤": "at most "}.get(sign, "")
    digits = significant(value, 2) if value < 100 else f"{value:.0f}"
    return bound + (f"{digits} times" if value >= 0.5 else f"1/{significant(1 / value, 2)}")


def answers(table: pd.DataFrame, method: str) -> list[tuple[str, str, float, float]]:
    """Compare a method with CVM on one data set: (protocol in words, speed-up, accuracy, CVM's accuracy)."""
    found = []
    for protocol, rows in table.groupby("protocol", sort=False):
        by = rows.set_index("method")
        if method in by.index and not pd.isna(by.loc[method, "speed_up"]):
            own = by.loc[method]
            fast = times(own["speed_up"], own["sign_of_speed_up"])
            found.append((words_of(protocol), fast, own["accuracy"], by.loc["cvm", "accuracy"]))
    return found


def in_short(table: pd.DataFrame, method: str) -> list[tuple[str, str, int, int, int]]:
    """List (protocol in words, median speed-up, numbers of data sets: faster than CVM, with 90 % of gain kept, all)."""
    found = []
    rows = table[table["method"] == method].dropna(subset="speed_up")
    for protocol, part in list(rows.groupby("protocol", sort=False))[:3]:
        speed_up, is_bound = part["speed_up"], part["sign_of_speed_up"] == "≤"
        faster, median = ((speed_up > 1) & ~is_bound).sum(), speed_up.median()
        words = times(median, "≤" if speed_up.mask(is_bound, 0.0).median() < median else "")
        found.append((words_of(protocol), words, faster, (part["kept"] >= 90).sum(), len(part)))
    return found


def near_print(table: pd.DataFrame) -> float:
    """Return the median distance to the papers' accuracies under the first protocol."""
    first = table[table["protocol"] == table["protocol"].iloc[0]] if len(table) else table
    return (first["accuracy"] - first["printed_accuracy"]).abs().median()


def board(table: pd.DataFrame, labels: dict[str, str]) -> dict:
    """Return the data of the leaderboard: its values, and codes of their protocols, data sets and methods."""
    columns = {name: [None if pd.isna(value) else float(f"{value:.6g}") for value in table[name]] for name in SHOWN}
    words = {name: list(dict.fromkeys(table[name])) for name in _KEYS}
    codes = {name: [words[name].index(value) for value in table[name]] for name in _KEYS}
    titles = {
        "protocol": list(map(words_of, words["protocol"])),
        "method": [labels.get(one, one) for one in words["method"]],
    }
    signs = {"time": list(table["sign"]), "speed_up": list(table["sign_of_speed_up"])}
    return {"values": columns, "words": words, "codes": codes, "titles": titles, "signs": signs, "shown": SHOWN}
