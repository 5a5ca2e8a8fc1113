"""Compare the vectorised exponential with that of NumPy over its whole range."""

import numpy as np
import pytest

from fwsvm.kernels.kinds import Kind, kernel_values

RANGES = pytest.mark.parametrize(
    ("dtype", "lowest", "bound", "below"),
    [(np.float32, -87.0, 2e-7, 2e-38), (np.float64, -700.0, 1e-15, 1e-304)],
)


def through_loops(x):
    """Return exp(x) for x <= 0, computed by the vectorised loop of the RBF kernel."""
    values = -x
    kernel_values(int(Kind.RBF), 1.0, 1, 0.0, values)
    return values


@RANGES
def test_values_on_the_whole_range(dtype, lowest, bound, below):
    fine = -np.concatenate(
        [np.linspace(0.0, -lowest, 200_001), np.geomspace(1e-30, -lowest, 200_001)]
    )
    # ends of the range to which arguments are reduced
    halves = -np.arange(0.0, -lowest, np.log(2) / 2)
    x = (
        np.concatenate([[0.0, -0.0], fine, halves, np.nextafter(halves, -np.inf)])
        .clip(lowest)
        .astype(dtype)
    )
    values = through_loops(x)
    assert np.abs(values / np.exp(x.astype(np.longdouble)) - 1.0).max() < bound
    assert values.max() == 1.0 and np.all(values[x == 0] == 1.0) and values.min() > 0.0
    ordered = values[np.argsort(x)]
    assert np.all(ordered[1:] >= ordered[:-1] * (1 - 2 * bound))
    # single values are not computed in vectors
    one_by_one = np.concatenate([through_loops(x[k : k + 1]) for k in range(0, len(x), 400)])
    assert np.abs(one_by_one / np.exp(x[::400].astype(np.longdouble)) - 1.0).max() < bound


@RANGES
def test_below_the_range_the_value_stays_at_its_end(dtype, lowest, bound, below):
    values = through_loops(np.array([lowest - 3.0, -800.0, -1e6, -1e30], dtype))
    assert np.all((values > 0) & (values < below)) and np.ptp(values) == 0.0
