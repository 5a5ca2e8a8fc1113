"""Frank-Wolfe training of kernel support vector machines, with certified solutions.

By default, each fit computes a certified duality gap over all training points. This gap is an upper
bound on the difference between the objective and its minimum. With more than two classes, each pair
of classes has an objective and a gap.

>>> from sklearn.datasets import load_breast_cancer
>>> from fwsvm import FrankWolfeSVC
>>> X, y = load_breast_cancer(return_X_y=True)
>>> model = FrankWolfeSVC(C=10).fit(X / X.max(axis=0), y)
>>> bool(model.relative_gap_ <= 1e-2)
True

`FrankWolfeSVC` and `FrankWolfeOneClass` have scikit-learn's interface. `fit_c_path` fits a
classifier for several values of C. `minimum_enclosing_ball` computes the smallest ball that
encloses given points. `solve` runs a method on a `KernelProblem` or a `MatrixProblem`, and returns
a `Solution`. A `KernelProblem` is built from labels and a `KernelMatrix`. A `KernelMatrix` is built
from points and a `Kernel`. A `MatrixProblem` is built from an explicit matrix. `weighted_svm`
solves small weighted problems exactly. The command `fwsvm` trains and predicts on LIBSVM files.

This package needs numpy, scipy, scikit-learn, numba, joblib and threadpoolctl. The package
`fwsvm_papers`, which reproduces the experiments of five papers, is installed at the same time.
`fwsvm_papers` needs further packages, which the extra `papers` installs (`pip install
"fwsvm[papers]"`).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fwsvm.estimators.enclosing_ball import EnclosingBall as EnclosingBall
    from fwsvm.estimators.enclosing_ball import minimum_enclosing_ball as minimum_enclosing_ball
    from fwsvm.estimators.machine import fit_c_path as fit_c_path
    from fwsvm.estimators.one_class import FrankWolfeOneClass as FrankWolfeOneClass
    from fwsvm.estimators.svc import FrankWolfeSVC as FrankWolfeSVC
    from fwsvm.kernels import Kernel as Kernel
    from fwsvm.kernels import KernelMatrix as KernelMatrix
    from fwsvm.kernels import average_squared_distance as average_squared_distance
    from fwsvm.problems.dual import KernelProblem as KernelProblem
    from fwsvm.problems.dual import MatrixProblem as MatrixProblem
    from fwsvm.problems.weighted import weighted_svm as weighted_svm
    from fwsvm.solvers.solution import Solution as Solution
    from fwsvm.solvers.solve import solve as solve

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


# A type checker reads the imports above. If it saw `__getattr__`, it would accept any name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import the public names when they are first used, so that `import fwsvm` is fast."""
        if name in _PUBLIC:
            return getattr(importlib.import_module(_PUBLIC[name]), name)
        raise AttributeError(f"module 'fwsvm' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
