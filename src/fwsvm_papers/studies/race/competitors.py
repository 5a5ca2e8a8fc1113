"""The competitors of the race.

A job imports this module, and not the package of the study. So the hash of the job's code does not
include the captions of the study.
"""

AUTO = "auto"
COMPETITORS = {"svc": "sklearn", "intelex": "sklearnex", "libsvm_l2": "sklearn", AUTO: "fwsvm"}
"""Maps each competitor (the column ``method``) to the package that it needs."""
