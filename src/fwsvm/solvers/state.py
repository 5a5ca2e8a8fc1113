"""The state of every method: weights, scores, objective and the active set over a universe of n points.

The universe is all m points, or a coreset.
"""

from collections import namedtuple
from functools import cache

import numpy as np
from numba import carray

from fwsvm.base.callbacks import address_of, call, machine_address, pointer
from fwsvm.base.compiled import compiled
from fwsvm.solvers.constants import COUNTS, REALS

# Added to the scores of inactive points, so that none of them is the largest.
INACTIVE = np.float32(-1e30)

State = namedtuple("State", "a s penalty diagonal active position real count")
State.__doc__ = """Weights, scores, INACTIVE or 0 per point, diag(Q), active indices, their positions, and two arrays of
one record each (`fwsvm.solvers.constants.REALS`, `COUNTS`): compiled functions take arrays faster than records."""


def new_state(capacity):
    """An empty state with room for `capacity` points."""
    return State(
        a=np.zeros(capacity),
        s=np.zeros(capacity),
        penalty=np.full(capacity, INACTIVE, dtype=np.float32),
        diagonal=np.zeros(capacity),
        active=np.zeros(capacity, dtype=np.int32),
        position=np.full(capacity, -1, dtype=np.int32),
        real=np.zeros(1, REALS),
        count=np.zeros(1, COUNTS),
    )


class Numbers:
    """The fields of an array of one record, read and written in Python by the names that compiled code uses."""

    def __init__(self, records):
        self.__dict__["_views"] = {name: records[name] for name in records.dtype.names}

    def __getattr__(self, name):
        return self._views[name].item()

    def __setattr__(self, name, value):
        self._views[name][0] = value


@compiled
def activate(state, i):
    """Make point i active."""
    size = state.count[0].active_size
    state.active[size] = i
    state.position[i] = size
    state.penalty[i] = np.float32(0.0)
    state.count[0].active_size = size + 1


@compiled
def deactivate(state, j):
    """Drop point j from the active set."""
    last = state.count[0].active_size - 1
    moved = state.active[last]
    state.active[state.position[j]] = moved
    state.position[moved] = state.position[j]
    state.position[j] = -1
    state.penalty[j] = INACTIVE
    state.a[j] = 0.0
    state.count[0].active_size = last


@compiled
def refresh_objective(state):
    """R = a's, against the drift of its recursion."""
    total = 0.0
    for p in range(state.count[0].active_size):
        r = state.active[p]
        total += state.a[r] * state.s[r]
    state.real[0].objective = total


# What `choose` passes on: addresses of the state's arrays, how many points they hold, and the step that was chosen.
_RECORD = np.dtype([(name, "i8") for name in (*State._fields, "size", "kind", "i", "j")])


class Choice:
    """The `pick` of a method, as loops call it that are compiled once for all methods.

    Parameters
    ----------
    pick : compiled function
        See `fwsvm.solvers.method.step_method`.
    state : State
        Its arrays must stay where they are.
    dtype : float32 or float64
        Precision of the columns.

    Attributes
    ----------
    handle : int64 array of shape (2,)
        What compiled loops take: where the machine code is, and where the record is.
    """

    def __init__(self, pick, state, dtype):
        self.state, self.record = state, np.zeros(1, _RECORD)
        for name, array in state._asdict().items():
            self.record[name] = array.ctypes.data
        self.record["size"] = len(state.a)
        self.handle = np.array([_machine_code(pick, np.dtype(dtype))[0], self.record.ctypes.data])


@compiled
def choose(handle, i, column_i):
    """(kind, i, j) of the next step, see `Choice`."""
    call(handle[0], handle[1], i, address_of(column_i))
    record = carray(pointer(handle[1]), 1, _RECORD)[0]
    return record.kind, record.i, record.j


@cache
def _machine_code(pick, dtype):
    """(address, owner) of the code that picks a step over all points of a state."""
    dtype = dtype.type

    def choice(data, i, column_i):
        record = carray(pointer(data), 1, _RECORD)[0]
        m = record.size
        state = State(
            carray(pointer(record.a), m, np.float64),
            carray(pointer(record.s), m, np.float64),
            carray(pointer(record.penalty), m, np.float32),
            carray(pointer(record.diagonal), m, np.float64),
            carray(pointer(record.active), m, np.int32),
            carray(pointer(record.position), m, np.int32),
            carray(pointer(record.real), 1, REALS),
            carray(pointer(record.count), 1, COUNTS),
        )
        record.kind, record.i, record.j = pick(state, m, i, carray(pointer(column_i), m, dtype))

    return machine_address(choice)
