"""The kernel functions: a new one is a member of `Kind` and a branch of `kernel_values`.

Isotropic kernels are functions of the squared distance |x - z|^2, the others of the dot product x'z.
"""

from enum import IntEnum

from fwsvm.base.compiled import compiled
from fwsvm.kernels.exponential import exp_nonpositive


class Kind(IntEnum):
    RBF = 0
    POLY = 1
    LINEAR = 2


KINDS = {kind.name.lower(): kind for kind in Kind}
FLOAT32_BOUND = {Kind.RBF}
"""Kernels for which `fwsvm.kernels.sums.float32_error` is proven."""


@compiled
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
    """Turn dot products x'z_r of one point x into kernel values, in place; all of one precision."""
    own_type = values.dtype.type
    if kind == Kind.RBF:  # exponents are kept from rounding above 0
        zero, scale, twice = own_type(0.0), own_type(-gamma), own_type(2.0 * gamma)
        own = scale * squared_norm
        for r in range(values.shape[0]):
            values[r] = exp_nonpositive(min(twice * values[r] + (scale * squared_norms[r] + own), zero))
    else:
        if is_isotropic(kind):
            squared_distances(squared_norm, squared_norms, values)
        kernel_values(kind, gamma, degree, values)


@compiled
def squared_distances(squared_norm, squared_norms, values):
    """Turn dot products into squared distances, in place; rounding never makes one negative."""
    zero = values.dtype.type(0.0)
    two = values.dtype.type(2.0)
    own = values.dtype.type(squared_norm)
    for r in range(values.shape[0]):
        values[r] = max(own + values.dtype.type(squared_norms[r]) - two * values[r], zero)
