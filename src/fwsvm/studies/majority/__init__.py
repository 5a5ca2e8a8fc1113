"""The share of CVM's gain over the majority class that a faster method keeps."""

from fwsvm.reporting.artefact import figure

ARTEFACTS = {"beyond-majority": figure(f"{__name__}.artefacts", "majority_chart", "runs descriptions")}
