"""Test four things in a catalogue: random splits, splits that are stratified by class, labels that
are not classes, and names.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets import load_catalogue
from fwsvm_papers.datasets.entries import entry_digest
from fwsvm_papers.datasets.load import load_parts


def text_of(counts):
    """Return a LIBSVM file as text, and the labels of its points.

    Class k has `counts[k]` points. The classes are in random order, and the only feature is the row
    number.
    """
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    return "".join(f"{label} 1:{row + 1}\n" for row, label in enumerate(labels)), labels


@pytest.fixture
def split_rows(write_catalogue, on_disk, tmp_path):
    """Return a function that splits points. It returns the row numbers of the training part and of
    the test part, and the labels of all rows.
    """

    def split(counts, **keys):
        text, labels = text_of(counts)
        entry = load_catalogue(write_catalogue({"x": on_disk(text, split=keys)}))["x"]
        parts = load_parts(entry, {"train": tmp_path / "points.svm"})
        rows = [X.toarray().ravel().astype(int) - 1 for X in (parts.X_train, parts.X_test)]
        for found, y in zip(rows, (parts.y_train, parts.y_test), strict=True):
            np.testing.assert_array_equal(labels[found], y)
        return *rows, labels

    return split


@pytest.mark.parametrize("counts", [[60, 30, 10], [2, 98], [4] * 25, [90, 2, 2, 2, 2, 2], [50, 50]])
@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5])
def test_stratified_split_has_the_shares_of_scikit_learn(split_rows, counts, fraction):
    train, test, labels = split_rows(counts, fraction=fraction, seed=3, stratify=True)
    assert sorted([*train, *test]) == list(range(len(labels)))
    assert len(test) == int(np.ceil(fraction * len(labels)))
    share, found = fraction * np.array(counts), np.bincount(labels[test], minlength=len(counts))
    assert np.all(np.abs(found - share) < 1 + 1e-9) and np.bincount(labels[train]).min() >= 1
    if len(test) >= len(counts):
        _, theirs = train_test_split(labels, test_size=len(test), stratify=labels, random_state=0)
        assert np.abs(found - np.bincount(theirs, minlength=len(counts))).max() <= 1


def test_stratified_split_depends_on_the_seed_only_and_is_random_in_each_class(split_rows):
    first = split_rows([40, 20], fraction=0.3, seed=3, stratify=True)
    for part, again in zip(
        first, split_rows([40, 20], fraction=0.3, seed=3, stratify=True), strict=True
    ):
        np.testing.assert_array_equal(part, again)
    rows = [
        tuple(split_rows([40, 20], fraction=0.3, seed=seed, stratify=True)[1]) for seed in range(8)
    ]
    assert len(set(rows)) == 8 and set().union(*rows) > set(rows[0])


def test_split_without_stratify_is_that_of_earlier_versions(split_rows):
    _, test, labels = split_rows([40, 20], fraction=0.3, seed=3)
    assert test.tolist() == sorted(np.random.default_rng(3).permutation(len(labels))[:18].tolist())
    assert split_rows([40, 20], fraction=0.3, seed=3, stratify=False)[1].tolist() == test.tolist()


@pytest.mark.parametrize(("fraction", "rows"), [(0.07, 100), (0.14, 50), (0.55, 100), (0.29, 100)])
def test_number_of_test_rows_is_rounded_up_from_the_decimal_number(split_rows, fraction, rows):
    """In floating point, 0.07 * 100 is above 7."""
    _, test, _ = split_rows([rows - 20, 20], fraction=fraction, seed=3)
    assert len(test) == -(-round(100 * fraction) * rows // 100)


@pytest.mark.parametrize("fraction", [0.05, 0.5, 0.9])
def test_rare_classes_keep_a_training_point_for_every_seed(split_rows, fraction, caplog):
    for seed in range(15):
        train, test, labels = split_rows(
            [150, 30, 2, 2, 1, 1], fraction=fraction, seed=seed, stratify=True
        )
        assert len(np.unique(labels[train])) == 6 and not {4, 5} & set(labels[test].tolist())
    assert (
        "x: some classes have only one row (4, 5). This row is used for training, so the test part"
        " has no rows of these classes"
    ) in caplog.text


def test_split_that_cannot_be_stratified_says_why(split_rows):
    with pytest.raises(
        DataError,
        match=r"leaves 2 of 20 rows for training, fewer than the 4 classes; use a smaller",
    ):
        split_rows([5] * 4, fraction=0.9, seed=1, stratify=True)


def test_class_without_training_points_names_the_remedy(prepare_entry, on_disk, tmp_path):
    text, _ = text_of([40, 40, 2])
    messages = []
    for seed in range(30):
        try:
            prepare_entry(on_disk(text, split={"fraction": 0.6, "seed": seed}))
        except DataError as error:
            messages.append(str(error))
    right = (
        "but the training points have only the classes 0, 1; write stratify: true in the entry's"
        " split"
    )
    assert messages and all(right in message for message in messages)
    prepare_entry(on_disk(text, split={"fraction": 0.6, "seed": 0, "stratify": True}))
    (tmp_path / "test.svm").write_text("7 1:1\n0 1:2\n")
    entry = on_disk(text, split={"test": "file"})
    entry["source"]["files"]["test"] = {"path": str(tmp_path / "test.svm")}
    with pytest.raises(DataError, match=r"the class 7, .*; correct this label in the test file"):
        prepare_entry(entry)


@given(
    st.lists(st.integers(1, 12), min_size=2, max_size=8), st.integers(0, 99), st.floats(0.05, 0.95)
)
def test_every_stratified_split_is_near_the_shares(counts, seed, fraction):
    from fwsvm_papers.datasets.entries import DatasetEntry
    from fwsvm_papers.datasets.splits import _stratified

    y = np.repeat(np.arange(len(counts)), counts)
    size = int(np.ceil(fraction * len(y)))
    if size > len(y) - len(counts):
        return
    keys = {
        "source": {"sklearn": "iris"},
        "split": {"fraction": fraction, "seed": seed, "stratify": True},
    }
    rows = _stratified(y, size, DatasetEntry.model_validate(keys), np.random.default_rng(seed))
    found = np.bincount(y[rows], minlength=len(counts))
    assert len(set(rows.tolist())) == size == found.sum() and np.all(found < counts)


def test_new_keys_leave_the_hash_of_other_entries_as_it_was():
    """`HASHES` has the hashes of three entries, computed by the last version in which an entry
    could not have the keys `stratify` and `comment`.
    """
    catalogue = load_catalogue()
    hashes = {name: entry_digest(catalogue[name], catalogue) for name in ("iris", "sonar", "a1a")}
    assert hashes == HASHES


HASHES = {"iris": "26696fba1122035b", "sonar": "c7ec55423236a0d7", "a1a": "fbfa037ab70444f8"}


# Labels that are not classes


@pytest.mark.parametrize("unit", [1, 0.37])
@pytest.mark.parametrize(("rows", "different"), [(400, 150), (60, 45)])
def test_measured_values_as_labels_are_refused_before_training(
    prepare_entry, on_disk, rows, different, unit
):
    text = "".join(f"{row % different * unit} 1:{row}\n" for row in range(rows))
    entry = on_disk(text, split={"fraction": 0.25, "seed": 1, "stratify": True})
    with pytest.raises(
        DataError, match=r"points have \d+ different labels.*regression.*expected: \{classes:"
    ):
        prepare_entry(entry)
    assert prepare_entry(entry | {"positive": [0]}).meta["K"] == 2
    assert prepare_entry(entry | {"expected": {"classes": different}}).meta["K"] == different


def test_many_classes_are_accepted_with_many_points_each(prepare_entry, on_disk):
    text = "".join(f"{row % 90} 1:{row}\n" for row in range(900))
    split = {"fraction": 0.25, "seed": 1, "stratify": True}
    assert prepare_entry(on_disk(text, split=split)).meta["K"] == 90


# Numbers of features


@pytest.mark.parametrize(("train", "test"), [(2, 5), (5, 2), (3, 3)])
def test_files_of_different_width_are_padded(prepare_entry, on_disk, tmp_path, train, test):
    entry = on_disk(f"1 1:1\n-1 {train}:2\n")
    (tmp_path / "test.svm").write_text(f"1 {test}:3\n")
    entry["source"]["files"]["test"] = {"path": str(tmp_path / "test.svm")}
    entry["split"] = {"test": "file"}
    for width in (None, 7):
        prepared = prepare_entry(entry | ({"features": width} if width else {}))
        n = width or max(train, test)
        assert prepared.X_train.shape == (2, n) and prepared.X_test.shape == (1, n)
        assert prepared.X_test[0, test - 1] == 3 and prepared.X_train[1, train - 1] == 2


# Names that YAML reads as something else


def test_truth_value_or_date_as_a_name_needs_quotes(write_catalogue):
    text = (
        "x: {source: {format: csv, csv: {label: %s, missing_values: [%s]}, files: {train: {path:"
        " t}}}, "
    )
    text += "split: {fraction: 0.2, seed: 1}, positive: [%s]}\n"
    truth = "YAML reads true and false as truth values: put a name in quotes"
    for values, key, hint in (
        (("true", "a", "a"), "source.csv.label", truth),
        (("a", "False", "a"), "source.csv.missing_values (value 1)", truth),
        (("a", "a", "TRUE"), "positive (value 1)", truth),
        (
            ("2020-01-01", "a", "a"),
            "source.csv.label",
            "YAML reads this as a date: put a name in quotes",
        ),
        (("a", "-9", "a"), "source.csv.missing_values (value 1)", "not -9; put it in quotes"),
        # YAML drops the zeros, so the hint cannot show the text
        (("a", "042", "a"), "source.csv.missing_values (value 1)", "not 42; put it in quotes"),
        (("a", "null", "a"), "source.csv.missing_values (value 1)", "not null"),
    ):
        with pytest.raises(ConfigError) as error:
            load_catalogue(write_catalogue(text % values))
        lines = str(error.value).splitlines()
        assert len(lines) == 1 and f"x.{key}: must be" in lines[0] and lines[0].endswith(hint)


def test_positive_class_with_a_text_name_needs_quotes(prepare_entry, tmp_path):
    (tmp_path / "t.csv").write_text("1,2.1\n2,2.10\n3,2.1\n4,2.10\n5,3\n6,3\n")
    entry = {
        "source": {
            "format": "csv",
            "csv": {"label": -1},
            "files": {"train": {"path": str(tmp_path / "t.csv")}},
        },
        "split": {"fraction": 0.5, "seed": 1, "stratify": True},
    }
    with pytest.raises(
        DataError,
        match=r"'3'\], but not all; the given list is \[2\.1\]; these classes are texts: put"
        " them in",
    ):
        prepare_entry(entry | {"positive": [2.1]})
    assert prepare_entry(entry | {"positive": ["2.1"]}).meta["class_counts"]["train"] == [2, 1]
    (tmp_path / "t.csv").write_text("1,1\n2,2\n3,1\n4,2\n")
    with pytest.raises(
        DataError,
        match=r"training classes \[1, 2\], but not all; the given list is \['1'\];"
        r" these classes are numbers: write",
    ):
        prepare_entry(entry | {"positive": ["1"]})


def test_stratify_belongs_to_a_fraction(write_catalogue):
    text = (
        "x: {source: {generator: checkerboard, size: 9, seed: 1}, split: {test_size: 3, stratify:"
        " true}}"
    )
    with pytest.raises(
        ConfigError, match=r"x\.split: stratify can only be used with the keys fraction and seed"
    ):
        load_catalogue(write_catalogue(text))
