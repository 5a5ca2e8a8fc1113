"""Generated sets: geometry and determinism."""

import numpy as np
import pytest

from fwsvm.base.errors import ConfigError
from fwsvm.datasets.generators import GENERATORS, checkerboard, generate, two_circles


def rng(seed=3):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("generator", GENERATORS.values())
def test_same_seed_same_points(generator):
    X, y = generator(101, rng())
    X_again, y_again = generator(101, rng())
    assert X.tobytes() == X_again.tobytes()
    assert y.tolist() == y_again.tolist()
    assert X.tobytes() != generator(101, rng(4))[0].tobytes()
    assert X.shape == (101, 2)
    assert set(y) == {-1, 1}


def test_checkerboard_alternates_over_sixteen_cells():
    X, y = checkerboard(20_000, rng())
    assert X.min() >= 0
    assert X.max() <= 4
    cells = np.floor(X).astype(int)
    assert len(np.unique(cells, axis=0)) == 16
    np.testing.assert_array_equal(y, np.where((cells[:, 0] + cells[:, 1]) % 2 == 0, 1, -1))
    assert abs(y.mean()) < 0.03


def test_checkerboards_of_growing_size_are_nested():
    np.testing.assert_array_equal(checkerboard(50, rng())[0], checkerboard(1000, rng())[0][:50])


def test_two_circles_have_their_radii_and_equal_numbers():
    X, y = two_circles(1001, rng(), inner_radius=0.3, outer_radius=2.0, noise=0.0)
    radius = np.hypot(*X.T)
    np.testing.assert_allclose(radius[y == 1], 0.3)
    np.testing.assert_allclose(radius[y == -1], 2.0)
    assert abs(y.sum()) == 1
    noisy = np.hypot(*two_circles(1001, rng(), noise=0.1)[0].T)
    assert 0.05 < noisy[y == -1].std() < 0.15


def test_parameter_that_cannot_be_used():
    with pytest.raises(ConfigError, match=r"generator two_circles: parameters .*'noise': -1.* cannot be used"):
        generate("two_circles", 5, rng(), {"noise": -1})
