"""The examples of the documentation run as they are printed; its reference is whole, its links lead somewhere."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import fwsvm

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.filterwarnings("error")
def test_examples_of_the_solver_page_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "solver.md").read_text(), re.DOTALL)
    assert len(blocks) == 4
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["model"].score(names["X_test"], names["y_test"]) > 0.93
    probabilities = names["calibrated"].predict_proba(names["X_test"])
    assert probabilities.shape == (len(names["X_test"]), 2)
    assert [model.C for model in names["models"]] == [1, 4, 16, 64]
    assert "0." in capsys.readouterr().out


def test_the_reference_has_every_public_name():
    listed = re.findall(r"^::: (fwsvm\.\S+)$", (DOCS / "api.md").read_text(), re.MULTILINE)
    assert sorted(path.rpartition(".")[2] for path in listed) == sorted(set(fwsvm.__all__) - {"__version__"})


def test_links_to_files_lead_somewhere():
    pages = [*DOCS.glob("*.md"), *(DOCS.parent / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text())]
    assert len(links) > 20
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="MkDocs is not installed (extra `docs`)")
def test_pages_of_the_documentation_are_built_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    subprocess.run(command, cwd=DOCS.parent, check=True)
    loads = [
        re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?:', path.read_text())
        for path in tmp_path.rglob("*.html")
    ]
    assert len(loads) > 10 and not any(loads)
    assert "certified" in (tmp_path / "api.html").read_text()
