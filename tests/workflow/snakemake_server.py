"""A process that has imported Snakemake and its libraries once, and forks itself for every call of the command.

It reads one call per line from standard input (JSON: folder, environment, arguments, file for what the command
prints) and answers with the exit code. Most of the time of a dry run are imports, and parsing the package's sources for
the hashes of what they do: those of the checkout are parsed once as well.
"""

import ast
import importlib
import json
import os
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src/fwsvm"

LIBRARIES = ("joblib", "jsonschema", "matplotlib.figure", "numba", "pandas", "pooch", "scipy.stats", "sklearn.datasets",
             "sklearn.metrics", "sklearn.model_selection", "sklearn.svm", "tqdm", "yaml")  # fmt: skip
"""What the rules import besides the package, whose sources differ between calls."""


def run(folder, environment, arguments, output):
    """The command `snakemake` in this process, which it ends."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    printed = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (1, 2):
        os.dup2(printed, descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path[:0] = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.argv = ["snakemake", *arguments]
    from snakemake.cli import main

    sys.exit(main())


def parse_once():
    """Let `ast.parse` return the trees of the checkout's sources without parsing them; each fork has its own copies."""
    parse = ast.parse
    known = {content: parse(content) for content in (path.read_bytes() for path in SOURCES.rglob("*.py"))}

    def look_up(source, *arguments, **options):
        found = None if arguments or options or not isinstance(source, bytes) else known.get(source)
        return parse(source, *arguments, **options) if found is None else found

    ast.parse = look_up


def serve():
    """Answer calls until standard input is closed."""
    importlib.import_module("snakemake.cli")
    for name in LIBRARIES:
        importlib.import_module(name)
    parse_once()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
