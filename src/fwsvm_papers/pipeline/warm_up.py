"""Functions that compile all numeric code of the pipeline's training jobs by training on small
generated data.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from fwsvm.estimators.machine import KernelMachine
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.solvers.settings import METHODS, SELECTIONS, Settings

if TYPE_CHECKING:
    from fwsvm_papers.datasets.storage import Points

# A driver is the object that carries out the steps of a method. For training on many points, one
# method per driver suffices, because methods with the same driver use the same machine code.
_ONE_PER_DRIVER = tuple({method.new_driver: name for name, method in METHODS.items()}.values())
_POINTS = 2200  # number of points that is large enough for the coreset drivers
_FEWER_POINTS = 200  # number of points for code that needs only few points


def warm_up(parts: Sequence[str] = ("dense", "sparse")) -> None:
    """Train all kinds of methods on points with noisy labels, so that the code of the methods is
    compiled and cached.

    `parts` says which parts of this work to do: "dense", "sparse" or both. Each part can run in its
    own process.
    """
    # The pipeline announces this stage, so warnings about compilation are not needed.
    logging.getLogger("fwsvm.machine_code.code_cache").setLevel(logging.ERROR)
    rng = np.random.default_rng(0)
    X = rng.random((_POINTS, 6))
    y = np.where((X[:, 0] > 0.5) ^ (rng.random(_POINTS) < 0.1), 1, -1)
    three = np.arange(_POINTS) % 3  # the three pairs of classes share kernel values
    X[X < 0.3] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The two parts run at the same time, so they should not compile the same code at the same
        # time. Therefore, the sparse part begins with float64 columns, and trains the methods in
        # reverse order.
        if "sparse" in parts:
            _train_all(X, y, column_dtype="float64")
        for part in parts:
            data, methods = (
                (sparse.csr_matrix(X), _ONE_PER_DRIVER[::-1])
                if part == "sparse"
                else (X, _ONE_PER_DRIVER)
            )
            for method in methods:
                for name, selection in SELECTIONS.items():
                    if name == "full" or METHODS[method].samples:
                        settings = Settings(method, selection, max_iterations=300, cache_mb=20.0)
                        _train(data, y, settings)
        if "dense" in parts:
            _train_all(X, y)
            few = Settings("cvm", SELECTIONS["sampled_libcvm"], max_iterations=50)
            _train(X[:_FEWER_POINTS], y[:_FEWER_POINTS], few)
            # In `CoresetDriver`, each method has its own compiled code for a step, so each method
            # with samples is run once.
            for method in (name for name, method in METHODS.items() if method.samples):
                _train(X, y, Settings(method, SELECTIONS["sampled_text"], max_iterations=100))
            _train_simple_svm(X[:_FEWER_POINTS], y[:_FEWER_POINTS])
            # With 30 features, kernel blocks are computed by matrix products, and the code for
            # matrix products must be compiled, too.
            wide = np.hstack([X] * 5)
            _train_given(wide[:_FEWER_POINTS], y[:_FEWER_POINTS])
            _train(wide[:300], y[:300], Settings("swap", max_iterations=300))
            for dtype in ("float32", "float64"):
                _train(wide[:300], three[:300], replace(few, column_dtype=dtype))
            # For points far from the origin, dot products are computed in float64, with code of
            # their own.
            _train(100.0 * wide[:300], three[:300], few, gamma=0.001)
        if "sparse" in parts:
            few = KernelMatrix(sparse.csr_matrix(X[:_FEWER_POINTS]), Kernel("rbf", 1.0))
            few.against(np.arange(5), np.float64)(np.arange(_FEWER_POINTS))
            binary = sparse.random_array((_POINTS, 120), density=0.1, format="csr", rng=rng)
            binary.data[:] = 1.0
            for dtype in ("float32", "float64"):
                _train(binary, y, Settings("swap", column_dtype=dtype, max_iterations=50))


def _train(X: Points, y: np.ndarray, settings: Settings, gamma: float | None = None) -> None:
    KernelMachine(settings, gamma=gamma, random_state=0).fit(X, y).predict(X[:50])


def _train_all(X: Points, y: np.ndarray, **settings: Any) -> None:
    """Train every method on a few points, since each method has its own code that chooses steps."""
    for method in METHODS:
        _train(
            X[:_FEWER_POINTS], y[:_FEWER_POINTS], Settings(method, max_iterations=50, **settings)
        )


def _train_given(X: Points, y: np.ndarray) -> None:
    """Train with a precomputed kernel matrix, as cross-validation does."""
    K = np.empty((len(y), len(y)), dtype=np.float32)
    KernelMatrix(X, Kernel("rbf", 1.0)).gram(K)
    KernelMachine(Settings("cvm", max_iterations=50), kernel="precomputed").fit(K, y).predict(
        K[:50]
    )
    # The pipeline trains on exactly symmetric matrices. A matrix of a user's own study can be
    # symmetric only up to rounding errors. Each of the two cases has its own code.
    symmetric = 0.5 * (K.astype(np.float64) + K.T)
    rounded = symmetric.copy()
    rounded[0, 1] = np.nextafter(rounded[0, 1], 1.0)
    for K, dtype in ((symmetric, "float64"), (rounded, "float32")):
        settings = Settings("fw", max_iterations=50, column_dtype=dtype)
        KernelMachine(settings, kernel="precomputed").fit(K, y)


def _train_simple_svm(X: Points, y: np.ndarray) -> None:
    from fwsvm_papers.baselines import fit_baseline  # slow, so not at the top

    fit_baseline("simple_svm", X, y)
