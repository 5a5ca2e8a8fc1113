"""Team calls, with which threads share the work of compiled loops.

A team call runs one compiled function on several parts of the data. Each helper thread has a box, a
small shared record. The caller processes the first part itself, and posts each other part in a box.
Then the caller processes every part that no helper has begun, so it never waits for a helper that
starts late.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from fwsvm.machine_code.compiled import array_at, call, compiled, machine_address

if TYPE_CHECKING:
    from collections.abc import Callable

# A helper thread gets its work through a box, a small shared record. A box has `_BOX_LENGTH` int64
# numbers, which fill two cache lines. Only the first five numbers are used: the status, the address
# of a function, and its three arguments.
_BOX_LENGTH = 16
# the status of a box
_EMPTY, _POSTED, _TAKEN = 0, 1, 2
# A waiting thread reads the status of a box _READS_BEFORE_YIELD times, which takes a few
# microseconds. After that, the thread lets other threads use its processor.
_READS_BEFORE_YIELD = 10_000
_let_others_run = types.ExternalFunction("sched_yield", types.int32())


def _pointer(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, ir.IntType(64).as_pointer())


@intrinsic
def _status(typing_context: Any, box: Any) -> tuple[Any, Callable[..., Any]]:
    """Read the status of the box at an address.

    The read is atomic, so the compiler does not move other reads or writes across it.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_pointer(builder, arguments[0]), "seq_cst", 8)

    return types.int64(types.int64), generate


@intrinsic
def _change(typing_context: Any, box: Any, old: Any, new: Any) -> tuple[Any, Callable[..., Any]]:
    """Set the status of a box to `new` if it is `old`, in one atomic operation.

    Return True if the status was `old`.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pair = builder.cmpxchg(
            _pointer(builder, arguments[0]), arguments[1], arguments[2], "seq_cst", "seq_cst"
        )
        return builder.extract_value(pair, 1)

    return types.boolean(*[types.int64] * 3), generate


@compiled
def _wait_for(box: int, status: int) -> None:
    reads = 0
    while _status(box) != status:
        reads += 1
        if reads > _READS_BEFORE_YIELD:
            _let_others_run()


@compiled
def serve(box: int) -> None:
    """Run every function call that is posted in a box, until the posted address is 0."""
    while True:
        _wait_for(box, _POSTED)
        if not _change(box, _POSTED, _TAKEN):
            continue
        posted = array_at(box, _BOX_LENGTH, np.int64)
        function = posted[1]
        if function != 0:
            call(function, posted[2], posted[3], posted[4])
        _change(box, _TAKEN, _EMPTY)
        if function == 0:
            return


@compiled
def post(box: int, function: int, data: int, i: int, out: int) -> None:
    posted = array_at(box, _BOX_LENGTH, np.int64)
    posted[1], posted[2], posted[3], posted[4] = function, data, i, out
    _change(box, _EMPTY, _POSTED)


def _run_parts(address: int, i: int, out: int) -> None:
    record = array_at(address, 5, np.int64)
    function, data, size, n_parts, boxes = record[0], record[1], record[2], record[3], record[4]
    for t in range(1, n_parts):
        post(boxes + 8 * _BOX_LENGTH * t, function, data + t * size, i, out)
    call(function, data, i, out)
    for t in range(1, n_parts):
        box = boxes + 8 * _BOX_LENGTH * t
        if _change(box, _POSTED, _EMPTY):
            call(function, data + t * size, i, out)
        else:
            _wait_for(box, _EMPTY)


_runner = cache(lambda: machine_address(_run_parts))


class TeamCall:
    """A call of one compiled function for every record in the structured array `parts` (n_parts,).
    A team of threads shares these calls. Each row of the int64 array `boxes` (n_threads, w) is a
    box, in which one thread receives its calls.

    `function` is the address of the function. `handle` has two addresses, which compiled code
    passes as the first two arguments of `fwsvm.machine_code.compiled.call` to make the call.
    """

    def __init__(self, function: int, parts: np.ndarray, boxes: np.ndarray) -> None:
        self.parts, self.boxes = parts, boxes
        numbers = [
            function,
            parts.ctypes.data,
            parts.itemsize,
            len(parts),
            boxes.ctypes.data,
            _runner()[0],
        ]
        self.record = np.array(numbers)
        self.handle = np.array([numbers[-1], self.record.ctypes.data])


@compiled(inline=True)
def run_team_call(address: int, i: int, out: int) -> tuple[int, int]:
    """Run a `TeamCall`: for each of its `parts`, call its function with the address of this part
    and the integers `i` and `out`. `address` is the address of the array `TeamCall.record`.

    Return the address of the `parts`, and their number.
    """
    record = array_at(address, 6, np.int64)
    call(record[5], address, i, out)
    return record[1], record[3]


def new_boxes(n_threads: int) -> np.ndarray:
    return np.zeros((n_threads, _BOX_LENGTH), np.int64)
