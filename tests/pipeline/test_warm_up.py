"""Test that the warm-up compiles everything that the jobs of the pipeline use, so that jobs compile
nothing.
"""

import subprocess
import sys

import numpy as np
from code_loads import LIST_LOADS
from scipy import sparse

from fwsvm.solvers.settings import METHODS, SELECTIONS
from fwsvm_papers.pipeline import warm_up as module


class Recorder:
    """A replacement of `KernelMachine` that lists what would be trained, and trains nothing."""

    trained = []  # noqa: RUF012

    def __init__(self, settings, random_state=None, kernel="rbf", gamma=None):
        self.settings, self.kernel = settings, kernel

    def fit(self, X, y):
        self.trained.append((self.settings, self.kernel, X, y))
        return self

    def predict(self, X):
        return X


def test_every_method_precision_selection_and_storage_is_trained(monkeypatch):
    monkeypatch.setattr(module, "KernelMachine", Recorder)
    monkeypatch.setattr(Recorder, "trained", [])
    module.warm_up()
    trained = Recorder.trained
    assert {(one.method, one.column_dtype) for one, *_ in trained} >= {
        (name, dtype) for name in METHODS for dtype in ("auto", "float64")
    }
    drivers = {method.new_driver: method.samples for method in METHODS.values()}
    for is_sparse in (False, True):
        own = {
            (METHODS[one.method].new_driver, one.selection.name)
            for one, _, X, _ in trained
            if sparse.issparse(X) == is_sparse and X.shape[0] > 2000
        }
        for driver, samples in drivers.items():
            assert {name for other, name in own if other is driver} >= (
                set(SELECTIONS) if samples else {"full"}
            )
    assert {kernel for _, kernel, *_ in trained} == {"rbf", "precomputed"}
    assert max(len(np.unique(y)) for *_, y in trained) > 2
    binary = [X for _, _, X, _ in trained if sparse.issparse(X) and np.all(X.data == 1)]
    assert len(binary) == 2


def test_the_parts_are_the_whole(monkeypatch):
    """The two parts together must train as much as a call with both. Each part runs in its own
    process.
    """
    monkeypatch.setattr(module, "KernelMachine", Recorder)
    counts = []
    for parts in (["dense"], ["sparse"], ["dense", "sparse"]):
        monkeypatch.setattr(Recorder, "trained", [])
        module.warm_up(parts)
        counts.append(len(Recorder.trained))
    assert counts[0] + counts[1] == counts[2] and min(counts) > 10


JOBS = """
from fwsvm_papers.pipeline.warm_up import warm_up

warm_up()
assert len(loaded) > 50
loaded.clear()

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from fwsvm_papers.baselines import fit_baseline
from fwsvm.estimators.machine import KernelMachine
from fwsvm_papers.pipeline.artefacts import compute_sketches
from fwsvm.solvers.settings import METHODS, Settings

rng = np.random.default_rng(7)
X = rng.random((900, 16))
y = np.where((X[:, 0] > 0.4) ^ (rng.random(900) < 0.1), 1, -1)
few, signs = sparse.csr_matrix(np.where(X < 0.5, 0.0, X)[:150]), y[:150]
sampling = [name for name, method in METHODS.items() if method.samples]

def train(X, y, method="fw", selection="full", **options):
    machine = KernelMachine(Settings(method, selection, max_iterations=40), **options)
    machine.fit(X, y).predict(X[:20])

compute_sketches()
for name in sampling:
    train(X, y, name, "sampled_text")
    train(X * 300, np.arange(900) % 5, name, "sampled_libcvm", gamma=1e-4)
train(pairwise_kernels(X[:201, :2], metric="rbf"), y[:201], "mfw_sparse", kernel="precomputed")
fit_baseline("simple_svm", X[:150], signs)
fit_baseline("rsvm", few, signs, random_state=0)
print(*loaded, sep=chr(10))
"""


def test_jobs_use_only_what_the_warm_up_compiled():
    done = subprocess.run([sys.executable, "-c", LIST_LOADS + JOBS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stdout.strip()
