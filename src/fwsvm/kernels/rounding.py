"""Bounds on the rounding errors of float64 kernel values and of their sums.

The certificate of a solution adds these bounds to its duality gap.

Let u = 2^-53. The bounds omit products of several errors. A factor of 1.01 or more in each bound
covers these products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.kernels.kinds import Kind

if TYPE_CHECKING:
    from fwsvm.kernels.functions import Kernel

# unit roundoff of float64
UNIT = 2.0**-53
# Long sums of weighted kernel values are computed in blocks of SUM_BLOCK products. The sums of the
# blocks are then added.
SUM_BLOCK = 128
# RBF kernel values are computed from dot products only where the bound on their error is at most
# _LARGEST_ERROR.
_LARGEST_ERROR = 1e-9
# Largest relative error of `fwsvm.kernels.kinds.exp_nonpositive` in float64.
_EXPONENTIAL = 1e-15
# Products in a certificate can underflow. The error of such a product is at most 2^-1075, and
# UNDERFLOW bounds the sum of these errors. The products in dot products do not count here, because
# a kernel can make an error of a dot product many orders of magnitude larger. For them, see
# UNDERFLOW_OF_SQUARES.
UNDERFLOW = 1e-300
# This number is added to squared norms in error bounds (see `product_error`).
UNDERFLOW_OF_SQUARES = 2.0**-1020


def unit_of(array: np.ndarray) -> float:
    """Return the unit roundoff of the numbers in an array of any shape.

    This is the unit roundoff of the array's float type, but at least that of float64. For integers,
    it is that of float64.
    """
    return max(float(np.finfo(array.dtype).eps) / 2.0, UNIT) if array.dtype.kind == "f" else UNIT


def _unknown(kernel: Kernel) -> ValueError:
    return ValueError(
        f"kernel {kernel.name!r} cannot be certified: add its rounding errors to {__name__}, or"
        " train with certify=False (`fwsvm train --no-certify`)"
    )


def _exponent_error(n_terms: int) -> float:
    """Return a factor eta such that the exponent gamma |x - z|^2, computed from dot products, has
    an error of at most eta gamma (|x| + |z|)^2.

    Dot products and squared norms of n terms have errors of at most n u |x||z| and n u |x|^2.
    Multiplying and adding these terms adds an error of a few u, and centring the points adds an
    error of 2u.
    """
    return (2.0 * n_terms + 10.0) * UNIT


def largest_squared_norm(kernel: Kernel, n_terms: int) -> float:
    """Return the largest |z|^2 for which RBF kernel values k(x, z) from dot products x'z are
    precise for every x.

    Between points with larger norms, squared distances are computed from differences. For other
    kernels, return infinity.
    """
    if kernel.arguments[0] != Kind.RBF:
        return np.inf
    # errors of kernel values from dot products are below 1.1 eta (4 gamma |z|^2 + 2)
    return max(_LARGEST_ERROR / (1.1 * _exponent_error(n_terms)) - 2.0, 0.0) / (4.0 * kernel.gamma)


def rbf_errors(
    kernel: Kernel, squared_norms: np.ndarray, n_terms: int, centred: bool
) -> np.ndarray:
    """Return bounds (n,) on the errors of float64 kernel values k(x, z). There is one bound for
    each squared norm of a point z in the float64 array `squared_norms` (n,).

    The bounds hold for every x.

    The factor eta is that of `_exponent_error`. Values from dot products have the bound that
    `fwsvm.kernels.sums.float32_error` derives. Values between points of large norm are computed
    from differences (`difference_errors`).
    """
    if kernel.arguments[0] != Kind.RBF:
        raise _unknown(kernel)
    limit = largest_squared_norm(kernel, n_terms)
    squares = kernel.gamma * np.minimum(squared_norms, limit)
    g2 = (np.sqrt(squares) + np.sqrt(squares + 1.0)) ** 2
    errors = (1.1 * _exponent_error(n_terms)) * g2 * np.exp(-1.0 / g2)
    # exact and computed values are between 0 and 1
    errors = np.minimum(errors + _EXPONENTIAL, 1.0)
    is_far = squared_norms > limit
    # Points far from the origin are rare. Without this test, the branch would take half of the time
    # of this function, even if there are no such points.
    if is_far.any():
        of_differences = difference_errors(kernel, squared_norms, n_terms, centred)
        errors = np.where(is_far, of_differences, errors)
    return errors


def difference_errors(
    kernel: Kernel, squared_norms: np.ndarray, n_terms: int, centred: bool
) -> np.ndarray:
    """Return error bounds (m,) for float64 RBF kernel values k(x, z) that are computed from the
    differences of x and z. There is one bound per squared norm of z in `squared_norms` (m,). A
    bound holds for every x.

    Let n be `n_terms`, and t^2 = gamma |x - z|^2. The squared distance t^2 / gamma has a relative
    error of (2n + 4) u, because a sparse difference has up to 2n terms. As t^2 exp(-t^2) <= 1/e,
    the error of the kernel value is below 0.41 (2n + 4) u. If points are `centred`, their entries
    have relative errors of u. With b^2 = gamma |z|^2, the exponent then has an error of at most 2t
    (2b + t) u. This changes the kernel value by at most 2.2 (b + 1) u.
    """
    if kernel.arguments[0] != Kind.RBF:
        raise _unknown(kernel)
    errors = np.full(len(squared_norms), 0.41 * (2.0 * n_terms + 4.0) * UNIT)
    if centred:
        with np.errstate(over="ignore"):
            moved = np.sqrt(kernel.gamma * squared_norms) * UNIT
        errors += np.where(moved <= 1e-3, 2.2 * (moved + UNIT), 1.0)
    return np.minimum(errors + _EXPONENTIAL, 1.0)


def product_error(kernel: Kernel, n_terms: int) -> float:
    """Return a number e such that linear or polynomial kernel values k(x, z) have errors of at most
    e r(x) r(z) + UNDERFLOW / 2. Here, r(x) is the square root of k(x, x) for the squared norm
    `Points.squared_norm_bounds` of x (see `Kernel.roots`).

    Let t be half of UNDERFLOW_OF_SQUARES. These squared norms exceed |x|^2 by at least t, also if
    the squares of the features underflow. Because sqrt((|x|^2 + t)(|z|^2 + t)) >= |x||z| + t, the
    bound n u |x||z| on the error of a dot product becomes larger by at least n u t = n 2^-1074.
    This number covers the n products that can underflow. In float64, adding t does not change a
    squared norm of 2^-967 or more. If neither norm changes, the 6 in the formula covers the
    products, because |x||z| is then at least 2^-967. If only the norm of x does not change, the
    other change alone increases |x||z| by at least t.

    If a power of the base underflows, the base is below 1, so the multiplications that follow do
    not increase the error of 2^-1075.
    """
    kind, _, degree, _ = kernel.arguments
    if kind not in (Kind.LINEAR, Kind.POLY):
        raise _unknown(kernel)
    # this also holds with coef0, because coef0 is a part of k(x, x)
    return 1.01 * (degree if kind == Kind.POLY else 1) * (n_terms + 6.0) * UNIT


def sum_error(n_summed: int) -> float:
    """Return a number e such that a float64 sum of n products, in any order, has an error of at
    most e times the sum of their absolute values.

    In a simple sum, `n_summed` is n. Sums can be nested, for example a sum of the sums of blocks.
    Then `n_summed` adds up the length of the longest sum of each level. The 8 in the formula covers
    a few more operations.
    """
    return 1.01 * (n_summed + 8.0) * UNIT


def expansion_errors(
    roots: np.ndarray,
    weights: np.ndarray,
    own_roots: np.ndarray,
    relative: float,
    is_zero: bool,
) -> np.ndarray:
    """Return bounds (n,) or (n, p) on the errors of h(x) = sum_j k(x, z_j) w_j at n points x.

    `relative` bounds the error of a term plus the error of the sum, both divided by the largest
    size that the term can have: the product of two roots and |w_j|.

    `own_roots` (q,) has the square roots of the values k(z_j, z_j), and `roots` (n,) has the square
    roots of the values k(x, x). Terms are at most the product of two roots and |w_j|. `weights` has
    the shape (q,) or (q, p).

    `is_zero` says that all values k(x, z_j) are exactly 0. The sums then have no errors. Otherwise,
    products can underflow. An error that underflows to 0 here is below UNDERFLOW, too.
    """
    scale = np.abs(weights).T @ own_roots
    errors = 1.01 * relative * (roots * scale if scale.ndim == 0 else np.outer(roots, scale))
    return np.zeros_like(errors) if is_zero else errors + UNDERFLOW


def matrix_sum_errors(diagonal: np.ndarray, indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return bounds (m,) on the errors of a weighted sum of columns of a given positive
    semidefinite matrix. The sum has the columns `indices` (q,) with the `weights` (q,), and
    `diagonal` (m,) is the diagonal of the matrix.
    """
    roots = np.sqrt(np.maximum(diagonal, 0.0))
    own = roots[indices]
    return expansion_errors(roots, weights, own, sum_error(len(indices)), not own.any())
