"""Drivers of the methods that take one step at a time: over all points, or over a coreset with sampled vertices."""

import numpy as np

from fwsvm.solvers import coreset
from fwsvm.solvers.constants import Reason, Step
from fwsvm.solvers.coreset_drivers import VALUES_BETWEEN_CHECKS, SampledDriver
from fwsvm.solvers.drivers import NOBODY, AllPointsDriver


def new_step_driver(start):
    """The driver of a method that `step_method` made."""
    problem, selection = start.problem, start.settings.selection
    if selection.sampled and problem.compares_blocks and len(start.indices) * selection.sample_size < problem.size:
        return CoresetDriver(start)
    return AllPointsDriver(start)


class CoresetDriver(SampledDriver):
    """Methods that take one step at a time; the stored points are the active ones.

    `run` returns PAUSED with `outgrown` set once samples have cost more than updates of the whole gradient by what the
    change to all points would cost. Training then goes on over all points, with the same steps but for rounding.
    """

    follow_with = AllPointsDriver

    def __init__(self, start):
        super().__init__(start)
        self.column_i, self.column_j = np.empty(self.capacity + 1), np.empty(self.capacity + 1)
        self.excess = 0
        self.outgrown = False
        self.pending = None  # the violation found but not used when `run` returned

    def run(self, limit):
        patience, count = self.settings.selection.patience, self.count
        enough = self.evaluations + VALUES_BETWEEN_CHECKS
        while True:
            if self.pending is None:
                self.pending = self._sample(NOBODY)
            if not self._violates(self.real.stage):
                self.pending = None
                count.empty_samples += 1
                if count.empty_samples >= patience:
                    if not self._cool():
                        return Reason.NO_VIOLATION
                    count.empty_samples = 0
                if self.evaluations >= enough:
                    return Reason.PAUSED
                continue
            count.empty_samples = 0
            if self.outgrown or self.evaluations >= enough or count.iterations >= limit:
                return Reason.PAUSED
            self._step(*self.pending)
            self.pending = None
            self.excess += max(0, len(self.block) * self.size - self.problem.size)
            self.outgrown = self.excess > self.size * self.problem.size

    def _cool(self):
        """Halve the eps that judges samples; False if it has reached its target."""
        stage, eps = self.real.stage, self.settings.eps
        self.real.stage = max(0.5 * stage, eps)
        return stage > eps

    def _step(self, place, i, gradient):
        values = self.block[place]
        self._reserve()
        if len(self.column_i) != self.capacity + 1:
            self.column_i, self.column_j = np.empty(self.capacity + 1), np.empty(self.capacity + 1)
        own, n = int(self.local[i]), self.size
        self._column(values, i, own, self.column_i)
        target = own if own >= 0 else n
        if own < 0:
            coreset.store_point(self.state, n, gradient, self.problem.diagonal[i])
        kind, place_i, place_j = self.method.pick(self.state, n, target, self.column_i)
        if place_i != target and kind != Step.AWAY:
            self._stored_column(place_i, self.column_i)
        if kind != Step.TOWARD:
            self._stored_column(place_j, self.column_j)
        self.count.requested += (2 if kind == Step.SWAP else 1) * n
        coreset.carry_out(self.state, n, kind, place_i, place_j, self.column_i, self.column_j)
        if place_i == n and kind != Step.AWAY:
            self._register(i)
        if self.count.active_size < self.size:
            self._forget_inactive()

    def _stored_column(self, place, out):
        """Column of Q at a stored point, over the stored points."""
        self._column(self._stored_values(self.ids[place]), self.ids[place], place, out)

    def hand_over(self, new):
        """The violation found is the next step of the driver that follows."""
        new.real.stage, new.count.pending = self.real.stage, self.pending[1]

    def _forget_inactive(self):
        places = np.flatnonzero(self.state.position[: self.size] < 0)
        for place in places[::-1]:
            last = self.size - 1
            coreset.forget_point(self.state, self.size, place)
            self.store.remove(place)
            self.local[self.ids[place]] = -1
            if place != last:
                self.ids[place], self.stored_labels[place] = self.ids[last], self.stored_labels[last]
                self.local[self.ids[place]] = place
            self.size = last
