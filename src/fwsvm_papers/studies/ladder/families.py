"""Group the data sets by nested series, and format the intervals of medians over data sets."""

import math

from fwsvm_papers.reporting.text import NOTHING, significant
from fwsvm_papers.studies.benchmark.groups import ADULT, WEB

_FAMILIES = {name: of.name for of in (WEB, ADULT) for name in of.datasets}
OTHERS = "others"
ALL, ONE_VOTE, WITHOUT = "all sets", "one vote per series", "without stand-ins"
VARIANTS = (ALL, ONE_VOTE, WITHOUT, WEB.name, ADULT.name, OTHERS)
"""Selections of data sets over which medians are taken. In `ONE_VOTE`, the median of Web counts
like one data set, and so does that of Adult.
"""


def family_of(dataset: str) -> str:
    """Return the nested series of a data set, or `OTHERS`."""
    return _FAMILIES.get(dataset, OTHERS)


def interval_in_words(low: float, high: float) -> str:
    """Return the interval of a speed-up as text, such as ``5.2 to 35``, or a dash if there is
    none.
    """
    if low == 0.0 and math.isinf(high):
        return NOTHING
    return " to ".join("∞" if math.isinf(end) else significant(end, 2) for end in (low, high))
