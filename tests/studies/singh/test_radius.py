"""Compare our run of Listing 3 of singh with a transcription. The transcription stores only the
numbers that the paper stores.
"""

import numpy as np
import pytest

from fwsvm_papers.datasets.generators import two_circles
from fwsvm_papers.studies.singh.radius import CORRECTED, PRINTED, follow_listing


def circles(m, seed, C=1000.0):
    X, y = two_circles(m, np.random.default_rng(seed))
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    Q = np.outer(y, y) * (np.exp(-distances / 2) + 1) + np.eye(m) / C
    between = np.where(np.outer(y, y) < 0, np.exp(-distances / 2), -np.inf)
    return Q, np.sort(np.unravel_index(between.argmax(), Q.shape))


def transcribed(Q, pair, eps, most_steps, sign=-1):
    """Run Listing 3 of the paper, line by line. Return the weights, the squared radii and the step
    numbers of the away steps.
    """
    alpha = np.zeros(len(Q))
    alpha[pair] = 0.5
    coreset = list(pair)
    delta_sq = Q[0, 0]

    def look():
        duals = alpha[coreset]
        R = duals @ Q[np.ix_(coreset, coreset)] @ duals
        gamma = Q[:, coreset] @ duals
        i, j = gamma.argmin(), coreset[gamma[coreset].argmax()]
        return (
            R,
            i,
            (delta_sq + R - 2 * gamma[i]) / r_sq - 1,
            j,
            1 - (delta_sq + R - 2 * gamma[j]) / r_sq,
        )

    r_sq = delta_sq - alpha @ Q @ alpha
    radii, away = [r_sq], []
    _, i, plus, j, minus = look()
    while 1 + plus > (1 + eps) ** 2 and len(radii) <= most_steps:
        if plus >= minus:
            if i not in coreset:
                coreset.append(i)
            step = plus / (2 * (1 + plus))
            alpha = (1 - step) * alpha
            alpha[i] += step
            r_sq = r_sq * (1 + plus**2 / (4 * (1 + plus)))
        else:
            away.append(len(radii))
            step = minus / (2 * (1 - minus))
            most = alpha[j] / (1 - alpha[j])
            if step > most:
                step = most
                coreset.remove(j)
            weight = alpha[j]
            alpha = (1 + step) * alpha
            alpha[j] = 0 if step == most else (1 + step) * weight - step
            r_sq = (1 + step) * r_sq * (1 + sign * step * (minus - 1))
        radii.append(r_sq)
        _, i, plus, j, minus = look()
    return alpha, radii, away


@pytest.mark.parametrize("seed", range(3))
def test_printed_listing_is_the_papers(seed):
    Q, pair = circles(120, seed)
    alpha, radii, away = transcribed(Q, pair, 1e-6, 400)
    found = follow_listing(Q, pair, [0.5, 0.5], 1e-6, 400, PRINTED)
    assert found["steps"] == len(radii) - 1
    assert found["away_steps"] == len(away) and found["first_away"] == (away[0] if away else None)
    weights = np.zeros(len(Q))
    weights[found["support"]] = found["weights"]
    np.testing.assert_allclose(weights, alpha, atol=1e-9)
    np.testing.assert_allclose(found["radius2"], np.array(radii)[found["iteration"]], rtol=1e-9)


def test_printed_update_makes_the_radius_jump_and_ends_the_run():
    Q, pair = circles(240, 0)
    found = follow_listing(Q, pair, [0.5, 0.5], 1e-6, 5000, PRINTED)
    assert found["stop_reason"] == "converged" and 1 <= found["away_steps"] <= 2
    assert found["radius2"][-1] > found["true_radius2"][-1] + 1e-4
    assert found["final_gap"] > 0.1


def test_corrected_radius_is_that_of_the_weights():
    Q, pair = circles(120, 1)
    found = follow_listing(Q, pair, [0.5, 0.5], 1e-6, 3000, CORRECTED)
    np.testing.assert_allclose(found["radius2"], found["true_radius2"], rtol=1e-10)
    weights = np.zeros(len(Q))
    weights[found["support"]] = found["weights"]
    assert weights.sum() == pytest.approx(1) and weights.min() >= 0
    assert found["true_radius2"][-1] == pytest.approx(Q[0, 0] - weights @ Q @ weights, rel=1e-12)
    s = Q @ weights
    assert found["final_gap"] == pytest.approx(
        2 * (weights @ s - s.min()) / (weights @ s), rel=1e-6
    )
    assert found["printed_radius2"][-1] > found["true_radius2"][-1]
