"""The rules pass Snakemake's linter and snakefmt."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.workflow


def test_lint(pristine):
    command = [sys.executable, "workflow/lint.py"]
    done = subprocess.run(command, cwd=pristine.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_format(pristine):
    pytest.importorskip("snakefmt")
    rules = sorted(map(str, (pristine / "workflow/rules").glob("*.smk")))
    command = [sys.executable, "-c", "from snakefmt.snakefmt import main; main()", "--check", "Snakefile", *rules]
    done = subprocess.run(command, cwd=pristine.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
