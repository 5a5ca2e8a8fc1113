"""The style of all figures: sizes, fonts, and for each method a colour, a marker and a name."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import cycle

import matplotlib as mpl

from fwsvm_papers.runs.table import ordered

COLUMN_WIDTH, TEXT_WIDTH = 3.4, 7.0
"""Two widths in inches: the width of one column on a two-column page, and the width of the whole
text.
"""

MUTED = "#6b6b6b"
GRID = "#d9d9d9"

_TICKS = {"labelsize": 7.5, "major.width": 0.6, "major.size": 2.5, "minor.size": 1.5}
_RC = {
    "figure.dpi": 150,
    "savefig.dpi": 300,
    # If DejaVu Sans is not installed, SVG viewers use Verdana, whose characters are as wide.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 7.5,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    **{f"{axis}tick.{name}": value for axis in "xy" for name, value in _TICKS.items()},
    "lines.linewidth": 1.2,
    "lines.markersize": 4.2,
    "lines.markeredgewidth": 0.9,
    "errorbar.capsize": 1.5,
    "legend.frameon": False,
    "legend.columnspacing": 1.4,
    "svg.hashsalt": "fwsvm",
    "svg.fonttype": "none",  # text is stored as text, so that it can be searched and read aloud
    "pdf.fonttype": 42,
}


def figure_style() -> AbstractContextManager:
    """Return a context in which figures are drawn and saved with the figure style."""
    defaults = {name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"}
    return mpl.rc_context({**defaults, **_RC})


@dataclass(frozen=True)
class MethodStyle:
    label: str
    color: str
    marker: str


METHODS = {
    "cvm": MethodStyle("CVM", "#000000", "o"),
    "fw": MethodStyle("FW", "#0072B2", "s"),
    "mfw": MethodStyle("MFW", "#D55E00", "^"),
    "swap": MethodStyle("SWAP", "#009E73", "D"),
    "swap2o": MethodStyle("SWAP-2o", "#A8327D", "v"),
    "pfw": MethodStyle("PFW", "#553300", "P"),
    "auto": MethodStyle("auto", "#4B9CB0", "*"),
    "svm": MethodStyle("SVM", "#54278F", "8"),
    "mfw_sparse": MethodStyle("M-FW", "#3388FF", "p"),
    "mfw_sparse_fixed": MethodStyle("M-FW, fixed C", "#8C510A", "H"),
    "libsvm_l1": MethodStyle("LIBSVM (L1)", "#785014", "h"),
    "svc": MethodStyle("SVC (scikit-learn)", "#772200", "X"),
    "intelex": MethodStyle("SVC (scikit-learn-intelex)", "#664444", "P"),
    "libsvm_l2": MethodStyle("LIBSVM (L2)", "#000044", "<"),
    "nystroem": MethodStyle("Nyström + linear SVM", "#7788FF", "H"),
    "lsvm_lowrank": MethodStyle("LSVM, low rank", "#00A075", ">"),
    "rsvm": MethodStyle("RSVM", "#3B7BD4", "8"),
    "simple_svm": MethodStyle("SimpleSVM", "#647878", "d"),
    "oneclass_swap": MethodStyle("one-class L2-SVM (SWAP)", "#00693E", "."),
    "oneclass_libsvm": MethodStyle("OneClassSVM (LIBSVM)", "#C23B80", "+"),
}
"""Maps each method to its style. Any two colours in a figure have a CIEDE2000 distance of at least
12, also for readers with red-green blindness.

The contrast ratio of each colour to white is at least 3.
"""

_SPARE = (("#000044", "p"), ("#664444", "h"), ("#7788FF", "8"), ("#0000DD", "<"), ("#113344", ">"))

CLASSES = (("#6A51A3", "o"), ("#B08D2E", "s"))
"""Colours and markers of the two classes in a picture of points. No method has these colours."""

ACCENT = "#B3003B"
"""Colour that highlights parts of a drawing. No method has this colour."""


def method_styles(methods: Iterable[str]) -> dict[str, MethodStyle]:
    """Return the style of each method, in display order.

    A method without a style of its own gets a spare style.
    """
    names, spare = ordered(methods, tuple(METHODS)), cycle(_SPARE)
    return {
        name: METHODS.get(name) or MethodStyle(method_label(name), *next(spare)) for name in names
    }


def method_label(method: str) -> str:
    """Return the name of a method in tables and legends.

    The name of an unknown method is written in capitals.
    """
    if method in METHODS:
        return METHODS[method].label
    stem = method.removesuffix("2o")
    return stem.upper() + ("-2o" if stem != method else "")
