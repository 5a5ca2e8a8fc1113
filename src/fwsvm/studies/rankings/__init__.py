"""The benchmark's methods compared over all data sets: certified gaps, performance profiles, critical differences."""

from fwsvm.reporting.artefact import figure

_DRAWN = f"{__name__}.artefacts"

ARTEFACTS = {
    "beyond-gap": figure(_DRAWN, "gap_chart", "runs", "How far from the optimum every method stopped."),
    "beyond-profile": figure(
        _DRAWN, "profile_chart", "runs", "On what share of the data sets each method is within a factor of the fastest."
    ),
    "beyond-cd": figure(
        _DRAWN,
        "critical_difference_chart",
        "runs",
        "Mean ranks of the methods for time, accuracy and size, and which of them differ significantly.",
    ),
}
