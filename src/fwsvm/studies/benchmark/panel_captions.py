"""Captions of the figures over data sets, computed from what is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from fwsvm.reporting.style import method_label
from fwsvm.reporting.text import capitalised, copied, joined, listing, significant
from fwsvm.runs.protocols import CVM_PROTOCOL, PROTOCOLS, protocol_sentence
from fwsvm.runs.table import CERTIFIED
from fwsvm.studies.benchmark.numbers import NEAR, ONLY_PRINTED
from fwsvm.studies.benchmark.quantities import COMPARED, DIFFERENCE, RATIO, SPEEDUP

_WORDS = {
    "accuracy": ("accuracy", "{:.2f}".format),
    DIFFERENCE: ("accuracy difference", "{:+.2f}".format),
    SPEEDUP: ("speed-up", lambda value: significant(value, 2)),
    "time": ("CPU seconds", lambda value: significant(value, 2)),
    "size": ("support vectors", "{:,.0f}".format),
    RATIO: ("support vectors over CVM's", "{:.2f}".format),
}
"""Quantity -> its name and how a value is written."""

_FEW = 2
"""Data sets of a group of which the lowest and the highest method are told; of more, it is the medians."""

_FEW_CASES = 4
"""Of no more cases than these the range is told, not the median."""

_FACTOR = 3
"""Speed-ups agree with the printed up to this factor."""

_NEAR = {
    "accuracy": (NEAR, "{:g} points of the majority class"),
    DIFFERENCE: (NEAR, "{:g} points of CVM's"),
    RATIO: (0.1, "{:.0%} of CVM's"),
}
"""Quantity -> how far means may be from a constant to be told as equal to it, and how that is written."""


def takeaway(numbers: pd.DataFrame, panels: Sequence[tuple[str, str]], methods: Sequence[str]) -> str:
    """Tell what the first protocol's numbers say, then medians; the printed alone where nothing was run.

    `panels` has the names of group and quantity of each. Runs at a limit of which the final value is unknown do not
    count, those that give a bound count in medians only.
    """
    first = numbers["protocol"].iloc[0]
    alone = first == ONLY_PRINTED
    rows = numbers[(numbers["protocol"] == first) & (numbers["method"] != CERTIFIED)]
    rows = rows[rows["printed" if alone else "value"].notna() & ~(rows["at_limit"] & (rows["bound"] == ""))]
    told = {quantity: rows[rows["quantity"] == quantity] for _, quantity in panels}
    if SPEEDUP in told:
        told.pop("time", None)
    told = {quantity: part for quantity, part in told.items() if len(part)}
    if alone:
        medians = [_sentence(part, quantity, alone) for quantity, part in told.items()]
        return joined(*medians, _unprinted(numbers, dict.fromkeys(quantity for _, quantity in panels), methods))
    finished = {quantity: part[~part["at_limit"]] for quantity, part in told.items()}
    finished = {quantity: part for quantity, part in finished.items() if len(part)}
    gain, sizes = _gain(finished), _sizes(finished)
    left = [name for name in told if name not in ("size", RATIO) and not (gain and name == "accuracy")] or list(told)
    medians = [_sentence(told[quantity], quantity, alone) for quantity in left]
    return joined(gain, _agreement(finished, numbers["at_limit"].any()), sizes, *medians)


def _gain(rows: Mapping[str, pd.DataFrame]) -> str:
    """That no method is much better than the majority class, where that is so."""
    gain = (rows["accuracy"]["value"] - rows["accuracy"]["majority"]).max() if "accuracy" in rows else math.inf
    most = math.ceil(100 * gain) / 100 if gain <= NEAR else 0
    return f"No mean is more than {most:g} points above the majority class." if most > 0 else ""


def _agreement(rows: Mapping[str, pd.DataFrame], unfinished: bool) -> str:
    """How the methods compare with CVM and with the printed numbers, and where they disagree most with these."""
    if SPEEDUP in rows:
        part, limit, near = rows[SPEEDUP], math.log(_FACTOR), f"within factor {_FACTOR} of print"
        good, words = part["value"] > 1, "Faster than CVM in"
        off = np.log(part["value"] / part["printed"]).abs()
    elif DIFFERENCE in rows:
        part, limit, near = rows[DIFFERENCE], NEAR, "and of the printed difference"
        good, words = part["value"].abs() <= NEAR, f"Accuracy within {NEAR:g} points of CVM's in"
        off = (part["value"] - part["printed"]).abs()
    else:
        return _faster(rows["time"]) if "time" in rows else ""
    off = off.dropna()
    cases = f"{words} {_of(good)} {'finished ' if unfinished else ''}cases"
    if off.empty:
        return f"{cases}."
    count = str((off <= limit).sum()) if len(off) == len(part) else _of(off <= limit)
    return f"{cases}, {near} in {count}; furthest: {_case(part.loc[off.idxmax()])}."


def _of(good: pd.Series) -> str:
    return f"all {len(good)}" if good.all() else f"{good.sum()} of {len(good)}"


def _faster(rows: pd.DataFrame) -> str:
    """By what factor training is faster than printed: in the median and at most, of few cases from the least on."""
    factor = (rows["printed"] / rows["value"]).dropna()
    if factor.empty:
        return ""
    if len(factor) <= _FEW_CASES:
        least, most = (significant(value, 2) for value in (factor.min(), factor.max()))
        return f"Training is {least} to {most} times as fast as printed."
    times, case = significant(factor.median(), 2), rows.loc[factor.idxmax()]
    own, printed = (_WORDS["time"][1](value) for value in (case["value"], case["printed"]))
    return (
        f"Training is {times} times as fast as printed in the median, at most for {method_label(case['method'])} on "
        f"{case['dataset']}, {own} s (printed {printed} s)."
    )


def _sizes(rows: Mapping[str, pd.DataFrame]) -> str:
    """The range of model sizes, by group if there is nothing else to tell."""
    for quantity, unit in ((RATIO, " times CVM's support vectors"), ("size", " support vectors")):
        if quantity in rows:
            by = rows[quantity]["group"] if len(rows) == 1 else rows[quantity]["quantity"]
            ranges = rows[quantity].groupby(by, sort=False)["value"].agg(["min", "max"])
            write = _WORDS[quantity][1]
            parts = [
                f"{write(low)} to {write(high)}{unit if place == 0 else ''}{f' on {group}' if len(ranges) > 1 else ''}"
                for place, (group, low, high) in enumerate(ranges.itertuples())
            ]
            return f"Models have {', '.join(parts)}."
    return ""


def _case(row: pd.Series) -> str:
    """A method on a data set, its value and the printed one."""
    write = _WORDS[row["quantity"]][1]
    values = f"{write(row['value'])} (printed {write(row['printed'])})".replace("-", "−")
    return f"{method_label(row['method'])} on {row['dataset']}, {values}"


def _unprinted(numbers: pd.DataFrame, quantities: Iterable[str], methods: Sequence[str]) -> str:
    """Say of which methods a quantity is not printed as a number."""
    parts = []
    for quantity in quantities:
        printed = set(numbers.loc[numbers["quantity"] == quantity, "method"])
        lacking = [method_label(name) for name in methods if name not in printed]
        if lacking and quantity not in COMPARED:
            parts.append(f"{_WORDS[quantity][0]}{f' of {listing(lacking)}' if printed else ''}")
    return f"Not printed as numbers: {', '.join(parts)}." if parts else ""


def _sentence(rows: pd.DataFrame, quantity: str, alone: bool) -> str:
    (name, write), parts, medians = _WORDS[quantity], [], False
    few = rows.groupby("group")["dataset"].transform("nunique") <= _FEW
    places = rows["dataset"].where(few, rows["group"])
    single = len(set(places)) == 1
    for place, part in rows.groupby(places, sort=False):
        near = "" if alone else all_near(part, quantity)
        medians |= not near and place not in set(part["dataset"])
        parts.append(f"{'' if single else f'{place} '}{near or _by_method(part, write, alone)}")
    name = f"printed {name}" if alone else f"median {name}" if medians else name
    beside = " (printed)" if any("(" in part for part in parts) else ""
    return f"{capitalised(name)}{beside}: {'; '.join(parts)}."


def all_near(rows: pd.DataFrame, quantity: str) -> str:
    """That all means are near CVM's, or accuracies near the majority class's, where they are."""
    rows = rows[rows["method"] != CERTIFIED]
    limit, words = _NEAR.get(quantity, (-1, ""))
    equal = rows["majority"] if quantity == "accuracy" else COMPARED[quantity].equal if words else 0
    furthest = (rows["value"] - equal).abs().max(skipna=False)
    if not furthest <= limit:
        return ""
    return f"all means within {words.format(math.ceil(100 * furthest) / 100)}".replace("%", " %")


def _by_method(rows: pd.DataFrame, write: Callable[[float], str], alone: bool) -> str:
    """The median of each method; of a single data set, the lowest and the highest."""
    one = not alone and len(set(rows["dataset"])) == 1 and len(rows) > 2
    parts = []
    for method, of_method in (rows.sort_values("value").iloc[[0, -1]] if one else rows).groupby("method", sort=False):
        value = copied(of_method["printed"].median()) if alone else _median(of_method, write)
        if not alone and of_method["printed"].notna().all():
            value += f" ({write(of_method['printed'].median())})"
        parts.append(f"{method_label(method)} {value.replace('-', '−')}")
    return (" to " if one else ", ").join(parts)


def _median(rows: pd.DataFrame, write: Callable[[float], str]) -> str:
    """The median, as a bound if the true values of runs at a limit could move it."""
    median = rows["value"].median()
    lower = rows["value"].mask(rows["bound"] == "upper", -math.inf).median() < median
    higher = rows["value"].mask(rows["bound"] == "lower", math.inf).median() > median
    return f"{('about ' if higher else '≤') if lower else '≥' if higher else ''}{write(median)}"


def reading(numbers: pd.DataFrame, seconds: pd.Series) -> str:
    """Say what the marks are that the legend does not name; `seconds` are those of runs at their limit."""
    first = numbers["protocol"].iloc[0]
    parts = ["Bars: range of repetitions"]
    if (numbers["quantity"] == SPEEDUP).any():
        parts.append("speed-ups of mean times")
    if numbers["at_limit"].any():
        low, high = (f"{value:,.0f}" for value in (seconds.min(), seconds.max()))
        parts.append(f"open: stopped at {low if low == high else f'{low}–{high}'} CPU s")
        limited = numbers[numbers["at_limit"]]
        unknown = limited[limited["bound"] == ""]
        if len(unknown):
            of_accuracy = set(unknown["quantity"]) <= {"accuracy", DIFFERENCE} and len(unknown) < len(limited)
            name = "accuracy " if of_accuracy else f"{len(unknown)} " if len(unknown) < len(limited) else ""
            parts[-1] += f", {name}in no median"
    if (numbers["method"] == "cvm").any() and first not in (PROTOCOLS[0], CVM_PROTOCOL):
        parts.append("CVM with LibCVM's samples")
    partly = _partly_printed(numbers[numbers["protocol"] == first])
    return joined(f"{'; '.join([*parts, *partly])}.", protocol_sentence(first))


def _partly_printed(rows: pd.DataFrame) -> list[str]:
    """Methods of which numbers are printed on single sets only, next to others of which all are."""
    known = rows[rows["printed"].notna()].groupby(["quantity", "method"], sort=False)["dataset"]
    known = known.agg(["nunique", "first"])
    sets = known.groupby("quantity")["nunique"].transform("max")
    single = known[(known["nunique"] == 1) & (sets > _FEW)]
    return [f"{method_label(method)} printed only on {row['first']}" for (_, method), row in single.iterrows()]
