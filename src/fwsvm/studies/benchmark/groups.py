"""The papers' groups of data sets, as their figures show them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Data sets on one axis, in the paper's order; a group that `grows` is a series, drawn in order of size."""

    name: str
    datasets: tuple[str, ...]
    grows: bool = False


FRANDI2013 = ("cvm", "fw", "mfw")
NANCULEF2014 = (*FRANDI2013, "swap", "swap2o")
"""The methods of the papers' figures."""

WEB = Group("Web", tuple(f"w{i}a" for i in range(1, 9)), grows=True)
ADULT = Group("Adult", tuple(f"a{i}a" for i in range(1, 8)), grows=True)
MEDIUM = Group("medium sets", ("letter", "pendigits", "usps", "reuters", "mnist"))
LARGE = Group("large sets", ("shuttle", "ijcnn1", "usps-ext", "kdd99-10pc", "kdd99-full"))
"""Largest binary subproblem below or above 15,000 points (nanculef2014 sec. 6.3)."""

PROTEIN = Group("protein", ("protein",))
SHUTTLE_AND_REUTERS = Group("shuttle, reuters", ("shuttle", "reuters"))
WIDTH_STUDY = ("a1a", "a2a", "a3a", "a4a", "w1a", "w4a", "letter", "reuters", "shuttle")
"""The data sets on which several kernel widths are tried (beyond-gamma); the width of usps and pendigits is tuned."""

STOPPING_STUDY = ("w1a", "w4a", "w8a", "a1a", "a4a")
"""The data sets on which the stopping of sampled runs is studied (beyond-stopping)."""

OF_STUDIES = (
    "a8a", "a9a", "covtype", "checkerboard-1m", "two-circles", "two-circles-3000",
    "australian", "breast-cancer", "diabetes", "german", "heart", "ionosphere", "iris-setosa", "mushrooms", "sonar",
    "magic", "miniboone",
)  # fmt: skip
"""Data sets of tsang2005, singh and alaiz2018 that the benchmark leaves out."""

OF_THE_PAPERS = frozenset(
    name for names in (*(g.datasets for g in (WEB, ADULT, MEDIUM, LARGE, PROTEIN)), OF_STUDIES) for name in names
)
"""Every data set of the five papers."""
