"""Share the passes over all points between threads. The results do not depend on the number of threads."""

from functools import cache

import numpy as np

from fwsvm.base.compiled import array_at, compiled, machine_address
from fwsvm.base.team import run_job
from fwsvm.solvers.state import RECORD, new_choice, state_at
from fwsvm.solvers.steps import update_part_one, update_part_two
from fwsvm.solvers.vertices import best_partner


def share(state, dtype, workers):
    """Let `workers` share the passes over a state with columns of type `dtype`. Return their jobs, which must be kept.

    A state of few points is not shared.
    """
    parts, jobs = workers.parts(new_choice(state)), []
    if parts is not None:
        for place, (work, merge) in enumerate(((_update, _merge_extremes), (_find_partner, _merge_partners))):
            jobs.append(workers.job(_part_code(work, np.dtype(dtype))[0], parts))
            state.team[place] = _merge_code(merge)[0], jobs[-1].record.ctypes.data
    return jobs


@cache
def _part_code(work, dtype):
    dtype = dtype.type

    def part(data, i, j):
        record = array_at(data, 1, RECORD)[0]
        work(record, state_at(record), dtype, i, j)

    return machine_address(part)


@cache
def _merge_code(merge):
    def shared(job, i, j):
        parts = array_at(*run_job(job, i, j), RECORD)
        merge(parts, state_at(parts[0]))

    return machine_address(shared)


@compiled
def _update(record, state, dtype, i, j):
    m, begin, end, real = record.size, record.begin, record.end, state.real
    column = array_at(i, m, dtype)
    if j == 0:
        found = update_part_one(state, begin, end, real.scale, real.factor, column)
    else:
        found = update_part_two(state, begin, end, real.factor, column, array_at(j, m, dtype))
    record.low, record.i, record.high, record.j = found


@compiled
def _merge_extremes(parts, state):
    low, high = parts[0], parts[0]
    for t in range(1, parts.shape[0]):
        if parts[t].low < low.low:
            low = parts[t]
        if parts[t].high > high.high:
            high = parts[t]
    state.count.fw_vertex, state.count.away_vertex = low.i, high.j


@compiled
def _find_partner(record, state, dtype, i, j):
    column = array_at(j, record.size, dtype)
    record.high, record.j = best_partner(state, record.begin, record.end, i, column)


@compiled
def _merge_partners(parts, state):
    best = parts[0]
    for t in range(1, parts.shape[0]):
        if parts[t].high > best.high:
            best = parts[t]
    state.count.partner = best.j
