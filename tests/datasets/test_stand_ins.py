"""Test the data sets that replace members of a nested series whose files are missing."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from fwsvm.inputs.data_files import read_libsvm
from fwsvm.inputs.errors import DataError, UnavailableError
from fwsvm_papers.datasets import load_catalogue, load_dataset
from fwsvm_papers.datasets.builders import nested
from fwsvm_papers.datasets.describe import describe
from fwsvm_papers.pipeline.data import fetch_dataset, inventory

FEATURES, SIZE = 3, 5
# Each list contains the one before it, and repeated rows count: "1 1:1" is once in SMALL, twice in
# LARGE and three times in WHOLE.
SMALL = ["1 1:1", "-1 2:1"]
LARGE = ["-1 2:1", "1 1:1", "1 1:1", "-1 2:2", "1 1:3", "-1 3:1", "1 3:2"]
WHOLE = [*LARGE[::-1], "1 1:1", "-1 3:3"]
NAMES = {"small": SMALL, "large": LARGE, "whole": WHOLE}


def rows(X, y):
    X = X.toarray() if hasattr(X, "toarray") else X
    return Counter(map(tuple, np.column_stack([y, X]).tolist()))


@pytest.fixture
def series(server, no_mirror, write_catalogue):
    """Return the entries of a series of data sets. The server has the files of three of them. The
    file of the fourth one, `middle`, is missing.
    """

    def entry(name, **keys):
        file = {"name": f"libsvm/{name}", "url": f"{server.url}/{name}", "sha256": "unverified"}
        return {
            "features": FEATURES,
            "source": {"files": {"train": file}},
            "split": {"fraction": 0.5, "seed": 1},
        } | keys

    for name, lines in NAMES.items():
        server.files[name] = "".join(f"{line}\n" for line in lines).encode()
    middle = entry(
        "middle",
        split={"complement_of": "whole"},
        expected={"train": SIZE, "test": len(WHOLE) - SIZE},
    )
    middle["stand_in"] = {"smaller": "small", "larger": "large", "seed": 1}
    return {**{name: entry(name) for name in NAMES}, "middle": middle}


@pytest.fixture
def files(tmp_path):
    for name, lines in NAMES.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return [tmp_path / name for name in NAMES]


def test_it_lies_between_its_neighbours_and_the_rest_is_for_testing(files):
    small, large, whole = (rows(*read_libsvm(path, FEATURES)) for path in files)
    built = nested.build(*files, size=SIZE, features=FEATURES, seed=1)
    train, test = rows(built.X_train, built.y_train), rows(built.X_test, built.y_test)
    assert train.total() == SIZE and small <= train <= large
    assert train + test == whole and built.facts == {"rows_drawn": SIZE - len(SMALL)}
    again, *others = (
        nested.build(*files, size=SIZE, features=FEATURES, seed=seed) for seed in range(1, 9)
    )
    assert np.array_equal(again.X_train.toarray(), built.X_train.toarray())
    assert any(rows(other.X_train, other.y_train) != train for other in others)


@pytest.mark.parametrize("size", [1, len(LARGE)])
def test_a_size_that_does_not_lie_between_is_refused(files, size):
    with pytest.raises(DataError, match=f"size {size} must be at least {len(SMALL)}, the size of "):
        nested.build(*files, size=size, features=FEATURES, seed=1)


def test_a_stand_in_is_marked_until_the_file_comes(server, series, write_catalogue, tmp_path):
    catalogue = write_catalogue(series)
    prepared = load_dataset("middle", catalogue, tmp_path)
    assert (prepared.meta["m"], prepared.meta["t"]) == (SIZE, len(WHOLE) - SIZE)
    assert describe(prepared)["stand_in"] == {"smaller": "small", "larger": "large", "seed": 1}
    assert {source["role"] for source in prepared.meta["sources"]} == {"smaller", "larger", "whole"}

    asked = len(server.requests)
    load_dataset("middle", catalogue, tmp_path)
    assert len(server.requests) == asked  # the prepared stand-in is kept, and nothing is downloaded

    official = [SMALL[0], SMALL[1], *LARGE[3:6]]
    (tmp_path / "raw/libsvm/middle").write_text("".join(f"{line}\n" for line in official))
    prepared = load_dataset("middle", catalogue, tmp_path)
    assert describe(prepared)["stand_in"] is None
    assert rows(prepared.X_train, 2 * prepared.y_train - 1) == Counter(
        {(1, 1, 0, 0): 1, (-1, 0, 1, 0): 1, (-1, 0, 2, 0): 1, (1, 3, 0, 0): 1, (-1, 0, 0, 1): 1}
    )


def test_the_pipeline_lists_stand_ins_and_a_strict_one_has_none(series, write_catalogue, tmp_path):
    catalogue = load_catalogue(write_catalogue(series))
    study = SimpleNamespace(catalogue=catalogue, config={"missing": "skip"})
    records = [fetch_dataset(study, name, tmp_path, None) for name in ("large", "middle")]
    assert inventory(records) == {
        "present": ["large", "middle"],
        "stand_ins": ["middle"],
        "missing": {},
    }
    with pytest.raises(UnavailableError):
        fetch_dataset(
            SimpleNamespace(catalogue=catalogue, config={"missing": "error"}),
            "middle",
            tmp_path,
            None,
        )
