"""Claims of nanculef2014; all are about quantities of the benchmark."""

from fwsvm.claims.claim import StudyClaims
from fwsvm.studies.benchmark import evidence  # noqa: F401  (registers the quantities)

CLAIMS = StudyClaims(__package__)
