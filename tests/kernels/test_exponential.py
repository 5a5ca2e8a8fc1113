"""The vectorised exponential against numpy's, over its whole range."""

import numpy as np
import pytest

from fwsvm.kernels.exponential import exp32, exp64, exp_nonpositive
from fwsvm.kernels.kinds import Kind, kernel_values


def arguments(lowest, dtype, n=200_001):
    """Zero, the ends of all binary orders of magnitude, and the range in fine steps."""
    fine = -np.concatenate([np.linspace(0.0, -lowest, n), np.geomspace(1e-30, -lowest, n)])
    halves = -np.arange(0.0, -lowest, np.log(2) / 2)  # ends of the reduced range
    return np.concatenate([[0.0, -0.0], fine, halves, np.nextafter(halves, -np.inf)]).clip(lowest).astype(dtype)


def relative_error(compute, x):
    exact = np.exp(x.astype(np.longdouble))
    values = np.array([compute(value) for value in x], dtype=np.longdouble)
    return np.abs(values / exact - 1.0).max()


def through_loops(x):
    """exp(x) as the kernels compute it, in vectors."""
    values = -x
    kernel_values(int(Kind.RBF), 1.0, 1, values)
    return values


def test_float32_error_on_the_whole_range():
    x = arguments(-87.0, np.float32)
    assert np.abs(through_loops(x) / np.exp(x.astype(np.float64)) - 1.0).max() < 2e-7


def test_float64_error_on_the_whole_range():
    x = arguments(-700.0, np.float64)
    exact = np.exp(x.astype(np.longdouble))
    assert np.abs(through_loops(x) / exact - 1.0).max() < 1e-14


def test_scalar_functions_are_those_of_the_loops():
    for function, lowest, dtype, bound in ((exp32, -87.0, np.float32, 2e-7), (exp64, -700.0, np.float64, 1e-14)):
        x = arguments(lowest, dtype, n=500)
        assert relative_error(function, x) < bound


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_never_above_one_and_one_at_zero(dtype):
    x = arguments(-1.0, dtype)
    values = through_loops(x)
    assert values.max() == 1.0
    assert np.all(through_loops(np.zeros(7, dtype)) == 1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rises_with_its_argument_up_to_rounding(dtype):
    lowest = -87.0 if dtype == np.float32 else -700.0
    values = through_loops(np.linspace(lowest, 0.0, 300_001).astype(dtype)).astype(np.float64)
    assert np.all(values[1:] >= values[:-1] * (1 - 4e-7))
    assert np.all(values > 0.0)


@pytest.mark.parametrize(("dtype", "below"), [(np.float32, 2e-38), (np.float64, 1e-304)])
def test_below_the_range_the_value_stays_at_its_end(dtype, below):
    far = np.array([-90.0, -800.0, -1e6, -1e30], dtype)
    if dtype == np.float64:
        far[0] = -701.0
    values = through_loops(far)
    assert np.all((values > 0) & (values < below))
    assert np.ptp(values) == 0.0


def test_only_for_compiled_code():
    with pytest.raises(NotImplementedError):
        exp_nonpositive(-1.0)
