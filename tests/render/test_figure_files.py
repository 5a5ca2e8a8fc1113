import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from fwsvm.render.figures_io import placeholder, save_figure
from fwsvm.render.style import METHODS, figure_style, method_label, method_styles


def test_three_files_with_caption_and_without_dates(tmp_path):
    chart = placeholder("frandi2013-fig3", "No Web data <here> & now.")
    paths = save_figure(chart.figure, tmp_path / "deep" / "frandi2013-fig3", chart.caption)
    assert [path.suffix for path in paths] == [".svg", ".pdf", ".png"]
    assert sorted((tmp_path / "deep").iterdir()) == sorted(paths)
    svg = paths[0].read_text()
    assert "No Web data &lt;here&gt; &amp; now." in svg and "dc:date" not in svg
    assert b"CreationDate" not in paths[1].read_bytes()
    assert paths[2].read_bytes().startswith(b"\x89PNG")


def test_files_with_a_dot_in_the_stem_keep_it(tmp_path):
    paths = save_figure(Figure(), tmp_path / "v1.2")
    assert [path.name for path in paths] == ["v1.2.svg", "v1.2.pdf", "v1.2.png"]


def test_style_leaves_no_trace():
    before = dict(mpl.rcParams)
    with figure_style():
        assert mpl.rcParams["svg.hashsalt"] == "fwsvm"
    assert dict(mpl.rcParams) == before


def test_one_colour_and_marker_per_method():
    styles = method_styles([*METHODS, "alpha", "beta"])
    assert len({style.color for style in styles.values()}) == len(styles)
    assert len({style.marker for style in styles.values()}) == len(styles)
    assert list(styles)[:2] == ["cvm", "fw"] and list(styles)[-2:] == ["alpha", "beta"]
    assert method_label("swap2o") == "SWAP-2o" and method_label("alpha") == "alpha"


@pytest.mark.parametrize("reason", ["Short.", "A reason that needs several lines to be told in full. " * 6])
def test_placeholder_text_fits(reason):
    figure = placeholder("nanculef2014-fig10", reason).figure
    with figure_style():
        figure.draw_without_rendering()
        frame = figure.axes[0].get_window_extent()
        for text in figure.axes[0].texts:
            box = text.get_window_extent()
            assert frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
