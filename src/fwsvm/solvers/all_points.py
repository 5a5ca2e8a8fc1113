"""The compiled loop over all m points: it keeps the whole gradient and takes columns from the cache.

It computes missing columns itself (`fwsvm.kernels.column_source`), and returns to Python when it has converged or
reached its limit of iterations. Another call goes on where it stopped.
"""

from fwsvm.base.compiled import compiled
from fwsvm.problems.column_cache import load
from fwsvm.solvers.constants import Reason, Step
from fwsvm.solvers.sampling import sampled_vertex
from fwsvm.solvers.state import choose
from fwsvm.solvers.steps import take_step, target_gap

# After this many samples without a violation the loop returns for a time check: `patience` has no bound.
_SAMPLES_BETWEEN_CHECKS = 4096


@compiled
def advance(choice, needs_column, rule, eps, floor, sampled, patience, sample, drawn, state, cache, source, limit):
    """Run a method until it stops or has made `limit` iterations in all; returns the reason.

    `choice`, `sample` and `source` are handles of a `state.Choice`, a `sampling.SampledVertex` and a `ColumnSource`;
    `drawn` has the points of the last sample. `floor` is the smallest gap that the columns' precision can show.
    Samples are judged by the eps in `real.stage`, which is halved down to `eps`.
    """
    columns, used = cache.columns, cache.slots.used
    s, count, real = state.s, state.count[0], state.real[0]
    m = s.shape[0]
    while True:
        R = real.objective
        if not sampled:
            i = count.fw_vertex
        elif count.pending >= 0:
            i = count.pending  # found before the loop paused
        else:
            count.samples += 1
            i, size = sampled_vertex(sample)
            for t in range(size):  # active points have their gradient
                if state.position[drawn[t]] < 0:
                    count.requested += count.active_size
        gap = 2.0 * (R - s[i])
        real.gap_seen = gap
        if gap <= max(target_gap(rule, real.stage, real.largest_diagonal, R), floor):
            if not sampled:
                return Reason.CONVERGED
            count.pending = -1
            count.empty_samples += 1
            if count.empty_samples >= patience:
                if real.stage <= eps:
                    return Reason.NO_VIOLATION
                real.stage = max(0.5 * real.stage, eps)
                count.empty_samples = 0
            if count.samples % _SAMPLES_BETWEEN_CHECKS == 0:
                return Reason.PAUSED
            continue
        count.empty_samples = 0
        count.pending = i
        if count.iterations >= limit:
            return Reason.PAUSED
        slot_i = load(cache, source, i, i) if needs_column else 0
        kind, i, j = choose(choice, i, columns[slot_i])
        slot_i = load(cache, source, i, i) if kind != Step.AWAY else 0
        slot_j = load(cache, source, j, i) if kind != Step.TOWARD else slot_i
        if kind == Step.AWAY:
            slot_i = slot_j
        used[slot_i] = 1
        used[slot_j] = 1
        count.requested += (2 if kind == Step.SWAP else 1) * (count.active_size if sampled else m)
        take_step(state, m, kind, i, j, columns[slot_i], columns[slot_j])
        count.pending = -1
