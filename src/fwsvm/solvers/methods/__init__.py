"""The methods. Each file in this folder defines one method.

`fwsvm.solvers.method` describes what a file must contain. The name of a method is the name of its
file. This module imports no method, so that the command line and the checks of configurations start
quickly.
"""

from pkgutil import iter_modules

_GROUP_OF = {"fcfw": "fast", "mfw_sparse": "subsample"}
GROUPS: dict[str, list[str]] = {"paper": [], "fast": [], "subsample": []}
"""The names of the methods in each group.

Group ``paper`` has the methods of the reproduced papers and similar methods. Group ``fast`` has
fast methods from other sources. A method of group ``subsample`` chooses a subsample and trains on
it, so its optimum differs from that of other methods. A method that is not in `_GROUP_OF` is in
group ``paper``.
"""

for _module in iter_modules(__path__):
    GROUPS[_GROUP_OF.get(_module.name, "paper")].append(_module.name)

NAMES = tuple(GROUPS["paper"])
ALL_NAMES = tuple(name for names in GROUPS.values() for name in names)
