"""Machine code is kept on disk and is never stale: any edit of a compiled source starts a fresh folder."""

import ast
import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.registry import CPUDispatcher
from scipy import sparse

import fwsvm
from fwsvm.base import code_hash
from fwsvm.base import compiled as compilation
from fwsvm.kernels.points import loop_view

PACKAGE = Path(fwsvm.__file__).parent


@pytest.fixture
def copy(tmp_path):
    """The package in a folder of its own."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "fwsvm", ignore=shutil.ignore_patterns("__pycache__")))


def compiled_modules():
    """Modules that hold compiled functions, with the names those functions use."""
    found = {}
    for info in pkgutil.walk_packages(fwsvm.__path__, "fwsvm."):
        if not info.name.startswith(("fwsvm.reporting", "fwsvm.commands", "fwsvm.cli")):
            module = importlib.import_module(info.name)
            for value in vars(module).values():
                if isinstance(value, CPUDispatcher) and value.py_func.__module__ == info.name:
                    found.setdefault(info.name, set()).update(value.py_func.__code__.co_names)
    return found


def source_hash():
    """The hash as a new process would find it."""
    code_hash._parsed.cache_clear()
    return compilation.source_hash()


@pytest.fixture
def parsed_once(monkeypatch):
    """Files are looked at anew each time, and parsed if their content is new."""
    monkeypatch.setattr(code_hash, "_parsed", code_hash._parsed.__wrapped__)


@pytest.mark.usefixtures("parsed_once")
def test_hash_covers_all_that_is_compiled(copy, monkeypatch):
    """Every module with compiled functions, and every module they take a function or a constant from."""
    needed, modules = set(), compiled_modules()
    assert {
        "fwsvm.kernels.exponential",
        "fwsvm.kernels.loops",
        "fwsvm.kernels.column_source",
        "fwsvm.solvers.steps",
    } <= set(modules)
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
    needed.add(PACKAGE / "base/compiled.py")
    assert len(needed) > 12
    monkeypatch.setattr(compilation, "PACKAGE", copy)
    before = compilation.source_hash()
    assert len(before) == 16
    for path in sorted(needed):
        edited = copy / path.relative_to(PACKAGE)
        text = edited.read_text()
        edited.write_text(text + "\nUNUSED = 1\n")
        assert compilation.source_hash() != before, edited
        edited.write_text(text)
    edited.write_text(text + "\n# A comment.\n")
    assert compilation.source_hash() == before
    (copy / "estimators/svc.py").write_text("")
    assert compilation.source_hash() == before  # not compiled


def test_hash_knows_names_and_versions(copy, monkeypatch):
    monkeypatch.setattr(compilation, "PACKAGE", copy)
    before = source_hash()
    (copy / "solvers/methods" / "fw.py").rename(copy / "solvers/methods" / "fw_renamed.py")
    assert source_hash() != before
    (copy / "solvers/methods" / "fw_renamed.py").rename(copy / "solvers/methods" / "fw.py")
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert source_hash() != before


SCRIPT = """
import numba, numpy as np
before = numba.config.CACHE_DIR
import fwsvm
from fwsvm.base import compiled
from fwsvm.kernels.kinds import Kind, kernel_values
assert numba.config.CACHE_DIR == before
values = np.array([1.0])
kernel_values(int(Kind.RBF), 1.0, 1, values)
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
    helper = copy / "kernels/exponential.py"
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
    folder = fresh_folder()
    assert folder.parent == base
    assert folder.name.startswith(compilation.source_hash())
    assert sorted(path.name for path in base.iterdir()) == sorted([folder.name, "young"])
    os.utime(folder, (time.time() - 40 * 86400,) * 2)
    assert time.time() - fresh_folder().stat().st_mtime < 3600  # what is used is not old
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert fresh_folder() == tmp_path / "xdg" / "fwsvm-numba" / folder.name
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert fresh_folder() == tmp_path / "home" / ".cache" / "fwsvm-numba" / folder.name

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert fresh_folder().parent.parent != tmp_path / "home" / ".cache"


def test_folder_is_that_of_the_kind_of_processor(monkeypatch, tmp_path):
    """Machines that share a home folder do not share machine code; numba's own settings count."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    folders = {fresh_folder()}
    monkeypatch.setattr(numba.config, "CPU_NAME", "generic")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "")
    folders.add(fresh_folder())
    assert "generic" in fresh_folder().name
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "+sse2")
    folders.add(fresh_folder())
    assert len(folders) == 3


def test_temporary_folder_is_private(monkeypatch, tmp_path):
    """Machine code is read as pickles: not from a folder that somebody else can write to, or has put a link to."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file"))
    folder = fresh_folder()
    private = folder.parent
    assert private == tmp_path / f"fwsvm-numba-{os.getuid()}"
    assert private.stat().st_mode & 0o777 == 0o700
    private.chmod(0o777)
    assert fresh_folder() is None
    private.chmod(0o700)
    assert fresh_folder() == folder
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    shutil.rmtree(private)
    private.symlink_to(tmp_path / "elsewhere")
    assert fresh_folder() is None
    other = os.getuid() + 1
    (tmp_path / f"fwsvm-numba-{other}").mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: other)
    assert fresh_folder() is None


def fresh_folder():
    return compilation.cache_directory.__wrapped__()


def add_one(x):
    return x + 1


@pytest.fixture
def build(monkeypatch, tmp_path):
    """A new dispatcher of `add_one` on each call, as in a new process, with machine code in a folder of the test."""
    monkeypatch.setattr(compilation, "cache_directory", lambda: tmp_path)
    return lambda: compilation.compiled(add_one)


def hits(function):
    return sum(function.stats.cache_hits.values())


def test_machine_code_is_kept_by_signature(build, tmp_path):
    first = build()
    assert (first(1), first(1.5), hits(first)) == (2, 2.5, 0)
    assert len(machine_code(tmp_path)) == 2
    second = build()
    assert (second(1), second(1.5), hits(second)) == (2, 2.5, 2)


def cut(content):
    return content[: len(content) // 2]


def flip(content):
    place = len(content) * 2 // 3
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


@pytest.mark.parametrize("damage", [cut, flip, lambda content: b"", lambda content: bytes(range(256)) * 9])
def test_damaged_machine_code_is_compiled_again(build, tmp_path, damage):
    assert build()(1) == 2
    (entry,) = machine_code(tmp_path)
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    again = build()
    assert (again(1), hits(again)) == (2, 0)
    third = build()
    assert (third(1), hits(third)) == (2, 1)  # it has been written again


def test_an_entry_of_something_else_is_not_run(build, tmp_path):
    """Two processes that write at once, or a file that was renamed."""
    function = build()
    assert (function(1), function(1.5)) == (2, 2.5)
    first, second = machine_code(tmp_path)
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    again = build()
    assert (again(1), again(1.5), hits(again)) == (2, 2.5, 0)


def test_a_full_disk_does_not_stop_a_computation(build, tmp_path, monkeypatch):
    def write_bytes(path, content):
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    assert build()(1) == 2
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(compilation, "cache_directory", lambda: tmp_path / "missing")
    assert build()(1) == 2
    monkeypatch.setattr(compilation, "cache_directory", lambda: None)
    assert build()(1) == 2


def dispatchers():
    found = {}
    for name, module in sys.modules.copy().items():
        if name.startswith("fwsvm"):
            found |= {f"{name}.{key}": value for key, value in vars(module).items() if isinstance(value, CPUDispatcher)}
    return found


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("kind", ["dense", "sparse", "precomputed", "matrix"])
def test_read_only_arrays_compile_nothing_again(kind):
    """joblib maps large arrays read-only; numba takes them for another type."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * (rng.random((80, 3)) < 0.7)
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    given = {"dense": X, "sparse": sparse.csr_matrix(X), "precomputed": X @ X.T, "matrix": X @ X.T + np.eye(80)}[kind]
    if kind == "sparse":
        arrays = tuple(read_only(array) for array in (given.data, given.indices, given.indptr))
        frozen = sparse.csr_matrix(arrays, given.shape, copy=False)
        assert not frozen.data.flags.writeable
    else:
        frozen = read_only(given)

    def train(given):
        if kind == "matrix":
            return fwsvm.solve(fwsvm.MatrixProblem(given), random_state=0).weights
        kernel = "precomputed" if kind == "precomputed" else "linear"
        sampled = fwsvm.FrankWolfeSVC(kernel=kernel, selection="sampled_text", sample_size=2, random_state=0)
        full = fwsvm.FrankWolfeSVC(kernel=kernel, random_state=0)
        return np.concatenate([model.fit(given, y).decision_function(given) for model in (sampled, full)])

    expected = train(given)
    before = {name: function.signatures for name, function in dispatchers().items()}
    np.testing.assert_array_equal(train(frozen), expected)
    assert {name: function.signatures for name, function in dispatchers().items()} == before


def test_views_of_read_only_arrays_share_their_memory():
    array = read_only(np.arange(5.0))
    view = loop_view(array)
    assert np.shares_memory(view, array)
    assert view.flags.writeable
    address = array.ctypes.data
    del array
    assert (view.ctypes.data, view.tolist()) == (address, [0.0, 1.0, 2.0, 3.0, 4.0])  # kept alive
    writable = np.arange(5.0)
    assert loop_view(writable) is writable
    unaligned = np.frombuffer(bytes(41), np.uint8)[1:].view(np.float64)
    assert loop_view(unaligned).flags.aligned


def test_options_of_compiled_functions():
    """Released lock, no reassociation unless asked for: R and s must not depend on how a loop is vectorised."""
    from fwsvm.solvers import coreset, passes

    for function, reassociated in ((passes.update_one, False), (coreset._weighted_sum, True)):
        options = function.targetoptions
        assert options["nogil"] is True
        assert ("reassoc" in options["fastmath"]) == reassociated
        assert "ninf" not in options["fastmath"]
