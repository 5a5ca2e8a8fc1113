"""Name the parts of the study.

A job imports this module, and not the package of the study. So the hash of the job's code does not
contain the captions of the study.
"""

RULE, GROWTH, RATES, SAMPLES, BALL = PARTS = ("rule", "growth", "rates", "samples", "ball")
"""The parts of the study: keys of its section in the configuration."""
