"""A clock of the solver that tests advance."""

from types import SimpleNamespace

import pytest

from fwsvm.solvers import solve as solve_module


@pytest.fixture
def clock(monkeypatch):
    """CPU time as the solver sees it: `clock.seconds`."""
    clock = SimpleNamespace(seconds=0.0)
    fake = SimpleNamespace(thread_time=lambda: clock.seconds, perf_counter=lambda: clock.seconds)
    monkeypatch.setattr(solve_module, "time", fake)
    return clock
