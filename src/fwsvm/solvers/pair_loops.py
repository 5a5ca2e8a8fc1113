"""The compiled loops of `fwsvm.solvers.small_pairs`: training and certification of pairs of classes
with few points.

Arrays "in the order of the classes" have the points of the first class first, then those of the
second class, and so on. Class c has the places from `begins[c]` to `begins[c + 1]`.
"""

from __future__ import annotations

import math

import numpy as np

from fwsvm.kernels.rounding import UNDERFLOW, UNIT, sum_error
from fwsvm.machine_code.compiled import compiled
from fwsvm.problems.column_cache import Cache, load
from fwsvm.solvers.block_loop import minimise_block
from fwsvm.solvers.state import INACTIVE, Reason, State, deactivate, refresh_objective

# A Newton step computes at most _MOST_MINIMISERS minimisers, each over fewer points. On 19 small
# problems, the values 4, 8 and 16 lead to the same times. With 2, one problem takes six times as
# long.
_MOST_MINIMISERS = 8

_sum_error = compiled(sum_error, inline=True)


@compiled
def _write_pair(
    first: np.ndarray,
    between: np.ndarray,
    column: int,
    second: np.ndarray,
    offset: float,
    shifts: np.ndarray,
    Q: np.ndarray,
) -> None:
    """Write Q_ij = y_i y_j (k_ij + offset) + delta_ij shift_i for a pair of classes of p and q
    points.

    The kernel values are `first` (p, p) and `second` (q, q) within the classes, and the q columns
    of `between` from `column`. The labels y are 1 in the first class and -1 in the second.
    """
    p, q = len(first), len(second)
    for i in range(p):
        row, values, others = Q[i], first[i], between[i, column : column + q]
        for j in range(p):
            row[j] = values[j] + offset
        for j in range(q):
            value = -(others[j] + offset)
            row[p + j] = value
            Q[p + j, i] = value
        row[i] += shifts[i]
    for i in range(q):
        row, values = Q[p + i], second[i]
        for j in range(q):
            row[p + j] = values[j] + offset
        row[p + i] += shifts[p + i]


@compiled(reassociate=True)
def _factorise(A: np.ndarray) -> bool:
    """Replace the lower triangle of A (k, k) by its Cholesky factor. Return False if A is not
    positive definite.
    """
    for i in range(len(A)):
        row = A[i]
        for j in range(i + 1):
            other = A[j]
            total = row[j]
            for r in range(j):
                total -= row[r] * other[r]
            if j < i:
                row[j] = total / other[j]
            elif total > 0.0:
                row[j] = math.sqrt(total)
            else:
                return False
    return True


@compiled
def _solve_ones(L: np.ndarray, z: np.ndarray) -> None:
    """Write the solution of L L' z = (1, ..., 1) into z (k,), for a lower triangle L (k, k)."""
    k = len(L)
    for i in range(k):
        total = 1.0
        for r in range(i):
            total -= L[i, r] * z[r]
        z[i] = total / L[i, i]
    for i in range(k - 1, -1, -1):
        z[i] /= L[i, i]
        for r in range(i):
            z[r] -= L[i, r] * z[i]


@compiled
def newton_step(state: State, n: int, cache: Cache) -> bool:
    """Move to the minimiser of a'Qa over the active points, with weights that sum to 1 and can be
    negative. Points whose weight would be negative are left out, and the minimiser is computed
    again.

    Return False if nothing changed: if the minimiser does not decrease the objective, if negative
    weights remain, if a column is not cached, or if rounding errors make Q indefinite. Otherwise,
    compute the gradient anew, and return True.
    """
    count = state.count
    active = state.active[: count.active_size].copy()
    chosen, z = active, np.zeros(0)
    total, is_inside = 0.0, False
    for _ in range(_MOST_MINIMISERS):
        k = len(chosen)
        A = np.empty((k, k))
        for i in range(k):
            slot = cache.slots.slot_of[chosen[i]]
            if slot < 0:
                return False
            for j in range(i + 1):
                A[i, j] = cache.columns[slot, chosen[j]]
        if not _factorise(A):
            return False
        z = np.empty(k)
        _solve_ones(A, z)
        total = z.sum()
        is_inside = z.min() > 0.0
        chosen = chosen[z > 0.0]
        if is_inside or len(chosen) == 0:
            break
    if not is_inside or 1.0 / total >= state.real.objective:
        return False
    state.a[active] = 0.0
    for i in range(len(chosen)):
        state.a[chosen[i]] = z[i] / total
    for i in active:
        if not state.a[i] > 0.0:
            deactivate(state, i)
    state.s[:n] = 0.0
    for p in range(count.active_size):
        j = state.active[p]
        column, weight = cache.columns[cache.slots.slot_of[j]], state.a[j]
        for i in range(n):
            state.s[i] += weight * column[i]
    refresh_objective(state)
    return True


@compiled
def train_pair(
    source: np.ndarray,
    diagonal: np.ndarray,
    shifts: np.ndarray,
    eps: float,
    trial: int,
    limit: int,
    most_equations: int,
    cache: Cache,
    state: State,
) -> int:
    """Minimise a'Qa until the relative gap is at most `eps`, until rounding errors hide any
    progress, or for at most `limit` steps. Training starts at the first point, with the swap
    steps of SWAP-2o.

    A Newton step on the active points follows after every n steps. If n steps take less time than
    the Newton step will, it follows only after as many steps as take about the same time. There is
    no Newton step if there are more than `most_equations` active points.

    Return 0 if the gap is more than twice the objective after `trial`, 2 `trial`, 4 `trial`, ...
    steps, and there was a Newton step or there are too many active points for it. The general
    solver is then likely to be faster. Otherwise, return 1 at the end, or 2 if there were Newton
    steps.

    `diagonal` (n,) is the diagonal of Q without the `shifts` (n,). Columns that the cache does not
    have are computed by `source` (`ColumnSource.handle`).

    At the end, unless the result is 0, `state.a` has the weights, which sum to 1, and `state.s` has
    the gradient, which is computed anew from the weights. The cached columns of points with
    positive weights then have no diagonal shift.
    """
    n, count, real = len(diagonal), state.count, state.real
    columns = cache.columns
    slot = load(cache, source, 0, np.int64(-1))
    for i in range(n):
        state.a[i] = 0.0
        state.s[i] = columns[slot, i]
        state.diagonal[i] = diagonal[i] + shifts[i]
        state.penalty[i] = INACTIVE
        state.position[i] = -1
    state.a[0] = 1.0
    state.penalty[0] = 0.0
    state.position[0] = 0
    state.active[0] = 0
    count.active_size = 1
    count.iterations = 0
    count.swap_steps = 0
    count.drop_steps = 0
    count.idle_steps = 0
    real.objective = state.s[0]
    end = min(trial, limit)
    last_newton, result = 0, 1
    # `minimise_block` ends when the highest gradient of an active point is close to the lowest
    # gradient. The gap is at most twice the difference of these gradients, and often less than it.
    tolerance = 1.0
    while True:
        gap = 2.0 * (real.objective - state.s[:n].min())
        target = eps * abs(real.objective)
        if gap <= target or count.iterations >= limit:
            break
        k = count.active_size
        # a step of SWAP-2o takes two passes over n numbers, and a Newton step k^3 / 6 products
        wait = max(n, k * k * k // (12 * n)) if k <= most_equations else limit
        if count.iterations - last_newton >= wait:
            last_newton = count.iterations
            if newton_step(state, n, cache):
                result = 2
                continue
        if count.iterations >= end:
            if gap > 2.0 * real.objective and (k > most_equations or result == 2):
                return 0
            end = min(2 * end, limit)
        made = count.iterations
        reason = Reason.NEEDS_COLUMN
        while reason == Reason.NEEDS_COLUMN:
            count.pending = -1
            reason = minimise_block(
                state,
                n,
                columns,
                cache.slots,
                tolerance * target,
                0.0,
                min(end, last_newton + wait),
            )
            if reason == Reason.NEEDS_COLUMN:
                load(cache, source, count.missing, count.pending)
        refresh_objective(state)
        if reason == Reason.CONVERGED:
            if tolerance == 0.5 and (count.iterations == made or real.step_length == 0.0):
                break  # rounding errors hide any progress
            tolerance = max(0.75 * tolerance, 0.5)
    total = 0.0
    for i in range(n):
        total += state.a[i]
        state.s[i] = 0.0
    for j in range(n):
        if state.a[j] > 0.0:
            state.a[j] /= total
            row = columns[load(cache, source, j, np.int64(-1))]
            # the diagonal shift is added after the sum, because the sum then has smaller rounding
            # errors
            row[j] = diagonal[j]
            for i in range(n):
                state.s[i] += state.a[j] * row[i]
    for j in range(n):
        state.s[j] += shifts[j] * state.a[j]
    return result


@compiled
def train_group(
    p: int,
    others: np.ndarray,
    order: np.ndarray,
    begins: np.ndarray,
    within: np.ndarray,
    within_begins: np.ndarray,
    between: np.ndarray,
    diagonal: np.ndarray,
    shifts: np.ndarray,
    offset: float,
    eps: float,
    trials: np.ndarray,
    limits: np.ndarray,
    entries: float,
    most_equations: int,
    cache: Cache,
    state: State,
    a: np.ndarray,
    s: np.ndarray,
    points: np.ndarray,
    found: np.ndarray,
) -> None:
    """Train the pairs of class `p` and each class of `others` (g,) with `train_pair`.

    `begins`, `diagonal` (m,) and `shifts` (m,) are in the order of the classes. The kernel values
    within class c are the entries of `within` from `within_begins[c]`. `between` has the kernel
    values between class p and the points of all `others`. `trials` (g,) and `limits` (g,) are
    numbers of steps. Once all steps together have updated `entries` entries of gradients, a pair of
    n points gets only n steps.

    The weights, the gradients and the indices of the points of all pairs are written into `a`, `s`
    and `points`, one pair after the other. The index of a point is an entry of `order` (m,). A row
    of `found` (g, 4) gets the result of `train_pair`, and the numbers of all steps, of swap steps
    and of drop steps.
    """
    n_first = begins[p + 1] - begins[p]
    at, column = 0, 0
    source = np.zeros(2, np.int64)  # all columns are stored, so no column is computed
    own_diagonal, own_shifts = np.empty(len(state.a)), np.empty(len(state.a))
    first = within[within_begins[p] : within_begins[p] + n_first * n_first]
    for k in range(len(others)):
        q = others[k]
        n_second = begins[q + 1] - begins[q]
        n = n_first + n_second
        for i in range(n):
            place = begins[p] + i if i < n_first else begins[q] + i - n_first
            own_diagonal[i], own_shifts[i] = diagonal[place], shifts[place]
            points[at + i] = order[place]
        second = within[within_begins[q] : within_begins[q] + n_second * n_second]
        columns = cache.columns.reshape(-1)[: n * n].reshape(n, n)
        _write_pair(
            first.reshape(n_first, n_first),
            between,
            column,
            second.reshape(n_second, n_second),
            offset,
            own_shifts,
            columns,
        )
        limit = int(min(float(limits[k]), max(float(n), entries / n)))
        result = train_pair(
            source,
            own_diagonal[:n],
            own_shifts[:n],
            eps,
            trials[k],
            limit,
            most_equations,
            Cache(columns, cache.slots),
            state,
        )
        entries -= n * state.count.iterations
        found[k, 0] = result
        found[k, 1] = state.count.iterations
        found[k, 2] = state.count.swap_steps
        found[k, 3] = state.count.drop_steps
        a[at : at + n] = state.a[:n]
        s[at : at + n] = state.s[:n]
        at += n
        column += n_second


@compiled
def certify_group(
    p: int,
    others: np.ndarray,
    begins: np.ndarray,
    a: np.ndarray,
    s: np.ndarray,
    shifts: np.ndarray,
    of_values: np.ndarray,
    relative: float,
    offset: float,
    found: np.ndarray,
) -> None:
    """Compute the numbers from which the certificates of the pairs of class `p` and each class of
    `others` (g,) follow. A row of `found` (g, 3) gets the objective, a bound on its rounding error,
    and a lower bound on the entries of the exact gradient.

    `a` and `s` are those of `train_group`. `begins`, `shifts` (m,) and `of_values` (m,) are in the
    order of the classes.

    If `relative` is 0, the kernel is isotropic, and the error of a kernel value k(x, z) is at most
    the entry of z in `of_values`. Otherwise, `of_values` has the square roots of k(z, z), and the
    error is at most `relative` times the product of the square roots of k(x, x) and k(z, z).
    """
    n_first = begins[p + 1] - begins[p]
    at = 0
    for k in range(len(others)):
        q = others[k]
        n = n_first + begins[q + 1] - begins[q]
        jump = begins[q] - n_first - begins[p]
        n_support, objective, magnitude, of_sums = 0, 0.0, 0.0, 0.0
        for i in range(n):
            weight = a[at + i]
            if weight > 0.0:
                place = begins[p] + i + (0 if i < n_first else jump)
                n_support += 1
                objective += weight * s[at + i]
                magnitude += weight * abs(s[at + i])
                of_sums += weight * of_values[place]
        # The weights sum to 1. Kernel values of an isotropic kernel are at most 1.
        of_sum = _sum_error(n_support)
        fixed = of_sum * offset + (of_sums + of_sum if relative == 0.0 else UNDERFLOW)
        scale = 0.0 if relative == 0.0 else 1.01 * (relative + of_sum) * of_sums
        error, lowest = of_sum * magnitude, np.inf
        for i in range(n):
            place = begins[p] + i + (0 if i < n_first else jump)
            weight = a[at + i]
            own = fixed + scale * of_values[place] + 4.0 * UNIT * weight * shifts[place]
            error += weight * own
            lowest = min(lowest, s[at + i] - own)
        found[k, 0], found[k, 1], found[k, 2] = objective, error, lowest
        at += n
