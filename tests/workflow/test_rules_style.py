"""The rules pass Snakemake's linter and snakefmt, and each stage watches all the code that it runs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.workflow


def test_lint(pristine):
    done = pristine.snakemake_without_jobs("--lint")
    assert done.code == 0, done.text


def test_format(pristine):
    pytest.importorskip("snakefmt")
    rules = sorted(map(str, (pristine / "workflow/rules").glob("*.smk")))
    command = [sys.executable, "-c", "from snakefmt.snakefmt import main; main()", "--check", "Snakefile", *rules]
    done = subprocess.run(command, cwd=pristine.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


NEVER_WATCHED = {"__init__.py", "errors.py", "experiments/__init__.py"}
ONLY_WRITING = {"files.py", "unix_compress.py"}
STAGES = {
    "DATA_CODE": ("datasets.prepare, fwsvm.datasets.describe", set()),
    "SOLVER_CODE": ("experiments.training, fwsvm.experiments.tune", set()),
    "ANALYSIS_CODE": ("analysis.records, fwsvm.analysis.significance", ONLY_WRITING),
    "RENDER_CODE": ("render.registry, fwsvm.render.inputs", ONLY_WRITING),
}


@pytest.mark.parametrize("hashed", STAGES)
def test_stage_watches_every_module_it_imports(pristine, hashed):
    modules, others = STAGES[hashed]
    rules = (pristine / "workflow/rules/common.smk").read_text()
    watched = re.findall(r'"([^"]+)"', re.search(rf"{hashed} = hash_of_sources\((.*?)\)", rules, re.DOTALL)[1])
    program = (
        f"import json, sys, fwsvm.{modules}\n"
        "files = [module.__file__ for name, module in sys.modules.items() if name.split('.')[0] == 'fwsvm']\n"
        "print(json.dumps([fwsvm.__path__[0], files]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    package, files = json.loads(done.stdout)
    imported = {Path(file).relative_to(package).as_posix() for file in files}
    unwatched = {name for name in imported if not any(name == part or name.startswith(f"{part}/") for part in watched)}
    assert unwatched <= NEVER_WATCHED | others
