"""Helpers that judge a sample: each writes its threshold in words and decides on the outcome.

Signs are ">", ">=", "<" and "<=". If the threshold is not met, but every value lies on the claimed side of the neutral
value (1 for a ratio), the outcome is *same direction*. `chosen`: the paper has no such number, it is ours.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fwsvm.claims.claim import NOT_REPRODUCED, NOT_RUN, REPRODUCED, SAME_DIRECTION, Finding, Sample

PRINT_FACTOR = 1.1
"""A printed table and the text next to it agree within this factor, up to rounding."""

ALL, MOST = "all", "most"
_SIGNS = {
    ">": ("above", operator.gt),
    ">=": ("at least", operator.ge),
    "<": ("below", operator.lt),
    "<=": ("at most", operator.le),
}


def near(
    sample: Sample,
    printed: float | Mapping[str, float],
    summary: str | None = None,
    factor: float = 3.0,
    needs_all: bool = False,
) -> Finding:
    """Each value is within a factor of the printed one; a mapping has one for each method or for each data set.

    `summary` ("median", "mean", "max") is taken over data sets first. `needs_all`: each printed number needs a value.
    """
    which = {None: "", "max": "largest "}.get(summary, f"{summary} ")
    threshold = f"{which}{sample.name} within a factor {factor:g} of print (chosen here)"
    ours = sample.values.groupby(level=0, sort=False).agg(summary) if summary else sample.values
    if isinstance(printed, Mapping):
        of_sets = bool(set(printed) & set(ours.index.get_level_values(-1)))
        ours = ours.set_axis(ours.index.get_level_values(-1 if of_sets else 0))
        missing = [name for name in printed if name not in ours.index]
        if missing and needs_all:
            return _finding(sample, threshold, undecided=f"no runs on {', '.join(missing)}")
        printed = np.array([printed[name] for name in ours.index])
    values, neutral, factor = ours.to_numpy(), sample.neutral, PRINT_FACTOR if sample.of_print else factor
    off = np.maximum(values / printed, printed / values).max(initial=1.0)
    same_side = neutral is not None and (np.sign(values - neutral) == np.sign(printed - neutral)).all()
    how = f"{summary} " if summary in ("median", "mean") else ""
    far = f" (up to {off:.2g} times off)" if off > factor and np.isfinite(off) else ""
    return _finding(sample, threshold, off <= factor, same_side, f"{how}{_listed(sample, ours)}{far}")


def share(
    sample: Sample, sign: str, limit: float, least: str | float = ALL, each: bool = False, chosen: bool = False
) -> Finding:
    """The limit holds for all values, for most (more than half), or for at least a share of them.

    `each`: for each method separately. Same direction: more than half are on the claimed side of the neutral value.
    """
    where = {ALL: "everywhere", MOST: "on more than half"}.get(least) or f"on at least {100 * least:g} %"
    groups = dict(list(sample.values.groupby(level=0, sort=False))) if each else {"": sample.values}
    held = {of: _holds(values, sign, limit) for of, values in groups.items()}
    enough = {ALL: lambda part: part == 1, MOST: lambda part: part > 0.5}.get(least, lambda part: part >= least)
    same_side = all((_same_side(values, sign, limit, sample.neutral)).mean() > 0.5 for values in groups.values())
    ours = ", ".join(f"{of} {part.sum()} of {len(part)}".strip() for of, part in held.items())
    threshold = _threshold(sample, sign, limit, where, chosen)
    return _finding(sample, threshold, all(enough(part.mean()) for part in held.values()), same_side, ours)


def bound(sample: Sample, sign: str, limit: float, summary: str = "median", chosen: bool = False) -> Finding:
    """The limit holds for each method's median (or "max", "min") over the data sets."""
    groups = dict(list(sample.values.groupby(level=0, sort=False)))
    numbers, parts = pd.Series({of: values.agg(summary) for of, values in groups.items()}, dtype=float), []
    for of, values in groups.items():
        text = sample.write(numbers[of])
        if len(values) > 1 and summary in ("max", "min"):
            text += f" ({values.agg(f'idx{summary}')[1]})"
        elif len(values) > 1:
            text += f" (range {sample.write(values.min())} to {sample.write(values.max())})"
        parts.append(f"{of} {text}".strip() if len(groups) > 1 else text)
    held, same_side = _holds(numbers, sign, limit), _same_side(numbers, sign, limit, sample.neutral)
    threshold = _threshold(sample, sign, limit, "in the median" if summary == "median" else "everywhere", chosen)
    return _finding(sample, threshold, held.all(), same_side.all(), ", ".join(parts))


def slope(sample: Sample, sign: str, limit: float) -> Finding:
    """The exponent of the training points, fitted by least squares of the logarithms, is within the limit."""
    exponent = f"{sample.name}: exponent of the training points {_SIGNS[sign][0]} {limit:g} (chosen here)"
    return _fitted(sample, exponent, "slope", 2, sign, limit, lambda m, y: np.polyfit(np.log(m), np.log(y), 1)[0])


def grows(sample: Sample) -> Finding:
    """Spearman's rank correlation with the training points is positive."""
    threshold = f"{sample.name}: rank correlation with the training points above 0 (chosen here)"
    return _fitted(
        sample, threshold, "correlation", 3, ">", 0, lambda m, y: pd.Series(m).corr(pd.Series(y), "spearman")
    )


def _fitted(sample, threshold, name, fewest, sign, limit, fit) -> Finding:
    """Judge a number that is fitted to the values of one method over the training points."""
    if len(sample.values) < fewest:
        why = sample.values.size and f"{len(sample.values)} of at least {fewest} sizes; {sample.basis}"
        return _finding(sample, threshold, undecided=why or sample.absent)
    number = fit(sample.sizes[sample.values.index].to_numpy(float), sample.values.to_numpy(float))
    return _finding(sample, threshold, _SIGNS[sign][1](number, limit), ours=f"{name} {number:.2f}")


def differs(sample: Sample, level: float) -> Finding:
    """Every p-value is below the level. Same direction: every one-sided p-value is below one half."""
    found = _tested(sample, level, "below", sample.values < level, (sample.values < 0.5).all())
    return replace(found, p_values=() if found.outcome == NOT_RUN else tuple(sample.values))


def no_difference(sample: Sample, level: float) -> Finding:
    """Every p-value is above the level; such a claim has no direction."""
    return _tested(sample, level, "above", sample.values > level)


def _tested(sample, level, side, held, same_side=False) -> Finding:
    too_few = f"{sample.basis} cannot be significant at {100 * level:g} %" if sample.smallest > level else ""
    threshold, ours = f"{sample.name}: p {side} {level:g}", f"p: {_listed(sample, sample.values)}"
    return _finding(sample, threshold, held.all(), same_side, ours, too_few)


def only_on(sample: Sample, sign: str, limit: float, names: Sequence[str]) -> Finding:
    """The limit holds on exactly these data sets, of those that were run.

    Same direction: both lists share at least half of what either has.
    """
    threshold, ours, expected, text = _places(sample, sign, limit, names, "on exactly")
    shares_half = 2 * len(ours & expected) >= len(ours | expected)
    return _finding(sample, threshold, ours == expected, shares_half, text)


def on_as_many_as(sample: Sample, sign: str, limit: float, names: Sequence[str]) -> Finding:
    """The limit holds on as many data sets as are named, of those that were run."""
    threshold, ours, expected, text = _places(sample, sign, limit, names, "on as many sets as")
    return _finding(sample, threshold, len(ours) == len(expected), ours=text)


def _places(sample, sign, limit, names, where) -> tuple[str, set, set, str]:
    places = sample.values.index.get_level_values(1)
    ours = list(places[_holds(sample.values, sign, limit)])
    threshold = _threshold(sample, sign, limit, f"{where} {', '.join(names)}, of those run", False)
    return threshold, set(ours), set(names) & set(places), f"{', '.join(ours) or 'none'} of {len(places)}"


def lowest(sample: Sample, names: Sequence[str]) -> Finding:
    """The lowest values are those of the data sets named, in any order."""
    values = sample.values.droplevel(0).sort_values(kind="stable")
    first, undecided = values.index[: len(names)], ""
    if len(values) and (not set(names) <= set(values.index) or len(values) == len(names)):
        undecided = f"needs {', '.join(names)} and another set; has {', '.join(values.index)}"
    threshold, ours = f"{sample.name} lowest on {', '.join(names)}", f"lowest: {', '.join(first)}"
    return _finding(sample, threshold, set(first) == set(names), ours=ours, undecided=undecided)


def _finding(sample, threshold, held=False, same_side=False, ours="", undecided="") -> Finding:
    if undecided or sample.values.empty:
        return Finding(NOT_RUN, threshold, "", replace(sample, absent=undecided or sample.absent))
    return Finding(REPRODUCED if held else SAME_DIRECTION if same_side else NOT_REPRODUCED, threshold, ours, sample)


def _holds(values, sign, limit) -> pd.Series:
    return _SIGNS[sign][1](values, limit)


def _same_side(values, sign, limit, neutral) -> pd.Series:
    """Which values lie on the claimed side of the neutral value; none if there is no such value."""
    if neutral is None:
        return pd.Series(False, values.index)
    is_beyond = (limit > neutral) == (sign[0] == ">")
    return _holds(values, sign[0], neutral) if is_beyond else _holds(values, sign, limit)


def _threshold(sample, sign, limit, where, chosen) -> str:
    parts = (sample.name, _SIGNS[sign][0], sample.write(limit), where, "(chosen here)" if chosen else "")
    return " ".join(filter(None, parts))


def _listed(sample, values) -> str:
    """Values with their names, the first where they have two."""
    names = [name[0] if isinstance(name, tuple) else name for name in values.index]
    return ", ".join(f"{name} {sample.write(value)}".strip() for name, value in zip(names, values, strict=True))
