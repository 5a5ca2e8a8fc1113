"""Compare speed-ups over CVM in our seconds, in kernel values, and in seconds of the authors' program."""

from fwsvm.reporting.artefact import table

ARTEFACTS = {"beyond-cost": table(f"{__name__}.artefacts", "cost_table", "runs")}

PRINTED = {"authors_code": "the authors' program, efrandi/FW-SVMs, commit 5af83db of 2015, as measured (no table)"}
