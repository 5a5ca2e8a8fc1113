"""Draw the ladder (beyond-ladder, beyond-ladder-table)."""

from fwsvm.reporting.artefact import NotDrawableError, needs


def ladder_chart(runs, descriptions, missing=None):
    raise NotDrawableError(needs("the experiment ladder", []))


ladder_table = ladder_chart
