"""Compare the methods on each data set: speed-up over CVM, and the share that is kept of CVM's gain in accuracy."""

import numpy as np
import pandas as pd

from fwsvm.reporting.text import significant
from fwsvm.runs.protocols import protocol_words
from fwsvm.runs.table import of_method, protocols_of, summarise

EXPERIMENTS = ("benchmark", "ladder")  # all methods under named protocols, with CVM beside them
SVC = "svc"
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


def comparison(runs: pd.DataFrame, printed: pd.DataFrame, majority: dict[str, float | None]) -> pd.DataFrame:
    """Return a row per protocol, data set and method, with means and ranges over the repetitions.

    `sign` is "≥" if a run ended at a limit, so that the time is a bound; `sign_of_speed_up` says the same of the
    speed-up. `printed` has the papers' numbers by data set and method.
    """
    parts, svc = [], runs[(runs["experiment"] == "peers") & (runs["method"] == SVC)]
    for experiment in EXPERIMENTS:
        own = runs[runs["experiment"] == experiment]
        for protocol in protocols_of(own):
            beside = svc[svc["dataset"].isin(own.loc[own["protocol"] == protocol, "dataset"])]
            summary = summarise(pd.concat([own, beside.assign(protocol=protocol)]))
            parts += [_of_method(summary, protocol, method) for method in dict.fromkeys(summary["method"])]
    if not parts:
        return pd.DataFrame(columns=[*_KEYS, *SHOWN, "sign", "sign_of_speed_up"])
    table = pd.concat(parts, ignore_index=True).drop_duplicates(_KEYS)
    cvm = table[table["method"] == "cvm"].set_index(["protocol", "dataset"])
    at = pd.MultiIndex.from_frame(table[["protocol", "dataset"]])
    cvm_time, cvm_accuracy, cvm_sign = (cvm[name].reindex(at).array for name in ("time", "accuracy", "sign"))
    is_other = table["method"] != "cvm"
    table["speed_up"] = (cvm_time / table["time"]).where(is_other)
    bounds = table["sign"].map({"": "", "≥": "≤"}) + pd.Series(cvm_sign, table.index).fillna("")
    table["sign_of_speed_up"] = bounds.where(bounds != "≤≥", "?")
    table.loc[table["sign_of_speed_up"] == "?", "speed_up"] = np.nan  # both ended at a limit: unknown
    base = table["dataset"].map(majority).astype(float)
    gain = pd.Series(np.asarray(cvm_accuracy - base, dtype=float), table.index)
    table["kept"] = (100 * (table["accuracy"] - base) / gain.where(gain > 0)).where(is_other)
    if len(printed):
        columns = [*_KEYS[1:], "printed_accuracy", "printed_time"]
        table = table.merge(printed[columns].drop_duplicates(_KEYS[1:]), how="left", on=_KEYS[1:])
    return table.reset_index(drop=True)


def _of_method(summary: pd.DataFrame, protocol: str, method: str) -> pd.DataFrame:
    rows = of_method(summary[summary["experiment"] != "peers"], protocol, method)
    if method == SVC:
        rows = summary[summary["method"] == SVC].set_index("dataset")
    found = {name: rows[f"{measure}_mean"] for name, measure in _MEASURES.items()}
    found |= {
        f"{name}_{end}": rows[f"{_MEASURES[name]}_{end}"] for name in ("accuracy", "time") for end in ("min", "max")
    }
    table = pd.DataFrame(found | {"repetitions": rows["repetitions"]}).reset_index()
    return table.assign(protocol=protocol, method=method, sign=np.where(rows["at_limit"] > 0, "≥", ""))


def parameters(runs: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Say in words, for each protocol and data set, which C, gamma and inner tolerance of CVM were used."""
    found = {}
    own = runs[runs["experiment"].isin(EXPERIMENTS)]
    for key, rows in own.groupby(["protocol", "dataset"], sort=False):
        words = []
        for name, label in (("C", "C"), ("gamma", "gamma"), ("inner_tolerance", "CVM's inner problems to")):
            values = rows[name].dropna().unique()
            if len(values):
                equals = " " if name == "inner_tolerance" else " = "
                words.append(f"{label}{equals}{' or '.join(f'{value:.4g}' for value in sorted(values))}")
        found[key] = ", ".join(words)
    return found


def times(value: float, sign: str = "") -> str:
    """Write a speed-up: "508 times", "at least 2.1 times", and "1/15" below one half."""
    bound = {"≥": "at least ", "≤": "at most "}.get(sign, "")
    digits = significant(value, 2) if value < 100 else f"{value:.0f}"
    return bound + (f"{digits} times" if value >= 0.5 else f"1/{significant(1 / value, 2)}")


def answers(table: pd.DataFrame, majority: float | None, method: str, label: str) -> list[tuple[str, str]]:
    """Compare a method with CVM on one data set: (words of the protocol, sentence). `table` has the rows of the set."""
    found = []
    for protocol, rows in table.groupby("protocol", sort=False):
        by = rows.set_index("method")
        if {method, "cvm"} <= set(by.index) and not pd.isna(by.loc[method, "speed_up"]):
            own, cvm = by.loc[method], by.loc["cvm"]
            base = "" if majority is None or found else f" and the majority class {majority:.1f} %"
            fast = times(own["speed_up"], own["sign_of_speed_up"])
            words = (
                f"{label} is {fast} as fast as CVM, at {own['accuracy']:.1f} % where CVM has {cvm['accuracy']:.1f} %"
            )
            found.append((protocol_words(protocol), f"{words}{base}."))
    return found


def speed_answer(table: pd.DataFrame, method: str, label: str) -> str:
    """Say on how many data sets a method is faster than CVM, and how much in the median, under each protocol."""
    parts = []
    for protocol, rows in _under(table, method, "speed_up"):
        faster = f"on {(rows['speed_up'] > 1).sum()} of {len(rows)} data sets"
        parts.append(f"{faster}, {times(rows['speed_up'].median())} as fast in the median ({protocol})")
    return f"{label} is faster than CVM {'; '.join(parts)}." if parts else ""


def accuracy_answer(table: pd.DataFrame, method: str, label: str) -> str:
    """Say on how many data sets a method keeps 90 % of CVM's gain over the majority class, under each protocol."""
    rows_of = _under(table, method, "kept")
    parts = [f"on {(rows['kept'] >= 90).sum()} of {len(rows)} data sets ({protocol})" for protocol, rows in rows_of]
    return f"{label} keeps 90 % of CVM's gain over the majority class {'; '.join(parts)}." if parts else ""


def _under(table: pd.DataFrame, method: str, measure: str) -> list[tuple[str, pd.DataFrame]]:
    rows = table[table["method"] == method].dropna(subset=measure)
    return [(protocol_words(protocol), part) for protocol, part in rows.groupby("protocol", sort=False)]


def headline(table: pd.DataFrame) -> dict:
    """Return the median distance to the printed accuracies under the first protocol, and FW's median speed-ups."""
    if table.empty:
        return {"near": float("nan"), "speed_ups": []}
    first = table[table["protocol"] == table["protocol"].iloc[0]]
    near = (
        (first["accuracy"] - first["printed_accuracy"]).abs().median() if "printed_accuracy" in first else float("nan")
    )
    speed_ups = [(words, times(rows["speed_up"].median())) for words, rows in _under(table, "fw", "speed_up")]
    return {"near": near, "speed_ups": speed_ups}


def board(table: pd.DataFrame, label) -> dict:
    """Return the data of the leaderboard: for each protocol and method the cells by data set."""
    columns = {name: [None if pd.isna(value) else float(f"{value:.6g}") for value in table[name]] for name in SHOWN}
    words = {name: list(dict.fromkeys(table[name])) for name in _KEYS}
    codes = {name: [words[name].index(value) for value in table[name]] for name in _KEYS}
    titles = {
        "protocol": [protocol_words(one) for one in words["protocol"]],
        "method": [label(one) for one in words["method"]],
    }
    signs = {"time": list(table["sign"]), "speed_up": list(table["sign_of_speed_up"])}
    return {"values": columns, "words": words, "codes": codes, "titles": titles, "signs": signs, "shown": SHOWN}
