"""Functions that train the baselines `libsvm_l1` and `libsvm_l2` with scikit-learn's SVC.

If there is a time limit, SVC runs in another process, because a process can be stopped.
"""

import numpy as np
from scipy import sparse

from fwsvm.kernels.functions import Kernel
from fwsvm_papers.baselines.limits import Limits, train, train_in_process
from fwsvm_papers.baselines.model import BaselineModel
from fwsvm_papers.datasets.storage import Features

SVC = "sklearn.svm:SVC"
_NODE_BYTES = 16  # bytes of a sparse element in LIBSVM: an int and a double, with padding
# LIBSVM needs an upper bound on the multipliers. No multiplier reaches this value.
_NO_BOUND = 1e12


def fit_l1_svc(
    X: Features,
    y: np.ndarray,
    kernel: Kernel,
    C: float,
    limits: Limits,
    rng: np.random.Generator,
    tol: float = 1e-3,
    cache_mb: float = 200.0,
) -> BaselineModel:
    """Train LIBSVM's C-SVC, and return the model.

    The problem is: minimise b'Qb / 2 - sum(b) subject to 0 <= b <= C and y'b = 0, with Q_ij = y_i
    y_j k_ij.

    `tol` is LIBSVM's tolerance on the KKT conditions.
    """
    limits.reserve(memory_mb(X, cache_mb), "LIBSVM's kernel cache and copy of the data")
    settings = {
        "kernel": kernel.name,
        "gamma": kernel.gamma,
        "degree": kernel.degree,
        "coef0": kernel.coef0,
        "C": C,
    }
    steps = [(SVC, settings | {"tol": tol, "cache_size": cache_mb})]
    found = (
        train_in_process(X, y, steps, limits)
        if np.isfinite(limits.time_limit)
        else train(X, y, steps)
    )
    return BaselineModel(
        points=found["support"],
        coefficients=found["coefficients"],
        bias=float(found["bias"]),
        support_vectors=len(found["support"]),
        iterations=int(found["iterations"]),
        train_cpu_s=float(found["cpu_s"]),
    )


def fit_l2_svc(
    X: Features,
    y: np.ndarray,
    kernel: Kernel,
    C: float,
    limits: Limits,
    rng: np.random.Generator,
    tol: float = 1e-3,
    cache_mb: float = 200.0,
) -> BaselineModel:
    """Train an L2-SVM with LIBSVM, and return the model.

    The problem is: minimise b'Qb / 2 - sum(b) subject to b >= 0 and y'b = 0, with Q_ij = y_i y_j
    k_ij + delta_ij / C.

    `with_own_features` adds features to the points, so that the kernel matrix contains delta_ij /
    C. Therefore, LIBSVM can solve this problem with its code unchanged. This is possible with the
    RBF kernel and the linear kernel. For any other kernel, a ValueError is raised. In tsang2005,
    LIBSVM also solved this problem, in the way that LIBSVM's FAQ recommends. Unlike in CVM's
    problem, the bias is not regularised.
    """
    moved, _ = with_own_features(X, kernel.name, kernel.gamma, C)
    found = fit_l1_svc(moved, y, kernel, _NO_BOUND, limits, rng, tol, cache_mb)
    assert found.coefficients is not None
    found.coefficients = found.coefficients * (C / (C + 1.0) if kernel.name == "rbf" else 1.0)
    return found


def with_own_features(
    X: Features, kernel: str, gamma: float | None, C: float
) -> tuple[sparse.csr_matrix, float]:
    """Append one feature for each training point, so that the kernel matrix of the points contains
    the term I / C of the squared hinge loss.

    Return the points as a CSR matrix (m, d + m), and the value t of the new features. The new
    feature of a point has the value t in this point, and is 0 in all other points. With the linear
    kernel, the diagonal of the kernel matrix K grows by t^2 = 1 / C.

    With the RBF kernel, the squared distance between two points grows by 2 t^2. Therefore, the
    matrix K becomes c K + (1 - c) I with c = exp(-2 gamma t^2). The value t is chosen such that c =
    C / (C + 1). With this t, the new matrix is c (K + I / C), and LIBSVM finds b / c instead of the
    multipliers b. A test point needs a new feature of its own, which is t in this point and 0 in
    all training points. With this feature, the kernel values k of the test point become c k. The
    decision value does not change, because (b / c) (c k) = b k.
    """
    if kernel == "rbf":
        own = np.sqrt(0.5 * np.log1p(1.0 / C) / gamma)
    elif kernel == "linear":
        own = np.sqrt(1.0 / C)
    else:
        raise ValueError(f"libsvm_l2 accepts only the rbf and linear kernels, got {kernel!r}")
    return sparse.hstack(
        [sparse.csr_matrix(X), own * sparse.eye_array(X.shape[0])], format="csr"
    ), own


def memory_mb(X: Features, cache_mb: float) -> float:
    """Return the memory, in MB (1e6 bytes), of LIBSVM's cache and of its copy of the points X. X
    (m, d) is dense or sparse.
    """
    return cache_mb + (X.nnz * _NODE_BYTES if sparse.issparse(X) else X.nbytes) / 1e6
