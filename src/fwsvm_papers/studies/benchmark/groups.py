"""The groups of data sets that the papers' figures show."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """The data sets of one panel, in the paper's order.

    If `grows` is true, the data sets are a nested series, sorted by size.
    """

    name: str
    datasets: tuple[str, ...]
    grows: bool = False


FRANDI2013 = ("cvm", "fw", "mfw")
NANCULEF2014 = (*FRANDI2013, "swap", "swap2o")
"""Two tuples with the methods that the figures of frandi2013 and nanculef2014 show."""

WEB = Group("Web", tuple(f"w{i}a" for i in range(1, 9)), grows=True)
ADULT = Group("Adult", tuple(f"a{i}a" for i in range(1, 8)), grows=True)
MEDIUM = Group("medium sets", ("letter", "pendigits", "usps", "reuters", "mnist"))
LARGE = Group("large sets", ("shuttle", "ijcnn1", "usps-ext", "kdd99-10pc", "kdd99-full"))
"""Groups of data sets. In `LARGE`, the largest binary subproblem of each data set has more than
15,000 points (nanculef2014 sec. 6.3).
"""

PROTEIN = Group("protein", ("protein",))
ALL = tuple(name for of in (WEB, ADULT, MEDIUM, LARGE, PROTEIN) for name in of.datasets)
"""The data sets of the benchmark, in the order of the groups."""

SHUTTLE_AND_REUTERS = Group("shuttle, reuters", ("shuttle", "reuters"))
WIDTH_STUDY = ("a1a", "a2a", "a3a", "a4a", "w1a", "w4a", "letter", "reuters", "shuttle")
"""Data sets of the figure beyond-gamma, which compares kernel widths.

For these data sets, the kernel width is not chosen by cross-validation.
"""

STOPPING_STUDY = ("w1a", "w4a", "w8a", "a1a", "a4a")
"""Data sets of the figure beyond-stopping, which shows when methods with random samples stop."""

OF_STUDIES = (
    "a8a",
    "a9a",
    "covtype",
    "checkerboard-1m",
    "two-circles",
    "two-circles-3000",
    "australian",
    "breast-cancer",
    "diabetes",
    "german",
    "heart",
    "ionosphere",
    "iris-setosa",
    "mushrooms",
    "sonar",
    "magic",
    "miniboone",
)
"""Data sets of tsang2005, singh and alaiz2018 that are not in the benchmark."""

OF_PAPERS = frozenset({*ALL, *OF_STUDIES})
"""All data sets of the papers. Only these count for verdicts on statements of the papers."""
