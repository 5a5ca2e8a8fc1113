"""Compare speed-ups over CVM in CPU seconds of our program and of the authors' program, and in kernel values."""

from fwsvm.reporting.artefact import table

ARTEFACTS = {"beyond-cost": table(f"{__name__}.artefacts", "cost_table", "runs")}

PRINTED = {"authors_code": "measured with the authors' program (efrandi/FW-SVMs, commit 5af83db of 2015), not printed"}
