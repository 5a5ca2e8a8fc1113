"""The types of rules: how the values of a quantity decide on a claim.

A type is a function of a rule and the sample of its quantity, registered under its name; its keyword parameters are
the keys that such a rule may have. It returns an outcome, our number in words, and the numbers. A rule reproduces a
claim if its threshold is met. It finds the *same direction* if it is not, but every value lies beyond the quantity's
neutral value (1 of a ratio) on the claimed side; types without one describe what counts instead.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fwsvm.base.errors import UserError
from fwsvm.claims.evidence import Evidence
from fwsvm.claims.quantities import Quantity, Sample

REPRODUCED, SAME_DIRECTION, NOT_REPRODUCED, NOT_RUN = "reproduced", "same direction", "not reproduced", "not run"
OUTCOMES = (REPRODUCED, SAME_DIRECTION, NOT_REPRODUCED, NOT_RUN)

BASES = {"printed": "printed number", "paper": "as the paper has it", "chosen": "chosen here"}
"""Where a threshold comes from."""

PRINT_FACTOR = 1.1
"""Within this factor a number of a printed table and the same number in the text agree up to rounding."""

AGGREGATES = ("median", "mean", "max", "min")
_LIMITS = {"above": (">", np.greater), "below": ("<", np.less), "at_least": (">=", np.greater_equal),
           "at_most": ("<=", np.less_equal)}  # fmt: skip
LIMITS = tuple(_LIMITS)
"""Keys of thresholds for single values: a number, or `printed`, `printed 2` for the (second) printed number."""


class UndecidedError(Exception):
    """So few values cannot decide; the message says why."""


@dataclass(frozen=True)
class RuleType:
    """A registered type: what decides, the threshold in words (formatted with the rule's options), and its keys.

    `has_unit`: whether its limits are in the quantity's unit.
    """

    decide: Callable[..., tuple[str, str, Any]]
    threshold: str
    has_limits: bool
    has_unit: bool

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Its own keys."""
        return dict(list(inspect.signature(self.decide, eval_str=True).parameters.items())[2:])


TYPES: dict[str, RuleType] = {}
"""Name -> type."""


def rule_type(threshold: str, limits: bool = False, unit: bool = True) -> Callable:
    """Register the function below as a type of rules under its own name; `unit`: limits are in that of the quantity."""

    def register(function):
        TYPES[function.__name__] = RuleType(function, threshold, limits, unit)
        return function

    return register


@dataclass(frozen=True)
class Finding:
    """What one rule finds: an outcome, our number in words and unrounded, and the sample that it rests on."""

    outcome: str
    ours: str
    numbers: tuple[float, ...]
    sample: Sample


@dataclass(frozen=True)
class Rule:
    """One rule of a claim.

    Attributes
    ----------
    type : str
        A key of `TYPES`.
    quantity : Quantity
    parameters, options : dict
        Of the quantity and of the type, complete.
    limits : dict of str to float
        Thresholds for single values, by `LIMITS`.
    printed : float, list or dict
        The claim's printed numbers: a dict has one for each method or data set.
    basis : str
        A key of `BASES`: where the threshold comes from.
    """

    type: str
    quantity: Quantity
    parameters: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    printed: Any = None
    basis: str = "chosen"

    @property
    def subject(self) -> str:
        """The quantity in words."""
        return self.quantity.label.format(**self.parameters).replace("_", " ")

    @property
    def threshold(self) -> str:
        """What has to hold, in words."""
        write = self.quantity.write if TYPES[self.type].has_unit else "{:g}".format
        sign = " and ".join(f"{_LIMITS[name][0]} {write(value)}" for name, value in self.limits.items())
        share = self.options.get("share")
        where = {"all": "everywhere", "most": "on more than half"}.get(share, f"on a share of {share}")
        words = {"limits": sign, "where": where} | {
            name: "" if value is None else ", ".join(value) if isinstance(value, list) else value
            for name, value in self.options.items()
        }
        return TYPES[self.type].threshold.format(**words).strip()

    def judge(self, evidence: Evidence) -> Finding:
        """Apply the rule."""
        found = self.quantity.function(evidence, **self.parameters)
        if found.values.empty:
            return Finding(NOT_RUN, "", (), found)
        options = self.options | ({"factor": PRINT_FACTOR} if evidence.printed and "factor" in self.options else {})
        try:
            outcome, ours, numbers = TYPES[self.type].decide(self, found, **options)
        except UndecidedError as reason:
            return Finding(NOT_RUN, "", (), Sample(found.values[:0], absent=str(reason)))
        return Finding(outcome, ours, tuple(float(number) for number in numbers), found)

    def hold(self, values: pd.Series, weaker: bool = False) -> pd.Series:
        """Which values meet the thresholds, or (`weaker`) lie beyond the neutral value on the same side."""
        held, neutral = pd.Series(True, values.index), self.quantity.neutral
        for name, limit in self.limits.items():
            upwards = name in ("above", "at_least")
            if weaker and neutral is not None and (limit > neutral) == upwards:
                name, limit = "above" if upwards else "below", neutral
            held &= _LIMITS[name][1](values.astype(float), limit)
        return held

    def compare(self, numbers: pd.Series) -> str:
        """Outcome where each number has to meet the thresholds."""
        if self.hold(numbers).all():
            return REPRODUCED
        return (
            SAME_DIRECTION if self.quantity.neutral is not None and self.hold(numbers, True).all() else NOT_REPRODUCED
        )

    def written(self, values: pd.Series) -> str:
        """Write values with their names, the first where they have two."""
        names = [name[0] if isinstance(name, tuple) else name for name in values.index]
        return ", ".join(f"{n} {self.quantity.write(value)}".strip() for n, value in zip(names, values, strict=True))


@rule_type("{aggregate} within a factor {factor:g} of the printed number")
def factor(rule, found, factor: float = 3.0, aggregate: str | None = None, complete: bool = False):
    """Each value, summed up over the data sets, is within a factor of the printed one.

    `complete` asks for a value for each printed number. Same direction: on the printed side of the neutral value.
    """
    ours = found.values.groupby(level=0, sort=False).agg(aggregate) if aggregate else found.values
    printed = pd.Series(rule.printed if isinstance(rule.printed, dict) else float(rule.printed), ours.index)
    if isinstance(rule.printed, dict):
        level = 0 if ours.index.get_level_values(0)[0] in rule.printed else 1
        ours = ours.set_axis(ours.index.get_level_values(level))
        lost = [name for name in rule.printed if name not in ours.index]
        if lost and complete:
            raise UndecidedError(f"no runs on {', '.join(lost)}")
        unprinted = [name for name in ours.index if name not in rule.printed]
        if unprinted:
            raise UserError(
                f"a claim's `value` has no number of {', '.join(unprinted)}; it has {', '.join(rule.printed)}"
            )
        printed = pd.Series(rule.printed)[list(ours.index)]
    values, printed = ours.to_numpy(), printed.to_numpy(float)
    near = ((printed / factor <= values) & (values <= printed * factor)).all()
    neutral = rule.quantity.neutral
    same_side = neutral is not None and (np.sign(values - neutral) == np.sign(printed - neutral)).all()
    how = f"{aggregate} " if aggregate in ("median", "mean") else ""
    outcome = REPRODUCED if near else SAME_DIRECTION if same_side else NOT_REPRODUCED
    off = np.maximum(values / printed, printed / values).max()
    far = "" if near or not np.isfinite(off) else f" (up to {off:.2g} times off)"
    return outcome, f"{how}{rule.written(ours)}{far}", values


def _share(given):
    if given in ("all", "most"):
        return given
    if isinstance(given, (int, float)) and 0 < given <= 1:
        return float(given)
    raise ValueError(f"must be all, most, or a number above 0 up to 1, is {given!r}")


@rule_type("{limits} {where}", limits=True)
def share(rule, found, share: _share = "all", each: bool = False):
    """A share of the values meets the thresholds: `all`, `most` (more than half), or at least a number.

    `each` asks it of every method by itself. Same direction: more than half of the values are beyond the neutral value.
    """
    groups = dict(list(found.values.groupby(level=0, sort=False))) if each else {"": found.values}
    counts = {name: int(rule.hold(values).sum()) for name, values in groups.items()}
    shares = {name: counts[name] / len(values) for name, values in groups.items()}
    ours = ", ".join(f"{name} {counts[name]} of {len(values)}".strip() for name, values in groups.items())
    enough = {"all": lambda x: x == 1, "most": lambda x: x > 0.5}.get(share, lambda x: x >= share)
    if all(map(enough, shares.values())):
        return REPRODUCED, ours, shares.values()
    has_sides = rule.quantity.neutral is not None
    weaker = has_sides and all(rule.hold(values, True).mean() > 0.5 for values in groups.values())
    return SAME_DIRECTION if weaker else NOT_REPRODUCED, ours, shares.values()


@rule_type("{limits}, {aggregate}", limits=True)
def bound(rule, found, aggregate: str = "median"):
    """Each value, summed up, meets the thresholds. Same direction: each is beyond the neutral value."""
    numbers = found.values.groupby(level=0, sort=False).agg(aggregate)
    parts = []
    for name, values in found.values.groupby(level=0, sort=False):
        text = rule.quantity.write(numbers[name])
        if len(values) > 1 and aggregate in ("max", "min"):
            text += f" ({values.agg(f'idx{aggregate}')[1]})"
        elif len(values) > 1:
            text += f" (range {rule.quantity.write(values.min())} to {rule.quantity.write(values.max())})"
        parts.append(f"{name} {text}".strip() if len(numbers) > 1 else text)
    return rule.compare(numbers), ", ".join(parts), numbers


def _fitted(rule, found, name, fewest, fit):
    """Compare a number that is fitted to the values over the training points with the thresholds."""
    numbers = {}
    for of, values in found.values.groupby(level=0, sort=False):
        if len(values) < fewest:
            raise UndecidedError(f"{len(values)} of at least {fewest} sizes; {found.basis}")
        numbers[of] = fit(found.sizes[values.index].to_numpy(float), values.to_numpy(float))
    ours = ", ".join(f"{of if len(numbers) > 1 else name} {value:.2f}" for of, value in numbers.items())
    outcome = REPRODUCED if rule.hold(pd.Series(numbers)).all() else NOT_REPRODUCED
    return outcome, ours, numbers.values()


@rule_type("{limits} as power of the training points", limits=True, unit=False)
def slope(rule, found):
    """The slope of the logarithm over that of the training points, by least squares, meets the thresholds."""
    return _fitted(rule, found, "slope", 2, lambda m, value: np.polyfit(np.log(m), np.log(value), 1)[0])


@rule_type("{limits} as rank correlation with the training points", limits=True, unit=False)
def correlation(rule, found):
    """Spearman's rank correlation with the training points meets the thresholds."""
    return _fitted(rule, found, "correlation", 3, lambda m, value: pd.Series(m).corr(pd.Series(value), "spearman"))


@rule_type("p < {level:g}")
def test(rule, found, level: float):
    """Every p-value is below the level; undecided where so few data sets cannot reach it.

    Same direction: every one-sided p-value is below one half.
    """
    _reachable(found, level)
    weaker = SAME_DIRECTION if (found.values < 0.5).all() else NOT_REPRODUCED
    outcome = REPRODUCED if (found.values < level).all() else weaker
    return outcome, f"p: {rule.written(found.values)}", found.values


@rule_type("p > {level:g}")
def no_difference(rule, found, level: float):
    """Every p-value is above the level. A claim that there is no difference has no direction."""
    _reachable(found, level)
    outcome = REPRODUCED if (found.values > level).all() else NOT_REPRODUCED
    return outcome, f"p: {rule.written(found.values)}", found.values


def _reachable(found, level):
    if (found.smallest > level).any():
        raise UndecidedError(f"{found.basis} cannot be significant at {100 * level:g} %")


def _named(rule, found, names):
    """Places that meet the thresholds, those of the names that were run, and both in words."""
    places = [str(place) for place in found.values.index.get_level_values(1)]
    ours = [place for place, held in zip(places, rule.hold(found.values), strict=True) if held]
    return set(ours), set(names) & set(places), f"{', '.join(ours) or 'none'} of {len(places)}"


@rule_type("{limits} on exactly {names}, of those run", limits=True)
def names(rule, found, names: list):
    """The data sets that meet the thresholds are those named, of the ones run.

    Same direction: both lists share at least half of what either names.
    """
    ours, expected, written = _named(rule, found, names)
    shares_half = 2 * len(ours & expected) >= len(ours | expected)
    return REPRODUCED if ours == expected else SAME_DIRECTION if shares_half else NOT_REPRODUCED, written, (len(ours),)


@rule_type("{limits} on as many as {names}, of those run", limits=True)
def count(rule, found, names: list):
    """As many data sets meet the thresholds as are named, of the ones run."""
    ours, expected, written = _named(rule, found, names)
    return REPRODUCED if len(ours) == len(expected) else NOT_REPRODUCED, written, (len(ours),)


@rule_type("lowest on {lowest}")
def ordering(rule, found, lowest: list):
    """The lowest values are those of the places named, in any order; undecided without a further place."""
    values = found.values.droplevel(0).sort_values(kind="stable")
    if not set(lowest) <= set(values.index) or len(values) <= len(lowest):
        raise UndecidedError(f"needs {' and '.join(lowest)} and another set; have {', '.join(values.index)}")
    first = values[: len(lowest)]
    return REPRODUCED if set(first.index) == set(lowest) else NOT_REPRODUCED, f"lowest: {', '.join(first.index)}", first
