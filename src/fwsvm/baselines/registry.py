"""The registry of baselines: whose algorithm, whose code, which problem; and the one door to them."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from fwsvm.baselines.allowance import Allowance, AllowanceExceededError
from fwsvm.baselines.libsvm import fit_l1_svc, fit_l2_svc
from fwsvm.baselines.low_rank import fit_low_rank_lsvm
from fwsvm.baselines.model import BaselineModel
from fwsvm.baselines.rsvm import fit_rsvm
from fwsvm.baselines.simple_svm import fit_simple_svm
from fwsvm.kernels.functions import Kernel
from fwsvm.solvers.solve import one_blas_thread

_L1 = "L1-SVM: |w|^2 / 2 + C sum(xi), free bias"
_L2 = "L2-SVM: (|w|^2 + b^2) / 2 + C / 2 sum(xi^2), CVM's problem"


@dataclass(frozen=True)
class Baseline:
    """A competitor and where it comes from.

    Attributes
    ----------
    name, label : str
    problem : str
        What is minimised, in words.
    algorithm : str
        Whose algorithm it is.
    code : str
        Whose code runs, and where that differs from what the papers timed.
    fit : callable
        `fit(X, y, kernel, C, allowance, rng, **settings) -> Expansion`, of an ndarray or CSR matrix X (m, d), labels y
        (m,) of -1 and +1, a `Kernel`, the penalty C > 0 and an `Allowance` of time and memory; it raises
        AllowanceExceededError where this runs out before there is a model.
    """

    name: str
    label: str
    problem: str
    algorithm: str
    code: str
    fit: Callable

    @property
    def settings(self):
        """Names and defaults of its own settings."""
        parameters = list(inspect.signature(self.fit).parameters.values())[6:]
        return {parameter.name: parameter.default for parameter in parameters}


BASELINES = {
    baseline.name: baseline
    for baseline in (
        Baseline(
            "libsvm_l1",
            "LIBSVM (L1-SVM)",
            _L1,
            "Chang & Lin's LIBSVM: SMO with second-order working sets, shrinking and a kernel cache",
            "LIBSVM's C++ as scikit-learn ships it (SVC), a later version than tsang2005 used",
            fit_l1_svc,
        ),
        Baseline(
            "libsvm_l2",
            "LIBSVM (L2-SVM)",
            "L2-SVM: |w|^2 / 2 + C / 2 sum(xi^2), free bias",
            "Chang & Lin's LIBSVM; the squared slacks come from one more feature per training point, which is exact",
            "as libsvm_l1; tsang2005 patched the code after LIBSVM's FAQ, for the same problem",
            fit_l2_svc,
        ),
        Baseline(
            "lsvm_lowrank",
            "LSVM, low rank (L2-SVM)",
            _L2 + ", with an approximate kernel",
            "Lagrangian SVM of Mangasarian & Musicant (2001); incomplete Cholesky of Fine & Scheinberg (2001)",
            "this package's, with LAPACK; tsang2005 ran the authors' MATLAB code",
            fit_low_rank_lsvm,
        ),
        Baseline(
            "rsvm",
            "RSVM (L2-SVM)",
            "(|c|^2 + b^2) / 2 + C / 2 sum(xi^2) over the coefficients c of a random 10 % of the points",
            "reduced SVM of Lee & Mangasarian (2001), by the generalised Newton method on the squared hinge itself",
            "this package's, with LAPACK; tsang2005 ran MATLAB code, whose authors smooth the hinge",
            fit_rsvm,
        ),
        Baseline(
            "simple_svm",
            "SimpleSVM (L1-SVM)",
            _L1,
            "active set method of Vishwanathan, Smola & Murty (2003) with rank-one updates of a Cholesky factor",
            "this package's, compiled; tsang2005 ran MATLAB code",
            fit_simple_svm,
        ),
    )
}


def fit_baseline(
    name, X, y, kernel=None, C=1.0, *, time_limit=np.inf, memory_limit_mb=np.inf, random_state=None, **settings
):
    """Train a baseline on two classes.

    Parameters
    ----------
    name : str
        A key of `BASELINES`.
    X : array-like or sparse matrix of shape (m, d)
    y : array-like of shape (m,), values -1 and +1
    kernel : Kernel, optional
        By default RBF with gamma = 1.
    C : float
        Penalty in the baseline's problem, as `BASELINES[name].problem` writes it.
    time_limit : float
        CPU seconds of training.
    memory_limit_mb : float
        MB (1e6 bytes) for what the baseline allocates: kernel values, factors, caches, copies of the data.
    random_state : None, int or numpy.random.Generator
    **settings
        The baseline's own: keys of `BASELINES[name].settings`.

    Returns
    -------
    BaselineModel
        Also where an allowance ran out: `stop_reason` says which, and `note` what would have been needed.

    Raises
    ------
    ValueError
        For bad data or a bad argument; the message names it.
    """
    if name not in BASELINES:
        raise ValueError(f"name must be one of {', '.join(BASELINES)}, got {name!r}")
    baseline = BASELINES[name]
    X, y = _checked_data(X, y)
    kernel = Kernel() if kernel is None else kernel
    if not isinstance(kernel, Kernel):
        raise ValueError(f"kernel must be a fwsvm.Kernel, got {kernel!r}")
    if not (isinstance(C, Real) and np.isfinite(C) and C > 0):
        raise ValueError(f"C must be a positive finite number, got {C!r}")
    for key, value in (("time_limit", time_limit), ("memory_limit_mb", memory_limit_mb)):
        if not (isinstance(value, Real) and value > 0):
            raise ValueError(f"{key} must be a positive number, got {value!r}")
    unknown = sorted(set(settings) - set(baseline.settings))
    if unknown:
        raise ValueError(f"{name} has no setting {', '.join(unknown)}; it has {', '.join(baseline.settings)}")
    with one_blas_thread():
        return _train(baseline, X, y, kernel, float(C), time_limit, memory_limit_mb, random_state, settings)


def _checked_data(X, y):
    X = check_array(X, accept_sparse="csr", dtype=np.float64, order="C", input_name="X")
    y = np.asarray(y, dtype=np.float64).ravel()
    check_consistent_length(X, y)
    if not np.all(np.abs(y) == 1) or len(np.unique(y)) != 2:
        raise ValueError("y must hold the values -1 and +1, and both of them")
    return X, y


def _train(baseline, X, y, kernel, C, time_limit, memory_limit_mb, random_state, settings):
    allowance = Allowance(time_limit, memory_limit_mb)
    found, ended = None, None
    try:
        found = baseline.fit(X, y, kernel, C, allowance, np.random.default_rng(random_state), **settings)
    except AllowanceExceededError as over:
        ended = over
    except MemoryError as error:
        ended = AllowanceExceededError("memory_limit", f"the machine has no more memory: {error}")
    cpu_s, wall_s = allowance.cpu_s, allowance.wall_s
    if found is None:
        cpu_s = cpu_s if ended.cpu_s is None else ended.cpu_s
        return BaselineModel(
            baseline.name, kernel, None, None, 0.0, 0, np.nan, 0, cpu_s, wall_s, ended.reason, str(ended),
            {"memory_mb": allowance.peak_mb},
        )  # fmt: skip
    return BaselineModel(
        name=baseline.name,
        kernel=kernel,
        points=X[found.points],
        coefficients=found.coefficients,
        bias=found.bias,
        support_vectors=found.support_vectors,
        objective=found.objective,
        iterations=found.iterations,
        train_cpu_s=cpu_s if found.cpu_s is None else found.cpu_s,
        train_wall_s=wall_s,
        stop_reason=found.stop_reason,
        note=found.note,
        facts={**found.facts, "memory_mb": allowance.peak_mb},
    )
