"""Compile all variants of the training loops by training on small generated data."""

import logging
import warnings

import numpy as np
from scipy import sparse

from fwsvm.estimators.machine import KernelMachine
from fwsvm.solvers.settings import METHODS, SELECTIONS, Settings

# One method for each driver suffices, since methods with the same driver share machine code.
_METHODS = tuple({method.new_driver: name for name, method in METHODS.items()}.values())
_POINTS = 2200  # number of points, large enough for the coreset drivers


def warm_up(parts=("dense", "sparse")):
    """Train all kinds of methods on points with noisy labels. Each of the `parts` can run in its own process."""
    logging.getLogger("fwsvm.base.code_cache").setLevel(logging.ERROR)  # The pipeline itself announces the compilation.
    rng = np.random.default_rng(0)
    X = rng.random((_POINTS, 6))
    y = np.where((X[:, 0] > 0.5) ^ (rng.random(_POINTS) < 0.1), 1, -1)
    X[X < 0.3] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "sparse" in parts:
            KernelMachine(Settings("swap2o", eps=1e-8, max_iterations=50)).fit(X[:200], y[:200])
        for part in parts:
            data, methods = (sparse.csr_matrix(X), _METHODS[::-1]) if part == "sparse" else (X, _METHODS)
            for method in methods:  # in another order: two processes compile different code
                for selection in SELECTIONS if METHODS[method].samples else ("full",):
                    settings = Settings(method, selection, max_iterations=300, cache_mb=20.0)
                    model = KernelMachine(settings, random_state=0)
                    model.fit(data, y).predict(data[:50])
        if "dense" in parts:
            wide = np.hstack([X] * 5)  # With 30 features, matrix products are used.
            KernelMachine(Settings("swap", max_iterations=300)).fit(wide[:300], y[:300]).predict(wide[:50])
