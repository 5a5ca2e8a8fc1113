"""The data sets: a catalogue, and the way from a raw file to prepared arrays."""

from fwsvm.datasets.cache import load_dataset
from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.csv_format import read_csv
from fwsvm.datasets.formats import read_libsvm
from fwsvm.datasets.idx_format import read_idx
from fwsvm.datasets.storage import Prepared, open_prepared

__all__ = ["Prepared", "load_catalogue", "load_dataset", "open_prepared", "read_csv", "read_idx", "read_libsvm"]
