"""What holds for every prepared set of the shipped catalogue, and the sizes that frandi2013 prints."""

import csv
import importlib.resources

import numpy as np
import scipy.sparse

from fwsvm.datasets.describe import checksum_of_entry, describe

BUILT_ELSEWHERE = ("kdd99-10pc", "reuters", "usps-ext")
"""Sets that take seconds to prepare: they are checked by the tests of their builders."""

_COLUMNS = {
    "train_size": "m",
    "test_size": "t",
    "classes": "K",
    "max_pair_size": "m_max",
    "min_pair_size": "m_min",
    "features": "n",
}


def printed_sizes():
    """Data set -> its sizes in frandi2013's table 1, named as in `describe`; and ``name``, its name there."""
    text = (importlib.resources.files("fwsvm.studies.frandi2013") / "printed/datasets.csv").read_text()
    rows = {row["dataset"]: row for row in csv.DictReader(text.splitlines())}
    return {
        name: {ours: int(row[theirs]) for theirs, ours in _COLUMNS.items()} | {"name": row["name_in_paper"]}
        for name, row in rows.items()
    }


def check_prepared(name, prepared, catalogue):
    """Shapes, counts, checksum and storage are what `describe` says, and the sizes the printed ones."""
    description = describe(prepared)
    assert prepared.X_train.shape == (description["m"], description["n"])
    assert prepared.X_test.shape == (description["t"], description["n"])
    for y, part in ((prepared.y_train, "train"), (prepared.y_test, "test")):
        assert np.bincount(y).tolist() == [row[part] for row in description["classes"]]
    assert description["average_squared_distance"] > 0
    assert description["checksum"] == checksum_of_entry(catalogue[name], catalogue)
    assert scipy.sparse.issparse(prepared.X_train) is (description["storage"] == "csr")
    if printed := printed_sizes().get(name):
        different = {key for key in _COLUMNS.values() if printed[key] != description[key]}
        assert different == set(catalogue[name].differs)
