"""Runs of methods with samples. Some drivers never change to all points, and a function repeats the
samples of a given seed.
"""

import numpy as np

from fwsvm import solve
from fwsvm.solvers import coreset_drivers
from fwsvm.solvers.coreset_drivers import CoresetDriver
from fwsvm.solvers.methods import cvm as cvm_drivers
from fwsvm.solvers.methods.cvm import CvmCoresetDriver
from fwsvm.solvers.sampling import NOBODY, draw, new_sampler


def next_sample(selection, labels, seed):
    """Return a function that draws the same samples as the run with this seed. This is so only if
    the start of the run draws no random numbers.
    """
    sampler = new_sampler(labels, selection, np.random.default_rng(seed))

    def sample(core=None):
        rejected = NOBODY
        if core is not None:
            rejected = np.full(len(labels), -1, dtype=np.int64)
            rejected[core] = 0
        return sampler.sample[: draw(sampler, rejected)].copy()

    return sample


class StubbornCoresetDriver(CoresetDriver):
    """A driver that never changes to all points."""

    should_switch = property(lambda self: False, lambda self, value: None)


class StubbornCvmCoresetDriver(CvmCoresetDriver):
    """A driver of CVM that never changes to all points."""

    should_switch = property(lambda self: False, lambda self, value: None)


class CountingCvmCoresetDriver(CvmCoresetDriver):
    """A driver of CVM that changes to all points between two samples without a violation."""

    should_switch = property(lambda self: self.count.empty_samples == 1, lambda self, value: None)


def run_with(monkeypatch, driver, problem, method, **settings):
    """Run a method with a trace and the given class of drivers until its patience ends the run.

    Return the solution and the names of the driver classes at each call of the callback.
    """
    monkeypatch.setattr(cvm_drivers, "_CORESET_ONLY_ABOVE", 0)
    module, name = (
        (cvm_drivers, "CvmCoresetDriver") if method == "cvm" else (coreset_drivers, "CoresetDriver")
    )
    monkeypatch.setattr(module, name, driver)
    seen = []
    chosen = dict(
        init="closest_opposite_pair", trace_iterates=True, column_dtype="float64", random_state=6
    )
    solution = solve(
        problem,
        method,
        **{**chosen, **settings},
        callback=lambda driver: seen.append(type(driver).__name__),
    )
    return solution, seen
