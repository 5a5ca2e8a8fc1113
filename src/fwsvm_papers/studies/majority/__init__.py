"""A study of how much of CVM's gain in accuracy over the majority class the faster methods keep."""

from fwsvm_papers.reporting.artefact import figure

ARTEFACTS = {
    "beyond-majority": figure(f"{__name__}.artefacts", "majority_chart", "runs descriptions")
}
