"""A process that imports Snakemake and its libraries once, and forks for every call of the command.

It reads one call per line from standard input, as JSON: folder, environment, arguments, and a file
for the output of the command. It answers with the exit code. A dry run spends most of its time on
imports, on YAML files, and on the syntax trees that are hashed. The files of the checkout are
therefore also parsed only once.

The scripts of the rules run in forks of such a process, too. There, `fork_client.py` replaces the
interpreter. Tests that kill Snakemake do not use this process. Their calls start every process
anew.
"""

import gc
import importlib
import json
import os
import runpy
import shlex
import signal
import socket
import sys
from pathlib import Path

from ruamel.yaml import YAML

CHECKOUT = Path(__file__).parents[2]

LIBRARIES = (
    "joblib",
    "jsonschema",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "numba",
    "pandas",
    "grimp",
    "pooch",
    "ruamel.yaml",
    "scipy.stats",
    "sklearn.datasets",
    "sklearn.decomposition",
    "sklearn.metrics",
    "sklearn.model_selection",
    "sklearn.svm",
    "tqdm",
    "yaml",
)
"""Modules that the rules import. The package's own modules are not included, since their sources
can differ between calls.
"""
CLIENT = shlex.join([sys.executable, "-SE", str(Path(__file__).with_name("fork_client.py"))])
LONGEST_REQUEST = 2**17


def move_to(folder, environment):
    """Change to a folder and set these environment variables, as for a new process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]


def run(folder, environment, arguments, output, server, known):
    """Run the command `snakemake` in this process, and end the process."""
    move_to(folder, environment)
    printed = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (1, 2):
        os.dup2(printed, descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["snakemake", *arguments]
    look_up(*known)
    from snakemake.cli import main
    from snakemake.script import PythonScript

    PythonScript.execute_script = lambda script, name, edit=False: script._execute_cmd(
        "{client} {server} {name:q}", client=CLIENT, server=server, name=name, is_python_script=True
    )
    sys.exit(main())


def look_up(documents, modules):
    """Let the package look up the content of known YAML files and modules, instead of parsing them
    again.
    """
    from fwsvm_papers import code_hash
    from fwsvm_papers.datasets import yaml_files

    load, without_words = yaml_files._load, code_hash._without_words
    yaml_files._load = lambda text: documents.get(text) or load(text)
    code_hash._without_words = lambda source: modules.get(source) or without_words(source)


def parse_checkout():
    """Return two dicts. The first maps the text of each YAML file of the checkout to its content.
    The second maps the source of each module to the text that is hashed.
    """
    texts = (
        path.read_text("utf-8")
        for folder in ("config", "workflow", "src")
        for path in (CHECKOUT / folder).rglob("*.yaml")
    )
    documents = {text: YAML(typ="safe", pure=True).load(text) for text in texts}
    sources = (path.read_bytes() for path in (CHECKOUT / "src").rglob("*.py"))
    without_words = runpy.run_path(CHECKOUT / "src/fwsvm_papers/code_hash.py")["_without_words"]
    return documents, {source: without_words(source) for source in sources}


def serve_scripts(listener):
    """Run scripts in forks until this process is killed.

    A request has the folder, the environment and the script.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # this process does not wait for its children
    while True:
        asked, _ = listener.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            request, descriptors, *_ = socket.recv_fds(asked, LONGEST_REQUEST, 3)
            child = os.fork()
            if child == 0:
                for place, descriptor in enumerate(descriptors):
                    os.dup2(descriptor, place)
                *where, script = json.loads(request)
                move_to(*where)
                sys.argv, sys.path[:0] = [script], [str(Path(script).parent)]
                runpy.run_path(script, run_name="__main__")
                sys.exit()
            asked.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
            os._exit(0)
        asked.close()


def serve():
    """Answer calls until standard input is closed."""
    importlib.import_module("snakemake.cli")
    for name in LIBRARIES:
        importlib.import_module(name)
    known = parse_checkout()
    gc.freeze()  # this lets forks share the memory that they do not change
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        name = f"fwsvm-tests-{os.getpid()}"
        listener.bind(f"\0{name}")  # an abstract socket, which has no file
        listener.listen(64)
        scripts = os.fork()
        if scripts == 0:
            serve_scripts(listener)
        for line in sys.stdin:
            child = os.fork()
            if child == 0:
                run(*json.loads(line), name, known)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        os.kill(scripts, signal.SIGKILL)


if __name__ == "__main__":
    serve()
