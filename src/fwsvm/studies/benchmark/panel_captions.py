"""Captions of the figures over data sets, computed from what is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd

from fwsvm.reporting.style import method_label
from fwsvm.reporting.text import capitalised, copied, joined, significant
from fwsvm.runs.protocols import CVM_PROTOCOL, PROTOCOLS, protocol_sentence
from fwsvm.runs.table import CERTIFIED
from fwsvm.studies.benchmark.numbers import NEAR, ONLY_PRINTED
from fwsvm.studies.benchmark.quantities import COMPARED, DIFFERENCE, RATIO, SPEEDUP

_WORDS = {
    "accuracy": ("accuracy in per cent", "{:.2f}".format),
    DIFFERENCE: ("accuracy minus CVM's in points", "{:+.2f}".format),
    SPEEDUP: ("speed-up over CVM", lambda value: significant(value, 2)),
    "time": ("CPU seconds", lambda value: significant(value, 2)),
    "size": ("support vectors", "{:,.0f}".format),
    RATIO: ("support vectors over CVM's", "{:.2f}".format),
}
"""Quantity -> its name and how a median is written."""

_TOLD = 2
"""Panels of which the caption tells."""

_FEW = 2
"""Data sets of a group of which the lowest and the highest method are told; of more, it is the medians."""

_NEAR = {
    "accuracy": (NEAR, "{:g} points of the majority class"),
    DIFFERENCE: (NEAR, "{:g} points of CVM's"),
    RATIO: (0.1, "{:.0%} of CVM's"),
}
"""Quantity -> how far means may be from a constant to be told as equal to it, and how that is written."""


def takeaway(numbers: pd.DataFrame, panels: Sequence[tuple[str, str]]) -> str:
    """Tell the first protocol's numbers of the first panels next to the printed; these alone where nothing was run.

    `panels` has the names of group and quantity of each.
    """
    first, quantities = numbers["protocol"].iloc[0], [quantity for _, quantity in panels]
    alone = first == ONLY_PRINTED
    told = [panel for panel in panels if panel[1] != "time" or SPEEDUP not in quantities][:_TOLD]
    rows = numbers[(numbers["protocol"] == first) & (numbers["method"] != CERTIFIED)]
    rows = rows[rows["printed" if alone else "value"].notna()]
    rows = rows[pd.MultiIndex.from_frame(rows[["group", "quantity"]]).isin(told)]
    return joined(*(_sentence(part, quantity, alone) for quantity, part in rows.groupby("quantity", sort=False)))


def _sentence(rows: pd.DataFrame, quantity: str, alone: bool) -> str:
    (name, write), parts, medians = _WORDS[quantity], [], False
    few = rows.groupby("group")["dataset"].transform("nunique") <= _FEW
    for place, part in rows.groupby(rows["dataset"].where(few, rows["group"]), sort=False):
        near = "" if alone else all_near(part, quantity)
        medians |= not near and place not in set(part["dataset"])
        parts.append(f"on {place} {near or _by_method(part, write, alone)}")
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
    """The median of each method, as a bound if it is of bounds; of a single data set, the lowest and the highest."""
    one = not alone and len(set(rows["dataset"])) == 1 and len(rows) > 2
    parts = []
    for method, of_method in (rows.sort_values("value").iloc[[0, -1]] if one else rows).groupby("method", sort=False):
        value = copied(of_method["printed"].median()) if alone else write(of_method["value"].median())
        bounds = {"lower": "≥", "upper": "≤", "": ""}
        kinds = set(of_method["bound"]) - {""} or {""}
        value = f"{bounds[kinds.pop()]}{value}" if len(kinds) == 1 else f"about {value}"
        if not alone and of_method["printed"].notna().all():
            value += f" ({write(of_method['printed'].median())})"
        parts.append(f"{method_label(method)} {value.replace('-', '−')}")
    return (" to " if one else ", ").join(parts)


def reading(numbers: pd.DataFrame) -> str:
    """Say what the marks are that the legend does not name."""
    first = numbers["protocol"].iloc[0]
    parts = ["Means, bars: range of repetitions"]
    if numbers["quantity"].isin(COMPARED).any():
        parts.append("numbers at the top: CVM's own")
    if numbers["at_limit"].any():
        bounded = (numbers["bound"] != "").any()
        meaning = "an arrow points to where the true value is" if bounded else "its final value is unknown"
        parts.append(f"open: stopped at a limit, {meaning}")
    if (numbers["method"] == "cvm").any() and first not in (PROTOCOLS[0], CVM_PROTOCOL):
        parts.append("CVM with LibCVM's samples")
    return joined(f"{'; '.join(parts)}.", protocol_sentence(first))
