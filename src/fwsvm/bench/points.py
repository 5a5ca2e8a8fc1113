"""Training and test points of a case: catalogue sets, pairs of their classes, nested subsets, checkerboards."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from fwsvm.datasets import load_dataset
from fwsvm.datasets.generators import checkerboard
from fwsvm.kernels.functions import average_squared_distance

_TEST_POINTS = 2000
_SUBSET_SEED = 0


@dataclass(frozen=True)
class BenchPoints:
    """Points in memory, with the scale the kernel widths are given in.

    Attributes
    ----------
    X_train, X_test : ndarray or CSR matrix
    y_train, y_test : ndarray
    average_squared_distance : float
        Of the whole training set, also where only a part of it is kept.
    """

    X_train: np.ndarray | sparse.csr_matrix
    y_train: np.ndarray
    X_test: np.ndarray | sparse.csr_matrix
    y_test: np.ndarray
    average_squared_distance: float

    @property
    def m(self):
        """Number of training points."""
        return self.X_train.shape[0]

    def gamma(self, over_beta):
        """RBF width `over_beta` / beta, beta = average squared distance."""
        return over_beta / self.average_squared_distance

    def subset(self, size):
        """The first `size` training points of one fixed shuffle: subsets of growing size are nested."""
        rows = np.random.default_rng(_SUBSET_SEED).permutation(self.m)[:size]
        return replace(self, X_train=self.X_train[rows], y_train=self.y_train[rows])


def load_points(data_dir, dataset, size=None, pair=None):
    """Load the points of a case.

    Parameters
    ----------
    data_dir : str or path
    dataset : str
        Name in the catalogue, or "checkerboard", whose points are drawn here.
    size : int, optional
        Points of the checkerboard; for other sets the size of a nested random subset.
    pair : "largest" or pair of int, optional
        Two classes of a multi-class set, by their codes 0 .. K-1; "largest": the two with the most points.

    Returns
    -------
    BenchPoints

    Raises
    ------
    UserError
        The data cannot be had.
    """
    if dataset == "checkerboard":
        X, y = checkerboard(size, np.random.default_rng(0))
        X_test, y_test = checkerboard(_TEST_POINTS, np.random.default_rng(1))
        return BenchPoints(X, y, X_test, y_test, average_squared_distance(X))
    data = load_dataset(dataset, data_dir=data_dir, progress=False)
    parts = [(_in_memory(data.X_train), np.array(data.y_train)), (_in_memory(data.X_test), np.array(data.y_test))]
    beta = data.meta["average_squared_distance"]
    if pair is not None:
        codes = np.argsort(np.bincount(parts[0][1]))[-2:] if pair == "largest" else pair
        parts = [(X[np.isin(y, codes)], y[np.isin(y, codes)]) for X, y in parts]
        beta = average_squared_distance(parts[0][0])
    points = BenchPoints(*parts[0], *parts[1], beta)
    return points if size is None else points.subset(size)


def _in_memory(X):
    """A copy in this process's memory: pages of a mapped file would count as memory of training."""
    return X.copy() if sparse.issparse(X) else np.array(X)


def case_name(dataset, size=None, pair=None):
    """How tables call these points."""
    if pair == "largest":
        return f"{dataset} (largest pair)"
    return f"{dataset} ({pair[0]}, {pair[1]})" if pair else dataset
