"""Measure how much of CVM's gain over the majority class a faster method reaches."""

from fwsvm.reporting.artefact import figure

ARTEFACTS = {"beyond-majority": figure(f"{__name__}.artefacts", "majority_chart", "runs descriptions")}
