"""Test the sketch beyond-steps, which shows the steps of all methods."""

from fwsvm.solvers.settings import METHODS
from fwsvm_papers.site.methods import methods
from fwsvm_papers.studies.convergence.artefacts import steps_chart
from fwsvm_papers.studies.convergence.sketches import compute


def test_each_method_has_its_own_panel_and_descends():
    chart = steps_chart(compute())
    assert set(chart.frame["method"]) == set(METHODS) - {"mfw_sparse"}
    for _, rows in chart.frame.groupby("method"):
        # the last record is that of the certificate, so its last digits differ
        assert (rows["error"].diff().dropna() <= 1e-12).all() and rows[
            "step"
        ].is_monotonic_increasing
    titles = [axes.get_title(loc="left").partition(":")[0] for axes in chart.figure.axes]
    assert titles[:2] == ["CVM", "FW"] and "SWAP-2o" in titles


def test_every_method_has_a_figure_on_its_page():
    assert all(one["figure"] for one in methods().values())
