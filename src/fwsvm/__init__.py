"""Frank-Wolfe training of kernel support vector machines, with certified solutions.

`FrankWolfeSVC` is the scikit-learn estimator, and `fit_c_path` fits it for several values of C. `solve` calls the
solvers for a `KernelProblem`, which is built from a `KernelMatrix` and its `Kernel`, or for a `MatrixProblem`, which
is built from an explicit matrix.
"""

import importlib

__version__ = "1.0.0"

_PUBLIC = {
    "FrankWolfeSVC": "fwsvm.estimators.svc",
    "fit_c_path": "fwsvm.estimators.machine",
    "FrankWolfeOneClass": "fwsvm.estimators.one_class",
    "minimum_enclosing_ball": "fwsvm.estimators.enclosing_ball",
    "EnclosingBall": "fwsvm.estimators.enclosing_ball",
    "Kernel": "fwsvm.kernels",
    "KernelMatrix": "fwsvm.kernels",
    "average_squared_distance": "fwsvm.kernels",
    "KernelProblem": "fwsvm.problems.dual",
    "MatrixProblem": "fwsvm.problems.dual",
    "solve": "fwsvm.solvers.solve",
    "Solution": "fwsvm.solvers.solution",
    "weighted_svm": "fwsvm.problems.weighted",
}

__all__ = [*_PUBLIC, "__version__"]


def __getattr__(name):
    """Import the public names when they are first used, so that `import fwsvm` is fast."""
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'fwsvm' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
