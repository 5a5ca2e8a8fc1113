"""The state of every method: weights, scores, objective and the active set over a universe of n points.

The universe is all m points, or a coreset.
"""

from collections import namedtuple

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import ACTIVE_SIZE, N_COUNTERS, N_REALS, OBJECTIVE

# Added to the scores of inactive points, so that none of them is the largest.
INACTIVE = np.float32(-1e30)

State = namedtuple("State", "a s penalty diagonal active position real count")
State.__doc__ = (
    """Weights, scores, INACTIVE or 0 per point, diag(Q), active indices, their positions, reals, counters."""
)


def new_state(capacity):
    """An empty state with room for `capacity` points."""
    return State(
        a=np.zeros(capacity),
        s=np.zeros(capacity),
        penalty=np.full(capacity, INACTIVE, dtype=np.float32),
        diagonal=np.zeros(capacity),
        active=np.zeros(capacity, dtype=np.int32),
        position=np.full(capacity, -1, dtype=np.int32),
        real=np.zeros(N_REALS),
        count=np.zeros(N_COUNTERS, dtype=np.int64),
    )


@compiled
def activate(state, i):
    """Make point i active."""
    size = state.count[ACTIVE_SIZE]
    state.active[size] = i
    state.position[i] = size
    state.penalty[i] = np.float32(0.0)
    state.count[ACTIVE_SIZE] = size + 1


@compiled
def deactivate(state, j):
    """Drop point j from the active set."""
    last = state.count[ACTIVE_SIZE] - 1
    moved = state.active[last]
    state.active[state.position[j]] = moved
    state.position[moved] = state.position[j]
    state.position[j] = -1
    state.penalty[j] = INACTIVE
    state.a[j] = 0.0
    state.count[ACTIVE_SIZE] = last


@compiled
def refresh_objective(state):
    """R = a's, against the drift of its recursion."""
    total = 0.0
    for p in range(state.count[ACTIVE_SIZE]):
        r = state.active[p]
        total += state.a[r] * state.s[r]
    state.real[OBJECTIVE] = total
