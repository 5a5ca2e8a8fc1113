"""Checks of the estimators' parameters that the solvers' own settings do not make (`fwsvm.solvers.settings`)."""

from numbers import Integral, Real

import numpy as np

_TEXTS = ("method", "kernel", "stop", "column_dtype")
_POSITIVE = ("eps", "inner_tolerance", "cache_mb")
# No machine has more; an array of the size would be refused without naming the parameter.
_LARGEST_MB = 1e9


def check_parameters(model):
    """Raise a ValueError that names the first parameter of the wrong type or range."""
    parameters = model.get_params(deep=False)
    for name in _TEXTS:
        if not isinstance(parameters[name], str):
            raise ValueError(f"{name} must be a string, got {parameters[name]!r}")
    for name in _POSITIVE:
        if not (_is_number(parameters[name]) and 0 < parameters[name] < np.inf):
            raise ValueError(f"{name} must be a positive finite number, got {parameters[name]!r}")
    if parameters["cache_mb"] > _LARGEST_MB:
        raise ValueError(f"cache_mb must be at most {_LARGEST_MB:g} (MB), got {parameters['cache_mb']!r}")
    limit = parameters["time_limit"]
    if not (limit is None or (_is_number(limit) and limit > 0)):
        raise ValueError(f"time_limit must be a positive number or None, got {limit!r}")
    _check_count("max_iter", parameters["max_iter"])
    for name in ("sample_size", "patience"):
        if parameters[name] is not None:
            _check_count(name, parameters[name])
    if not (parameters["alternate_classes"] is None or isinstance(parameters["alternate_classes"], bool | np.bool_)):
        raise ValueError(f"alternate_classes must be None or a bool, got {parameters['alternate_classes']!r}")
    _check_gamma(parameters["gamma"])
    verbose = parameters["verbose"]
    if not (isinstance(verbose, Integral) and 0 <= verbose <= 2):
        raise ValueError(f"verbose must be 0, 1 or 2, got {verbose!r}")
    n_jobs = parameters.get("n_jobs")
    if not (n_jobs is None or (isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool) and n_jobs != 0)):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")


def check_labels(y, name="y holds", error=ValueError):
    """Raise an `error` for numeric labels of 2^63 or more; `name` begins its message."""
    y = np.asarray(y)
    if y.dtype.kind == "f" and y.size and np.isfinite(y).all() and np.abs(y).max() >= 2.0**63:
        raise error(f"{name} labels of up to {np.abs(y).max():g}; numeric labels must be integers below 2^63")


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool) and not np.isnan(value)


def _check_count(name, value):
    if not (isinstance(value, Integral) and not isinstance(value, bool) and value >= 1):
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}")


def _check_gamma(gamma):
    is_width = _is_number(gamma) and 0 < gamma < np.inf
    if not (gamma is None or is_width or (isinstance(gamma, str) and gamma in ("scale", "auto"))):
        raise ValueError(f"gamma must be a positive finite number, 'scale' or 'auto', got {gamma!r}")
