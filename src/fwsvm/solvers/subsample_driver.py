"""Driver of M-FW, which trains on a subsample of its own choice."""

import numpy as np

from fwsvm.solvers.drivers import AllPointsDriver
from fwsvm.solvers.methods.mfw_sparse import advance_sparse


def new_driver(problem, settings, indices, weights, dtype, rng, columns, out_of_time=None):
    """The driver at its start."""
    return SubsampleDriver(problem, settings, indices, weights, dtype, rng, columns)


class SubsampleDriver(AllPointsDriver):
    """M-FW: as `AllPointsDriver`, with the subsample that has been activated."""

    def __init__(self, problem, settings, indices, weights, dtype, rng, columns=None):
        super().__init__(problem, settings, indices, weights, dtype, rng, columns)
        self.member = np.zeros(problem.size, dtype=np.uint8)
        self.member[indices] = 1

    @property
    def subsample(self):
        """Indices of the points activated so far, ascending."""
        return np.flatnonzero(self.member)

    @property
    def coreset_size(self):
        return int(np.count_nonzero(self.member))

    def run(self, limit):
        """Run until M-FW stops or has made `limit` iterations in all; returns the reason."""
        return advance_sparse(
            self.rule, self.settings.eps, self.floor, self.state, self.member, self.cache.arrays, self.cache.source,
            limit,
        )  # fmt: skip
