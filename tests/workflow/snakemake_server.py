"""A process that has imported Snakemake and its libraries once, and forks itself for every call of the command.

It reads one call per line from standard input (JSON: folder, environment, arguments, file for what the command
prints) and answers with the exit code. Most of the time of a dry run are imports, parsing the package's sources for the
hashes of what they do, and the catalogue with the schemas: those of the checkout are parsed once as well.
"""

import functools
import gc
import importlib
import importlib.util
import json
import os
import sys
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).parents[2]
SOURCES = CHECKOUT / "src/fwsvm"
LONG_YAML = ("config/datasets.yaml", "workflow/schemas/datasets.schema.yaml", "workflow/schemas/config.schema.yaml")

LIBRARIES = ("joblib", "jsonschema", "matplotlib.figure", "numba", "pandas", "pooch", "scipy.stats", "sklearn.datasets",
             "sklearn.metrics", "sklearn.model_selection", "sklearn.svm", "tqdm", "yaml")  # fmt: skip
"""What the rules import besides the package, whose sources differ between calls."""


def run(folder, environment, arguments, output, parsed, documents):
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
    look_up(parsed, documents)
    from snakemake.cli import main

    sys.exit(main())


def parse_once():
    """Content of each of the checkout's sources -> what its `code_hash` makes of it, by a module of another name."""
    spec = importlib.util.spec_from_file_location("hashing_of_the_server", SOURCES / "base/code_hash.py")
    hashing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hashing)
    return {path.read_bytes(): hashing._parsed(path) for path in SOURCES.rglob("*.py")}


def look_up(parsed, documents):
    """Let the package parse no source and no YAML whose content is known, unless its hashing is not the checkout's."""
    from fwsvm.base import code_hash
    from fwsvm.datasets import schema

    if Path(code_hash.__file__).read_bytes() == (SOURCES / "base/code_hash.py").read_bytes():
        parse = code_hash._parsed
        code_hash._parsed = functools.cache(lambda path: parsed.get(path.read_bytes()) or parse(path))
    load = schema._load_strictly
    schema._load_strictly = lambda text: documents.get(text) or load(text)


def serve():
    """Answer calls until standard input is closed."""
    importlib.import_module("snakemake.cli")
    for name in LIBRARIES:
        importlib.import_module(name)
    parsed = parse_once()
    documents = {text: yaml.safe_load(text) for text in ((CHECKOUT / path).read_text("utf-8") for path in LONG_YAML)}
    gc.freeze()  # so that forks need not copy what they do not change
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run(*json.loads(line), parsed, documents)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
