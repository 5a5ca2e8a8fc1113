"""Descriptions of the allowed values of settings: in words, by a test, as JSON schemas and as
options.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

_LARGEST_NUMBER = float(np.finfo(float).max)


@dataclass(frozen=True)
class Range:
    """The values that a setting can have."""

    words: str  # the range in words, for example for "eps must be ..."
    kind: str  # the type that docstrings show
    holds: Callable[[Any], bool]  # whether a value is in the range
    schema: dict[str, Any] = field(default_factory=dict)  # the JSON schema for configurations
    # keyword arguments of `argparse.ArgumentParser.add_argument`
    option: dict[str, Any] = field(default_factory=dict)

    def contains(self, value: object) -> bool:
        """Test whether a value is in the range. A NumPy number is first turned into a Python
        number.
        """
        return self.holds(value.item() if isinstance(value, np.generic) else value)

    def or_none(self) -> Range:
        return replace(
            self,
            words=f"{self.words} or None",
            holds=lambda value: value is None or self.holds(value),
        )


def one_of(
    names: Collection[str],
    also: str | None = None,
    also_holds: Callable[[Any], bool] = lambda value: False,
) -> Range:
    """Make a range of `names`.

    The range also contains all values for which `also_holds` returns True, except other strings.
    `also` is the name of the type of these values.
    """
    kind = "{" + ", ".join(f'"{name}"' for name in names) + "}" + (f" or {also}" if also else "")
    return Range(
        f"one of {', '.join(names)}",
        kind,
        lambda value: value in names if isinstance(value, str) else also_holds(value),
        {"enum": list(names)},
        {"choices": names},
    )


def is_number(value: Any) -> bool:
    """Test whether a value is a number in the range of float64, or infinite. The result is False
    for NaN, True and False.
    """
    is_real = isinstance(value, Real) and not isinstance(value, bool) and value == value
    return is_real and (abs(value) <= _LARGEST_NUMBER or abs(value) == np.inf)


def is_integer(value: Any) -> bool:
    """Test whether a value is an integer. True and False are not integers here."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def positive(
    words: str = "a positive finite number",
    largest: float = _LARGEST_NUMBER,
    schema: str = "a number > 0",
    metavar: str = "X",
) -> Range:
    """Make a range of the numbers above 0 and up to `largest`."""
    schema = {"type": "number", "exclusiveMinimum": 0, "description": schema}
    option = {"type": float, "metavar": metavar}
    return Range(
        words, "float", lambda value: is_number(value) and 0 < value <= largest, schema, option
    )


POSITIVE = positive()
NOT_NEGATIVE = Range(
    "a finite number >= 0",
    "float",
    lambda value: is_number(value) and 0 <= value <= _LARGEST_NUMBER,
    {"type": "number", "minimum": 0, "description": "a number >= 0"},
    {"type": float, "metavar": "X"},
)
