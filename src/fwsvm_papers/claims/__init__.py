"""The papers' quantitative statements (claims), and the table of our verdicts on these claims.

The claims of a paper are in the module with the name of the paper.
"""

from fwsvm_papers.reporting.artefact import table

ARTEFACTS = {
    "claims": table(f"{__name__}.table", "claims_table", "runs tests tsang2005 singh alaiz2018")
}
