"""Checks of the weights of samples and classes, and the computation of the weights of the training
points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.inputs.allowed_values import NOT_NEGATIVE
from fwsvm.inputs.errors import shown
from fwsvm.inputs.ranges import refuse_masked, require_exact

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from scipy import sparse


def sample_weights(
    sample_weight: ArrayLike | None, X: np.ndarray | sparse.csr_matrix
) -> np.ndarray | None:
    """Check `sample_weight`, and return it as a float64 array (m,). Return None if all weights
    are 1, or if `sample_weight` is None.
    """
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, "sample_weight")
    require_exact(sample_weight, "sample_weight")
    # imported here because the import is slow
    from sklearn.utils.validation import _check_sample_weight

    # scikit-learn computes the sum of the weights before it checks them. If weights are infinite,
    # NumPy would warn about inf - inf before scikit-learn raises its error.
    with np.errstate(invalid="ignore"):
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if weights.min() < 0 or not weights.any():
        raise ValueError("sample_weight must be >= 0 for all points and > 0 for at least one")
    return None if np.all(weights == 1) else weights


def check_class_weight(class_weight: object) -> None:
    """Raise a ValueError if `class_weight` is none of the values that a classifier allows."""
    if isinstance(class_weight, dict):
        if not all(map(NOT_NEGATIVE.contains, class_weight.values())):
            raise ValueError(
                f"class_weight must contain finite numbers >= 0, got {shown(class_weight)}"
            )
    elif class_weight is not None and not (
        isinstance(class_weight, str) and class_weight == "balanced"
    ):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict, got {shown(class_weight)}"
        )


def scaled_down(weights: np.ndarray) -> np.ndarray:
    """Return the weights (m,) divided by a power of 2, such that the largest one is below 1.

    The ratios of their sums stay the same, and no sum overflows.
    """
    _, exponent = np.frexp(weights.max())
    scaled: np.ndarray = np.ldexp(weights, -int(exponent))
    return scaled


def point_weights(
    sample_weight: ArrayLike | None,
    class_weight: str | dict[Any, float] | None,
    X: np.ndarray | sparse.csr_matrix,
    classes: np.ndarray,
    codes: np.ndarray,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the weights of the classes (k,) and of the points (m,).

    The weight of a point is the product of its sample weight and its class weight. If all points
    have the weight 1, return None instead of the array of their weights.
    """
    check_class_weight(class_weight)
    weights, of_class = sample_weights(sample_weight, X), np.ones(len(classes))
    if class_weight == "balanced":
        scaled = None if weights is None else scaled_down(weights)
        totals = np.bincount(codes, weights=scaled, minlength=len(classes)).astype(np.float64)
        heavy = codes if weights is None else codes[weights > 0]
        has_weight = np.bincount(heavy, minlength=len(classes)) > 0
        with np.errstate(over="ignore", divide="ignore"):  # tiny totals can be 0 after scaling
            shares = totals.sum() / (has_weight.sum() * totals[has_weight])
        of_class[has_weight], of_class[~has_weight] = shares, 0.0
    elif class_weight is not None:
        from sklearn.utils.class_weight import compute_class_weight

        of_class = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    if class_weight is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            weights = of_class[codes] if weights is None else weights * of_class[codes]
        if not np.all(np.isfinite(weights)):
            raise ValueError(
                "the product of sample_weight and class_weight is too large for float64"
            )
    return of_class, None if weights is None or np.all(weights == 1) else weights
