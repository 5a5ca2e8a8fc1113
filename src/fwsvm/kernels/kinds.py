"""The kernel functions.

To add a kernel, add a member to `Kind` and a branch to `kernel_values`. If the kernel is isotropic,
also change `is_isotropic`. Otherwise, also change `Kernel.roots`. Certificates need bounds on the
kernel's rounding errors in `fwsvm.kernels.rounding`.

Isotropic kernels (see `is_isotropic`) depend on the squared distance |x - z|^2. The other kernels
depend on the dot product x'z.
"""

from __future__ import annotations

from enum import IntEnum
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from fwsvm.machine_code.compiled import FLAGS, compiled, fast_max, fast_min

if TYPE_CHECKING:
    from collections.abc import Callable

# exp(x) = 2^k exp(f), where x = k ln 2 + f and |f| <= ln 2 / 2. For accuracy, ln 2 is split into
# two numbers (Cody and Waite). A polynomial approximates exp(f), and k gives the exponent bits of
# 2^k. The relative error is below 2e-7 in float32 for x in [-87, 0], and below 1e-15 in float64 for
# x in [-700, 0]. A smaller x is replaced by the lower end of the range. The tuple of each precision
# contains: the lower end of the range; a number that rounds x to an integer when it is added; -ln 2
# in two parts; the number of bits of an integer and of a fraction; and the coefficients of the
# polynomial, the highest power first.
_EXP = {
    types.float32: (
        -87.0,
        12582912.0,
        (-0.693359375, 2.12194440e-4),
        32,
        23,
        (
            1.9875691500e-4,
            1.3981999507e-3,
            8.3334519073e-3,
            4.1665795894e-2,
            1.6666665459e-1,
            5.0000001201e-1,
        ),
    ),
    types.float64: (
        -700.0,
        6755399441055744.0,
        (-0.6931471803691238, -1.9082149292705877e-10),
        64,
        52,
        tuple(1.0 / factorial(power) for power in range(12, -1, -1)),
    ),
}


@intrinsic
def exp_nonpositive(typing_context: Any, x: Any) -> tuple[Any, Callable[..., Any]]:
    """Compute exp(x) for x <= 0 in the precision of `x`. Only compiled code can call this function.

    The function consists of LLVM operations, because these operations compile faster than Python
    code.
    """
    lowest, rounding, minus_ln2, bits, fraction_bits, coefficients = _EXP[x]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(x)

        def times_plus(a: Any, b: Any, c: Any) -> Any:
            return builder.fadd(builder.fmul(a, b, flags=FLAGS), c, flags=FLAGS)

        def number(value: float) -> Any:
            return kind(float(np.float32(value)) if x == types.float32 else value)

        largest = builder.module.declare_intrinsic(
            "llvm.maxnum", [kind], ir.FunctionType(kind, [kind, kind])
        )
        value = builder.call(largest, [arguments[0], number(lowest)], fastmath=("fast",))
        k = times_plus(value, number(1.4426950408889634), number(rounding))
        k = builder.fsub(k, number(rounding), flags=FLAGS)
        f = times_plus(k, number(minus_ln2[1]), times_plus(k, number(minus_ln2[0]), value))
        p = number(coefficients[0])
        for coefficient in coefficients[1:]:
            p = times_plus(p, f, number(coefficient))
        if x == types.float32:  # the polynomial is (exp(f) - 1 - f) / f^2
            p = builder.fadd(
                times_plus(builder.fmul(p, f, flags=FLAGS), f, f), number(1.0), flags=FLAGS
            )
        integer = ir.IntType(bits)
        exponent = builder.add(
            builder.fptosi(k, integer), integer(2 ** (bits - fraction_bits - 2) - 1)
        )
        power = builder.bitcast(builder.shl(exponent, integer(fraction_bits)), kind)
        return builder.fmul(p, power, flags=FLAGS)

    return x(x), generate


class Kind(IntEnum):
    RBF = 0
    POLY = 1
    LINEAR = 2


KINDS = {kind.name.lower(): kind for kind in Kind}


@compiled(inline=True)
def is_isotropic(kind: int) -> bool:
    return kind == Kind.RBF


@compiled
def kernel_values(kind: int, gamma: float, degree: int, coef0: float, values: np.ndarray) -> None:
    """Turn squared distances or dot products into kernel values, in place."""
    scale, constant = values.dtype.type(gamma), values.dtype.type(coef0)
    if kind == Kind.RBF:
        for r in range(values.shape[0]):
            values[r] = exp_nonpositive(-scale * values[r])
    elif kind == Kind.POLY:
        for r in range(values.shape[0]):
            base = scale * values[r] + constant
            power = base
            for _ in range(degree - 1):
                power *= base
            values[r] = power


@compiled(inline=True)
def dots_to_values(
    kind: int,
    gamma: float,
    degree: int,
    coef0: float,
    squared_norm: float,
    squared_norms: np.ndarray,
    values: np.ndarray,
) -> None:
    """Turn dot products x'z_r of one point x into kernel values, in place.

    The squared norms have the same precision as `values`.
    """
    own_type = values.dtype.type
    if kind == Kind.RBF:  # `fast_min` is needed because rounding could make an exponent positive
        zero, scale, twice = own_type(0.0), own_type(-gamma), own_type(2.0 * gamma)
        own = scale * squared_norm
        for r in range(values.shape[0]):
            values[r] = exp_nonpositive(
                fast_min(twice * values[r] + (scale * squared_norms[r] + own), zero)
            )
    else:
        if is_isotropic(kind):
            squared_distances(squared_norm, squared_norms, values)
        kernel_values(kind, gamma, degree, coef0, values)


@compiled(inline=True)
def squared_distances(squared_norm: float, squared_norms: np.ndarray, values: np.ndarray) -> None:
    """Turn dot products into squared distances, in place.

    A distance that is negative because of rounding becomes 0.
    """
    zero = values.dtype.type(0.0)
    two = values.dtype.type(2.0)
    own = values.dtype.type(squared_norm)
    for r in range(values.shape[0]):
        values[r] = fast_max(own + values.dtype.type(squared_norms[r]) - two * values[r], zero)
