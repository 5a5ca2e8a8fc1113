"""Training and test points of a case: data sets of the catalogue, or two of their classes."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from fwsvm.datasets import load_dataset
from fwsvm.kernels.functions import average_squared_distance


@dataclass(frozen=True)
class BenchPoints:
    """Points in memory, with the average squared distance (beta) that kernel widths refer to."""

    X_train: np.ndarray | sparse.csr_matrix
    y_train: np.ndarray
    X_test: np.ndarray | sparse.csr_matrix
    y_test: np.ndarray
    average_squared_distance: float

    @property
    def m(self):
        return self.X_train.shape[0]

    def gamma(self, over_beta):
        return over_beta / self.average_squared_distance


def load_points(data_dir, dataset, pair=None):
    """Load a data set; with `pair`, only two of its classes (by their codes 0 .. K-1)."""
    data = load_dataset(dataset, data_dir=data_dir, progress=False)
    parts = [(_in_memory(data.X_train), np.array(data.y_train)), (_in_memory(data.X_test), np.array(data.y_test))]
    beta = data.meta["average_squared_distance"]
    if pair is not None:
        parts = [(X[np.isin(y, pair)], y[np.isin(y, pair)]) for X, y in parts]
        beta = average_squared_distance(parts[0][0])
    return BenchPoints(*parts[0], *parts[1], beta)


def _in_memory(X):
    """A copy of the mapped file, so that reading from disk is not timed."""
    return X.copy() if sparse.issparse(X) else np.array(X)


def case_name(dataset, pair=None):
    """How tables call these points."""
    return f"{dataset} ({pair[0]}, {pair[1]})" if pair else dataset
