"""Machine code is kept on disk and is never stale: any edit of a compiled source starts a fresh folder."""

import ast
import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

import fwsvm
from fwsvm import compiled as compilation

PACKAGE = Path(fwsvm.__file__).parent


@pytest.fixture
def copy(tmp_path):
    """The package in a folder of its own."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "fwsvm", ignore=shutil.ignore_patterns("__pycache__")))


def compiled_modules():
    """Modules that hold compiled functions, with the names those functions use."""
    found = {}
    for info in pkgutil.walk_packages(fwsvm.__path__, "fwsvm."):
        if not info.name.startswith(("fwsvm.datasets", "fwsvm.render", "fwsvm.commands", "fwsvm.cli")):
            module = importlib.import_module(info.name)
            for value in vars(module).values():
                if isinstance(value, CPUDispatcher) and value.py_func.__module__ == info.name:
                    found.setdefault(info.name, set()).update(value.py_func.__code__.co_names)
    return found


def test_hash_covers_all_that_is_compiled(copy, monkeypatch):
    """Every module with compiled functions, and every module they take a function or a constant from."""
    needed, modules = set(), compiled_modules()
    assert {"fwsvm.exponential", "fwsvm.kernel_loops", "fwsvm.column_source", "fwsvm.solvers.steps"} <= set(modules)
    for name, used in modules.items():
        path = Path(importlib.import_module(name).__file__)
        needed.add(path)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("fwsvm"):
                for alias in node.names:
                    if (alias.asname or alias.name) in used:
                        origin = importlib.import_module(node.module)
                        value = getattr(origin, alias.name)
                        needed.add(Path(getattr(value, "__file__", origin.__file__)))
    needed.add(PACKAGE / "compiled.py")
    assert len(needed) > 12
    monkeypatch.setattr(compilation, "_PACKAGE", copy)
    before = compilation.source_hash()
    assert before == compilation.source_hash()
    assert len(before) == 16
    for path in sorted(needed):
        edited = copy / path.relative_to(PACKAGE)
        text = edited.read_text()
        edited.write_text(text + "\nUNUSED = 1\n")
        assert compilation.source_hash() != before, edited
        edited.write_text(text)
        assert compilation.source_hash() == before
    (copy / "estimator.py").write_text("")
    assert compilation.source_hash() == before  # not compiled


def test_hash_knows_names_and_versions(copy, monkeypatch):
    monkeypatch.setattr(compilation, "_PACKAGE", copy)
    before = compilation.source_hash()
    (copy / "solvers" / "fw.py").rename(copy / "solvers" / "fw_renamed.py")
    assert compilation.source_hash() != before
    (copy / "solvers" / "fw_renamed.py").rename(copy / "solvers" / "fw.py")
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert compilation.source_hash() != before


SCRIPT = """
import numba, numpy as np
before = numba.config.CACHE_DIR
import fwsvm
from fwsvm import kernel_loops, compiled
assert numba.config.CACHE_DIR == before
values = np.array([1.0])
kernel_loops.kernel_values(kernel_loops.RBF, 1.0, 1, values)
assert numba.config.CACHE_DIR == before
print(values[0], compiled.cache_directory(), fwsvm.__file__, repr(before))
"""


def run(source, **environment):
    """exp(-1) from the sources in a folder, and the folder of machine code, in a fresh process."""
    inherited = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    environment = {**inherited, "PYTHONPATH": str(source.parent), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    answer = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    value, folder, origin, before = answer.stdout.split()
    assert Path(origin).parent == source
    return float(value), Path(folder), before


def machine_code(folder):
    return sorted(path for path in folder.rglob("*.nb[ic]"))


@pytest.mark.slow
def test_an_edited_helper_in_another_module_is_compiled_again(copy, tmp_path):
    """numba alone would run the caller's old machine code here."""
    cache = tmp_path / "machine-code"
    value, first, before = run(copy, NUMBA_CACHE_DIR=str(cache))
    assert value == pytest.approx(np.exp(-1.0), rel=1e-14)
    assert before == repr(str(cache))
    assert first.is_relative_to(cache)
    assert machine_code(first)
    helper = copy / "exponential.py"
    text = helper.read_text()
    assert text.count("return p * bits_to_float64(") == 1
    helper.write_text(text.replace("return p * bits_to_float64(", "return 3.0 * p * bits_to_float64("))
    value, second, _ = run(copy, NUMBA_CACHE_DIR=str(cache))
    assert value == pytest.approx(3.0 * np.exp(-1.0), rel=1e-14)
    assert second != first
    helper.write_text(text)
    kept = {path: path.stat().st_mtime_ns for path in machine_code(cache)}
    value, third, _ = run(copy, NUMBA_CACHE_DIR=str(cache))
    assert (value, third) == (pytest.approx(np.exp(-1.0), rel=1e-14), first)
    assert {path: path.stat().st_mtime_ns for path in machine_code(cache)} == kept  # loaded, not compiled


@pytest.mark.slow
def test_a_cache_folder_that_cannot_be_written_falls_back(copy, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "temporary").mkdir()
    value, folder, before = run(copy, XDG_CACHE_HOME=str(tmp_path / "file"), TMPDIR=str(tmp_path / "temporary"))
    assert value == pytest.approx(np.exp(-1.0), rel=1e-14)
    assert folder.is_relative_to(tmp_path / "temporary")
    assert machine_code(folder)
    assert before == "''"


def test_configuration_of_numba_is_left_as_found(monkeypatch, tmp_path):
    mine = str(tmp_path / "mine")
    monkeypatch.setattr(numba.config, "CACHE_DIR", mine)
    compilation.compiled(lambda x: x)
    assert mine == numba.config.CACHE_DIR
    monkeypatch.setattr(numba, "njit", lambda **options: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        compilation.compiled(lambda x: x)
    assert mine == numba.config.CACHE_DIR


def test_folder_follows_the_environment_and_old_ones_go(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    base = tmp_path / "fwsvm-numba"
    for name, days in (("old", 31), ("young", 29)):
        (base / name).mkdir(parents=True)
        os.utime(base / name, (time.time() - days * 86400,) * 2)
    folder = compilation.cache_directory.__wrapped__()
    assert folder.parent == base
    assert folder.name.startswith(compilation.source_hash())
    assert sorted(path.name for path in base.iterdir()) == sorted([folder.name, "young"])
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert compilation.cache_directory.__wrapped__() == tmp_path / "xdg" / "fwsvm-numba" / folder.name
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert compilation.cache_directory.__wrapped__() == tmp_path / "home" / ".cache" / "fwsvm-numba" / folder.name


def test_options_of_compiled_functions():
    """Released lock, no reassociation unless asked for: R and s must not depend on how a loop is vectorised."""
    from fwsvm.solvers import coreset, steps

    for function, reassociated in ((steps.update_one, False), (coreset._weighted_sum, True)):
        options = function.targetoptions
        assert options["nogil"] is True
        assert ("reassoc" in options["fastmath"]) == reassociated
        assert "ninf" not in options["fastmath"]
