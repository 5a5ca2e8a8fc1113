"""The state of a training run (weights, gradient, active points), and the enumerations that
compiled loops use.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from fwsvm.machine_code.compiled import array_at, compiled

if TYPE_CHECKING:
    from fwsvm.machine_code.signatures import Index, Record

# CVM starts with the eps FIRST_EPS, or with the eps of the settings if that eps is larger. Then CVM
# halves its eps until the eps of the settings is reached. With `Selection.cooling`, every method
# that draws samples changes its eps in the same way.
FIRST_EPS = 0.1
# The smallest gap that float32 columns can resolve, divided by max Q_ii. The error of the gradient,
# divided by max Q_ii, is about 1e-7.
FLOAT32_GAP = 2e-7


class Step(IntEnum):
    """The kinds of steps. `Trace.step` has their names in lower case."""

    TOWARD = 0
    AWAY = 1
    SWAP = 2
    NEWTON = 3


class StopRule(IntEnum):
    """The stopping rules. The setting `stop` takes their names in lower case."""

    MEB = 0
    GAP = 1
    RELATIVE = 2


class Reason(IntEnum):
    """The reasons why a compiled loop returns to Python."""

    CONVERGED = 0
    NO_VIOLATION = 1
    PAUSED = 2
    NEEDS_COLUMN = 3
    NO_PROGRESS = 4
    NEEDS_ROOM = 5


class Reals:
    """The fields of the record `State.real`, which are all float64."""

    objective: float
    largest_diagonal: float
    gap_seen: float
    step_length: float
    current_eps: float  # the current tolerance, which is halved until it reaches eps
    scale: float
    factor: float


class Counts:
    """The fields of the record `State.count`, which are all int64."""

    active_size: int
    fw_vertex: int
    away_vertex: int
    iterations: int
    away_steps: int
    drop_steps: int
    swap_steps: int
    last_step: int
    missing: int  # the index of a column that the loop needs
    pending: int  # a vertex that the loop has found but not used for a step yet, or -1
    empty_samples: int
    samples: int
    requested: int
    clipped_gain: int
    idle_steps: int  # number of consecutive steps of length 0
    partner: int
    length: int


REALS = np.dtype([(name, "f8") for name in Reals.__annotations__])
COUNTS = np.dtype([(name, "i8") for name in Counts.__annotations__])


# The penalty of inactive points. The search for the active point with the highest gradient adds the
# penalty to the gradient, so that it finds no inactive point.
INACTIVE = np.float32(-1e30)


class State(NamedTuple):
    """The state of training."""

    a: np.ndarray  # weights
    s: np.ndarray  # gradient Qa (half the gradient of a'Qa)
    penalty: np.ndarray  # 0 for active points, `INACTIVE` for others
    diagonal: np.ndarray  # diag(Q)
    active: np.ndarray  # the active points, in the first `count.active_size` entries
    position: np.ndarray  # each point's index among the active points, or -1
    random: np.ndarray  # state of the random generator
    real: Reals
    # this field hides the method `count` of tuples, which nothing uses
    count: Counts  # type: ignore[assignment]
    passes: np.ndarray  # (2, 2): addresses of each pass and of its data (`fwsvm.solvers.passes`)


def new_record(dtype: np.dtype) -> Record:
    """Return a record of zeros.

    Its fields can be used as attributes. In Python code, access is faster through the object that
    `fields_of` returns.
    """
    return np.zeros(1, dtype).view(np.recarray)[0]


def new_state(capacity: int) -> State:
    return State(
        a=np.zeros(capacity),
        s=np.zeros(capacity),
        penalty=np.full(capacity, INACTIVE, dtype=np.float32),
        diagonal=np.zeros(capacity),
        active=np.zeros(capacity, dtype=np.int32),
        position=np.full(capacity, -1, dtype=np.int32),
        random=np.zeros(1, np.uint64),
        real=new_record(REALS),
        count=new_record(COUNTS),
        passes=np.zeros((2, 2), np.int64),
    )


_Fields = TypeVar("_Fields")


def fields_of(record: _Fields) -> _Fields:
    """Return an object with the fields of a record. Python reads and writes the fields of this
    object much faster than those of the record itself.
    """
    array: Any = record
    numbers: _Fields = _numbers_class(array.dtype.names)(array)
    return numbers


class _Numbers:
    __slots__ = ("_views",)

    def __init__(self, record: Any) -> None:
        fields = record.base.view(np.ndarray)  # field access on a recarray is slow
        self._views = {name: memoryview(fields[name]) for name in record.dtype.names}


@cache
def _numbers_class(names: tuple[str, ...]) -> Any:
    def field(name: str) -> property:
        return property(
            lambda self: self._views[name][0],
            lambda self, value: self._views[name].__setitem__(0, value),
        )

    return type("_Numbers", (_Numbers,), {"__slots__": ()} | {name: field(name) for name in names})


@compiled(inline=True)
def activate(state: State, i: int) -> None:
    count = state.count
    size = count.active_size
    state.active[size] = i
    state.position[i] = size
    state.penalty[i] = np.float32(0.0)
    count.active_size = size + 1


@compiled(inline=True)
def deactivate(state: State, j: Index) -> None:
    count = state.count
    last = count.active_size - 1
    moved = state.active[last]
    state.active[state.position[j]] = moved
    state.position[moved] = state.position[j]
    state.position[j] = -1
    state.penalty[j] = INACTIVE
    state.a[j] = 0.0
    count.active_size = last


@compiled
def refresh_objective(state: State) -> None:
    total = 0.0
    for p in range(state.count.active_size):
        r = state.active[p]
        total += state.a[r] * state.s[r]
    state.real.objective = total


# Functions that are called by address read and write this record. The record has the addresses of
# the state's arrays, the number of points (`size`) and the chosen step (`kind`, `i`, `j`). It also
# has the range of the points that one call processes (from `begin` to `end`), and the lowest and
# the highest value that the call finds in this range (`low`, `high`).
PASS_RECORD = np.dtype(
    [(name, "i8") for name in (*State._fields, "size", "kind", "i", "j", "begin", "end")]
    + [("low", "f8"), ("high", "f8")]
)


def new_record_of(state: State) -> np.ndarray:
    """Return a record with the addresses of the state's arrays.

    The state must keep these arrays, because the record would not have the addresses of new arrays.
    """
    record = np.zeros(1, PASS_RECORD)
    for name, array in state._asdict().items():
        record[name] = np.frombuffer(array, np.uint8).ctypes.data
    record["size"] = record["end"] = len(state.a)
    return record


@compiled(inline=True)
def state_at(record: Record) -> State:
    """Return the state whose arrays have the addresses that are in a record."""
    m = record.size
    return State(
        array_at(record.a, m, np.float64),
        array_at(record.s, m, np.float64),
        array_at(record.penalty, m, np.float32),
        array_at(record.diagonal, m, np.float64),
        array_at(record.active, m, np.int32),
        array_at(record.position, m, np.int32),
        array_at(record.random, 1, np.uint64),
        array_at(record.real, 1, REALS)[0],
        array_at(record.count, 1, COUNTS)[0],
        array_at(record.passes, (2, 2), np.int64),
    )
