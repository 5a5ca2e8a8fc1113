"""The warm-up trains what the jobs of the pipeline train, so that they compile nothing of their own."""

import numpy as np
from scipy import sparse

from fwsvm.solvers.settings import METHODS, SELECTIONS
from fwsvm_papers.pipeline import warm_up as module


class Recorder:
    """Stands in for `KernelMachine`, and lists what would be trained."""

    trained = []  # noqa: RUF012

    def __init__(self, settings, random_state=None, kernel="rbf"):
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
            assert {name for other, name in own if other is driver} >= (set(SELECTIONS) if samples else {"full"})
    assert {kernel for _, kernel, *_ in trained} == {"rbf", "precomputed"}
    assert max(len(np.unique(y)) for *_, y in trained) > 2
    binary = [X for _, _, X, _ in trained if sparse.issparse(X) and np.all(X.data == 1)]
    assert len(binary) == 2


def test_the_parts_are_the_whole(monkeypatch):
    """Each part runs in a process of its own."""
    monkeypatch.setattr(module, "KernelMachine", Recorder)
    counts = []
    for parts in (["dense"], ["sparse"], ["dense", "sparse"]):
        monkeypatch.setattr(Recorder, "trained", [])
        module.warm_up(parts)
        counts.append(len(Recorder.trained))
    assert counts[0] + counts[1] == counts[2] and min(counts) > 10
