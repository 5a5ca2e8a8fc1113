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
    if sparse.issparse(X):  # SVC takes int32 indices only
        X = sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    begin = time.thread_time()
    model = SVC(**settings).fit(X, y)
    cpu_s = time.thread_time() - begin
    coefficients = model.dual_coef_.toarray() if sparse.issparse(model.dual_coef_) else model.dual_coef_
    return {
        "support": model.support_.astype(np.int64),
        "coefficients": np.asarray(coefficients).ravel(),
        "bias": model.intercept_[0],
        "iterations": model.n_iter_[0],
        "cpu_s": cpu_s,
    }


def _main(folder):
    """Train on the files of a folder; SIGPROF ends it when its CPU seconds are used up."""
    settings = json.loads((folder / "settings.json").read_text())
    X = np.load(folder / "X.npy") if (folder / "X.npy").exists() else sparse.load_npz(folder / "X.npz")
    y = np.load(folder / "y.npy")
    SVC().fit([[0.0], [1.0]], [-1, 1])  # what is loaded on first use is not to be timed
    signal.setitimer(signal.ITIMER_PROF, settings["seconds"])
    found = train(X, y, settings["svc"])
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    np.savez(folder / "model.npz", **found)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
