"""Quantities that rules are about: each is a function of the evidence, registered once under its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fwsvm.statistics.effects import Estimate, bootstrap_estimate

FORMATS = {
    "ratio": "{:.3g}×",
    "percent": "{:.3g} %",
    "points": "{:+.2f} points",
    "seconds": "{:.3g} s",
    "p": "{:.3g}",
    "number": "{:.5g}",
}
"""How values of each unit are written."""

UNATTAINED = "none"
"""Stands for a value that no run attains."""

FEWEST = 5
"""An interval over fewer values than these is not given."""


@dataclass(frozen=True)
class Sample:
    """Values of a quantity.

    Attributes
    ----------
    values : Series
        Indexed by what has the value (a method, a series, a comparison) and where (a data set, a size, a draw), as they
        are written. NaN where runs are there and none attains it. Empty where nothing was run.
    basis : str
        What the values rest on: how many data sets, at which setting.
    absent : str
        Why there are no values.
    sizes : Series, optional
        The training points of each value, for slopes and rank correlations.
    smallest : Series, optional
        The least p-values that so many data sets can give, next to p-values.
    effect : callable, optional
        Returns how large the effect is, in words; by default it is the median over data sets, of ratios.
    """

    values: pd.Series
    basis: str = ""
    absent: str = "not run"
    sizes: pd.Series | None = None
    smallest: pd.Series | None = None
    effect: Callable[[], str] | None = None


def sample(values: Mapping[tuple[str, Any], float], *basis: str, absent: str = "not run", **more: Any) -> Sample:
    """Make a `Sample` of a mapping from (what, where) to value and the parts of its basis, empty ones left out."""
    index = pd.MultiIndex.from_tuples([(of, str(at)) for of, at in values], names=["of", "at"]) if values else None
    return Sample(pd.Series(list(values.values()), index, dtype=float), "; ".join(filter(None, basis)), absent, **more)


@dataclass(frozen=True)
class Quantity:
    """A registered quantity.

    Attributes
    ----------
    name : str
    label : str
        A noun phrase with the parameters in braces, from which the text of a rule is made.
    unit : str
        A key of `FORMATS`.
    neutral : float or None
        The value that speaks for neither side, such as 1 of a ratio; beyond it lies the same direction.
    of_benchmark : bool
        Whether it is judged under every protocol of the benchmark.
    function : callable
        Takes the evidence and its parameters by keyword, returns a `Sample`. An annotation of a parameter converts what
        the file of claims has, and raises ValueError where that is no such thing.
    """

    name: str
    label: str
    unit: str
    neutral: float | None
    of_benchmark: bool
    function: Callable[..., Sample]

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters after the evidence, by name."""
        return dict(list(inspect.signature(self.function, eval_str=True).parameters.items())[1:])

    def write(self, value: float) -> str:
        """Write a value with its unit; ``none`` where no run attains it."""
        return UNATTAINED if value != value else FORMATS[self.unit].format(value)


QUANTITIES: dict[str, Quantity] = {}
"""Name -> quantity."""


def quantity(label: str, unit: str, neutral: float | None = None, of_benchmark: bool = False) -> Callable:
    """Register the function below as a quantity under its own name; a name that is taken is a ValueError."""

    def register(function):
        name = function.__name__
        if name in QUANTITIES:
            raise ValueError(f"quantity {name!r} is registered twice")
        if unit not in FORMATS:
            raise ValueError(f"quantity {name!r}: unknown unit {unit!r}; known are {', '.join(FORMATS)}")
        QUANTITIES[name] = Quantity(name, label, unit, neutral, of_benchmark, function)
        return function

    return register


def interval(estimate: Estimate, write: Callable[[float], str]) -> str:
    """Write an estimate with its 95 % interval."""
    return f"{write(estimate.value)} (95 %: {write(estimate.low)} to {write(estimate.high)})"


def effect_words(chosen: Quantity, found: Sample) -> str:
    """How large an effect is: what the sample gives, or medians of ratios with bootstrap intervals over data sets."""
    if found.effect:
        return found.effect()
    if chosen.unit != "ratio":
        return ""
    parts = [
        f"{of} {interval(bootstrap_estimate(values), chosen.write)}".strip()
        for of, values in found.values.dropna().groupby(level=0, sort=False)
        if len(values) >= FEWEST
    ]
    return f"median {', '.join(parts)}" if parts else ""


def of_sets(n: int, expected: int | None = None) -> str:
    """Return on how many data sets a number rests: ``7 of 8 data sets``."""
    if expected is None or n == expected:
        return f"{n} data set{'s' if n != 1 else ''}"
    return f"{n} of {expected} data sets"
