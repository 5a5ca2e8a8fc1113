"""One classifier for several values of C: what does not depend on C is computed once."""

import time

import numpy as np
from joblib import effective_n_jobs

from fwsvm.base.parameters import check_settings
from fwsvm.estimators.one_versus_one import class_pairs, fit_pairs
from fwsvm.estimators.point_weights import point_weights
from fwsvm.estimators.progress import Progress


def fit_c_path(estimator, X, y, C_values, sample_weight=None):
    """Fit clones of an estimator for several values of C; kernel columns are computed once for all of them.

    Parameters
    ----------
    estimator : FrankWolfeSVC or KernelMachine
        Its own C is not used.
    X, y
        As for `fit`.
    C_values : sequence of float
    sample_weight : array-like of shape (m,), optional
        As for `fit`.

    Returns
    -------
    list of the estimator's class
        Fitted, in the order of `C_values`. `fit_cpu_s_` of each counts its own solves: columns that an earlier value
        of C had computed are not charged again.

    Raises
    ------
    ValueError
        As for `fit`.
    """
    models = [estimator._with_C(C) for C in C_values]
    if not models:
        raise ValueError("C_values is empty")
    return fit_models(models, X, y, sample_weight)


def fit_models(models, X, y, sample_weight=None):
    """Fit models that differ in C only."""
    first, C_values = models[0], [model.C for model in models]
    check_settings(vars(first))
    settings = first.settings
    X, y = first._validated(X, y=y)
    if first.decision_function_shape not in ("ovr", "ovo"):
        raise ValueError(f"decision_function_shape must be 'ovr' or 'ovo', got {first.decision_function_shape!r}")
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y must hold at least 2 classes, but it has one class only: {classes.tolist()[0]!r}")
    weights = point_weights(sample_weight, first.class_weight, X, classes, codes)
    started, started_wall = time.thread_time(), time.perf_counter()
    kernel = first._chosen_kernel(X, weights)
    seed = first._seed()
    overhead = time.thread_time() - started, time.perf_counter() - started_wall
    pairs = [f"{classes[i]} against {classes[j]}" for i, j in class_pairs(len(classes))]
    results = fit_pairs(
        X, codes, len(classes), kernel, C_values, seed, settings, effective_n_jobs(first.n_jobs), weights=weights,
        progress=Progress("FrankWolfeSVC", first.verbose, pairs, C_values),
    )  # fmt: skip
    for model, result in zip(models, results, strict=True):
        model.classes_, model.n_features_in_ = classes, X.shape[1]
        if hasattr(first, "feature_names_in_"):
            model.feature_names_in_ = first.feature_names_in_
        result.cpu_s, result.wall_s = result.cpu_s + overhead[0], result.wall_s + overhead[1]
        model._keep(X, kernel, result)
    return models
