"""LIBSVM through scikit-learn, and the process that `fwsvm.baselines.libsvm` starts to train within a time limit.

The process runs this file alone: it must not import the package, which would take longer than many a fit.
"""

import json
import signal
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.svm import SVC


def train(X, y, settings):
    """Fit an SVC; returns its numbers as a dictionary, with the CPU seconds of the fit."""
    return _numbers(*_fit(X, y, settings))


def _fit(X, y, settings):
    """The fitted SVC, its CPU seconds and its seconds."""
    X, begin, begin_wall = _with_int32(X), time.thread_time(), time.perf_counter()
    model = SVC(**settings).fit(X, y)
    return model, time.thread_time() - begin, time.perf_counter() - begin_wall


def _with_int32(X):
    """A sparse matrix with int32 indices: SVC takes no others."""
    if not sparse.issparse(X):
        return X
    return sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def _numbers(model, cpu_s, wall_s):
    coefficients = model.dual_coef_.toarray() if sparse.issparse(model.dual_coef_) else model.dual_coef_
    return {
        "support": model.support_.astype(np.int64),
        "coefficients": np.asarray(coefficients).ravel(),
        "bias": model.intercept_[0],
        "iterations": np.sum(model.n_iter_),
        "cpu_s": cpu_s,
        "wall_s": wall_s,
    }


def _main(folder):
    """Train on the files of a folder, then predict where it has test points.

    SIGPROF ends either when its CPU seconds are used up; the model is written before the predictions.
    """
    settings = json.loads((folder / "settings.json").read_text())
    X, y = _load(folder, "X"), np.load(folder / "y.npy")
    SVC().fit([[0.0], [1.0]], [-1, 1])  # what is loaded on first use is not to be timed
    signal.setitimer(signal.ITIMER_PROF, settings["seconds"])
    model, *times = _fit(X, y, settings["svc"])
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    np.savez(folder / "model.npz", **_numbers(model, *times))
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
