import matplotlib as mpl
from matplotlib.figure import Figure

from fwsvm.reporting.figures import save_figure
from fwsvm.reporting.style import METHODS, figure_style, method_label, method_styles


def test_three_files_with_caption_and_without_dates(tmp_path):
    paths = save_figure(Figure(), tmp_path / "deep" / "frandi2013-fig3", "Web data <here> & now.")
    assert [path.suffix for path in paths] == [".svg", ".pdf", ".png"]
    assert sorted((tmp_path / "deep").iterdir()) == sorted(paths)
    svg = paths[0].read_text()
    assert "Web data &lt;here&gt; &amp; now." in svg and "dc:date" not in svg
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
    assert method_label("swap2o") == "SWAP-2o" and (method_label("alpha"), method_label("beta2o")) == (
        "ALPHA",
        "BETA-2o",
    )


def test_sizes_are_those_of_the_style(tmp_path):
    figure = Figure(figsize=(2, 1))
    before = figure.dpi, figure.canvas
    svg, _, png = save_figure(figure, tmp_path / "x")
    assert 'viewBox="0 0 144 72"' in svg.read_text()
    assert int.from_bytes(png.read_bytes()[16:20], "big") == 2 * 300
    assert (figure.dpi, figure.canvas) == before
