"""The methods, one file each, found by being here; `fwsvm.solvers.method` says what a file holds.

Importing this package imports none of them: names and groups are read from the files' text, since the command line and
the check of configurations need them quickly.
"""

import re
from pathlib import Path
from pkgutil import iter_modules

_GROUP = re.compile(r'\bgroup="(\w+)"')
GROUPS = {"paper": [], "fast": [], "subsample": []}
"""Group -> names of its methods, see `fwsvm.solvers.method.Method`."""

for _module in iter_modules(__path__):
    _found = _GROUP.search(Path(__path__[0], f"{_module.name}.py").read_text(encoding="utf-8"))
    GROUPS.setdefault(_found[1] if _found else "paper", []).append(_module.name)

NAMES, OWN_NAMES, SUBSAMPLE_NAMES = (tuple(GROUPS[group]) for group in ("paper", "fast", "subsample"))
ALL_NAMES = tuple(name for names in GROUPS.values() for name in names)
