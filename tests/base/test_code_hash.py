"""The hash of code: what changes it, what does not, and which modules it covers."""

import subprocess
import sys
from pathlib import Path

import pytest

from fwsvm.base import code_hash as hashing

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
def package(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "pack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "pack"


def hash_of_main(package, changed=()):
    """Hash after files were changed (name -> text), as a new process would find it."""
    for name, text in dict(changed).items():
        (package / name).write_text(text)
    for cached in (hashing._parsed, hashing._imports):
        cached.cache_clear()
    return hashing.code_hash("main", package=package)


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
    assert hash_of_main(package) == hash_of_main(package, {"other.py": "x = 1\n", "sub/unused.py": "x = 1\n"})


@pytest.mark.parametrize("named", ["pack.sub.unused", "pack.sub"])
def test_modules_named_in_a_string_count(package, named):
    """As `importlib.import_module` takes them: a module, or a package whose modules are imported by name."""
    before = hash_of_main(package, {"helper.py": f"{FILES['helper.py']}MODULE = {named!r}\n"})
    assert hash_of_main(package, {"sub/unused.py": "x = 1\n"}) != before


def test_training_covers_what_is_imported_by_name():
    """Whatever a process has loaded once every method's drivers are there, but for the code hash itself."""
    code = """
import sys
import fwsvm.studies.benchmark.training
from fwsvm.solvers.settings import METHODS
for method in METHODS.values():
    method.new_driver
print(*[module.__file__ for name, module in sys.modules.items() if name.startswith("fwsvm.")])
"""
    answer = subprocess.check_output([sys.executable, "-c", code], text=True)
    loaded = {Path(path).relative_to(hashing.PACKAGE) for path in answer.split()}
    loaded = {path for path in loaded if path.name != "__init__.py"}
    assert {Path("solvers/methods/swap.py"), Path("solvers/drivers.py"), Path("solvers/restricted.py")} <= loaded
    covered = {path.relative_to(hashing.PACKAGE) for path in hashing.closure("studies.benchmark.training")}
    declares = {Path("base/code_hash.py")}
    assert loaded - covered <= declares  # what is imported where packages declare their experiments
