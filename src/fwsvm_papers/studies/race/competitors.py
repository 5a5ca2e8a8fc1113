"""The competitors of the race.

The code of a job imports these names from this module, and not from the package of the study. The
hash of the job's code follows such imports, so it does not depend on the captions of the study.
"""

AUTO = "auto"
COMPETITORS = {"svc": "sklearn", "intelex": "sklearnex", "libsvm_l2": "sklearn", AUTO: "fwsvm"}
"""Maps the name of each competitor in the column ``method`` to the package that the competitor
needs.
"""
