"""The model that a baseline returns."""

from dataclasses import dataclass, field

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm_papers.datasets.storage import Features


@dataclass
class BaselineModel:
    """A trained decision function, h(x) = sum_j c_j k(x_j, x) + b.

    `coefficients` (n,) has the c_j, or is None if training gave no model.

    `support_vectors` is the number of points with a positive multiplier. For `lsvm_lowrank`, very
    small multipliers do not count. For `rsvm`, `support_vectors` is the size of the reduced set.
    `stop_reason` is converged, time_limit, memory_limit, iteration_limit or precision_limit. `note`
    gives details of the stop reason. The function that trains a baseline stores the indices of the
    points x_j in `points`. After training, `fit_baseline` replaces these indices by the points, and
    sets `name`, `kernel`, the times and the entry `memory_mb` of `facts`.
    """

    points: object = None  # the x_j, dense or CSR
    coefficients: np.ndarray | None = None
    bias: float = 0.0
    support_vectors: int = 0
    # The objective of the problem that is solved, or NaN if the baseline does not compute it.
    objective: float = np.nan
    iterations: int = 0
    stop_reason: str = "converged"
    note: str = ""
    # The entry `memory_mb` is the maximum of the reserved memory. The other entries are numbers
    # that the baseline reports.
    facts: dict = field(default_factory=dict)
    name: str = ""
    kernel: Kernel | None = None
    train_cpu_s: float | None = None
    train_wall_s: float | None = None

    @property
    def is_trained(self) -> bool:
        return self.coefficients is not None

    def decision_function(self, X: Features) -> np.ndarray:
        """Return h(x) for every row of X (n, d), as a float64 array (n,). If the training points
        are dense, X must be dense. If they are CSR, X must be CSR.
        """
        if self.coefficients is None or self.kernel is None:
            raise ValueError(f"{self.name} has no model: {self.stop_reason} ({self.note})")
        matrix = KernelMatrix(self.points, self.kernel)
        return matrix.weighted_sums(np.arange(matrix.size), self.coefficients, X) + self.bias

    def predict(self, X: Features) -> np.ndarray:
        """Return the predicted label, -1 or +1, of every row of X (n, d)."""
        return np.where(self.decision_function(X) > 0, 1, -1)

    def score(self, X: Features, y: np.ndarray) -> float:
        """Return the share of correct predictions, for labels y (n,) of -1 and +1."""
        return float(np.mean(self.predict(X) == np.asarray(y)))
