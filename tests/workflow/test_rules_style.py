"""The rules pass Snakemake's linter and snakefmt, and watch all the code that training runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.workflow


def test_lint(pristine):
    done = pristine.snakemake("--lint")
    assert done.code == 0, done.text


def test_format(pristine):
    pytest.importorskip("snakefmt")
    rules = sorted(map(str, (pristine / "workflow/rules").glob("*.smk")))
    command = [sys.executable, "-c", "from snakefmt.snakefmt import main; main()", "--check", "Snakefile", *rules]
    done = subprocess.run(command, cwd=pristine.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def test_training_watches_every_module_it_imports(pristine):
    rules = (pristine / "workflow/rules/common.smk").read_text()
    watched = re.findall(r'"([^"]+)"', re.search(r"SOLVER_CODE = hash_of_sources\((.*?)\)", rules, re.DOTALL)[1])
    program = (
        "import sys, fwsvm, fwsvm.experiments.benchmark, fwsvm.experiments.tune\n"
        "print([m.__file__ for name, m in sys.modules.items() if name.split('.')[0] == 'fwsvm'], fwsvm.__path__[0])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    *files, package = re.findall(r"[^'\[\], \n]+", done.stdout)
    imported = {Path(file).relative_to(package).as_posix() for file in files}
    unwatched = {name for name in imported if not any(name == part or name.startswith(f"{part}/") for part in watched)}
    assert unwatched == {"__init__.py", "errors.py", "experiments/__init__.py"}
