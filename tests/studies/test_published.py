"""The printed numbers ship with the package and are what the papers print."""

from pathlib import Path

import pytest

from fwsvm.studies import published


def test_every_file_has_a_source_and_every_source_a_file():
    studies = Path(published.__file__).parent
    files = {f"{path.parts[-3]}_{path.stem}" for path in studies.glob("*/printed/*.csv")}
    assert set(published.SOURCES) == files
    for source in published.SOURCES.values():
        assert " table" in source


@pytest.mark.parametrize(
    ("name", "shape", "row", "column", "value"),
    [
        ("frandi2013_datasets", (26, 8), 9, "train_size", 4898431),
        ("frandi2013_accuracy", (26, 7), 3, "fw_mean", 84.1),
        ("frandi2013_time", (26, 7), 20, "cvm_mean", 247000),
        ("frandi2013_tests", (8, 6), 3, "p_value", 1.72e-05),
        ("frandi2013_poly", (20, 6), 2, "accuracy_mean", 95.8),
        ("nanculef2014_tests", (14, 5), 6, "p_value", 4.47e-08),
    ],
)
def test_tables_have_the_printed_cells(name, shape, row, column, value):
    table = published.load(name)
    assert table.shape == shape
    assert table.loc[row, column] == value


def test_cells_as_printed_keep_their_digits():
    table = published.load("frandi2013_tests", as_printed=True)
    assert table.loc[7, "p_value"] == "1.20e-04"
    assert table.loc[3, "alternative"] == ""


def test_means_are_wide_tables_named_like_the_methods():
    means = published.load_means("frandi2013_time")
    assert list(means.columns) == ["cvm", "fw", "mfw"]
    assert means.loc["kdd99-10pc", "cvm"] == 42.3
    assert not means.isna().any(axis=None)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="frandi2013_time"):
        published.load("frandi2014_time")
