"""What builders have in common: the shape of their result, and reading files with errors that name them."""

import contextlib
import dataclasses

import numpy as np
import scipy.sparse

from fwsvm.errors import DataError
from fwsvm.files import DamagedFileError, open_decompressed


@dataclasses.dataclass(frozen=True)
class Built:
    """Points of a built data set.

    Attributes
    ----------
    X_train, X_test : float64 ndarray or scipy.sparse.csr_matrix, of shapes (m, n) and (t, n)
        Without `X_test`, the training points are all points, for the entry's split to divide.
    y_train, y_test : ndarrays of numbers, the class labels
    facts : dict
        What came out and is worth knowing (numbers and short texts); kept in `meta.json`.
    """

    X_train: np.ndarray | scipy.sparse.csr_matrix
    y_train: np.ndarray
    X_test: np.ndarray | scipy.sparse.csr_matrix | None = None
    y_test: np.ndarray | None = None
    facts: dict = dataclasses.field(default_factory=dict)


@contextlib.contextmanager
def reading(path):
    """Open a file, plain or compressed, for binary reading.

    Raises
    ------
    DataError
        The file is missing, cannot be read, or (also later, while reading) turns out to be cut off.
    """
    try:
        with open_decompressed(path) as stream:
            yield stream
    except DamagedFileError as error:
        raise DataError(f"{path}: {error}") from error
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error
