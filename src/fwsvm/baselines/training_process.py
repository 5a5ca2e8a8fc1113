"""The process that `fwsvm.baselines.apart` starts to train a scikit-learn estimator within a time limit.

The process runs this file alone: it must not import the package, which would take longer than many a fit.
"""

import importlib
import json
import signal
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline


def train(X, y, steps):
    """Fit an estimator; returns its numbers as a dictionary, with the CPU seconds of the fit.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (m, d)
    y : array of shape (m,)
    steps : list of (str, dict)
        The estimator: its class as ``module:name`` and its arguments; of several, each transforms for the next.

    Returns
    -------
    dict
    """
    return _numbers(*_fit(X, y, _build(steps)))


def _build(steps):
    models = []
    for name, options in steps:
        module, name = name.split(":")
        models.append(getattr(importlib.import_module(module), name)(**options))
    if "daal4py" in sys.modules:  # oneDAL takes all cores, whatever OMP_NUM_THREADS says
        sys.modules["daal4py"].daalinit(1)
    return models[0] if len(models) == 1 else make_pipeline(*models)


def _fit(X, y, model):
    """The fitted model, its CPU seconds, its seconds, and whether it converged."""
    X, begin, begin_wall = _with_int32(X), _cpu_seconds(), time.perf_counter()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        model.fit(X, y)
    # All threads count; the clock of one of them ticks faster than that of the process.
    cpu_s = max(now - then for now, then in zip(_cpu_seconds(), begin, strict=True))
    seconds = cpu_s, time.perf_counter() - begin_wall
    return model, *seconds, not any(issubclass(one.category, ConvergenceWarning) for one in warned)


def _cpu_seconds():
    return time.thread_time(), time.process_time()


def _with_int32(X):
    """A sparse matrix with int32 indices: SVC takes no others."""
    if not sparse.issparse(X):
        return X
    return sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def _numbers(model, cpu_s, wall_s, converged):
    last = model[-1] if hasattr(model, "steps") else model
    numbers = {"iterations": np.sum(last.n_iter_), "cpu_s": cpu_s, "wall_s": wall_s, "converged": converged}
    if not hasattr(last, "support_"):
        return numbers
    coefficients = last.dual_coef_.toarray() if sparse.issparse(last.dual_coef_) else last.dual_coef_
    return numbers | {
        "support": last.support_.astype(np.int64),
        "coefficients": np.asarray(coefficients).ravel(),
        "bias": last.intercept_[0],
    }


def _main(folder):
    """Train on the files of a folder, then predict where it has test points.

    SIGPROF ends either when its CPU seconds are used up; the model is written before the predictions.
    """
    settings = json.loads((folder / "settings.json").read_text())
    X, y = _load(folder, "X"), np.load(folder / "y.npy")
    few = np.unique(y, return_index=True)[1]
    _fit(X[few], y[few], _build(settings["steps"]))  # what is loaded on first use is not to be timed
    signal.setitimer(signal.ITIMER_PROF, settings["seconds"])
    model, *measured = _fit(X, y, _build(settings["steps"]))
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    np.savez(folder / "model.npz", **_numbers(model, *measured))
    X_test = _load(folder, "X_test")
    if X_test is not None:
        signal.setitimer(signal.ITIMER_PROF, settings["seconds"])
        predicted = model.predict(_with_int32(X_test))
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        np.save(folder / "predicted.npy", predicted)


def _load(folder, name):
    """A matrix of the folder, dense or sparse; None where there is none of that name."""
    if (folder / f"{name}.npy").exists():
        return np.load(folder / f"{name}.npy")
    return sparse.load_npz(folder / f"{name}.npz") if (folder / f"{name}.npz").exists() else None


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
