"""Weights of training points from `sample_weight` and `class_weight`."""

import numpy as np


def sample_weights(sample_weight, X):
    """`sample_weight` as float64 (m,), None if all points weigh 1."""
    if sample_weight is None:
        return None
    if np.any(np.asarray(sample_weight) == 0) and not np.any(sample_weight):
        raise ValueError("sample_weight: all weights are zero; at least one must be positive")
    from sklearn.utils.validation import _check_sample_weight  # imported here: it takes long

    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if weights.min() < 0:
        raise ValueError(f"sample_weight must hold numbers >= 0, got {weights.min():g}")
    return None if np.all(weights == 1) else weights


def point_weights(sample_weight, class_weight, X, classes, codes):
    """Product of both weights for every point, float64 (m,); None if all points weigh 1.

    "balanced": the total weight over (number of classes times the class's weight), as in scikit-learn. `codes` are the
    points' class codes 0 .. n_classes - 1.
    """
    weights = sample_weights(sample_weight, X)
    if weights is not None:
        _each_class_weighs(weights, classes, codes, "sample_weight")
    if class_weight is None:
        return weights
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights=weights, minlength=len(classes))
        of_class = totals.sum() / (len(classes) * totals)
    elif isinstance(class_weight, dict):
        from sklearn.utils.class_weight import compute_class_weight

        of_class = compute_class_weight(class_weight, classes=classes, y=classes[codes])
        if not np.all(np.isfinite(of_class) & (of_class >= 0)):
            raise ValueError(f"class_weight must hold finite numbers >= 0, got {class_weight!r}")
    else:
        raise ValueError(f"class_weight must be None, 'balanced' or a dict, got {class_weight!r}")
    weights = of_class[codes] if weights is None else weights * of_class[codes]
    if not np.all(np.isfinite(weights)):
        raise ValueError("sample_weight times class_weight is too large for a number")
    _each_class_weighs(weights, classes, codes, "class_weight")
    return None if np.all(weights == 1) else weights


def _each_class_weighs(weights, classes, codes, name):
    weighs = np.bincount(codes, weights=weights > 0, minlength=len(classes)) > 0
    if not weighs.all():
        missing = classes[~weighs].tolist()
        raise ValueError(f"{name}: class {missing[0]!r} has no point of positive weight")
