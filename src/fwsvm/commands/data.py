"""Load the data that the argument DATA names: a data set in the catalogue, or a LIBSVM file."""

from pathlib import Path

import numpy as np
from scipy import sparse

from fwsvm.base.errors import DataError, UserError
from fwsvm.base.ranges import check_labels
from fwsvm.datasets import load_catalogue, load_dataset, read_libsvm
from fwsvm.datasets.catalogue import catalogue_path
from fwsvm.datasets.entries import required_files
from fwsvm.datasets.formats import LARGEST_INDEX, open_content
from fwsvm.datasets.prepare import PREPARED, RAW
from fwsvm.datasets.schema import did_you_mean
from fwsvm.datasets.storage import Built, choose_storage, convert, prepared_files


def files_of(name, catalogue=None, data_dir="data"):
    """List what is read for DATA: a file, or the catalogue and the files of one of its data sets.

    The folders of raw and of prepared data are in the list, since files of the data set may appear there later.
    """
    found = [name, catalogue_path(catalogue), *(Path(data_dir, part) for part in (RAW, PREPARED))]
    entries = load_catalogue(catalogue)
    if name in entries:
        files = required_files(entries[name], entries).values()
        found += [file.location(Path(data_dir, RAW)) for file in files]
        found += prepared_files(Path(data_dir, PREPARED, name))
    return found


def add_data_options(parser):
    """Add the argument DATA and the options that say how to read it."""
    parser.add_argument("data", metavar="DATA", help="name of a data set in the catalogue, or a LIBSVM file")
    parser.add_argument("--features", type=int, metavar="N", help="number of features of a LIBSVM file")
    parser.add_argument("--catalogue", metavar="FILE", help="catalogue of data sets; default: config/datasets.yaml")
    parser.add_argument("--data-dir", default="data", metavar="DIR", help="folder of the data; default: %(default)s")
    parser.add_argument("--mirror", metavar="DIR|URL", help="folder or URL to try before the upstream addresses")


def _read_file(path, features):
    try:
        return read_libsvm(path, features)
    except DataError as error:
        with open_content(path) as stream:
            first = stream.readline()
        if b":" in first or not first.strip():
            raise
        advice = "only LIBSVM files can be named here; a CSV file needs an entry in a catalogue (docs/extending.md)"
        raise DataError(f"{error}\n  {advice}") from error


def widened(X, features):
    """Append columns of zeros to X (m, d), dense or CSR, up to `features` columns. An X of None stays None."""
    if X is None or features is None or features <= X.shape[1]:
        return X
    if sparse.issparse(X):
        return sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], features))
    return np.pad(X, ((0, 0), (0, features - X.shape[1])))


def load_data(args, features=None):
    """Load the data that DATA names, with their original labels. Return them and the name of their scaling.

    `X_test` is None if there are no test points. The fact `is_libsvm` says whether the data are in LIBSVM's format. It
    does not store the number of features, and a missing index is a zero: such data get at least `features` features.
    """
    if args.features is not None and not 1 <= args.features <= LARGEST_INDEX:
        raise UserError(f"--features must be from 1 to {LARGEST_INDEX:,}, got {args.features}")
    catalogue = load_catalogue(args.catalogue)
    if args.data in catalogue:
        if args.features is not None:
            raise UserError(f"--features is for LIBSVM files; {args.data} is a data set in the catalogue")
        prepared = load_dataset(args.data, catalogue, data_dir=args.data_dir, mirror=args.mirror)
        classes = np.asarray(prepared.meta["classes"])
        X_test = prepared.X_test if len(prepared.y_test) else None
        source = catalogue[args.data].source
        is_libsvm = source.kind == "files" and source.format == "libsvm"
        X_train, X_test = (widened(X, features) if is_libsvm else X for X in (prepared.X_train, X_test))
        facts = {"is_libsvm": is_libsvm}
        data = Built(X_train, classes[prepared.y_train], X_test, classes[prepared.y_test], facts)
        return data, prepared.meta["scaling"]["method"]
    if not Path(args.data).exists() or Path(args.data).is_dir():
        hint = did_you_mean(args.data, catalogue)
        raise UserError(f"{args.data!r} is neither a file nor a data set in the catalogue; {hint}")
    if args.mirror is not None:
        raise UserError(f"--mirror is for data sets in the catalogue; {args.data} is a file")
    X, y = _read_file(args.data, args.features)
    X = widened(X, features)
    check_labels(y, f"{args.data}:", DataError)
    if np.all(y == np.round(y)):
        y = y.astype(np.int64)
    return Built(convert(X, choose_storage(X)), y, facts={"is_libsvm": True}), "none"
