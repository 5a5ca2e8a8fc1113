"""Raw files of a catalogue entry, whatever their format, as points and labels."""

from fwsvm.base.errors import DataError
from fwsvm.datasets.csv_format import read_table
from fwsvm.datasets.entries import LABEL_FILES
from fwsvm.datasets.formats import read_libsvm
from fwsvm.datasets.idx_format import read_idx
from fwsvm.datasets.labels import as_numbers


def read_files(entry, paths, roles):
    """Read files of an entry that belong together.

    Parameters
    ----------
    entry : fwsvm.datasets.entries.DatasetEntry
        With a source of files.
    paths : dict of str to path
        By role.
    roles : sequence of str
        Which to read. In a text table, categorical columns have the values of the first file.

    Returns
    -------
    list of (X, y)
        In the order of `roles`. X is dense or CSR, of the same width everywhere; y float64, or text if any
        label in any of the files is no number.

    Raises
    ------
    DataError
        A file cannot be used.
    """
    points, labels, columns = [], [], None
    for role in roles:
        match entry.source.format:
            case "libsvm":
                X, y = read_libsvm(paths[role], entry.features)
            case "idx":
                X, y = read_idx(paths[role], paths[LABEL_FILES[role]], entry.features)
            case "csv":
                table = read_table(paths[role], entry.source.csv, columns)
                X, y, columns = table.X, table.labels, table.columns
        points.append(X)
        labels.append(y)
    # Without `features` in the entry, LIBSVM files may end at different largest indices.
    width = max(X.shape[1] for X in points)
    for X in points:
        if X.shape[1] < width and entry.source.format != "libsvm":
            raise DataError(f"{entry.name}: points of {X.shape[1]} values in one file and of {width} in another")
        if X.shape[1] < width:
            X.resize(X.shape[0], width)
    return list(zip(points, as_numbers(*labels), strict=True))
