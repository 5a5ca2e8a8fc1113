"""What all builders return."""

import dataclasses

import numpy as np
import scipy.sparse


@dataclasses.dataclass(frozen=True)
class Built:
    """Points (float64, dense or CSR) and numeric labels of a built data set.

    Without `X_test` the training points are all points, for the entry's split to divide. `facts`: what came out and is
    worth knowing (numbers and short texts); kept in `meta.json`.
    """

    X_train: np.ndarray | scipy.sparse.csr_matrix
    y_train: np.ndarray
    X_test: np.ndarray | scipy.sparse.csr_matrix | None = None
    y_test: np.ndarray | None = None
    facts: dict = dataclasses.field(default_factory=dict)
