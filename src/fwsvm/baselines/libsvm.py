"""`libsvm_l1` and `libsvm_l2`: LIBSVM as scikit-learn's SVC.

Where time is limited it trains in a process of its own, which the limit can end.
"""

import numpy as np
from scipy import sparse

from fwsvm.baselines.apart import train_apart
from fwsvm.baselines.model import Expansion
from fwsvm.baselines.training_process import train

SVC = "sklearn.svm:SVC"
# A sparse element in LIBSVM's memory is an int and a double.
_NODE_BYTES = 16
# The upper bound of multipliers that have none.
_NO_BOUND = 1e12


def fit_l1_svc(X, y, kernel, C, allowance, rng, tol=1e-3, cache_mb=200.0):
    """Train LIBSVM's C-SVC: minimise b'Qb / 2 - sum(b), 0 <= b <= C, y'b = 0, with Q_ij = y_i y_j k_ij.

    Parameters
    ----------
    X, y, kernel, C, allowance
        See `fwsvm.baselines.registry.Baseline`.
    rng : numpy.random.Generator
        Not used: LIBSVM is deterministic.
    tol : float
        LIBSVM's tolerance on the KKT conditions.
    cache_mb : float
        LIBSVM's kernel cache.

    Returns
    -------
    Expansion
    """
    return _fit(X, y, kernel, C, allowance, tol, cache_mb)


def fit_l2_svc(X, y, kernel, C, allowance, rng, tol=1e-3, cache_mb=200.0):
    """Train the L2-SVM by LIBSVM: minimise b'Qb / 2 - sum(b), b >= 0, y'b = 0, with Q_ij = y_i y_j k_ij + delta_ij / C.

    `with_own_features` puts the ridge into the data. This is exact, runs the unchanged LIBSVM, and is the problem of
    LIBSVM's FAQ that tsang2005 followed: unlike in CVM's problem the bias is not regularised.

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
    """
    moved, _ = with_own_features(X, kernel.name, kernel.gamma, C)
    found = _fit(moved, y, kernel, _NO_BOUND, allowance, tol, cache_mb)
    found.coefficients = found.coefficients * (C / (C + 1.0) if kernel.name == "rbf" else 1.0)
    return found


def with_own_features(X, kernel, gamma, C):
    """Put the ridge I / C of the squared hinge loss into the data: every training point gets a feature of its own.

    Its value is t. With the linear kernel that adds t^2 = 1 / C to the diagonal. With the RBF kernel it moves points
    apart by 2 t^2, so that K becomes c K + (1 - c) I, c = exp(-2 gamma t^2). With c = C / (C + 1) that is
    c (K + I / C), and the multipliers b / c are found. A test point that is moved as far has the decision values of b
    and k: it gets t in one more feature, which is 0 for the training points.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (m, d)
    kernel : str
        rbf or linear.
    gamma, C : float

    Returns
    -------
    CSR matrix of shape (m, d + m), and t

    Raises
    ------
    ValueError
        For a polynomial kernel.
    """
    if kernel == "rbf":
        own = np.sqrt(0.5 * np.log1p(1.0 / C) / gamma)
    elif kernel == "linear":
        own = np.sqrt(1.0 / C)
    else:
        raise ValueError(f"libsvm_l2 takes the rbf and linear kernels, got {kernel!r}")
    return sparse.hstack([sparse.csr_matrix(X), own * sparse.eye_array(X.shape[0])], format="csr"), own


def memory_mb(X, cache_mb):
    """MB (1e6 bytes) of LIBSVM's kernel cache and its copy of the points X (m, d), dense or sparse."""
    return cache_mb + (X.nnz * _NODE_BYTES if sparse.issparse(X) else X.nbytes) / 1e6


def _fit(X, y, kernel, C, allowance, tol, cache_mb):
    allowance.reserve(memory_mb(X, cache_mb), "LIBSVM's kernel cache and copy of the data")
    settings = {
        "kernel": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree, "coef0": 0.0, "C": C, "tol": tol,
        "cache_size": cache_mb,
    }  # fmt: skip
    steps = [(SVC, settings)]
    found = train_apart(X, y, steps, allowance) if np.isfinite(allowance.time_limit) else train(X, y, steps)
    return Expansion(
        points=found["support"],
        coefficients=found["coefficients"],
        bias=float(found["bias"]),
        support_vectors=len(found["support"]),
        objective=np.nan,
        iterations=int(found["iterations"]),
        cpu_s=float(found["cpu_s"]),
    )
