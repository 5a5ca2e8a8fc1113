"""The parts of the study theory.

A job imports this module, and not the package of the study. Therefore, the hash of the job's code
does not depend on the captions of the study.
"""

RULE, GROWTH, RATES, SAMPLES, BALL = PARTS = ("rule", "growth", "rates", "samples", "ball")
"""The parts of the study. Each one is a key of the study's section in the configuration."""
