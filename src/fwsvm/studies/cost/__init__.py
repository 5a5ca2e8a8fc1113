"""What a speed-up over CVM is a ratio of: our seconds, kernel values computed or requested, the authors' seconds."""

from fwsvm.reporting.artefact import table

ARTEFACTS = {"beyond-cost": table(f"{__name__}.artefacts", "cost_table", "runs")}

PRINTED = {"authors_code": "the authors' program, efrandi/FW-SVMs, commit 5af83db of 2015, as measured (no table)"}
