"""`libsvm_l1` and `libsvm_l2`: LIBSVM as scikit-learn's SVC.

Where time is limited it trains in a process of its own, which the limit can end.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse

from fwsvm.baselines import libsvm_process
from fwsvm.baselines.allowance import AllowanceExceededError
from fwsvm.baselines.libsvm_process import train
from fwsvm.baselines.model import Expansion

# A sparse element in LIBSVM's memory is an int and a double.
_NODE_BYTES = 16
# The upper bound of multipliers that have none.
_NO_BOUND = 1e12


def fit_l1_svc(X, y, kernel, C, allowance, rng, tol=1e-3, cache_mb=200.0):
    """Train LIBSVM's C-SVC: minimise b'Qb / 2 - sum(b), 0 <= b <= C, y'b = 0, with Q_ij = y_i y_j k_ij.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (m, d)
    y : array of shape (m,), values -1 and +1
    kernel : Kernel
    C : float
    allowance : Allowance
    rng : numpy.random.Generator
        Not used: LIBSVM is deterministic.
    tol : float
        LIBSVM's tolerance on the KKT conditions.
    cache_mb : float
        LIBSVM's kernel cache.

    Returns
    -------
    Expansion

    Raises
    ------
    AllowanceExceededError
    """
    return _fit(X, y, kernel, C, allowance, tol, cache_mb)


def fit_l2_svc(X, y, kernel, C, allowance, rng, tol=1e-3, cache_mb=200.0):
    """Train the L2-SVM by LIBSVM: minimise b'Qb / 2 - sum(b), b >= 0, y'b = 0, with Q_ij = y_i y_j k_ij + delta_ij / C.

    The ridge is put into the data instead of the code: every training point gets a feature of its own, of value t. With
    the linear kernel that adds t^2 = 1 / C to the diagonal. With the RBF kernel it moves points apart by 2 t^2, so that
    K becomes c K + (1 - c) I, c = exp(-2 gamma t^2); with c = C / (C + 1) that is c (K + I / C), and b / c is found.
    This is exact, runs the unchanged LIBSVM, and is the problem of LIBSVM's FAQ that tsang2005 followed: unlike in
    CVM's problem the bias is not regularised.

    Parameters
    ----------
    X, y, kernel, C, allowance, rng, tol, cache_mb
        As for `fit_l1_svc`; the kernel is "rbf" or "linear".

    Returns
    -------
    Expansion

    Raises
    ------
    ValueError
        For a polynomial kernel.
    AllowanceExceededError
    """
    if kernel.name == "rbf":
        scale = C / (C + 1.0)
        own = np.sqrt(0.5 * np.log1p(1.0 / C) / kernel.gamma)
    elif kernel.name == "linear":
        scale, own = 1.0, np.sqrt(1.0 / C)
    else:
        raise ValueError(f"libsvm_l2 takes the rbf and linear kernels, got {kernel.name!r}")
    moved = sparse.hstack([sparse.csr_matrix(X), own * sparse.eye_array(X.shape[0])], format="csr")
    found = _fit(moved, y, kernel, _NO_BOUND, allowance, tol, cache_mb)
    found.coefficients = scale * found.coefficients
    return found


def _fit(X, y, kernel, C, allowance, tol, cache_mb):
    copy_mb = (X.nnz * _NODE_BYTES if sparse.issparse(X) else X.nbytes) / 1e6
    allowance.reserve(cache_mb + copy_mb, "LIBSVM's kernel cache and copy of the data")
    settings = {
        "kernel": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree, "coef0": 0.0, "C": C, "tol": tol,
        "cache_size": cache_mb,
    }  # fmt: skip
    found = _train_apart(X, y, settings, allowance) if np.isfinite(allowance.time_limit) else train(X, y, settings)
    return Expansion(
        points=found["support"],
        coefficients=found["coefficients"],
        bias=float(found["bias"]),
        support_vectors=len(found["support"]),
        objective=np.nan,
        iterations=int(found["iterations"]),
        cpu_s=float(found["cpu_s"]),
    )


def _train_apart(X, y, settings, allowance):
    """As `train`, in a process that ends itself after the CPU seconds that are left."""
    with tempfile.TemporaryDirectory(prefix="fwsvm-svc-") as folder:
        folder = Path(folder)
        if sparse.issparse(X):
            sparse.save_npz(folder / "X.npz", X.tocsr(), compressed=False)
        else:
            np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", y)
        (folder / "settings.json").write_text(json.dumps({"svc": settings, "seconds": allowance.seconds_left}))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-P", libsvm_process.__file__, str(folder)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == -signal.SIGPROF:
            what = f"not finished after {allowance.time_limit:g} CPU seconds"
            raise AllowanceExceededError("time_limit", what, cpu_s=allowance.time_limit)
        if done.returncode == -signal.SIGKILL:
            raise AllowanceExceededError("memory_limit", "LIBSVM's process was killed: the machine has no more memory")
        if done.returncode:
            raise RuntimeError(f"LIBSVM's process failed ({done.returncode}): {done.stderr.strip()[-500:]}")
        with np.load(folder / "model.npz") as model:
            return dict(model)
