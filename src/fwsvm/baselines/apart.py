"""Training in a process of its own, which a time limit can end: of code that does not look at a clock itself."""

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

from fwsvm.baselines import training_process
from fwsvm.baselines.allowance import Allowance, AllowanceExceededError


@dataclass(frozen=True)
class Measured:
    """What `measure_apart` found; without a model the numbers are None.

    Attributes
    ----------
    support_vectors : int or None
        Distinct training points in any of the decision functions; None too for estimators that have no such points.
    iterations : int or None
        Of all decision functions.
    train_cpu_s, train_wall_s : float
        CPU seconds of one thread, and seconds.
    test_accuracy : float or None
        None also where predicting took longer than training may.
    stop_reason : str
        converged, iteration_limit, time_limit or memory_limit.
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


def measure_apart(steps, train, test, *, time_limit, memory_limit_mb=np.inf, memory_mb=0.0):
    """Train a scikit-learn estimator in a process of its own, and test it there.

    Parameters
    ----------
    steps : list of (str, dict)
        The estimator, as `fwsvm.baselines.training_process.train` takes it.
    train, test : (X, y)
        Points, dense or CSR, and labels of any number of classes.
    time_limit : float
        CPU seconds that training may take, and predicting as many again.
    memory_limit_mb, memory_mb : float
        MB (1e6 bytes) that it may take, and that it will.

    Returns
    -------
    Measured
    """
    allowance = Allowance(time_limit, memory_limit_mb)
    try:
        allowance.reserve(memory_mb, "training")
        found = train_apart(*train, steps, allowance, test[0])
    except AllowanceExceededError as ended:
        cpu_s = allowance.cpu_s if ended.cpu_s is None else ended.cpu_s
        return Measured(None, None, cpu_s, allowance.wall_s, None, ended.reason, str(ended))
    return Measured(
        support_vectors=len(found["support"]) if "support" in found else None,
        iterations=int(found["iterations"]),
        train_cpu_s=float(found["cpu_s"]),
        train_wall_s=float(found["wall_s"]),
        test_accuracy=None if "predicted" not in found else float(np.mean(found["predicted"] == np.asarray(test[1]))),
        stop_reason="converged" if found["converged"] else "iteration_limit",
    )


def train_apart(X, y, steps, allowance, X_test=None):
    """As `fwsvm.baselines.training_process.train`, in a process that ends itself after the CPU seconds that are left.

    With test points the result has their predicted labels as `predicted`, unless predicting took as long again.

    Raises
    ------
    AllowanceExceededError
        Its time or memory is used up.
    RuntimeError
        Training failed; the message ends with that of the process.
    """
    with tempfile.TemporaryDirectory(prefix="fwsvm-apart-") as folder:
        folder = Path(folder)
        for name, points in (("X", X), ("X_test", X_test)):
            if sparse.issparse(points):
                sparse.save_npz(folder / f"{name}.npz", points.tocsr(), compressed=False)
            elif points is not None:
                np.save(folder / f"{name}.npy", points)
        np.save(folder / "y.npy", y)
        (folder / "settings.json").write_text(json.dumps({"steps": steps, "seconds": allowance.seconds_left}))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        command = [sys.executable, "-P", training_process.__file__, str(folder)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        trained = (folder / "model.npz").exists()
        if done.returncode == -signal.SIGPROF and not trained:
            what = f"not finished after {allowance.time_limit:g} CPU seconds"
            raise AllowanceExceededError("time_limit", what, cpu_s=allowance.time_limit)
        if done.returncode == -signal.SIGKILL:
            raise AllowanceExceededError("memory_limit", "its process was killed: the machine has no more memory")
        if done.returncode and not (done.returncode == -signal.SIGPROF and trained):
            raise RuntimeError(f"training in a process failed ({done.returncode}): {done.stderr.strip()[-500:]}")
        with np.load(folder / "model.npz") as model:
            found = dict(model)
        if (folder / "predicted.npy").exists():
            found["predicted"] = np.load(folder / "predicted.npy")
        return found
