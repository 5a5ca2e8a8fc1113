"""Limits on time and memory, and functions that train in another process. The process is stopped at
the time limit.

The other process runs only this file, because an import of the package would take longer than many
fits.
"""

import importlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

_OF_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Features: TypeAlias = np.ndarray | sparse.csr_matrix
Steps: TypeAlias = Sequence[tuple[str, dict]]
"""The steps of a scikit-learn pipeline. Each step is a pair of ``module:class`` and a dict with the
parameters of the class.
"""
Repeats: TypeAlias = dict[str, float]
"""The rule that says how often a fit is repeated. Its keys are `least`, `scatter`, `seconds` and
`most`.

The fits end when their total time is at least `seconds`, or when their number is `most`. They also
end when their number is at least `least`, and the scatter of their times (computed by the function
`scatter`) is at most the value of the key `scatter`. With one thread, the times are CPU times, and
with several threads, they are wall times.
"""


class LimitReachedError(Exception):
    """The error that is raised if training reaches a limit on time or memory.

    `reason` is the stop reason. If training ran in another process and was stopped at the time
    limit, `cpu_s` is this limit, in CPU seconds per thread. Otherwise, `cpu_s` is None.
    """

    def __init__(self, reason: str, message: str, cpu_s: float | None = None) -> None:
        super().__init__(message)
        self.reason, self.cpu_s = reason, cpu_s


class Limits:
    """The limits of a training run. `time_limit` limits the CPU time of the thread that creates the
    `Limits` object, in seconds from that moment on. `memory_limit_mb` limits the memory that
    training reserves for its arrays, in MB (1e6 bytes).
    """

    def __init__(self, time_limit: float = np.inf, memory_limit_mb: float = np.inf) -> None:
        self.time_limit, self.memory_limit_mb = time_limit, memory_limit_mb
        self.cpu_start, self.wall_start = time.thread_time(), time.perf_counter()
        self.reserved_mb = self.peak_mb = 0.0

    @property
    def cpu_s(self) -> float:
        return time.thread_time() - self.cpu_start

    @property
    def wall_s(self) -> float:
        return time.perf_counter() - self.wall_start

    @property
    def is_over(self) -> bool:
        return self.cpu_s >= self.time_limit

    def check_time(self) -> None:
        """Raise a LimitReachedError if the time limit is reached."""
        if self.is_over:
            raise LimitReachedError(
                "time_limit", f"not finished after {self.time_limit:g} CPU seconds"
            )

    def reserve(self, megabytes: float, what: str) -> None:
        """Add `megabytes` to the reserved memory. The caller will allocate this memory for `what`.

        If the reserved memory would exceed the limit, raise a LimitReachedError instead. Its
        message names `what`.
        """
        if self.reserved_mb + megabytes > self.memory_limit_mb:
            used = (
                f"{self.reserved_mb:.0f} MB are in use, and {self.memory_limit_mb:g} MB are allowed"
            )
            raise LimitReachedError("memory_limit", f"{what} would need {megabytes:.0f} MB; {used}")
        self.reserved_mb += megabytes
        self.peak_mb = max(self.peak_mb, self.reserved_mb)

    def release(self, megabytes: float) -> None:
        self.reserved_mb -= megabytes


def measure_in_process(
    steps: Steps,
    train: tuple[Features, np.ndarray],
    test: tuple[Features, np.ndarray],
    *,
    time_limit: float,
    memory_limit_mb: float = np.inf,
    memory_mb: float = 0.0,
) -> dict:
    """Train and test a scikit-learn estimator in another process. Return a dict whose keys are
    columns of the table of runs.

    `train` and `test` are pairs (X, y). `memory_mb` is the memory that training needs. Training can
    take at most `time_limit` CPU seconds, and so can prediction. If prediction takes longer, the
    accuracy is None. The entry `iterations` is the sum over the binary problems (for LinearSVC, it
    is the largest number of a binary problem). If training ends at its limit of time or memory, the
    dict has only the times and the stop reason.
    """
    limits = Limits(time_limit, memory_limit_mb)
    try:
        limits.reserve(memory_mb, "training")
        found = train_in_process(*train, steps, limits, test[0])
    except LimitReachedError as stopped:
        cpu_s = limits.cpu_s if stopped.cpu_s is None else stopped.cpu_s
        return {"train_cpu_s": cpu_s, "train_wall_s": limits.wall_s, "stop_reason": stopped.reason}
    return {
        "support_vectors": len(found["support"]) if "support" in found else None,
        "iterations": int(found["iterations"]),
        "train_cpu_s": found["cpu_s"],
        "train_wall_s": found["wall_s"],
        "test_accuracy": (
            float(np.mean(found["predicted"] == np.asarray(test[1])))
            if "predicted" in found
            else None
        ),
        "stop_reason": "converged" if found["converged"] else "iteration_limit",
    }


def train_in_process(
    X: Features,
    y: np.ndarray,
    steps: Steps,
    limits: Limits,
    X_test: Features | None = None,
    threads: int = 1,
    repeats: Repeats | None = None,
) -> dict:
    """Call `train` in another process, and return the result of `train`.

    The process is stopped when the CPU time of a fit or of a prediction, divided by the number of
    threads, reaches the time that remains in `limits`. If the first fit is stopped, or if memory
    runs out, a LimitReachedError is raised. If the process fails for another reason, a RuntimeError
    is raised.

    If there are test points, the result also has their predicted labels (key `predicted`) and the
    times of the predictions (key `predictions`). If a prediction takes longer than a fit is allowed
    to take, these two keys are missing.

    If `repeats` is given, the labels are predicted `least` times, and the fit is repeated as
    `Repeats` explains. The result then has the times of the repeated fits (key `fits`). If the
    first fit takes at least the `seconds` of `repeats`, it is not repeated, and this list has only
    its time. Otherwise, the list does not contain the first fit. If a repeated fit or a prediction
    is stopped at its limit, the key `fits` is missing.
    """
    seconds = max(limits.time_limit - limits.cpu_s, 1e-3)
    with tempfile.TemporaryDirectory(prefix="fwsvm-training-") as folder:
        task, model, predicted, fits = (
            Path(folder, name) for name in ("task", "model", "predicted", "fits")
        )
        task.write_bytes(pickle.dumps((X, y, steps, X_test, seconds, threads, repeats)))
        done = subprocess.run(
            [sys.executable, "-P", __file__, folder],
            env=os.environ | dict.fromkeys(_OF_THREADS, str(threads)),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == -signal.SIGPROF and not model.exists():
            what = f"not finished after {limits.time_limit:g} CPU seconds"
            raise LimitReachedError("time_limit", what, cpu_s=limits.time_limit)
        if done.returncode == -signal.SIGKILL or "MemoryError" in done.stderr[-500:]:
            raise LimitReachedError("memory_limit", "the training process ran out of memory")
        if done.returncode not in (0, -signal.SIGPROF):
            raise RuntimeError(
                f"training in another process failed ({done.returncode}):"
                f" {done.stderr.strip()[-500:]}"
            )
        found = pickle.loads(model.read_bytes())
        for part in (predicted, fits):
            if part.exists():
                found |= pickle.loads(part.read_bytes())
        return found


def train(X: Features, y: np.ndarray, steps: Steps) -> dict:
    """Fit a pipeline, and return a dict with the times `cpu_s` and `wall_s`, the number of
    `iterations`, and whether the fit has `converged`.

    If the last step is a kernel machine, the dict also has its `support` (the indices of the
    support vectors), its `coefficients` and its `bias` (for several binary problems, the bias of
    the first one). If this machine is an estimator of `fwsvm`, `columns` has further columns of the
    table of runs. Each step is a pair of ``module:class`` and a dict with the arguments of the
    class.
    """
    return _numbers(*_fit(X, y, steps))


def scatter(times: Sequence[float]) -> float:
    """Return the distance between the lower and the upper quartile of the times, divided by the
    median. For fewer than two times, return infinity.
    """
    if len(times) < 2:
        return np.inf
    low, middle, high = np.quantile(times, (0.25, 0.5, 0.75))
    return float((high - low) / middle)


def _are_enough(times: Sequence[float], repeats: Repeats) -> bool:
    if sum(times) >= repeats["seconds"] or len(times) >= repeats["most"]:
        return True
    return len(times) >= repeats["least"] and scatter(times) <= repeats["scatter"]


def _fit(X: Features, y: np.ndarray, steps: Steps, threads: int = 1) -> tuple[Any, dict]:
    models = []
    for name, options in steps:
        module, name = name.split(":")
        models.append(getattr(importlib.import_module(module), name)(**options))
    # oneDAL, the library of scikit-learn-intelex, ignores OMP_NUM_THREADS, so the number of its
    # threads is set here.
    if "daal4py" in sys.modules:
        sys.modules["daal4py"].daalinit(threads)
    model = models[0] if len(models) == 1 else make_pipeline(*models)
    X = _with_int32(X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, times = _timed(model.fit, X, y)
    converged = not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    return model, times | {"converged": converged}


def _timed(call: Callable, *arguments: object) -> tuple[Any, dict]:
    start = time.thread_time(), time.process_time(), time.perf_counter()
    result = call(*arguments)
    end = time.thread_time(), time.process_time(), time.perf_counter()
    thread_s, process_s, wall_s = (now - then for now, then in zip(end, start, strict=True))
    # `thread_s` is more precise, but only `process_s` includes all threads.
    return result, {"cpu_s": max(thread_s, process_s), "wall_s": wall_s}


def _with_int32(X: Features) -> Features:
    """Return X. If X is sparse, its indices are converted to int32, the only type of indices that
    SVC accepts.
    """
    if isinstance(X, np.ndarray):
        return X
    X = X.tocsr()
    return sparse.csr_matrix(
        (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape
    )


def _numbers(model: Any, measured: dict) -> dict:
    last = model[-1] if hasattr(model, "steps") else model
    numbers = measured | {"iterations": np.sum(last.n_iter_)}
    if hasattr(last, "pair_solutions_"):  # then `last` is an estimator of `fwsvm`
        from fwsvm.estimators.record import model_columns

        numbers["columns"] = model_columns(last, last.pair_solutions_)
    if not hasattr(last, "support_"):
        return numbers
    coefficients = (
        last.dual_coef_.toarray() if sparse.issparse(last.dual_coef_) else last.dual_coef_
    )
    return numbers | {
        "support": last.support_.astype(np.int64),
        "coefficients": np.asarray(coefficients).ravel(),
        "bias": last.intercept_[0],
    }


def _main(folder: Path) -> None:
    """Train, write the results, predict, and repeat the fit. This function runs in the process that
    `train_in_process` starts.

    If a fit or a prediction exceeds the limit on CPU seconds, the signal SIGPROF ends the process.
    If `repeats` is None, there is only one timed fit and one prediction.
    """
    X, y, steps, X_test, seconds, threads, repeats = pickle.loads((folder / "task").read_bytes())
    few = np.unique(y, return_index=True)[1]
    _fit(X[few], y[few], steps)  # this first call is not timed, because it imports modules
    seconds *= threads
    model, measured = _within(seconds, _fit, X, y, steps, threads)
    (folder / "model").write_bytes(pickle.dumps(_numbers(model, measured)))
    if X_test is not None:
        X_test, predictions = _with_int32(X_test), []
        for _ in range(repeats["least"] if repeats else 1):
            predicted, times = _within(seconds, _timed, model.predict, X_test)
            predictions.append(times)
        found = {"predicted": predicted, "predictions": predictions}
        (folder / "predicted").write_bytes(pickle.dumps(found))
    if repeats:
        clock = "cpu_s" if threads == 1 else "wall_s"
        fits: list[dict] = [] if measured[clock] < repeats["seconds"] else [measured]
        while not _are_enough([one[clock] for one in fits], repeats):
            fits.append(_within(seconds, _fit, X, y, steps, threads)[1])
        (folder / "fits").write_bytes(pickle.dumps({"fits": fits}))


def _within(seconds: float, call: Callable, *arguments: object) -> Any:
    """Call a function and return its result.

    If the call takes more than `seconds` CPU seconds, the signal SIGPROF ends the process.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    result = call(*arguments)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    return result


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
