"""The registry of builders, and what the catalogue says about a wrong entry of a built set."""

import copy
import sys

import numpy as np
import pytest
import scipy.sparse

from fwsvm.base.errors import ConfigError
from fwsvm.datasets import load_catalogue
from fwsvm.datasets.builders import BUILDERS, Built, parameters_of_builder, roles_of_builder
from fwsvm.datasets.describe import describe
from fwsvm.datasets.entries import BuiltSource, FileEntry, MadeByBuilder, entry_digest, required_files

FILE = {"name": "uci/x", "url": "https://example.org/x", "sha256": "unverified"}
ENTRY = {
    "source": {"builder": "kdd99", "files": {"train": FILE}, "parameters": {"classes": "five"}},
    "split": {"fraction": 0.2, "seed": 1},
}


@pytest.mark.parametrize("name", BUILDERS)
def test_builder_states_its_recipe_and_takes_files(name):
    module = sys.modules[BUILDERS[name].__module__]
    assert "Recipe" in module.__doc__
    assert any(roles_of_builder(name).values())
    assert module.__name__.endswith(f"builders.{name}")


@pytest.mark.parametrize("name", BUILDERS)
def test_builder_is_used_in_the_catalogue(name):
    catalogue = load_catalogue()
    entries = [*catalogue.values(), *(e.standing_in(catalogue) for e in catalogue.values() if e.stand_in)]
    assert any(isinstance(e.source, BuiltSource) and e.source.builder == name for e in entries)


def test_signature_names_files_and_parameters():
    assert roles_of_builder("kdd99") == {"train": True, "test": False}
    assert parameters_of_builder("kdd99") == {"classes": True}
    assert roles_of_builder("reuters") == {"archive": True}
    assert parameters_of_builder("reuters") == {"topic": False, "min_documents": False}


def test_entry_of_a_built_set(write_catalogue):
    entry = load_catalogue(write_catalogue({"x": ENTRY}))["x"]
    assert entry.source == BuiltSource("kdd99", {"train": FileEntry(**FILE)}, {"classes": "five"})
    assert required_files(entry, {}) == entry.source.files
    both = copy.deepcopy(ENTRY) | {"split": {"test": "builder"}}
    both["source"]["files"]["test"] = FILE | {"name": "uci/y"}
    catalogue = load_catalogue(write_catalogue({"x": both}))
    assert catalogue["x"].split == MadeByBuilder()
    assert entry_digest(catalogue["x"], catalogue) != entry_digest(entry, catalogue)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"builder": "kdd98"}, "x.source.builder: 'kdd98' is not known; did you mean 'kdd99'?"),
        ({"parameters": {}}, "x.source.parameters: the builder kdd99 needs the key 'classes'"),
        ({"parameters": {"classes": "two", "clases": 2}}, "kdd99 has no 'clases'; did you mean 'classes'?"),
        ({"files": {"archive": FILE}}, "x.source.files: the builder kdd99 has no 'archive'; known: train, test"),
        ({"files": {"archive": FILE}}, "x.source.files: the builder kdd99 needs the key 'train'"),
        ({"format": "libsvm"}, "a builder without format and csv"),
        ({"sklearn": "iris"}, "x.source: exactly one of these is wanted"),
    ],
)
def test_wrong_source(write_catalogue, change, message):
    with pytest.raises(ConfigError) as error:
        load_catalogue(write_catalogue({"x": ENTRY | {"source": ENTRY["source"] | change}}))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("source", "split", "message"),
    [
        (ENTRY["source"], {"test": "file"}, "x.split: a built set wants 'test: builder', or 'fraction' and 'seed'"),
        (ENTRY["source"], {"test_size": 9}, "x.split: a built set wants"),
        ({"files": {"train": FILE}}, {"test": "builder"}, "x.split.test: 'builder' needs the key source.builder"),
        (
            {"files": {"archive": FILE}},
            {"fraction": 0.1, "seed": 1},
            "x.source.files.archive: is for a builder",
        ),
        (
            {"files": {"train": FILE}, "parameters": {"cells": 3}},
            {"fraction": 0.1, "seed": 1},
            "parameters only beside a generator or a builder",
        ),
    ],
)
def test_source_and_split_that_do_not_go_together(write_catalogue, source, split, message):
    with pytest.raises(ConfigError) as error:
        load_catalogue(write_catalogue({"x": {"source": source, "split": split}}))
    assert message in str(error.value)


@pytest.fixture
def built_entry(monkeypatch, tmp_path):
    """An entry of a builder that makes four points, and one test point if it has a file for it."""

    def four_points(train, test=None, *, sign=1):
        X = scipy.sparse.csr_matrix(sign * np.array([[1.0, 0, 0], [0, 2, 0], [3, 0, 0], [0, 4, 0]]))
        y = np.array([5, 6, 5, 6])
        if test is None:
            return Built(X, y, facts={"found": 4})
        return Built(X, y, np.array([[0.0, 1.0, 7.0]]), y[:1])

    monkeypatch.setitem(BUILDERS, "four_points", four_points)
    (tmp_path / "any").write_text("")
    file = {"path": str(tmp_path / "any")}

    def entry(*roles, **split):
        return {"source": {"builder": "four_points", "files": dict.fromkeys(roles, file)}, "split": split}

    return entry


def test_points_without_a_test_part_are_divided(prepare_entry, built_entry):
    prepared = prepare_entry(built_entry("train", fraction=0.25, seed=1))
    assert (prepared.meta["m"], prepared.meta["t"], prepared.meta["classes"]) == (3, 1, [5, 6])
    assert prepared.meta["built"]["found"] == 4
    assert prepared.meta["split"] == {"fraction": 0.25, "seed": 1}
    assert describe(prepared)["built"]["builder"] == "four_points"


def test_parts_of_a_builder(prepare_entry, built_entry):
    prepared = prepare_entry(built_entry("train", "test", test="builder"))
    assert prepared.X_train.tolist() == [[1, 0, 0], [0, 2, 0], [3, 0, 0], [0, 4, 0]]
    assert prepared.X_test.tolist() == [[0, 1, 7]]
    assert prepared.meta["split"] == {"test": "builder"}
    assert prepared.meta["built"] == {
        "builder": "four_points",
        "parameters": {},
        "features_empty_in_training": 1,
        "test_points_with_such_a_feature": 1,
    }


def test_split_that_the_builder_does_not_fit(prepare_entry, built_entry):
    with pytest.raises(ConfigError, match=r"x.split: the builder four_points makes no test part of these files; use"):
        prepare_entry(built_entry("train", test="builder"))
    with pytest.raises(ConfigError, match=r"x.split: the builder four_points makes both parts; use 'test: builder'"):
        prepare_entry(built_entry("train", "test", fraction=0.5, seed=1))


def test_other_sets_have_no_builder(prepare_entry, on_disk, four_class_text):
    assert describe(prepare_entry(on_disk(four_class_text)))["built"] is None
