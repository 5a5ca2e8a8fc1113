"""A check of the recorded iterates of a run by plain NumPy versions of the methods. These versions
were written from the definitions of the methods, and not from the solver's code.

A line search often gives two equal scores, and rounding then decides which of them comes first. A
reference that runs next to the solver would therefore soon take other steps. Instead, the reference
computes, for each recorded iterate, the steps that the method allows there. Several steps are
allowed only if scores are equal. The recorded step must be one of the allowed steps. By induction,
the whole sequence is then one of the method.
"""

import numpy as np

TIE = 1e-9


def target_gap(rule, eps, Q, R):
    """Return the largest gap at which a stopping rule is met, if the objective is R."""
    if rule == "meb":
        return ((1.0 + eps) ** 2 - 1.0) * (Q.diagonal().max() - R)
    return eps if rule == "gap" else eps * R


def toward(Q, a, i):
    """Step toward vertex i, and return (kind, length, new a)."""
    s = Q @ a
    R = a @ s
    length = np.clip((R - s[i]) / (Q[i, i] - 2 * s[i] + R), 0.0, 1.0)
    a = (1.0 - length) * a
    a[i] += length
    return "toward", length, a


def away(Q, a, j):
    """Step away from vertex j, and return (kind, length, new a)."""
    s = Q @ a
    R = a @ s
    bound = a[j] / (1.0 - a[j])
    length = min((s[j] - R) / (Q[j, j] - 2 * s[j] + R), bound)
    dropped = length == bound
    a = (1.0 + length) * a
    a[j] = 0.0 if dropped else a[j] - length
    return "away", length, a


def swap(Q, a, i, j):
    """Move weight from j to i, and return (kind, length, new a)."""
    s = Q @ a
    length = min((s[j] - s[i]) / (Q[i, i] - 2 * Q[i, j] + Q[j, j]), a[j])
    dropped = length == a[j]
    a = a.copy()
    a[i] += length
    a[j] = 0.0 if dropped else a[j] - length
    return "swap", length, a


def lowest(values, points):
    """Return those of `points` that have the smallest value. There are several if values are
    equal.
    """
    values = values[points]
    return np.asarray(points)[values <= values.min() + TIE * np.abs(values).max()]


def partners(Q, s, i, active):
    """Return the active points j with s_j > s_i for which a swap with i has the largest
    decrease.
    """
    active = active[s[active] > s[i]]
    gains = np.full(len(s), -np.inf)
    gains[active] = (s[active] - s[i]) ** 2 / (Q[i, i] - 2 * Q[i, active] + Q.diagonal()[active])
    return lowest(-gains, active)


def away_vertices(Q, s, R, active):
    """Return the active points j with s_j > R for which an away step promises the largest decrease.

    If all scores are R, there are none.
    """
    active = active[s[active] > R]
    if not len(active):
        return active
    gains = np.full(len(s), -np.inf)
    gains[active] = (s[active] - R) ** 2 / (Q.diagonal()[active] - 2 * s[active] + R)
    return lowest(-gains, active)


def decrease(Q, a, step):
    """Return the decrease of R = a'Qa by a step."""
    return a @ Q @ a - step[2] @ Q @ step[2]


def allowed_steps(Q, a, method, points, clipped=False):
    """Yield the steps that a method allows from a, with the toward vertex among `points`.

    If `clipped` is true, SWAP compares the decreases that its two steps really give.
    """
    s, active = Q @ a, np.flatnonzero(a > 0)
    R = a @ s
    for i in lowest(s, points):
        if method == "fw":
            yield toward(Q, a, i)
            continue
        by_toward = (R - s[i]) ** 2 / (Q[i, i] - 2 * s[i] + R)
        if method == "swap2o":
            candidates = partners(Q, s, i, active)
        elif method == "mfw2o":
            candidates = away_vertices(Q, s, R, active)
        else:
            candidates = lowest(-s, active)
        if not len(candidates):
            yield toward(Q, a, i)
        for j in candidates:
            if method == "pfw":
                yield swap(Q, a, i, j)
                continue
            if method in ("mfw", "mfw2o"):
                others = [away(Q, a, j)]
                advantage, scale = (R - s[i]) - (s[j] - R), np.abs(s).max()
                if method == "mfw2o":
                    by_away = (s[j] - R) ** 2 / (Q[j, j] - 2 * s[j] + R)
                    advantage, scale = by_toward - by_away, by_toward
            elif method == "bpfw":
                others = [swap(Q, a, k, j) for k in lowest(s, active) if k != j]
                advantage, scale = (R - s[i]) - (s[j] - s[active].min()), np.abs(s).max()
            else:
                others = [swap(Q, a, i, j)]
                by_swap = (s[j] - s[i]) ** 2 / (Q[i, i] - 2 * Q[i, j] + Q[j, j])
                advantage, scale = by_toward - by_swap, by_toward
                if clipped:
                    gains = decrease(Q, a, toward(Q, a, i)), decrease(Q, a, others[0])
                    advantage, scale = gains[0] - gains[1], np.abs(a @ Q @ a)
            if advantage > -TIE * scale:
                yield toward(Q, a, i)
            if advantage < TIE * scale:
                yield from others


class Recorded:
    """The recorded steps and iterates of a run, which are checked one after the other.

    Attributes
    ----------
    a : weights (m,) at the last checked step
    left : number of steps that are not checked yet
    requested : number of requested kernel values so far (counted by `follow` and `follow_cvm`)
    """

    def __init__(self, trace, m):
        self.trace, self.m, self.place, self.requested = trace, m, 0, 0
        self.a = self._dense(0)

    def _dense(self, place):
        a = np.zeros(self.m)
        indices, weights = self.trace.iterates[place]
        a[indices] = weights
        return a

    @property
    def left(self):
        return len(self.trace.step) - 1 - self.place

    def check(self, allowed):
        """Check that one of the `allowed` steps gives the next iterate, and go to this iterate."""
        self.place += 1
        after, allowed = self._dense(self.place), list(allowed)
        kind, length = self.trace.step[self.place], self.trace.step_size[self.place]
        for expected_kind, expected_length, expected in allowed:
            if (
                kind == expected_kind
                and np.isclose(length, expected_length, rtol=1e-7, atol=1e-9)
                and np.allclose(after, expected, rtol=1e-7, atol=1e-9)
                and np.array_equal(after > 0, expected > 0)
            ):
                self.a = after
                return
        raise AssertionError(
            f"step {self.place} is {kind} of length {length!r}, allowed:"
            f" {[step[:2] for step in allowed]}"
        )


def follow(Q, recorded, method, rule, eps, samples=None, patience=1, clipped=False):
    """Check all recorded steps, and return (stop reason, number of samples).

    If `samples` is given, `samples()` returns the next sample. Several values of `eps` are used one
    after the other. Each value is used until `patience` consecutive samples have no violation.
    """
    empty = looked = 0
    stages = [eps] if np.isscalar(eps) else list(eps)
    everyone = np.arange(len(Q))
    while True:
        s = Q @ recorded.a
        R = recorded.a @ s
        points = everyone if samples is None else samples()
        looked += samples is not None
        active = np.flatnonzero(recorded.a)
        if samples is not None:
            recorded.requested += np.count_nonzero(~np.isin(points, active)) * len(active)
        if 2.0 * (R - s[points].min()) <= target_gap(rule, stages[0], Q, R):
            empty += 1
            if empty == patience and len(stages) > 1:
                stages.pop(0)
                empty = 0
                continue
            if samples is None or empty == patience:
                return ("converged" if samples is None else "no_violation_in_samples"), looked
            continue
        if not recorded.left:
            return "iteration_limit", looked
        empty = 0
        vertices = 2 if recorded.trace.step[recorded.place + 1] == "swap" else 1
        recorded.requested += vertices * (len(Q) if samples is None else len(active))
        recorded.check(allowed_steps(Q, recorded.a, method, points, clipped))


def follow_cvm(Q, recorded, rule, eps, tolerance, samples=None, patience=1, fixed=False, most=None):
    """Check all recorded steps of the core vector machine, as `follow` does for the other methods.
    Return (stop reason, number of samples, number of points in the coreset).

    `tolerance` is the inner tolerance at the start. `samples(core)` draws a sample outside the
    coreset. A QP ends when no pair violates the inner tolerance, after a very short step, or after
    `most` steps. If `fixed` is false and a QP needs no step, the inner tolerance is halved first.
    """
    empty, looked, stage = 0, 0, max(0.1, eps)
    core = list(np.flatnonzero(recorded.a > 0))

    def solve_core(tolerance):
        steps = 0
        floor = 0.25 * target_gap(rule, eps, Q, recorded.a @ Q @ recorded.a)
        while True:
            s, active = Q @ recorded.a, np.flatnonzero(recorded.a > 0)
            if s[active].max() - s[core].min() <= tolerance:
                if fixed or steps or tolerance <= floor:
                    return tolerance
                tolerance = max(0.5 * tolerance, floor)
                continue
            if not recorded.left or steps == most:
                return tolerance
            recorded.check(
                swap(Q, recorded.a, i, j)
                for i in lowest(s, core)
                for j in partners(Q, s, i, active)
            )
            steps += 1
            recorded.requested += 2 * (len(Q) if samples is None else len(core))
            shortest = eps**2 if fixed else 0.5 * tolerance**2
            if recorded.trace.step_size[recorded.place] < shortest:
                return tolerance

    while True:
        s = Q @ recorded.a
        R = recorded.a @ s
        points = np.arange(len(Q)) if samples is None else samples(core)
        looked += samples is not None
        recorded.requested += (
            0 if samples is None else np.count_nonzero(~np.isin(points, core)) * len(core)
        )
        if len(points) and 2.0 * (R - s[points].min()) > target_gap(rule, stage, Q, R):
            empty = 0
            i = lowest(s, points).min()
            if i in core:
                tolerance *= 0.5
            else:
                recorded.requested += len(Q) if samples is None else len(core)
                core.append(i)
            if not (recorded.left or fixed):
                return "iteration_limit", looked, len(core)
            tolerance = solve_core(tolerance)
            continue
        empty += 1
        if samples is None or empty == patience:
            empty = 0
            if stage <= eps:
                return (
                    ("converged" if samples is None else "no_violation_in_samples"),
                    looked,
                    len(core),
                )
            stage = max(0.5 * stage, eps)
