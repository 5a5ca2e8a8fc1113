"""Same seed and settings give the same model bit for bit: in another process, on another number of threads."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import hashlib, json, sys
import numpy as np
from scipy import sparse
from fwsvm import FrankWolfeSVC, Kernel, KernelMatrix, KernelProblem, solve

rng = np.random.default_rng(0)
y = rng.random(700) < 0.4
points = {
    "dense-loop": rng.normal(size=(700, 5)),
    "dense-gram": rng.normal(size=(700, 60)) / 3.0,
    "sparse-scatter": sparse.csr_matrix(rng.normal(size=(700, 40)) * (rng.random((700, 40)) < 0.2)),
}
digests = {}
for path, X in points.items():
    X[:350] += 0.3 * X[350:]
    for method in ("fw", "mfw", "swap", "swap2o", "pfw", "cvm"):
        for selection in ("full", "sampled_text"):
            for kernel in ("rbf", "poly"):
                problem = KernelProblem(KernelMatrix(X, Kernel(kernel, 0.1)), np.where(y, 1.0, -1.0), 10.0)
                assert problem.kernel_path == path
                s = solve(problem, method, selection=selection, max_iterations=300, random_state=3)
                numbers = [s.support, s.weights, [s.objective, s.gap, s.iterations, s.samples, s.kernel_evaluations]]
                digest = hashlib.sha256(b"".join(np.asarray(part).tobytes() for part in numbers))
                digests[" ".join((path, method, selection, kernel))] = digest.hexdigest()
    model = FrankWolfeSVC(random_state=1, eps=1e-3).fit(X, y.astype(int) + (rng.random(700) < 0.3))
    digests[path] = hashlib.sha256(model.dual_coef_.tobytes()).hexdigest()
json.dump(digests, sys.stdout)
"""


@pytest.mark.slow
def test_threads_and_process_do_not_matter():
    """BLAS products of one and of two threads may differ in the last bit; the solvers must not let them."""
    processes = []
    for threads in ("1", "2"):
        environment = {
            **os.environ,
            **dict.fromkeys(
                ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), threads
            ),
            "PYTHONHASHSEED": threads,
        }
        processes.append(
            subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment, stdout=subprocess.PIPE, text=True)
        )
    one, two = (process.communicate()[0] for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    assert len(one) > 1000
    assert one == two
