"""The data set by its name: fetched, prepared and opened, and from the second time on only opened."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from fwsvm.base.errors import DataError
from fwsvm.base.files import DamagedFileError, sha256_of_content
from fwsvm.datasets.catalogue import find_entry, load_catalogue
from fwsvm.datasets.entries import entry_digest, required_files
from fwsvm.datasets.prepare import prepare
from fwsvm.datasets.storage import open_prepared, read_meta

RAW = "raw"
PREPARED = "prepared"


def load_dataset(name, catalogue=None, data_dir="data", mirror=None, subset=None, size=None, progress=None):
    """Fetch, prepare and open a data set of the catalogue.

    Raw files are kept in ``<data_dir>/raw``, prepared arrays in ``<data_dir>/prepared/<name>`` (a subset or a
    generated set of another size beside it). They are prepared anew if the entry, or a file on disk it names,
    has changed, and if the files of a set that a stand-in replaced have come (`fwsvm datasets fetch`).

    Parameters
    ----------
    name : str
    catalogue : str, path or mapping of str to DatasetEntry, optional
        By default `fwsvm.datasets.catalogue.default_catalogue_path()`.
    data_dir : str or path
    mirror : str or path, optional
        As for `fwsvm.datasets.fetch.fetch`.
    subset : dict, optional
        As for `fwsvm.datasets.prepare.prepare`.
    size : int, optional
        Number of points of a generated set.
    progress : bool, optional
        As for `fwsvm.datasets.fetch.fetch`.

    Returns
    -------
    Prepared

    Raises
    ------
    ConfigError, DownloadError, DataError
        There is no such entry, its files cannot be had, or they are not what it says.
    """
    if not isinstance(catalogue, Mapping):
        catalogue = load_catalogue(catalogue)
    entry = find_entry(catalogue, name)
    if size is not None:
        entry = entry.resized(size)
    digest = entry_digest(entry, catalogue, subset)
    is_variant = size is not None or subset is not None
    raw_dir = Path(data_dir) / RAW
    folder = Path(data_dir) / PREPARED / (f"{name}-{digest}" if is_variant else name)
    if _is_current(folder, digest, required_files(entry, catalogue), raw_dir):
        with contextlib.suppress(DataError):
            return open_prepared(folder)
    return prepare(entry, catalogue, raw_dir, folder, mirror, subset, progress)


def _is_current(folder, digest, files, raw_dir):
    try:
        meta = read_meta(folder)
        if meta is None or meta.get("digest") != digest:
            return False
        if meta.get("stand_in"):  # until the files themselves are there
            return not all(file.location(raw_dir).is_file() for file in files.values())
        prepared_from = {source.get("role"): source.get("sha256") for source in meta["sources"]}
        return all(
            sha256_of_content(file.location(None)) == prepared_from[role]
            for role, file in files.items()
            if file.path is not None
        )
    except (DataError, DamagedFileError, OSError):
        return False
