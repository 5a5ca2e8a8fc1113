"""The division of a fit's time limit among its pairs of classes."""

from __future__ import annotations

from math import isfinite, isinf
from threading import Lock

import numpy as np

LEAST_SHARE = 0.2  # a pair gets at least this share of the CPU seconds that are left
LEAST_S = 1e-3  # `solve` gets at least this number of CPU seconds for a pair


class TimeBudget:
    """The time budget of a fit. For each value of C, it has the time that all pairs together have
    used, and the limit of this time.

    Each pair is granted a share of the CPU seconds that are left.
    """

    def __init__(self, limit: float, sizes: np.ndarray, n_values: int) -> None:
        # `waiting` has the estimated work of each pair whose training has not begun. The estimate
        # is the squared number of points.
        self.limit, self.waiting = limit, np.tile(sizes**2, (n_values, 1))
        # lists, because changing an entry of an array takes ten times as long
        self.cpu_s = [0.0] * n_values
        self.wall_s = [0.0] * n_values
        self.granted = [0.0] * n_values
        self.lock = Lock()

    def share(self, place: int, position: int) -> float:
        """Grant CPU seconds to a pair, and return their number: a share of the seconds that are
        left, but at least LEAST_S. If the fit has no time limit, return infinity.

        The seconds that are left are those that are neither used nor granted to a pair that is in
        training.
        """
        if isinf(self.limit):
            return self.limit
        with self.lock:
            waiting = self.waiting[position]
            share = max(waiting[place] / waiting.sum(), LEAST_SHARE)
            waiting[place] = 0.0
            granted: float = max(share * self._left(position), LEAST_S)
            self.granted[position] += granted
        return granted

    def left(self, position: int) -> float:
        """Return the CPU seconds that are neither used nor granted, but at least 0."""
        with self.lock:
            return max(self._left(position), 0.0)

    def _left(self, position: int) -> float:
        return self.limit - self.cpu_s[position] - self.granted[position]

    def spend(self, position: int, cpu_s: float, wall_s: float, granted: float = 0.0) -> None:
        """Add used CPU and wall seconds. `granted` is what `share` returned for the same pair."""
        with self.lock:
            self.cpu_s[position] += cpu_s
            self.wall_s[position] += wall_s
            self.granted[position] -= granted if isfinite(granted) else 0.0
