"""MiniBooNE from a small file of its form; no real file was at hand."""

from itertools import cycle, islice

import numpy as np
import pytest

from fwsvm.base.errors import DataError
from fwsvm.datasets import load_catalogue
from fwsvm.datasets.builders import miniboone
from fwsvm.datasets.prepare import prepare

TEXT = """ 2 3
  0.100000E+01 -0.200000E+01
 -0.999000E+03  0.500000E+00
  0.300000E+01 -0.999000E+03

  0.400000E+01  0.600000E+01
 -0.999000E+03 -0.999000E+03
"""


@pytest.fixture
def file(tmp_path):
    def write(text):
        (tmp_path / "MiniBooNE_PID.txt").write_text(text)
        return tmp_path / "MiniBooNE_PID.txt"

    return write


def test_signal_first_and_unmeasured_values_become_the_least_measured(file):
    built = miniboone.build(file(TEXT))
    assert built.X_train.tolist() == [[1, -2], [1, 0.5], [3, -2], [4, 6], [1, -2]]
    assert built.y_train.tolist() == [1, 1, -1, -1, -1]
    assert built.facts == {"events_with_unmeasured_values": 3}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((" 2 3", " 2"), "line 1: two numbers are wanted"),
        ((" 2 3", "2 x"), "line 1: two numbers are wanted"),
        ((" 2 3", " 2 4"), r"line 1 promises 2 \+ 4 events; there are 5"),
        (("0.400000E+01", ""), "line 6: 1 columns; there should be 2"),
        (("0.600000E+01", "x"), "line 6, column 2: 'x' is not a number"),
        (("0.600000E+01", "nan"), "line 6, column 2: 'nan' is not finite"),
    ],
)
def test_wrong_file_says_where(file, change, message):
    with pytest.raises(DataError, match=rf"MiniBooNE_PID.txt[,:] {message}"):
        miniboone.build(file(TEXT.replace(*change)))


def test_file_without_events(file):
    with pytest.raises(DataError, match="there is no event in it"):
        miniboone.build(file("0 0\n"))


def test_entry_prepares_a_stand_in_of_the_right_size(tmp_path, file, write_catalogue, no_mirror):
    """36,499 and 93,565 events in the place of the file, which the catalogue has no checksum for; 64 are different."""
    lines = [" ".join(f"{value:.2f}" for value in row) for row in np.random.default_rng(1).normal(size=(64, 50))]
    path = tmp_path / "raw/uci/miniboone/MiniBooNE_PID.txt"
    path.parent.mkdir(parents=True)
    with open(path, "w") as stream:
        stream.write(" 36499 93565\n")
        stream.writelines(f"{line}\n" for line in islice(cycle(lines), 130_064))
    catalogue = load_catalogue()
    prepared = prepare(catalogue["miniboone"], catalogue, tmp_path / "raw", tmp_path / "prepared")
    assert prepared.meta["class_counts"]["train"][1] + prepared.meta["class_counts"]["test"][1] == 36_499
    assert prepared.meta["sources"][0]["checksum"] == "unverified"
