"""A study with one table, which shows all methods on every data set."""

from fwsvm_papers.reporting.artefact import table

ARTEFACTS = {"summary": table(f"{__name__}.artefacts", "summary_table", "runs descriptions")}
