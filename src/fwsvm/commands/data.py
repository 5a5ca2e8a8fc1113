"""The LIBSVM file that the argument DATA names.

`fwsvm_papers.commands.data` also accepts the names of the data sets in the catalogue.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from fwsvm.inputs.data_files import LARGEST_INDEX, is_like_path, read_libsvm
from fwsvm.inputs.errors import DataError, UserError
from fwsvm.inputs.ranges import check_labels
from fwsvm.inputs.storage import choose_storage, convert

if TYPE_CHECKING:
    import argparse


class Data(NamedTuple):
    """The points (float64, dense or CSR) and the original labels of a data set.

    `is_libsvm` is true if the data come from a LIBSVM file. A LIBSVM file does not store the number
    of features. If a line of the file lacks the index of a feature, the value of this feature is 0.
    Therefore, columns of zeros can be appended to the points.
    """

    X_train: np.ndarray | sparse.csr_matrix
    y_train: np.ndarray
    X_test: np.ndarray | sparse.csr_matrix | None = None  # None if there are no test points
    y_test: np.ndarray | None = None
    is_libsvm: bool = True
    scaling: str = "none"  # the name of the scaling of the features


class Files:
    """A source of data in LIBSVM files. A subclass can add other sources of data."""

    what = "a LIBSVM file"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the argument DATA and the options that say how to read it."""
        parser.add_argument("data", metavar="DATA", help=self.what)
        parser.add_argument(
            "--features", type=int, metavar="N", help="number of features of a LIBSVM file"
        )

    def inputs(self, args: argparse.Namespace) -> list[str | Path]:
        """List the files and folders that are read for DATA."""
        return [args.data]

    def hint(self, args: argparse.Namespace) -> str:
        """Return the error message for a DATA that is not a file and does not look like a path."""
        return (
            f"{args.data!r} is not a file; give the path of a LIBSVM file. Names of data sets work"
            " only with the package's extra 'papers'; `fwsvm --help` says how to install it"
        )

    def load(self, args: argparse.Namespace, features: int | None = None) -> Data:
        """Load the data that the argument DATA names.

        If the data are from a LIBSVM file and `features` is given, columns of zeros are appended
        until there are `features` columns. If all labels of the file are integers, they become
        int64.
        """
        check_features(args.features)
        if Path(args.data).is_dir():
            raise UserError(f"{args.data} is a folder; give the path of a LIBSVM file")
        if not Path(args.data).exists():
            is_path = is_like_path(args.data)
            raise UserError(f"{args.data}: there is no such file" if is_path else self.hint(args))
        X, y = read_libsvm(args.data, args.features)
        X = widened(X, features)
        check_labels(y, f"{args.data} has", DataError)
        if np.all(y == np.round(y)):
            y = y.astype(np.int64)
        return Data(convert(X, choose_storage(X)), y)


def counted(number: int, noun: str) -> str:
    """Return a number with a noun, such as "1 class" or "3 classes"."""
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number} {noun}{ending}"


def check_features(features: int | None) -> None:
    """Raise a UserError if the option --features is out of range."""
    if features is not None and not 1 <= features <= LARGEST_INDEX:
        raise UserError(f"--features must be from 1 to {LARGEST_INDEX:,}, got {features}")


def widened(X: Any, features: int | None) -> Any:
    """Return X (m, d), dense or CSR, with columns of zeros appended until there are `features`
    columns.

    If X or `features` is None, return X.
    """
    if X is None or features is None or features <= X.shape[1]:
        return X
    if sparse.issparse(X):
        return sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], features))
    return np.pad(X, ((0, 0), (0, features - X.shape[1])))
