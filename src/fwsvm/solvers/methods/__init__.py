"""Contain the methods. Every file in this folder is one; `fwsvm.solvers.method` describes what it must contain.

Names and groups are read from the text of the files without importing them, so that the command line and the check of
configurations start quickly.
"""

import re
from pathlib import Path
from pkgutil import iter_modules

_GROUP = re.compile(r'\bgroup="(\w+)"')
GROUPS = {"paper": [], "fast": [], "subsample": []}
"""Group -> names of its methods (`fwsvm.solvers.method.Method`)."""

for _module in iter_modules(__path__):
    _found = _GROUP.search(Path(__path__[0], f"{_module.name}.py").read_text(encoding="utf-8"))
    GROUPS.setdefault(_found[1] if _found else "paper", []).append(_module.name)

NAMES, OWN_NAMES, SUBSAMPLE_NAMES = (tuple(GROUPS[group]) for group in ("paper", "fast", "subsample"))
ALL_NAMES = tuple(name for names in GROUPS.values() for name in names)
