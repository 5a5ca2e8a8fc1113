"""Vectorised exponential for arguments <= 0: numba 0.68 has no vector math library and would call exp() one by one.

x = k ln 2 + f with |f| <= ln 2 / 2, in two steps of ln 2 (Cody and Waite), a polynomial for exp(f), and 2^k from its
bits. The relative error is below 2e-7 (float32, [-87, 0]) and 1e-14 (float64, [-700, 0]); smaller arguments give the
value at the end of the range (below 2e-38 and 1e-304).
"""

import numpy as np
from numba import types
from numba.extending import overload

from fwsvm.base.compiled import bits_to_float32, bits_to_float64, compiled

_F = np.float32
LOG2E32, LN2_HIGH32, LN2_LOW32 = _F(1.4426950408889634), _F(0.693359375), _F(-2.12194440e-4)
ROUND32, LOWEST32 = _F(12582912.0), _F(-87.0)
P2, P3, P4 = _F(5.0000001201e-1), _F(1.6666665459e-1), _F(4.1665795894e-2)
P5, P6, P7 = _F(8.3334519073e-3), _F(1.3981999507e-3), _F(1.9875691500e-4)
ONE32 = _F(1.0)


@compiled
def exp32(x):
    """exp(x) for float32 x <= 0."""
    x = max(x, LOWEST32)
    k = (x * LOG2E32 + ROUND32) - ROUND32
    f = x - k * LN2_HIGH32 - k * LN2_LOW32
    p = ((((P7 * f + P6) * f + P5) * f + P4) * f + P3) * f + P2
    p = p * f * f + f + ONE32
    return p * bits_to_float32((np.int32(k) + np.int32(127)) << np.int32(23))


@compiled
def exp64(x):
    """exp(x) for float64 x <= 0."""
    x = max(x, -700.0)
    k = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0
    f = x - k * 0.6931471803691238 - k * 1.9082149292705877e-10
    p = 1.0 / 479001600.0
    p = p * f + 1.0 / 39916800.0
    p = p * f + 1.0 / 3628800.0
    p = p * f + 1.0 / 362880.0
    p = p * f + 1.0 / 40320.0
    p = p * f + 1.0 / 5040.0
    p = p * f + 1.0 / 720.0
    p = p * f + 1.0 / 120.0
    p = p * f + 1.0 / 24.0
    p = p * f + 1.0 / 6.0
    p = p * f + 0.5
    p = p * f + 1.0
    p = p * f + 1.0
    return p * bits_to_float64((np.int64(k) + 1023) << 52)


def exp_nonpositive(x):
    """exp(x) for x <= 0 in the precision of `x`; only usable inside compiled code."""
    raise NotImplementedError("exp_nonpositive is compiled code")


@overload(exp_nonpositive)
def _exp_nonpositive(x):
    if x == types.float32:
        return lambda x: exp32(x)
    return lambda x: exp64(x)
