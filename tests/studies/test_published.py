"""Test that the package contains the numbers that the papers print."""

from pathlib import Path

from fwsvm_papers.studies import registry


def test_every_file_has_a_source_and_every_source_a_file():
    studies = Path(registry.__file__).parent
    files = {f"{path.parts[-3]}_{path.stem}" for path in studies.glob("*/printed/*.csv")}
    assert set(registry.SOURCES) == files


def test_cells_as_printed_keep_their_digits():
    table = registry.load_printed("frandi2013_tests", as_printed=True)
    assert table.loc[7, "p_value"] == "1.20e-04"
    assert table.loc[3, "alternative"] == ""
    assert registry.load_printed("nanculef2014_tests").loc[6, "p_value"] == 4.47e-08
