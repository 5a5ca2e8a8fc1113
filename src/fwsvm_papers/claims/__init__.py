"""Declare the table of the papers' quantitative statements (claims), which we judge by our runs.

The module with the name of a paper has its claims.
"""

from fwsvm_papers.reporting.artefact import table

ARTEFACTS = {
    "claims": table(f"{__name__}.table", "claims_table", "runs tests tsang2005 singh alaiz2018")
}
