"""A study of speed-ups over CVM in several measures of cost: CPU seconds of our program, CPU
seconds of the authors' program, and numbers of kernel values.
"""

from fwsvm_papers.reporting.artefact import table

ARTEFACTS = {"beyond-cost": table(f"{__name__}.artefacts", "cost_table", "runs")}

PRINTED = {
    "authors_code": (
        "measured with the older solver of the authors' program (efrandi/FW-SVMs, commit 5af83db of"
        " 2015) on another machine, not printed"
    )
}
