"""Print the packages that only some checks need: the extras `browser`, `container`, `hooks` and
`docs` of pyproject.toml.
"""

import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
print(
    *(
        line
        for name in ("browser", "container", "hooks", "docs")
        for line in project["optional-dependencies"][name]
    ),
    sep="\n",
)
