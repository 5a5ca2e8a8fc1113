"""Compare methods with CVM by their speed-up and share of CVM's gain over the majority class."""

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.text import significant
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.table import of_method, order_is_unknown, protocols_of, summarise
from fwsvm_papers.studies.ladder import LIBCVM_PATIENCE

BENCHMARK, SVC = "benchmark", "svc"
# A rung of `fwsvm_papers.studies.ladder` is the first protocol with some settings changed. Rungs
# are shown like protocols.
_RUNGS = {"inner": "inner tolerance as in LibCVM"}
_RUNGS["patient"] = (
    f"both methods stop after {LIBCVM_PATIENCE} samples in a row without a violation"
)
# Measures that the leaderboard can show: their names, and whether larger is better.
SHOWN = {
    "speed_up": ("speed-up over CVM", True),
    "kept": ("gain kept (%)", True),
    "accuracy": ("accuracy (%)", True),
    "time": ("CPU time (s)", False),
    "support_vectors": ("support vectors", False),
    "relative_gap": ("relative gap", False),
}
_MEASURES = {
    "accuracy": "test_accuracy",
    "time": "train_cpu_s",
    "support_vectors": "support_vectors",
    "relative_gap": "relative_gap",
}
_KEYS, _PRINTED = ["protocol", "dataset", "method"], ["printed_accuracy", "printed_time"]


def words_of(protocol: str) -> str:
    """Describe a protocol or a rung of `fwsvm_papers.studies.ladder` in words."""
    if protocol.startswith("gap "):
        return f"all points, to a {protocol.replace('gap', 'gap of')}"
    return _RUNGS.get(protocol) or protocol_words(protocol)


def comparison(runs, summary, ladder, majority: dict[str, float | None]) -> pd.DataFrame:
    """Return a row per protocol, data set and method, with means and ranges over the repetitions.

    `sign` is "≥" if a run ended at a limit, so the time is a lower bound. `sign_of_speed_up` is "≥"
    or "≤" if the speed-up is a bound, or "?" if both times are bounds. `summary` has the papers'
    numbers, and `ladder` the speed-ups.
    """
    own, peers = (runs[runs["experiment"] == name] for name in (BENCHMARK, "peers"))
    numbers, parts = summarise(own), []
    for protocol in protocols_of(own):
        parts += [
            _renamed(of_method(numbers, protocol, name), protocol)
            for name in dict.fromkeys(numbers["method"])
        ]
        used = own.loc[own["protocol"] == protocol, ["dataset", "C", "gamma"]].drop_duplicates()
        svc = peers[(peers["method"] == SVC) & (peers["stop_reason"] != "memory_limit")]
        svc = svc.merge(used, on=["dataset", "C", "gamma"])
        parts.append(_renamed(summarise(svc), protocol))
    table = (
        pd.concat(parts, ignore_index=True)
        if parts
        else pd.DataFrame(columns=[*_KEYS, *SHOWN, "sign"])
    )
    # CVM's row for each row of the table
    cvm = table[_KEYS[:2]].merge(table[table["method"] == "cvm"], "left")
    table["sign_of_speed_up"] = table["sign"].map({"≥": "≤"}).fillna("") + cvm["sign"].fillna("")
    table["sign_of_speed_up"] = table["sign_of_speed_up"].replace("≤≥", "?")
    table["speed_up"] = (cvm["time"] / table["time"]).mask(table["sign_of_speed_up"] == "?")
    base = table["dataset"].map(majority).astype(float)
    gain = (cvm["accuracy"] - base).astype(float)
    table["kept"] = 100 * (table["accuracy"] - base) / gain.where(gain > 0)
    printed = summary[[*_KEYS[1:], *_PRINTED]].drop_duplicates(_KEYS[1:]) if len(summary) else ()
    table = (
        table.merge(printed, "left")
        if len(printed)
        else table.assign(**dict.fromkeys(_PRINTED, np.nan))
    )
    if len(ladder) and len(table):
        first = table["protocol"].iloc[0]
        rungs = ladder[~ladder["rung"].isin(["printed", first])]
        rungs = rungs.rename(columns={"rung": "protocol", "speedup": "speed_up"})
        rungs["sign"] = rungs["at_limit"].map({True: "≥", False: ""})
        rungs["sign_of_speed_up"] = rungs["bound"].map({"upper": "≤", "lower": "≥"}).fillna("")
        parts = [
            table[table["protocol"] == first],
            rungs[[name for name in rungs if name in table]],
        ]
        table = pd.concat([*parts, table[table["protocol"] != first]], ignore_index=True)
    table.loc[table["method"] == "cvm", ["speed_up", "kept"]] = np.nan
    return table


def _renamed(rows: pd.DataFrame, protocol: str) -> pd.DataFrame:
    names = {f"{measure}_mean": name for name, measure in _MEASURES.items()}
    names |= {
        f"{_MEASURES[name]}_{end}": f"{name}_{end}"
        for name in ("accuracy", "time")
        for end in ("min", "max")
    }
    rows = rows.reset_index().rename(columns=names)
    sign = np.where(rows["at_limit"] > 0, "≥", "")
    return rows[["dataset", "method", "repetitions", *names.values()]].assign(
        protocol=protocol, sign=sign
    )


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


def times(value: float, sign: str = "") -> str:
    """Write a speed-up: "508 times", "at most 0.17 times"."""
    bound = {"≥": "at least ", "≤": "at most "}.get(sign, "")
    return f"{bound}{significant(value, 2) if value < 100 else f'{value:.0f}'} times"


def answers(table: pd.DataFrame, method: str) -> list[tuple[str, str, dict, dict]]:
    """For each protocol on one data set, return the protocol and speed-up in words, the method's
    row and CVM's row.
    """
    found = []
    for protocol, rows in table.groupby("protocol", sort=False):
        by = rows.set_index("method")
        if method in by.index and not pd.isna(by.loc[method, "speed_up"]):
            own, cvm = by.loc[method], by.loc["cvm"]
            fast = times(own["speed_up"], own["sign_of_speed_up"])
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
        speed_up, sign = part["speed_up"], part["sign_of_speed_up"]
        bounds = pd.DataFrame(
            {"speedup": speed_up, "bound": sign.map({"≤": "upper", "≥": "lower"})}
        )
        known = ~order_is_unknown(bounds)
        faster, speed_up = ((speed_up > 1) & known).sum(), speed_up.mask(sign == "?", np.inf)
        median, most = speed_up.median(), speed_up.mask(sign == "≥", np.inf).median()
        if not np.isfinite(median):
            continue
        least = speed_up.mask(sign.isin(["≤", "?"]), 0.0).median()
        bound = "≤" if least < median else "≥" if most > median else ""
        found[words_of(protocol)] = {
            "median": median,
            "times": times(median, bound),
            "shown": f"{bound} {significant(median, 2)}".strip(),
            "faster": f"{faster} of {known.sum()}",
            "unknown": (~known).sum(),
            "kept": (part["kept"] >= 90).sum(),
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
    signs = {"time": list(table["sign"]), "speed_up": list(table["sign_of_speed_up"])}
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
