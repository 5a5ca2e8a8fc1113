"""The competitors of the race.

A job imports this module, and not the package of the study. Therefore, the hash of the job's code
does not depend on the captions of the study.
"""

AUTO = "auto"
COMPETITORS = {"svc": "sklearn", "intelex": "sklearnex", "libsvm_l2": "sklearn", AUTO: "fwsvm"}
"""Maps the name of each competitor in the column ``method`` to the package that the competitor
needs.
"""
