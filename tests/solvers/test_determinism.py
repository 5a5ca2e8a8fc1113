"""Test that the same seed and settings give the same model bit for bit, even in another process and
with another number of threads.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import fwsvm
from fwsvm.kernels.precomputed import PrecomputedKernelMatrix
from fwsvm.machine_code import threads as threads_module

SCRIPT = """
import hashlib, json, sys
import numpy as np
from scipy import sparse
from fwsvm import FrankWolfeSVC, Kernel, KernelMatrix, KernelProblem, solve

rng = np.random.default_rng(0)
y = rng.random(700) < 0.4
points = {
    "dense-loop": rng.normal(size=(700, 5)),
    "dense-gram": rng.normal(size=(700, 64)) / 3.0,
    "sparse-scatter": sparse.csr_matrix(rng.normal(size=(700, 40)) * (rng.random((700, 40)) < 0.2)),
}
digests = {}
for path, X in points.items():
    X[:350] += 0.3 * X[350:]
    for method in ("fw", "mfw", "swap", "swap2o", "pfw", "cvm"):
        for selection in ("full", "sampled_text"):
            for kernel in ("rbf", "poly"):
                matrix = KernelMatrix(X, Kernel(kernel, 0.1))
                problem = KernelProblem(matrix, np.where(y, 1.0, -1.0), 10.0)
                assert problem.kernel_path == path
                s = solve(problem, method, selection=selection, max_iterations=300, random_state=3)
                counts = [s.objective, s.gap, s.iterations, s.samples, s.kernel_evaluations]
                numbers = [s.support, s.weights, counts]
                digest = hashlib.sha256(b"".join(np.asarray(part).tobytes() for part in numbers))
                digests[" ".join((path, method, selection, kernel))] = digest.hexdigest()
    model = FrankWolfeSVC(random_state=1, eps=1e-3).fit(X, y.astype(int) + (rng.random(700) < 0.3))
    digests[path] = hashlib.sha256(model.dual_coef_.tobytes()).hexdigest()
json.dump(digests, sys.stdout)
"""


@pytest.mark.slow
def test_threads_and_process_do_not_matter():
    """The last bit of a BLAS product can differ between one thread and two threads. The solvers'
    results must not differ.
    """
    processes, libraries = [], ("OMP", "OPENBLAS", "MKL", "NUMBA")
    for threads in ("1", "2"):
        environment = dict.fromkeys(
            [*(f"{name}_NUM_THREADS" for name in libraries), "PYTHONHASHSEED"], threads
        )
        settings = {"env": os.environ | environment, "stdout": subprocess.PIPE, "text": True}
        processes.append(subprocess.Popen([sys.executable, "-c", SCRIPT], **settings))
    one, two = (process.communicate()[0] for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    assert len(one) > 1000
    assert one == two


@pytest.mark.parametrize(
    "method", ["auto", "fw", "mfw", "pfw", "swap", "swap2o", "cvm", "mfw_sparse", "swap of samples"]
)
@pytest.mark.parametrize("storage", ["dense", "sparse", "binary", "precomputed"])
@pytest.mark.parametrize("helpers", [True, False], ids=["helpers", "none comes"])
def test_threads_share_columns_and_steps(helpers, storage, method, monkeypatch):
    """If a helper thread does not come, the caller computes the helper's parts itself."""
    monkeypatch.setattr(threads_module, "_LEAST_PART", 256)
    if not helpers:
        monkeypatch.setattr(threads_module, "serve", lambda box: None)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 30)) * (rng.random((1000, 30)) < 0.3)
    y = np.where(X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=1000) > 0, 1.0, -1.0)
    X = {"sparse": sparse.csr_matrix(X), "binary": sparse.csr_matrix((X != 0).astype(float))}.get(
        storage, X
    )
    matrix = fwsvm.KernelMatrix(X, fwsvm.Kernel("rbf", 0.05))
    if storage == "precomputed":
        matrix = PrecomputedKernelMatrix(matrix.submatrix(np.arange(1000)))
    problem = fwsvm.KernelProblem(matrix, y, 10.0)
    settings = {"stop": "relative", "eps": 1e-5, "max_iterations": 700, "random_state": 0}
    if method == "swap of samples":
        method, settings["selection"] = "swap", "sampled_text"
    one, three = (fwsvm.solve(problem, method, threads=n, **settings) for n in (1, 3))
    exact = problem.gradient(one.support, one.weights)
    assert one.gap == pytest.approx(
        2.0 * (one.weights @ exact[one.support] - exact.min()), rel=1e-10
    )
    np.testing.assert_array_equal(one.support, three.support)
    np.testing.assert_array_equal(one.weights, three.weights)
    for name in ("objective", "gap", "iterations", "kernel_evaluations", "requested_evaluations"):
        assert getattr(one, name) == getattr(three, name)
    shares = method != "cvm"  # CVM has no shared steps, since its QPs are over few points
    assert (one.elsewhere_cpu_s, three.elsewhere_cpu_s > 0) == (0.0, shares)
