"""The cells of the race: equal accuracy, gaps that were reached, peers that were stopped."""

import numpy as np
import pandas as pd
import pytest

from fwsvm.bench import race_figure
from fwsvm.bench.report import race_cells

CELL = {"case": "w8a", "C": 64, "gamma_over_beta": 0.5, "m_test": 100}


def row(method, seconds, eps=None, accuracy=None, threads=1, stop_reason="converged"):
    found = {"method": method, "seconds": seconds, "eps": eps, "accuracy": accuracy, "stop_reason": stop_reason}
    return CELL | found | {"threads": threads}


@pytest.fixture
def rows():
    """Of SVC right on 90 of 100 test points, standard error 3, and ours on 86, 87 and 91."""
    return [
        row("svc", 6.0, accuracy=0.90, stop_reason=None),
        row("intelex", 3.0, accuracy=0.90, stop_reason=None),
        *(row("auto", s, eps, a) for s, eps, a in ((0.5, 1e-1, 0.86), (1.5, 1e-2, 0.87), (2.0, 1e-3, 0.91))),
        row("auto", 9.0, 1e-4, 0.91, stop_reason="time_limit"),
        row("libsvm_l2", 24.0, 1e-3, stop_reason="time_limit"),
        row("svc", 6.5, threads=2, accuracy=0.90),
        row("auto", 1.0, 1e-3, 0.85, threads=2),
    ]


def test_equal_accuracy_is_within_a_standard_error(rows):
    single, double = race_cells(pd.DataFrame(rows)).to_dict("records")
    assert (single["gap"], single["equal_s"], single["svc_ratio"], single["intelex_ratio"]) == (1e-2, 1.5, 4.0, 2.0)
    assert np.isnan(single["s_0.0001"]) and single["s_0.001"] == 2.0  # the smallest gap was not reached
    assert single["libsvm_ratio"] == 12.0 and single["libsvm_is_bound"]
    assert np.isnan(double["gap"]) and double["svc_ratio"] == 0.0 and not double["libsvm_is_bound"]  # too inaccurate
    nothing = race_cells(pd.DataFrame(rows[:2])).iloc[0]
    assert np.isnan(nothing["svc_ratio"]) and np.isnan(nothing["equal_s"])


def test_figure_has_the_cells_of_one_thread(rows):
    drawn = race_figure.draw(race_cells(pd.DataFrame(rows[:7])))
    assert [line.get_xdata()[0] for line in drawn.axes[0].lines if line.get_marker() == "s"] == [4.0]
