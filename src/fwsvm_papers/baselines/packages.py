"""Functions for methods from other packages. They return the estimator classes that train a method,
and the training and test points that it needs.

`fwsvm_papers.baselines.limits` runs these methods.
"""

import numpy as np
from scipy import sparse

from fwsvm_papers.baselines.libsvm import memory_mb, with_own_features
from fwsvm_papers.baselines.limits import Features, Steps
from fwsvm_papers.datasets.storage import Prepared

NOT_INSTALLED = "not installed"
"""The stop reason of a method whose package is missing."""


def package_steps(
    method: str,
    gamma: float,
    C: float,
    cache_mb: float,
    components: int | None = None,
    seed: int | None = None,
) -> Steps:
    """Return the `Steps` of a method, which are names of estimator classes with their parameters.

    `components` is the number of Nystroem features, and `seed` chooses these features. A method
    without a Nystroem map ignores both.
    """
    if method == "nystroem":
        # For slacks xi, the loss of LIBLINEAR is C sum(xi^2), and the loss of our L2-SVM is C / 2
        # sum(xi^2). Therefore, LIBLINEAR gets C / 2. In both problems, the bias is regularised.
        parameters = {"gamma": gamma, "n_components": components, "random_state": seed}
        linear = {"C": C / 2, "random_state": seed}
        return [
            ("sklearn.kernel_approximation:Nystroem", parameters),
            ("sklearn.svm:LinearSVC", linear),
        ]
    package = "sklearnex" if method == "intelex" else "sklearn"
    # For `libsvm_l2`, the parameter C of SVC is set to a very large number, because the multipliers
    # in the dual of the L2-SVM have no upper bound. The C of the L2-SVM determines only the
    # features that `with_own_features` appends to the points.
    bound = 1e12 if method == "libsvm_l2" else C
    return [(f"{package}.svm:SVC", {"gamma": gamma, "C": bound, "cache_size": cache_mb})]


def package_points(
    data: Prepared,
    method: str,
    gamma: float,
    C: float,
    cache_mb: float,
    components: int | None = None,
) -> tuple[tuple[Features, np.ndarray], tuple[Features, np.ndarray], float]:
    """Return a pair of training points and their labels, a pair of test points and their labels,
    and the memory (MB) that training needs. `components` is the number of Nystroem features, or
    None for a method without a Nystroem map.
    """
    X, X_test = data.X_train, data.X_test
    # With a Nystroem map, memory is needed for the mapped points and for LIBLINEAR's copy of the
    # mapped points.
    memory = 2 * 8e-6 * components * X.shape[0] if components else memory_mb(X, cache_mb)
    if method == "libsvm_l2":
        X, own = with_own_features(X, "rbf", gamma, C)
        X = sparse.hstack([X, sparse.csr_array((X.shape[0], 1))], format="csr")
        gap = sparse.csr_array((X_test.shape[0], data.X_train.shape[0]))
        X_test = sparse.hstack(
            [sparse.csr_matrix(X_test), gap, np.full((X_test.shape[0], 1), own)], format="csr"
        )
        memory = memory_mb(X, cache_mb)
    return (X, np.asarray(data.y_train)), (X_test, np.asarray(data.y_test)), memory
