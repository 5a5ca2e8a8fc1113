"""What training a baseline returns."""

from dataclasses import dataclass, field

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix


@dataclass
class Expansion:
    """A trained decision function h(x) = sum_j c_j k(x_j, x) + b, as the trainers return it."""

    points: np.ndarray | None  # indices of the x_j in the training set
    coefficients: np.ndarray | None
    bias: float
    support_vectors: int
    objective: float  # of the trainer's own problem, NaN if it is not known
    iterations: int
    stop_reason: str = "converged"
    facts: dict = field(default_factory=dict)
    cpu_s: float | None = None  # of another process
    note: str = ""


@dataclass
class BaselineModel:
    """A baseline after training. If a limit was reached it may have no model, or one that has not converged.

    `support_vectors` counts training points with a positive multiplier, for `rsvm` the points of the reduced kernel.
    `stop_reason` is converged, time_limit, memory_limit, iteration_limit or precision_limit; `note` says more.
    """

    name: str
    kernel: Kernel
    points: object  # the x_j, dense or CSR
    coefficients: np.ndarray | None
    bias: float
    support_vectors: int
    objective: float
    iterations: int
    train_cpu_s: float
    train_wall_s: float
    stop_reason: str
    note: str = ""
    facts: dict = field(default_factory=dict)  # with memory_mb, the largest amount that was reserved

    @property
    def is_trained(self):
        return self.coefficients is not None

    def decision_function(self, X):
        """h(x) for every row of X (n, d), dense or CSR like the training points."""
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
