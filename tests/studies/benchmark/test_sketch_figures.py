"""The sketches draw the runs that they are given."""

import numpy as np
import pytest
from synthetic_runs import draw, make_sketches


@pytest.fixture
def sketches():
    return make_sketches()


def test_balls_are_those_of_the_run(sketches):
    chart = draw("frandi2013-fig1", sketches)
    fw = chart.frame[chart.frame["algorithm"] == "fw"]
    assert fw["radius"].tolist() == [ball["radius"] for ball in sketches["balls"]["fw"]]
    last = chart.figure.axes[1].patches[-2]  # before the enclosing ball
    assert last.radius == pytest.approx(fw["radius"].iloc[-1]) and list(last.center) == pytest.approx(
        fw[["x", "y"]].iloc[-1].tolist()
    )


def test_paths_are_those_of_the_run(sketches):
    chart = draw("frandi2013-fig2", sketches)
    runs = sketches["steps"]["runs"]
    mfw = chart.frame[chart.frame["method"] == "mfw"]
    assert mfw[["a1", "a2", "a3"]].to_numpy().tolist() == [record["weights"] for record in runs["mfw"]]
    assert [axes.get_title() for axes in chart.figure.axes] == [
        f"FW: {len(runs['fw']) - 1} steps, first 12 and last drawn",
        f"MFW: {len(runs['mfw']) - 1} steps",
    ]
    dashed = [line for line in chart.figure.axes[1].get_lines() if line.get_linestyle() == "--"]
    assert len(dashed) == [record["step"] for record in runs["mfw"]].count("away")


def test_directions_name_the_vertices(sketches):
    chart = draw("nanculef2014-fig1", sketches)
    directions = sketches["steps"]["directions"]
    ends = chart.frame.set_index("method")[["a1", "a2", "a3"]]
    assert np.allclose(ends.sum(axis=1), 1)
    third = ({0, 1, 2} - {directions["toward"], directions["away"]}).pop()
    assert ends.loc["swap"].iloc[third] == pytest.approx(ends.loc["start"].iloc[third])
    assert ends.loc["mfw"].iloc[third] > ends.loc["start"].iloc[third]
