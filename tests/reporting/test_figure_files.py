import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from fwsvm_papers.reporting.figures import save_figure
from fwsvm_papers.reporting.style import ACCENT, CLASSES, METHODS, method_label, method_styles


def test_three_files_with_caption_and_without_dates(tmp_path):
    paths = save_figure(
        Figure(), tmp_path / "deep" / "frandi2013-fig3", "Web data <here> & now.", title="Web"
    )
    assert [path.suffix for path in paths] == [".svg", ".pdf", ".png"]
    assert sorted((tmp_path / "deep").iterdir()) == sorted(paths)
    svg = paths[0].read_text()
    assert (
        "<title>Web</title>\n <desc>Web data &lt;here&gt; &amp; now.</desc>" in svg
        and "dc:date" not in svg
    )
    dark = "prefers-color-scheme: dark){svg{filter: invert(.92) hue-rotate(180deg)}}</style>"
    assert svg.count(dark) == 1
    assert b"CreationDate" not in paths[1].read_bytes()
    assert paths[2].read_bytes().startswith(b"\x89PNG")


def test_marks_of_an_svg_say_their_method_and_values(tmp_path):
    fig = Figure(layout="constrained")
    left, right = fig.subplots(1, 2)
    left.set_xticks([0, 1], ["a<b", "c"])
    left.plot([0.2, 1.1], [12.5, 0.25], marker="s", color=METHODS["fw"].color, linestyle="none")
    left.plot([0], [4], marker="_", color=METHODS["cvm"].color)
    right.loglog([10, 1000], [1, 1e6], marker="o", color="#123456")
    right.plot([20], [30], color="black")
    svg = save_figure(fig, tmp_path / "x", formats=("svg",))[0].read_text()
    titles = re.findall("<title>(.*?)</title></use>", svg)
    assert titles == [
        "FW: a&lt;b, 12.5",
        "FW: c, 0.25",
        "CVM printed: a&lt;b, 4",
        "10, 1",
        "1000, 1e+06",
    ]


BENCHMARK = ("cvm", "fw", "mfw", "swap", "swap2o", "pfw", "auto", "alpha", "beta", "gamma")
FAMILIES = (
    BENCHMARK,
    ("cvm", "libsvm_l1", "libsvm_l2", "lsvm_lowrank", "rsvm", "simple_svm"),
    ("cvm", "fw", "mfw", "swap", "swap2o", "auto", "svc", "intelex", "libsvm_l2", "nystroem"),
    ("svm", "mfw_sparse", "mfw_sparse_fixed"),
    ("oneclass_swap", "oneclass_libsvm"),
)
"""Each tuple has the methods of one figure. In the first tuple, the last three methods are not
registered and get spare colours.
"""


def differences(colours, vision):
    """Return the distances (CIEDE2000) of all pairs of colours.

    The colours are changed to those that a reader with the given colour vision sees (Machado et al.
    2009).
    """
    with np.printoptions():  # the import changes how numpy prints numbers in the whole process
        import colour

    linear = colour.models.eotf_sRGB(
        np.array([colour.notation.HEX_to_RGB(code) for code in colours])
    )
    if vision != "normal":
        linear = np.clip(linear @ colour.blindness.matrix_cvd_Machado2009(vision, 1.0).T, 0, 1)
    lab = colour.XYZ_to_Lab(colour.sRGB_to_XYZ(linear, apply_cctf_decoding=False))
    first, second = np.triu_indices(len(colours), 1)
    return colour.delta_E(lab[first], lab[second], method="CIE 2000")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("vision", ["normal", "Deuteranomaly", "Protanomaly"])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family[0])
def test_methods_of_one_figure_are_told_apart_by_every_reader(family, vision):
    styles = method_styles(family)
    assert list(styles) == list(family)
    assert len({style.marker for style in styles.values()}) == len(family)
    assert differences([style.color for style in styles.values()], vision).min() > 12
    # the contrast to a white background is large enough
    assert all(
        np.power(to_rgb(style.color), 2.2) @ (0.21, 0.72, 0.07) < 0.3 for style in styles.values()
    )


@pytest.mark.filterwarnings("ignore")
def test_classes_and_accents_have_no_method_s_colour():
    roles = [ACCENT, *(color for color, _ in CLASSES)]
    methods = [METHODS[name].color for name in BENCHMARK[:7]]
    assert differences([*roles, *methods], "normal").min() > 12
    for vision in ("Deuteranomaly", "Protanomaly"):
        assert differences(roles[1:], vision).min() > 20
    assert (
        method_label("swap2o") == "SWAP-2o"
        and method_label("alpha") == "ALPHA"
        and method_label("x2o") == "X-2o"
    )
