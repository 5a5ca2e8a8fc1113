"""All methods on every data set in one table."""

from fwsvm.reporting.artefact import table

_DRAWN = f"{__name__}.artefacts"

ARTEFACTS = {"summary": table(_DRAWN, "summary_table", "runs descriptions")}
