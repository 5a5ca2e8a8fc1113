"""Functions for the bounds that the papers prove, and functions that fit rates of convergence to
runs.

The symbols are those of docs/theory.md: R = a'Qa is the objective, D = Q_ii (the same for all i if
the kernel is normalised), and m is the number of points.
"""

from __future__ import annotations

from math import comb
from typing import TypeVar

import numpy as np
import pandas as pd

Numbers = TypeVar("Numbers", float, np.ndarray, pd.Series)

BETTER = np.round(np.arange(0.0, 0.1201, 0.005), 3)
"""Shares of points. For each share, we count the samples from which a good point was chosen. A
point is good if at most this share of all points has a smaller gradient.
"""

VIOLATING = np.round(np.arange(0.0, 0.1501, 0.01), 2)
"""Edges of the bins for the share of points that violate the stopping rule. Shares above the last
edge are not counted, since nearly every sample then contains a violating point.
"""


def diagonal(C: np.ndarray | float) -> np.ndarray | float:
    """Return D for a kernel with k(x, x) = 1. By tsang2005 eq. 10, D = k(x, x) + 1 + 1/C."""
    return 2.0 + 1.0 / C


def allowed_gap(eps: Numbers, D: Numbers, R: Numbers) -> Numbers:
    """Return (2 eps + eps^2) (D - R), the largest gap at which frandi2013's stopping rule for the
    enclosing ball can end a run, if the rule is tested on all points.

    R is the objective, and D is the value of every Q_ii. The enclosing ball has the radius r, with
    r^2 = D - R. When the rule ends a run, the point farthest from the centre of the ball has a
    distance of at most (1 + eps) r from this centre (frandi2013 eq. 36).
    """
    return (2.0 * eps + eps**2) * (D - R)


def guarantee(eps: Numbers, D: Numbers, R: Numbers) -> Numbers:
    """Return the largest relative gap (gap / R) at which frandi2013's stopping rule for the
    enclosing ball can end a run, if the rule is tested on all points.
    """
    return allowed_gap(eps, D, R) / R


def most_core_vectors(eps: Numbers) -> Numbers:
    """Return the bound 2 / eps on the number of CVM's iterations (tsang2005 sec. 4.3). Each
    iteration adds a point to the coreset.
    """
    return 2.0 / eps


def most_drops(steps: Numbers, start: Numbers) -> Numbers:
    """Return the bound on the number of drop steps (nanculef2014 Prop. 3).

    The bound is half the sum of the number of all steps and the number of active points at the
    start.
    """
    return (steps + start) / 2.0


def chance_of_best(share: float, size: int) -> float:
    """Return the lower bound of frandi2013 Theorem 1: 1 - (1 - share)^size.

    It is a bound on a probability. The event is that at most share * m points have a smaller
    gradient than the best of `size` random points, which is the one with the smallest gradient.
    """
    return 1.0 - (1.0 - share) ** size


def exact_chance_of_best(share: float, size: int, m: int, replacement: bool) -> float:
    """Return the exact value of the probability that `chance_of_best` bounds. The m points must
    have different gradients. `replacement` says whether the random points are drawn with
    replacement.
    """
    worse = m - min(int(share * m + 1e-9) + 1, m)
    if replacement:
        return 1.0 - (worse / m) ** size
    return 1.0 - comb(worse, size) / comb(m, size)


def tail_of(h: np.ndarray) -> slice:
    """Return the tail of a run as a slice.

    The tail begins at the first step at which log h has decreased by half of its total decrease.
    """
    return slice(int(np.argmax(h <= np.sqrt(h[0] * h[-1]))), None)


def fitted_rates(steps: np.ndarray, h: np.ndarray) -> dict[str, dict[str, float]]:
    """Fit two laws to the tail of a run by least squares on log h.

    The key `linear` of the result is for the law log h = c + slope k, and the key `power` is for
    the law log h = c + slope log k. Here, k is the number of the step.
    """
    tail = tail_of(h)
    steps, logs = np.asarray(steps, dtype=float)[tail], np.log(h[tail])
    return {"linear": _line(steps, logs), "power": _line(np.log(steps), logs)}


def _line(x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Return a dict with the slope and the intercept of the least-squares line through the points
    (x, y), and with the share of the variance of y that the line explains. If there are fewer than
    three points, or if all y are equal, the three values are NaN.
    """
    if len(x) < 3 or np.ptp(y) == 0:
        return {"slope": np.nan, "intercept": np.nan, "explained": np.nan}
    slope, intercept = np.polyfit(x, y, 1)
    rest = np.var(y - slope * x - intercept)
    return {
        "slope": float(slope),
        "intercept": float(intercept),
        "explained": float(1.0 - rest / np.var(y)),
    }
