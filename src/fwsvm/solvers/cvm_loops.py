"""The compiled loops for CVM's steps.

`advance_cvm` is the whole loop of `CvmDriver`. The loop of `CvmCoresetDriver` is in Python, and
calls `solve_inner`, `tighten` and `halve_eps`.

SMO solves the QPs over the coreset, and reads only columns over the coreset
(`fwsvm.solvers.block_loop`). The inner tolerance is the tolerance of SMO. If a point has joined the
coreset but SMO takes no step, `solve_inner` halves the inner tolerance, unless it is fixed
(`inner_fixed`). `solve_inner` does not reduce this tolerance below a quarter of the gap at which
the run ends. Only `tighten` and `CvmDriver.go_on_from` reduce it further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fwsvm.machine_code.compiled import compiled
from fwsvm.problems.column_cache import load, take_slot
from fwsvm.solvers.block_loop import minimise_block
from fwsvm.solvers.coreset_drivers import store_point
from fwsvm.solvers.drivers import SAMPLES_BETWEEN_CHECKS, VALUES_BETWEEN_CHECKS
from fwsvm.solvers.sampling import sampled_vertex
from fwsvm.solvers.state import Reason
from fwsvm.solvers.steps import MOST_IDLE_STEPS, target_gap

if TYPE_CHECKING:
    from fwsvm.problems.column_cache import Cache, Slots
    from fwsvm.solvers.sampling import Sampler
    from fwsvm.solvers.state import State


class CvmNumbers:
    """The fields of the record with CVM's numbers."""

    current_eps: float
    inner_tolerance: float
    members: int  # number of points in the coreset
    inner_open: int  # 1 while the QP over the coreset is not solved
    inner_steps: int
    inner_fixed: int
    most_inner_steps: int


CVM_NUMBERS = np.dtype(
    [
        (name, {"float": "f8", "int": "i8"}[kind])
        for name, kind in CvmNumbers.__annotations__.items()
    ]
)


class Whole(NamedTuple):
    """The arrays of `CvmDriver` over all m points and over the coreset."""

    s: np.ndarray  # (m,): the gradient
    seen: np.ndarray  # (capacity,): the weights to which `s` belongs
    ids: np.ndarray  # (capacity,): the points of the coreset
    local: np.ndarray  # (m,): each point's place in the coreset, or -1
    diagonal: np.ndarray  # (m,): diag(Q)


@compiled
def solve_inner(
    state: State,
    n: int,
    numbers: CvmNumbers,
    rule: int,
    eps: float,
    columns: np.ndarray,
    slots: Slots,
    limit: int,
) -> Reason:
    """Run SMO on the QP over the coreset, and return a `Reason`.

    The first n points of the state are the coreset.
    """
    count, real = state.count, state.real
    # The inner tolerance is not halved below `floor`, a quarter of the gap at which the run ends.
    # If a run needs a smaller inner tolerance, `tighten` reduces it.
    floor = max(0.25 * target_gap(rule, eps, real.largest_diagonal, real.objective), 0.0)
    fixed = numbers.inner_fixed == 1
    while True:
        shortest = eps**2 if fixed else 0.5 * numbers.inner_tolerance**2
        before = count.iterations
        most = limit
        if numbers.most_inner_steps - numbers.inner_steps < limit - before:
            most = before + numbers.most_inner_steps - numbers.inner_steps
        reason = minimise_block(state, n, columns, slots, numbers.inner_tolerance, shortest, most)
        numbers.inner_steps += count.iterations - before
        if reason == Reason.PAUSED and count.iterations < limit:
            # SMO has reached the maximum number of steps for one QP, so the QP counts as solved
            return Reason.CONVERGED
        if reason != Reason.CONVERGED:
            return reason
        if fixed or numbers.inner_steps > 0 or numbers.inner_tolerance <= floor:
            return Reason.CONVERGED
        numbers.inner_tolerance = max(0.5 * numbers.inner_tolerance, floor)


@compiled
def halve_eps(numbers: CvmNumbers, eps: float) -> bool:
    """Halve `numbers.current_eps`, but not below the final value `eps`.

    Return False if `numbers.current_eps` already has the final value, and True otherwise.
    """
    if numbers.current_eps <= eps:
        return False
    numbers.current_eps = max(0.5 * numbers.current_eps, eps)
    return True


@compiled
def tighten(state: State, numbers: CvmNumbers) -> bool:
    """Halve the inner tolerance, so that the QP over the coreset is solved again.

    A smaller tolerance is needed if the QP is solved but a point of the coreset violates the
    stopping rule.

    Return True, unless this function was called many times and SMO took no step. In this case,
    return False, because rounding errors prevent any progress.
    """
    numbers.inner_tolerance *= 0.5
    numbers.inner_open = 1
    numbers.inner_steps = 0
    state.count.idle_steps += 1
    return state.count.idle_steps < MOST_IDLE_STEPS


@compiled
def update_gradient(
    state: State, n: int, whole: Whole, cache: Cache, source: np.ndarray
) -> tuple[int, bool]:
    """Update the gradient at all points for the weights that changed since the last call.

    Return two values: the number of updated gradient entries, and whether some changed weights are
    not included in the gradient yet. If some are not included, the caller checks the time limit and
    calls this function again.
    """
    s, seen, a = whole.s, whole.seen, state.a
    m, updates = s.shape[0], 0
    for c in range(n):
        change = a[c] - seen[c]
        if change == 0.0:
            continue
        if updates > VALUES_BETWEEN_CHECKS:
            return updates, True
        column = cache.columns[load(cache, source, whole.ids[c], np.int64(-1))]
        for r in range(m):
            s[r] += change * column[r]
        seen[c] = a[c]
        updates += m
    return updates, False


@compiled
def write_block_column(
    place: int,
    pending: int,
    n: int,
    whole: Whole,
    columns: np.ndarray,
    slots: Slots,
    cache: Cache,
    source: np.ndarray,
) -> None:
    """Store column `place` of Q for the points of the coreset. The entries are copied from the
    column for all points.
    """
    target = columns[take_slot(slots, place, pending)]
    column = cache.columns[load(cache, source, whole.ids[place], np.int64(-1))]
    for c in range(n):
        target[c] = column[whole.ids[c]]


@compiled
def join(
    i: int,
    state: State,
    numbers: CvmNumbers,
    whole: Whole,
    columns: np.ndarray,
    slots: Slots,
    cache: Cache,
    source: np.ndarray,
) -> None:
    """Add point i to the coreset. The QP over the coreset must then be solved again."""
    n = numbers.members
    whole.ids[n] = i
    whole.local[i] = n
    whole.seen[n] = 0.0
    store_point(state, n, whole.s[i], whole.diagonal[i])
    column = cache.columns[load(cache, source, i, np.int64(-1))]
    for slot in range(slots.clock[0]):
        columns[slot, n] = column[whole.ids[slots.owner[slot]]]
    numbers.members += 1
    numbers.inner_open = 1
    numbers.inner_steps = 0


@compiled
def advance_cvm(
    rule: int,
    eps: float,
    floor: float,
    patience: int,
    sampler: Sampler | None,
    rejects: bool,
    state: State,
    numbers: CvmNumbers,
    whole: Whole,
    block: Cache,
    cache: Cache,
    source: np.ndarray,
    limit: int,
) -> Reason:
    """Run CVM until it stops, or until it has done `limit` iterations. Return the `Reason`. It is
    NEEDS_ROOM if the arrays are too small for another point of the coreset.

    `block` has the columns of Q over the coreset, and `cache` has the columns of Q over all points.
    `rejects` says whether samples omit the points of the coreset. For `numbers` and `whole`, see
    their classes. The other arguments are those of `drivers.advance`.
    """
    s, real, count = whole.s, state.real, state.count
    columns, slots = block.columns, block.slots
    rejected = whole.local if rejects else whole.local[:0]
    while True:
        n = numbers.members
        if n + 1 >= state.a.shape[0]:
            return Reason.NEEDS_ROOM
        if numbers.inner_open == 1:
            before = count.iterations
            reason = solve_inner(state, n, numbers, rule, eps, columns, slots, limit)
            count.requested += 2 * n * (count.iterations - before)
            if reason == Reason.NEEDS_COLUMN:
                write_block_column(
                    count.missing, count.pending, n, whole, columns, slots, cache, source
                )
                continue
            if reason != Reason.CONVERGED:
                return reason
            numbers.inner_open = 0
        updates, more = update_gradient(state, n, whole, cache, source)
        if sampler is None:
            count.requested += updates
        if more:
            return Reason.PAUSED
        for c in range(n):
            state.s[c] = s[whole.ids[c]]
        R = real.objective
        if sampler is None:
            i: int = s.argmin()  # type: ignore[assignment]  # numba returns an int64
        else:
            count.samples += 1
            i, size = sampled_vertex(sampler, rejected, s)
            for t in range(size):
                if whole.local[sampler.sample[t]] < 0:
                    count.requested += n
        gap = 2.0 * (R - s[i]) if i >= 0 else 0.0
        real.gap_seen = gap
        if gap > max(target_gap(rule, numbers.current_eps, real.largest_diagonal, R), floor):
            count.empty_samples = 0
            if whole.local[i] < 0:
                count.requested += n
                join(i, state, numbers, whole, columns, slots, cache, source)
            elif not tighten(state, numbers):
                return Reason.NO_PROGRESS
            continue
        count.empty_samples += 1
        if sampler is None or count.empty_samples >= patience:
            count.empty_samples = 0
            if not halve_eps(numbers, eps):
                return Reason.CONVERGED if sampler is None else Reason.NO_VIOLATION
        if sampler is not None and count.samples % SAMPLES_BETWEEN_CHECKS == 0:
            return Reason.PAUSED
