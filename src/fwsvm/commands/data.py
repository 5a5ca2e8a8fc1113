"""DATA on the command line: the name of a catalogue entry, or a LIBSVM file."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fwsvm.datasets import load_catalogue, load_dataset, read_libsvm
from fwsvm.datasets.schema import did_you_mean
from fwsvm.errors import DataError, UserError


@dataclass
class Data:
    """Points and labels, with test points where the data set has some."""

    name: str
    X_train: object
    y_train: np.ndarray
    X_test: object = None
    y_test: np.ndarray | None = None


def check_output(path):
    """Refuse a file (or None) whose folder does not exist, before any work is done for it."""
    if path is not None and not Path(path).resolve().parent.is_dir():
        raise UserError(f"--output {path}: its folder does not exist")


def add_data_options(parser):
    """DATA and the options that say how to read it."""
    parser.add_argument("data", metavar="DATA", help="name of a data set of the catalogue, or a LIBSVM file")
    parser.add_argument("--features", type=int, metavar="N", help="number of features of a LIBSVM file")
    parser.add_argument("--catalogue", metavar="FILE", help="catalogue of data sets; default: config/datasets.yaml")
    parser.add_argument("--data-dir", default="data", metavar="DIR", help="where data are kept; default: %(default)s")
    parser.add_argument("--mirror", metavar="DIR|URL", help="tried before the upstream addresses")


def load_data(args, features=None):
    """The data named on the command line; labels are the original ones.

    Parameters
    ----------
    args : namespace of `add_data_options`
    features : int, optional
        Number of features the model expects, where `--features` is not given.

    Returns
    -------
    Data

    Raises
    ------
    UserError
        The name is neither in the catalogue nor a file, or the data cannot be used.
    """
    path = Path(args.data)
    catalogue = load_catalogue(args.catalogue)
    if args.data in catalogue:
        prepared = load_dataset(args.data, catalogue, data_dir=args.data_dir, mirror=args.mirror)
        classes = np.asarray(prepared.meta["classes"])
        if args.features is not None:
            raise UserError(f"--features is for LIBSVM files; {args.data} is a data set of the catalogue")
        return Data(
            args.data,
            prepared.X_train,
            classes[prepared.y_train],
            prepared.X_test if len(prepared.y_test) else None,
            classes[prepared.y_test],
        )
    if not path.is_file():
        hint = did_you_mean(args.data, catalogue)
        raise UserError(f"{args.data!r} is neither a file nor a data set of the catalogue; {hint}")
    X, y = read_libsvm(path, args.features or features)
    if not len(y):
        raise DataError(f"{path}: no points")
    if np.abs(y).max() >= 2.0**63:
        raise DataError(f"{path}: labels of up to {np.abs(y).max():g}; numeric labels must be below 2^63")
    if np.all(y == np.round(y)):
        y = y.astype(np.int64)
    return Data(str(path), X, y)
