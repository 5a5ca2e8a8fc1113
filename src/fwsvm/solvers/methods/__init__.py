"""Find the methods: each file in this folder defines one.

`fwsvm.solvers.method` describes what a file must contain.

The name of a method is the name of its file, and its group is read from the text of the file. This
module imports no method, so that the command line and the checks of configurations start quickly.
"""

import re
from pathlib import Path
from pkgutil import iter_modules

_GROUP = re.compile(r'\bgroup="(\w+)"')
GROUPS: dict[str, list[str]] = {"paper": [], "fast": [], "subsample": []}
"""Map each group (`fwsvm.solvers.method.Method`) to the names of its methods."""

for _module in iter_modules(__path__):
    _found = _GROUP.search(Path(__path__[0], f"{_module.name}.py").read_text(encoding="utf-8"))
    GROUPS.setdefault(_found[1] if _found else "paper", []).append(_module.name)

NAMES = tuple(GROUPS["paper"])
ALL_NAMES = tuple(name for names in GROUPS.values() for name in names)
