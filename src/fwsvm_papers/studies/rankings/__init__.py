"""A comparison of the benchmark's methods over all data sets by certified gaps, performance
profiles and mean ranks, and a check of the papers' statistical tests.
"""

from fwsvm_papers.reporting.artefact import figure, table

_DRAWN = f"{__name__}.artefacts"

ARTEFACTS = {
    "beyond-gap": figure(_DRAWN, "gap_chart", "runs"),
    "beyond-profile": figure(_DRAWN, "profile_chart", "runs"),
    "beyond-robustness": table(f"{__name__}.robustness", "robustness_table", "runs"),
    "beyond-cd": figure(f"{__name__}.critical_differences", "critical_difference_chart", "runs"),
}
