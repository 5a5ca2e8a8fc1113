"""Compare speed-ups over CVM, measured in CPU seconds (our program's and the authors') and in
kernel values.
"""

from fwsvm_papers.reporting.artefact import table

ARTEFACTS = {"beyond-cost": table(f"{__name__}.artefacts", "cost_table", "runs")}

PRINTED = {
    "authors_code": (
        "measured with the older solver of the authors' program (efrandi/FW-SVMs, commit 5af83db of"
        " 2015) on another machine, not printed"
    )
}
