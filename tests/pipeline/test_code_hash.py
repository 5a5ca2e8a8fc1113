"""Test the hash of code: which changes affect it, and which modules it includes."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fwsvm_papers import code_hash as hashing
from fwsvm_papers.pipeline import artefacts
from fwsvm_papers.pipeline.artefacts import ARTEFACTS, code_of_paper, code_of_report, papers
from fwsvm_papers.studies.registry import EXPERIMENTS

MAIN = '''"""What it is for."""

from pack import helper
from pack.sub import table


def area(x):
    """Area of a square."""
    return helper.power(x, 2)  # not x * 2
'''
FILES = {
    "__init__.py": "",
    "main.py": MAIN,
    "helper.py": "def power(x, n):\n    from pack import deep\n    return deep.identity(x) ** n\n",
    "deep.py": "def identity(x):\n    return x\n",
    "other.py": "from pack import main\n",
    "sub/__init__.py": "table = 'numbers.csv'\n",
    "sub/numbers.csv": "1,2\n",
    "sub/unused.py": "",
    "helper.yaml": "a: 1\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in FILES.items():
        path = tmp_path / "pack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "pack"


def hash_of_main(package, changed=()):
    """Change files, and return the hash as a new process would compute it. `changed` maps names to
    texts.
    """
    for name, text in dict(changed).items():
        (package / name).write_text(text)
    hashing._imports.cache_clear()
    return hashing.code_hash("pack.main", packages=(package,))


@pytest.mark.parametrize(
    "text",
    [
        MAIN.replace("  # not x * 2", ""),
        MAIN.replace("Area of a square.", "The area."),
        MAIN.replace('"""What it is for."""', "# no docstring"),
        MAIN.replace("(x, 2)", "(\n        x,\n        2,\n    )"),
    ],
    ids=["comment", "docstring", "module docstring", "layout"],
)
def test_words_and_layout_do_not_count(package, text):
    assert text != MAIN and hash_of_main(package) == hash_of_main(package, {"main.py": text})


@pytest.mark.parametrize(
    "changed",
    [
        {"main.py": MAIN.replace("(x, 2)", "(x, 3)")},
        {"deep.py": FILES["deep.py"].replace("return x", "return -x")},
        {"sub/numbers.csv": "1,3\n"},
        {"helper.yaml": "a: 2\n"},
    ],
    ids=["module", "import of an import", "data", "data of a module"],
)
def test_algorithms_and_data_count(package, changed):
    assert hash_of_main(package) != hash_of_main(package, changed)


def test_other_modules_do_not_count(package):
    assert hash_of_main(package) == hash_of_main(
        package, {"other.py": "x = 1\n", "sub/unused.py": "x = 1\n"}
    )


@pytest.mark.parametrize("words", ["pack.sub.unused", "pack.sub", "sub/*.py"])
def test_a_string_is_no_import(package, words):
    before = hash_of_main(package, {"helper.py": f"{FILES['helper.py']}PLACE = {words!r}\n"})
    assert hash_of_main(package, {"sub/unused.py": "x = 1\n"}) == before


@pytest.mark.parametrize(
    ("pattern", "changed"),
    [
        ("sub/*.py", {"sub/unused.py": "x = 1\n"}),
        ("sub/unused.py", {"sub/unused.py": "x = 1\n"}),
        ("*/*.csv", {"sub/numbers.csv": "1,3\n"}),
        ("sub/new_*.py", {"sub/new_2.py": ""}),
    ],
    ids=["modules", "module", "data", "new file"],
)
def test_files_used_by_name_count_if_they_are_declared(package, pattern, changed):
    unrelated = {"sub/__init__.py": "", "main.py": MAIN.replace("from pack.sub import table\n", "")}
    declared = f"{FILES['helper.py']}USES_FILES = {pattern!r}\n"
    before = hash_of_main(package, unrelated | {"sub/new_1.py": "", "helper.py": declared})
    assert hash_of_main(package, changed) != before


def test_what_a_declared_module_imports_counts(package):
    declared = {"deep.py": FILES["deep.py"] + "USES_FILES = 'sub/unused.py'\n"}
    before = hash_of_main(
        package, declared | {"sub/unused.py": "from pack import far\n", "far.py": ""}
    )
    assert hash_of_main(package, {"far.py": "x = 1\n"}) != before


def test_declared_files_must_exist(package):
    with pytest.raises(
        ValueError, match=r"helper\.py: USES_FILES = 'sub/none_\*\.py' names no file"
    ):
        hash_of_main(package, {"helper.py": f"{FILES['helper.py']}USES_FILES = 'sub/none_*.py'\n"})


def test_imports_of_another_package_count_if_it_is_one_of_ours(package):
    other = package.parent / "tools"
    other.mkdir()
    (other / "__init__.py").write_text("")
    (other / "cut.py").write_text("DEPTH = 1\n")
    (package / "helper.py").write_text(
        "from tools import cut\n\ndef power(x, n):\n    return cut.DEPTH\n"
    )

    def hashes():
        hashing._imports.cache_clear()
        return [
            hashing.code_hash("pack.main", packages=(package, *more)) for more in ((), (other,))
        ]

    before = hashes()
    (other / "cut.py").write_text("DEPTH = 2\n")
    after = hashes()
    assert after[0] == before[0] and after[1] != before[1]


NAMED_ELSEWHERE = {
    "fwsvm/__init__.py": "public names, which no module of the packages uses",
    "fwsvm/cli.py": "commands, which no rule uses",
    "fwsvm_papers/datasets/__init__.py": "public names, which no module of a rule uses",
    "fwsvm_papers/baselines/limits.py": "classes of other packages",
    "fwsvm_papers/reporting/artefact.py": "code_of_paper names the modules",
    "fwsvm_papers/pipeline/artefacts.py": "code_of_sketches names the modules",
    "fwsvm_papers/runs/job_results.py": "Experiment.code names the module",
}
SOURCE = hashing.PACKAGES[0].parent


def relative(paths):
    return {path.relative_to(SOURCE) for path in paths}


def test_every_import_by_name_is_hashed():
    """A module that calls import_module must declare which modules it imports. Otherwise, the
    caller of code_hash must name these modules.
    """
    silent = set()
    for package in hashing.PACKAGES:
        by_name = {path for path in package.rglob("*.py") if "import_module(" in path.read_text()}
        silent |= {path for path in by_name if not hashing.declared_files(path, package)}
    assert {path.as_posix() for path in relative(silent)} == set(NAMED_ELSEWHERE)


@pytest.mark.parametrize("paper", papers())
def test_drawing_depends_on_no_code_that_trains(paper):
    names = {ARTEFACTS[artefact_id].module for artefact_id in papers()[paper]}
    files = relative(hashing.closure("fwsvm_papers.pipeline.artefacts", *names))
    rooms = {".".join(path.parts[:2]) for path in files}
    training = {f"fwsvm.{room}" for room in ("kernels", "problems", "solvers", "estimators")}
    assert rooms.isdisjoint(training | {"fwsvm_papers.baselines"})


def test_the_table_of_claims_depends_on_every_module_of_claims():
    modules = set((hashing.PACKAGES[1] / "claims").glob("[!_]*.py"))
    assert modules <= set(hashing.closure(ARTEFACTS["claims"].module))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_captions_do_not_count_in_the_hash_of_a_run(experiment):
    files = hashing.closure(EXPERIMENTS[experiment].runner)
    packages = [path.parent for path in files if path.name == "__init__.py"]
    assert [folder for folder in packages if (folder / "about.yaml").is_file()] == []


@pytest.mark.parametrize(
    ("key", "value", "in_files"),
    [
        ("title", "Another title", True),
        ("caption", "Another caption.", True),
        ("questions", ("another",), False),
        ("printed", "Something else.", False),
    ],
)
def test_texts_count_where_they_are_shown(monkeypatch, key, value, in_files):
    """All texts are in the report. The files of a table or figure have its title and caption."""
    before, of_report = {paper: code_of_paper(paper) for paper in papers()}, code_of_report()
    original = artefacts.about

    def edited(artefact_id):
        found = original(artefact_id)
        return replace(found, **{key: value}) if artefact_id == "singh-fig1" else found

    monkeypatch.setattr(artefacts, "about", edited)
    assert code_of_report() != of_report
    changed = {paper for paper in papers() if code_of_paper(paper) != before[paper]}
    assert changed == ({"singh"} if in_files else set())


def test_printed_numbers_count_where_they_are_drawn():
    papers_folder = hashing.PACKAGES[1]
    registry = papers_folder / "studies/registry.py"
    printed = papers_folder / "studies/frandi2013/printed/time.csv"
    assert printed in hashing.declared_files(registry, papers_folder)
    assert registry in hashing.closure("fwsvm_papers.studies.benchmark.tables")
    assert registry not in hashing.closure("fwsvm_papers.studies.benchmark.training")


def test_training_covers_what_is_imported_by_name():
    """The hash must include all modules that a process has loaded after it has used every method's
    drivers. Only the module of the hash itself and the `__init__.py` of packages are excepted.
    """
    code = """
import sys
import fwsvm_papers.studies.benchmark.training
from fwsvm.solvers.settings import METHODS
for method in METHODS.values():
    method.new_driver
ours = [name for name in sys.modules if name.startswith(("fwsvm.", "fwsvm_papers."))]
print(*[sys.modules[name].__file__ for name in ours])
"""
    answer = subprocess.check_output([sys.executable, "-c", code], text=True)
    loaded = {path for path in relative(map(Path, answer.split())) if path.name != "__init__.py"}
    needed = ("methods/swap.py", "drivers.py", "restricted.py")
    assert {Path("fwsvm/solvers", name) for name in needed} <= loaded
    covered = relative(hashing.closure("fwsvm_papers.studies.benchmark.training"))
    declares = {Path("fwsvm_papers/code_hash.py")}
    # this module is imported when packages declare their experiments
    assert loaded - covered <= declares
