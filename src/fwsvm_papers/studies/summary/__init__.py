"""Show all methods on every data set in one table."""

from fwsvm_papers.reporting.artefact import table

ARTEFACTS = {"summary": table(f"{__name__}.artefacts", "summary_table", "runs descriptions")}
