"""The algorithm in Listing 3 of singh (frandi2013 Alg. 3), with the printed or the corrected update
of the radius.

Let r be the radius of the ball, gamma_j the distance of point j from the centre, and d = 1 -
gamma_j^2 / r^2. After an away step of length l from j, the squared radius is (1 + l) r^2 (1 + l (d
- 1)). The paper prints a larger value, (1 + l) r^2 (1 - l (d - 1)). The algorithm then stops too
early, because its stopping rule uses the squared radius.
"""

import numpy as np

PRINTED, CORRECTED = -1.0, 1.0  # sign of the term l (d - 1) in the update after an away step
STEPS_KEPT = 160
_BETWEEN_REFRESHES = 500


def follow_listing(
    Q: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    eps: float,
    most_steps: int,
    sign: float,
) -> dict:
    """Run Listing 3, and return a record of the run.

    `sign` is the sign of the term l (d - 1) when the squared radius is updated after an away step.
    This sign also affects the later steps and the stopping rule, because both depend on the squared
    radius.

    The matrix Q (m, m) must have a constant diagonal D. The run starts with the weights a =
    `weights` at `indices`. For recorded steps, the result has the numbers of the steps
    (``iteration``), ``radius2`` (updated with `sign`), ``printed_radius2`` (updated as printed),
    ``true_radius2`` = D - a'Qa, and ``relative_gap``. The result also has the number of steps, the
    number of away steps, the first away step (None if there is none), the stop reason, the final
    gap, and the final ``weights`` of the points in ``support``.
    """
    diagonal = float(Q[0, 0])
    if not np.allclose(Q.diagonal(), diagonal):
        raise ValueError("Q must have a constant diagonal")
    a = np.zeros(len(Q))
    a[indices] = weights
    s = Q @ a
    R = float(a @ s)
    radius2 = printed = diagonal - R
    records: list[tuple] = []
    away_steps, first_away = 0, None
    while True:
        if len(records) % _BETWEEN_REFRESHES == 0:
            s = Q @ a
            R = float(a @ s)
        i, j = int(s.argmin()), int(np.where(a > 0, s, -np.inf).argmax())
        d_plus = (diagonal + R - 2.0 * s[i]) / radius2 - 1.0
        d_minus = 1.0 - (diagonal + R - 2.0 * s[j]) / radius2
        records.append((radius2, diagonal - R, printed, 2.0 * (R - s[i]) / R))
        if 1.0 + d_plus <= (1.0 + eps) ** 2 or len(records) > most_steps:
            break
        if d_plus >= d_minus:
            length = d_plus / (2.0 * (1.0 + d_plus))
            factor = 1.0 + d_plus**2 / (4.0 * (1.0 + d_plus))
            radius2, printed = factor * radius2, factor * printed
            R = (1 - length) ** 2 * R + 2 * length * (1 - length) * s[i] + length**2 * diagonal
            s = (1.0 - length) * s + length * Q[i]
            a *= 1.0 - length
            a[i] += length
            continue
        away_steps += 1
        first_away = len(records) if first_away is None else first_away
        bound = a[j] / (1.0 - a[j])
        length = min(d_minus / (2.0 * (1.0 - d_minus)), bound)
        radius2 *= (1.0 + length) * (1.0 + sign * length * (d_minus - 1.0))
        printed *= (1.0 + length) * (1.0 - length * (d_minus - 1.0))
        R = (1 + length) ** 2 * R - 2 * length * (1 + length) * s[j] + length**2 * diagonal
        s = (1.0 + length) * s - length * Q[j]
        a *= 1.0 + length
        a[j] = 0.0 if length == bound else a[j] - length
    last = len(records) - 1
    kept = np.unique(
        np.rint(np.concatenate([[0], np.geomspace(1, max(last, 1), STEPS_KEPT)])).astype(int)
    )
    kept = kept[kept <= last]
    columns = np.array(records)[kept].T.tolist()
    names = ("radius2", "true_radius2", "printed_radius2", "relative_gap")
    return {
        "iteration": kept.tolist(),
        **dict(zip(names, columns, strict=True)),
        "steps": last,
        "away_steps": away_steps,
        "first_away": first_away,
        "stop_reason": "converged" if 1.0 + d_plus <= (1.0 + eps) ** 2 else "iteration_limit",
        "final_gap": float(records[-1][3]),
        "support": np.flatnonzero(a > 0).tolist(),
        "weights": a[a > 0].tolist(),
    }
