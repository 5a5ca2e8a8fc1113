"""Other training methods for SVMs (baselines), with which the papers' methods are compared.

`fit_baseline(name, X, y, kernel, C)` trains an SVM by the baseline `name`, and returns a
`BaselineModel`.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from fwsvm.inputs.allowed_values import POSITIVE
from fwsvm.kernels.functions import Kernel
from fwsvm.machine_code.threads import one_blas_thread
from fwsvm_papers.baselines.libsvm import fit_l1_svc, fit_l2_svc
from fwsvm_papers.baselines.limits import LimitReachedError, Limits
from fwsvm_papers.baselines.low_rank import fit_low_rank_lsvm
from fwsvm_papers.baselines.model import BaselineModel
from fwsvm_papers.baselines.rsvm import fit_rsvm
from fwsvm_papers.baselines.simple_svm import fit_simple_svm
from fwsvm_papers.datasets.storage import Features

# Maps each baseline to its function `fit(X, y, kernel, C, limits, rng, **settings) ->
# BaselineModel`. The labels y are -1 and +1. If a limit is reached, the function returns the model
# of the last iteration, or raises a LimitReachedError. The last three methods were MATLAB programs
# in tsang2005.
BASELINES: dict[str, Callable[..., BaselineModel]] = {
    "libsvm_l1": fit_l1_svc,
    "libsvm_l2": fit_l2_svc,
    "lsvm_lowrank": fit_low_rank_lsvm,
    "rsvm": fit_rsvm,
    "simple_svm": fit_simple_svm,
}


def fit_baseline(
    name: str,
    X: Features,
    y: np.ndarray,
    kernel: Kernel | None = None,
    C: float = 1.0,
    *,
    time_limit: float = np.inf,
    memory_limit_mb: float = np.inf,
    random_state: int | None = None,
    **settings: object,
) -> BaselineModel:
    """Train a baseline on points X (m, d) with labels y (m,) of -1 and +1, and return the model.

    `time_limit` limits the CPU time of training, in seconds. `memory_limit_mb` limits the memory
    for kernel values, factors, caches and copies of the data, in MB (1e6 bytes). If training
    reaches a limit, `stop_reason` of the model is "time_limit" or "memory_limit", and the model can
    be without coefficients (`is_trained` is False). The default kernel is RBF with gamma = 1.
    `settings` are further arguments of the function that trains the baseline.
    """
    if name not in BASELINES:
        raise ValueError(f"name must be one of {', '.join(BASELINES)}, got {name!r}")
    # scikit-learn's check computes the sum of X. If X contains infinity, the check raises an error,
    # but NumPy would first print a warning about inf - inf.
    with np.errstate(invalid="ignore"):
        X = check_array(X, accept_sparse="csr", dtype=np.float64, order="C", input_name="X")
    y = np.asarray(y, dtype=np.float64).ravel()
    check_consistent_length(X, y)
    if not np.all(np.abs(y) == 1) or len(np.unique(y)) != 2:
        raise ValueError("y must contain both -1 and +1, and nothing else")
    kernel = Kernel() if kernel is None else kernel
    if not isinstance(kernel, Kernel):
        raise TypeError(f"kernel must be a Kernel or None, got {kernel!r}")
    for argument, value in (
        ("C", C),
        ("time_limit", time_limit),
        ("memory_limit_mb", memory_limit_mb),
    ):
        if not (POSITIVE.contains(value) or (argument != "C" and value == np.inf)):
            raise ValueError(f"{argument} must be {POSITIVE.words}, got {value!r}")
    with one_blas_thread():
        limits = Limits(time_limit, memory_limit_mb)
        try:
            model = BASELINES[name](
                X, y, kernel, float(C), limits, np.random.default_rng(random_state), **settings
            )
        except LimitReachedError as error:
            model = BaselineModel(
                stop_reason=error.reason, train_cpu_s=error.cpu_s, note=str(error)
            )
        except MemoryError as error:
            model = BaselineModel(
                stop_reason="memory_limit", note=f"the machine ran out of memory: {error}"
            )
        cpu_s, wall_s = limits.cpu_s, limits.wall_s
    return replace(
        model,
        name=name,
        kernel=kernel,
        points=None if model.points is None else X[model.points],
        train_cpu_s=cpu_s if model.train_cpu_s is None else model.train_cpu_s,
        train_wall_s=wall_s,
        facts={**model.facts, "memory_mb": limits.peak_mb},
    )
