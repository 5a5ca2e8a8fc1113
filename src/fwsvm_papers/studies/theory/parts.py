"""The parts of the study theory.

The code of a job imports these names from this module, and not from the package of the study. The
hash of the job's code follows such imports, so it does not depend on the captions of the study.
"""

RULE, GROWTH, RATES, SAMPLES, BALL = PARTS = ("rule", "growth", "rates", "samples", "ball")
"""The parts of the study. Each one is a key of the study's section in the configuration."""
