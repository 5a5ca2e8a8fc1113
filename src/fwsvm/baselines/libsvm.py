"""`libsvm_l1` and `libsvm_l2`: LIBSVM as scikit-learn's SVC.

Where time is limited it trains in a process of its own, which the limit can end.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from fwsvm.baselines import libsvm_process
from fwsvm.baselines.allowance import Allowance, AllowanceExceededError
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


@dataclass(frozen=True)
class MeasuredSVC:
    """What `measure_svc` found; without a model the numbers are None.

    Attributes
    ----------
    support_vectors, iterations : int or None
        Distinct training points in any of the decision functions; iterations of all of them.
    train_cpu_s, train_wall_s : float
        CPU seconds of one thread, and seconds.
    test_accuracy : float or None
        None also where predicting took longer than training may.
    stop_reason : str
        converged, time_limit or memory_limit.
    note : str
        What would have been needed where training ended at a limit.
    """

    support_vectors: int | None
    iterations: int | None
    train_cpu_s: float
    train_wall_s: float
    test_accuracy: float | None
    stop_reason: str = "converged"
    note: str = ""


def measure_svc(train, test, gamma, C, *, time_limit, memory_limit_mb=np.inf, cache_mb=200.0):
    """Train scikit-learn's SVC (RBF kernel, hinge loss, one against one) in a process of its own, and test it there.

    Parameters
    ----------
    train, test : (X, y)
        Points, dense or CSR, and labels of any number of classes.
    gamma, C : float
    time_limit : float
        CPU seconds that training may take, and predicting as many again.
    memory_limit_mb : float
        MB (1e6 bytes) for LIBSVM's cache and its copy of the data.
    cache_mb : float
        LIBSVM's kernel cache.

    Returns
    -------
    MeasuredSVC
    """
    allowance = Allowance(time_limit, memory_limit_mb)
    settings = {"kernel": "rbf", "gamma": gamma, "C": C, "cache_size": cache_mb}
    try:
        _reserve(train[0], allowance, cache_mb)
        found = _train_apart(*train, settings, allowance, test[0])
    except AllowanceExceededError as ended:
        cpu_s = allowance.cpu_s if ended.cpu_s is None else ended.cpu_s
        return MeasuredSVC(None, None, cpu_s, allowance.wall_s, None, ended.reason, str(ended))
    right = None if "predicted" not in found else float(np.mean(found["predicted"] == np.asarray(test[1])))
    return MeasuredSVC(
        len(found["support"]), int(found["iterations"]), float(found["cpu_s"]), float(found["wall_s"]), right
    )


def _reserve(X, allowance, cache_mb):
    copy_mb = (X.nnz * _NODE_BYTES if sparse.issparse(X) else X.nbytes) / 1e6
    allowance.reserve(cache_mb + copy_mb, "LIBSVM's kernel cache and copy of the data")


def _fit(X, y, kernel, C, allowance, tol, cache_mb):
    _reserve(X, allowance, cache_mb)
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


def _train_apart(X, y, settings, allowance, X_test=None):
    """As `train`, in a process that ends itself after the CPU seconds that are left.

    With test points the result has their predicted labels as `predicted`, unless predicting took as long again.
    """
    with tempfile.TemporaryDirectory(prefix="fwsvm-svc-") as folder:
        folder = Path(folder)
        for name, points in (("X", X), ("X_test", X_test)):
            if sparse.issparse(points):
                sparse.save_npz(folder / f"{name}.npz", points.tocsr(), compressed=False)
            elif points is not None:
                np.save(folder / f"{name}.npy", points)
        np.save(folder / "y.npy", y)
        (folder / "settings.json").write_text(json.dumps({"svc": settings, "seconds": allowance.seconds_left}))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-P", libsvm_process.__file__, str(folder)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        trained = (folder / "model.npz").exists()
        if done.returncode == -signal.SIGPROF and not trained:
            what = f"not finished after {allowance.time_limit:g} CPU seconds"
            raise AllowanceExceededError("time_limit", what, cpu_s=allowance.time_limit)
        if done.returncode == -signal.SIGKILL:
            raise AllowanceExceededError("memory_limit", "LIBSVM's process was killed: the machine has no more memory")
        if done.returncode and not (done.returncode == -signal.SIGPROF and trained):
            raise RuntimeError(f"LIBSVM's process failed ({done.returncode}): {done.stderr.strip()[-500:]}")
        with np.load(folder / "model.npz") as model:
            found = dict(model)
        if (folder / "predicted.npy").exists():
            found["predicted"] = np.load(folder / "predicted.npy")
        return found
