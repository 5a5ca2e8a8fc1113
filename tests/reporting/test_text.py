"""Tests of the texts of numbers."""

import math

import pandas as pd
import pytest

from fwsvm_papers.reporting.text import NOTHING, whole


@pytest.mark.parametrize(
    ("value", "expected"),
    [(7, "7"), (12.4, "12"), (12.6, "13"), (999.9, "1000"), (2271.5, "2272"), (math.nan, NOTHING)],
)
def test_a_mean_is_rounded_to_a_whole_number(value, expected):
    assert whole(value) == expected


def test_a_column_of_integers_can_have_missing_numbers():
    column = pd.array([3, None], dtype="Int64")
    assert [whole(value) for value in column] == ["3", NOTHING]
