"""What training a baseline gives back."""

from dataclasses import dataclass, field

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix


@dataclass
class Expansion:
    """A trained decision function h(x) = sum_j c_j k(x_j, x) + b, as the baselines return it.

    Attributes
    ----------
    points : int array of shape (q,)
        Indices of the x_j in the training set.
    coefficients : float64 array of shape (q,)
    bias : float
    support_vectors : int
        As `BaselineModel`.
    objective : float
        Of the baseline's own problem.
    iterations : int
    stop_reason : str
    facts : dict
        What else there is to say.
    cpu_s : float or None
        CPU seconds where they were not spent in this thread.
    note : str
        As `BaselineModel`.
    """

    points: np.ndarray
    coefficients: np.ndarray
    bias: float
    support_vectors: int
    objective: float
    iterations: int
    stop_reason: str = "converged"
    facts: dict = field(default_factory=dict)
    cpu_s: float | None = None
    note: str = ""


@dataclass
class BaselineModel:
    """A baseline after training, or what became of it.

    Attributes
    ----------
    name : str
    kernel : Kernel
    points : ndarray or CSR matrix of shape (q, d), or None
        Points of the kernel expansion; None where training ended before there was a model.
    coefficients : float64 array of shape (q,), or None
    bias : float
    support_vectors : int
        Training points with a positive multiplier; for `rsvm` the points of the reduced kernel. 0 without a model.
    objective : float
        Value of the baseline's own problem (see `fwsvm.baselines.registry`); NaN where it is not known.
    iterations : int
    train_cpu_s, train_wall_s : float
        CPU seconds of one thread, and seconds, without checking the arguments.
    stop_reason : str
        converged, time_limit, memory_limit, iteration_limit or precision_limit.
    note : str
        Why training ended before its end, where there is more to say than the reason.
    facts : dict
        `memory_mb`, what was asked for at most, and the baseline's own.
    """

    name: str
    kernel: Kernel
    points: object
    coefficients: np.ndarray | None
    bias: float
    support_vectors: int
    objective: float
    iterations: int
    train_cpu_s: float
    train_wall_s: float
    stop_reason: str
    note: str = ""
    facts: dict = field(default_factory=dict)

    @property
    def is_trained(self):
        """Whether there is a decision function; one that ended at its time limit may have one, not yet converged."""
        return self.coefficients is not None

    def decision_function(self, X):
        """h(x) for every row of X (n, d), dense or CSR like the training points; float64 (n,).

        Raises
        ------
        ValueError
            If there is no model.
        """
        if not self.is_trained:
            raise ValueError(f"{self.name} has no model: {self.stop_reason} ({self.note})")
        matrix = KernelMatrix(self.points, self.kernel)
        return matrix.weighted_sums(np.arange(matrix.size), self.coefficients, X) + self.bias

    def predict(self, X):
        """-1 or +1 for every row of X (n, d)."""
        return np.where(self.decision_function(X) > 0, 1, -1)

    def score(self, X, y):
        """Share of the labels y (n,), -1 or +1, that are predicted."""
        return float(np.mean(self.predict(X) == np.asarray(y)))
