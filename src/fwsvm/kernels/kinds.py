"""Define the kernel functions. To add one, add a member to `Kind` and a branch to `kernel_values`.

Isotropic kernels depend on the squared distance |x - z|^2, the others on the dot product x'z.
"""

from enum import IntEnum

import numpy as np
from numba import types
from numba.extending import overload

from fwsvm.base.compiled import compiled, fast_max, fast_min

# The vectorised exp(x) uses x = k ln 2 + f with |f| <= ln 2 / 2. For accuracy, ln 2 is split into two numbers
# (Cody and Waite). A polynomial approximates exp(f), and k gives the exponent bits of 2^k. The relative error is below
# 2e-7 (float32, x in [-87, 0]) and 1e-14 (float64, x in [-700, 0]).
_F = np.float32
LOG2E32, LN2_HIGH32, LN2_LOW32 = _F(1.4426950408889634), _F(0.693359375), _F(-2.12194440e-4)
ROUND32, LOWEST32 = _F(12582912.0), _F(-87.0)
P2, P3, P4 = _F(5.0000001201e-1), _F(1.6666665459e-1), _F(4.1665795894e-2)
P5, P6, P7 = _F(8.3334519073e-3), _F(1.3981999507e-3), _F(1.9875691500e-4)
ONE32 = _F(1.0)


@compiled(inline=True)
def exp32(x):
    """Compute exp(x) for float32 x <= 0."""
    x = fast_max(x, LOWEST32)
    k = (x * LOG2E32 + ROUND32) - ROUND32
    f = x - k * LN2_HIGH32 - k * LN2_LOW32
    p = ((((P7 * f + P6) * f + P5) * f + P4) * f + P3) * f + P2
    p = p * f * f + f + ONE32
    return p * np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)


@compiled(inline=True)
def exp64(x):
    """Compute exp(x) for float64 x <= 0."""
    x = fast_max(x, -700.0)
    k = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0
    f = x - k * 0.6931471803691238 - k * 1.9082149292705877e-10
    p = ((1.0 / 479001600.0 * f + 1.0 / 39916800.0) * f + 1.0 / 3628800.0) * f + 1.0 / 362880.0
    p = (((p * f + 1.0 / 40320.0) * f + 1.0 / 5040.0) * f + 1.0 / 720.0) * f + 1.0 / 120.0
    p = ((((p * f + 1.0 / 24.0) * f + 1.0 / 6.0) * f + 0.5) * f + 1.0) * f + 1.0
    return p * np.int64((np.int64(k) + 1023) << 52).view(np.float64)


def exp_nonpositive(x):
    """Compute exp(x) for x <= 0 in the precision of `x`; callable only from compiled code."""
    raise NotImplementedError("exp_nonpositive can only be called from compiled code")


@overload(exp_nonpositive, inline="always")
def _exp_nonpositive(x):
    if x == types.float32:
        return lambda x: exp32(x)
    return lambda x: exp64(x)


class Kind(IntEnum):
    RBF = 0
    POLY = 1
    LINEAR = 2


KINDS = {kind.name.lower(): kind for kind in Kind}
FLOAT32_BOUND = {Kind.RBF}
"""Kernels for which the error bound of `fwsvm.kernels.sums.float32_error` is proven."""


@compiled(inline=True)
def is_isotropic(kind):
    return kind == Kind.RBF


@compiled
def kernel_values(kind, gamma, degree, values):
    """Turn squared distances or dot products into kernel values, in place."""
    scale = values.dtype.type(gamma)
    if kind == Kind.RBF:
        for r in range(values.shape[0]):
            values[r] = exp_nonpositive(-scale * values[r])
    elif kind == Kind.POLY:
        for r in range(values.shape[0]):
            base = scale * values[r]
            power = base
            for _ in range(degree - 1):
                power *= base
            values[r] = power


@compiled
def dots_to_values(kind, gamma, degree, squared_norm, squared_norms, values):
    """Turn dot products x'z_r of one point x into kernel values, in place. All numbers have the same precision."""
    own_type = values.dtype.type
    if kind == Kind.RBF:  # without `fast_min`, rounding could make an exponent positive
        zero, scale, twice = own_type(0.0), own_type(-gamma), own_type(2.0 * gamma)
        own = scale * squared_norm
        for r in range(values.shape[0]):
            values[r] = exp_nonpositive(fast_min(twice * values[r] + (scale * squared_norms[r] + own), zero))
    else:
        if is_isotropic(kind):
            squared_distances(squared_norm, squared_norms, values)
        kernel_values(kind, gamma, degree, values)


@compiled(inline=True)
def squared_distances(squared_norm, squared_norms, values):
    """Turn dot products into squared distances, in place. A distance made negative by rounding becomes 0."""
    zero = values.dtype.type(0.0)
    two = values.dtype.type(2.0)
    own = values.dtype.type(squared_norm)
    for r in range(values.shape[0]):
        values[r] = fast_max(own + values.dtype.type(squared_norms[r]) - two * values[r], zero)
