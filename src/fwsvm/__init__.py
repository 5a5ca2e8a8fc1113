"""Frank-Wolfe training of kernel support vector machines, with certified solutions.

`FrankWolfeSVC` is the scikit-learn estimator, `fit_c_path` fits it for several values of C; `solve` is the door to the
solvers, for a `KernelProblem` built from a `KernelMatrix` and a `Kernel`, or for the explicit matrix of a
`MatrixProblem`.
"""

import importlib

__version__ = "0.1.0"

_PUBLIC = {
    "FrankWolfeSVC": "fwsvm.estimator",
    "fit_c_path": "fwsvm.estimator",
    "FrankWolfeOneClass": "fwsvm.one_class",
    "minimum_enclosing_ball": "fwsvm.enclosing_ball",
    "EnclosingBall": "fwsvm.enclosing_ball",
    "Kernel": "fwsvm.kernels",
    "KernelMatrix": "fwsvm.kernels",
    "average_squared_distance": "fwsvm.kernels",
    "KernelProblem": "fwsvm.dual",
    "MatrixProblem": "fwsvm.dual",
    "solve": "fwsvm.solvers.solve",
    "Solution": "fwsvm.solvers.solution",
    "weighted_svm": "fwsvm.weighted",
}

__all__ = [*_PUBLIC, "__version__"]


def __getattr__(name):
    """Import the public names when they are first used: `import fwsvm` itself stays light."""
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'fwsvm' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
