"""The precision of kernel columns."""

import numpy as np

from fwsvm.kernels.points import FLOAT32_RANGE
from fwsvm.solvers.settings import FLOAT32_GAP
from fwsvm.solvers.steps import target_gap


def column_dtype(problem, settings):
    """The precision in which training starts: float32 where it can show the gap that the stopping rule wants.

    Raises
    ------
    ValueError
        If float32 is asked for and cannot hold the columns, or cannot show that gap.
    """
    largest = problem.largest_diagonal
    if settings.column_dtype == "float64":
        return np.float64
    in_range = 1.0 / FLOAT32_RANGE <= largest <= FLOAT32_RANGE
    if not (in_range and problem.fits_float32):
        if settings.column_dtype == "float32":
            entries = f"columns of Q, whose largest entry is {largest:.3g}"
            what = "squared distances of the points" if in_range else entries
            raise ValueError(f"column_dtype='float32' cannot hold {what}: scale the features, or use 'float64'")
        return np.float64
    ends_unseen = settings.selection.sampled or not settings.certify
    if ends_unseen and settings.stop == "relative" and settings.column_dtype == "auto":
        return np.float64  # no later change: such a run ends before its gap is known
    absolute = target_gap(settings.rule, settings.eps, largest, 0.0)
    attainable = FLOAT32_GAP * largest
    if settings.stop != "relative" and absolute < attainable:
        if settings.column_dtype == "float32":
            raise ValueError(
                f"column_dtype='float32' cannot show a gap of {absolute:.2g} (eps={settings.eps:g}); "
                f"the smallest attainable gap is about {attainable:.2g}: use a larger eps or 'float64'"
            )
        return np.float64
    return np.float32
