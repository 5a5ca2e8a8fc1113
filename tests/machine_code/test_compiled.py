"""Test that machine code is stored on disk and is never outdated.

The stamp of a stored function contains everything that determines its code.
"""

import gc
import os
import resource
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numba
import pytest
from joblib import Parallel, delayed

from fwsvm.kernels import loops
from fwsvm.machine_code import code_cache
from fwsvm.machine_code.code_cache import machine_code_folder, stamp
from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers import drivers
from fwsvm.solvers.methods import fw, swap

HELPER = """
from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.state import Step

KIND = Step.SWAP

@compiled
def place(size):
    return 0
"""
METHOD = """
import numpy as np
import fwsvm, helper
from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.settings import METHODS

@compiled
def select_step(state, n, i, column_i):
    size = state.count.active_size
    return helper.KIND, i, state.active[helper.place(size)]

METHODS["mine"] = step_method("mine", "MINE", "of this test", select_step)
Q = np.diag(np.arange(40.0, 100.0)) + 0.5
problem = fwsvm.MatrixProblem(Q)
print(fwsvm.solve(problem, method="mine", max_iterations=9, random_state=0).objective)
"""
EDITS = [
    ("helper.py", "return 0", "return size - 1"),
    ("helper.py", "Step.SWAP", "Step.AWAY"),
    ("mine.py", "return helper.KIND", "return 0"),
]


def test_edits_outside_the_package_are_seen(tmp_path):
    """The user's code has a helper, a constant and a method. After each of them is edited, a new
    process must give the same result as with an empty cache.
    """
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "mine.py").write_text(METHOD)

    def run():
        return float(
            subprocess.check_output([sys.executable, "-B", "mine.py"], cwd=tmp_path, text=True)
        )

    found = [run()]
    for file, old, new in EDITS:
        text = (tmp_path / file).read_text()
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new))
        found.append(run())
    assert len(set(found)) == len(found), found


PIECES = {
    "helper": ("x * SCALE", "x + SCALE"),
    "constant": ("SCALE = 2.0", "SCALE = 3.0"),
    "member": ("RED = 1", "RED = 4"),
    "fields": ("'a b'", "'b a'"),
    "intrinsic": ("constant(7)", "constant(8)"),
    "overload": ("x - 1", "x - 2"),
    "options": ("reassociate=False", "reassociate=True"),
    "closure": ("outer(5)", "outer(6)"),
}
MODULE = """
from collections import namedtuple
from enum import IntEnum
import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from fwsvm.machine_code.compiled import compiled

SCALE = 2.0
Pair = namedtuple("Pair", 'a b')

class Color(IntEnum):
    RED = 1

@intrinsic
def seven(typing_context):
    return types.int64(), lambda context, builder, signature, arguments: types.int64.constant(7)

def named(x):
    raise NotImplementedError

@overload(named)
def _named(x):
    return lambda x: x - 1

@compiled(reassociate=False)
def helper(x):
    return x * SCALE

def outer(n):
    @compiled
    def inner(x):
        return x + n
    return inner

inner = outer(5)

@compiled
def caller(x):
    '''Words.'''
    return Pair(helper(x), named(inner(x)) + seven() + Color.RED)
"""


def stamp_of(text, monkeypatch):
    module = ModuleType("pieces")
    monkeypatch.setitem(sys.modules, "pieces", module)
    exec(text, vars(module))
    return stamp(module.caller.py_func)


@pytest.mark.parametrize("piece", PIECES)
def test_the_stamp_covers_all_that_enters_machine_code(piece, monkeypatch):
    old, new = PIECES[piece]
    assert MODULE.count(old) == 1
    before = stamp_of(MODULE, monkeypatch)
    assert (
        stamp_of(MODULE, monkeypatch) == before != stamp_of(MODULE.replace(old, new), monkeypatch)
    )


@pytest.mark.parametrize(("old", "new"), [("Words", "Other words"), ("\n@", "\n# Why.\n\n@")])
def test_the_stamp_leaves_out_what_does_not(old, new, monkeypatch):
    assert stamp_of(MODULE.replace(old, new), monkeypatch) == stamp_of(MODULE, monkeypatch)


def test_an_edit_recompiles_only_what_it_touches(monkeypatch):
    functions = [swap.select_step, drivers.advance, loops.dense_block, loops.sparse_block]
    before = [stamp(function.py_func) for function in functions]
    monkeypatch.setattr(
        fw.select_step.py_func, "__code__", (lambda state, n, i, column_i: (1, i, i)).__code__
    )
    assert [stamp(function.py_func) for function in functions] == before
    monkeypatch.setattr(loops.dense_tile.py_func, "__defaults__", (3,))
    assert [
        stamp(function.py_func) == old for function, old in zip(functions, before, strict=True)
    ] == [1, 1, 0, 1]


STAMPS = """
from fwsvm.machine_code.code_cache import stamp
from fwsvm.kernels import loops, sums
from fwsvm.solvers import cvm_loops, drivers
from fwsvm.solvers.methods import swap2o

functions = (
    drivers.advance,
    cvm_loops.advance_cvm,
    swap2o.select_step,
    loops.dense_block,
    sums.add_sums,
)
print([stamp(function.py_func) for function in functions])
"""


def test_every_process_finds_the_same_stamps():
    """The order of a set of texts differs between processes, and must not change the stamps.

    If the stamps differed, each process would compile again.
    """
    one, other = (
        subprocess.run(
            [sys.executable, "-c", STAMPS],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        for seed in ("1", "2")
    )
    assert one.stdout == other.stdout != "", one.stderr


def add_one(x):
    return x + 1


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Make an empty folder for the machine code of the test."""
    monkeypatch.setattr(code_cache, "machine_code_folder", lambda: tmp_path)
    return tmp_path


def fresh(*arguments):
    """Return the sums, and the number of functions that were loaded from the disk. This simulates a
    new process.
    """
    function = compiled(add_one)
    return [function(argument) for argument in arguments], sum(function.stats.cache_hits.values())


def test_named_tuples_of_other_fields_have_other_machine_code(folder):
    def first(pair):
        return pair.a

    for fields, expected in (("a b", 1.0), ("b a", 2.0)):
        assert compiled(first)(namedtuple("Pair", fields)(1.0, 2.0)) == expected


def test_one_line_announces_a_long_compilation(folder, monkeypatch, caplog):
    caplog.set_level("WARNING", code_cache.__name__)
    # the third time, nothing is left to compile, so there is no further message
    for limit, lines in ((60.0, 0), (0.0, 1), (0.0, 1)):
        monkeypatch.setattr(
            code_cache,
            "_COMPILING",
            SimpleNamespace(outermost=None, since=0.0, spent=0.0, has_warned=False),
        )
        monkeypatch.setattr(code_cache, "_LONG_S", limit)
        fresh(*((1, 1.0) if lines else (1j,)))
        assert [str(folder) in message for message in caplog.messages] == lines * [True]
        assert all("only once, if" in message for message in caplog.messages)


def announced(folder):
    return code_cache._is_first_to_announce(folder)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_one_process_of_a_program_announces_the_compilation(tmp_path, backend):
    answers = Parallel(2, backend=backend)(delayed(announced)(tmp_path) for _ in range(4))
    assert sorted(answers) == [False, False, False, True]
    assert not announced(tmp_path)  # the process of the program itself
    command = (
        "from fwsvm.machine_code import code_cache as c;"
        f" print(c._is_first_to_announce(c.Path({str(tmp_path)!r})))"
    )
    # a process of another program
    assert subprocess.check_output([sys.executable, "-c", command], text=True) == "True\n"


@pytest.mark.parametrize("place", [None, Path("/dev/null/folder")])
def test_without_a_folder_only_the_program_itself_announces(place):
    assert announced(place)
    assert Parallel(2, backend="multiprocessing")(delayed(announced)(place) for _ in range(2)) == [
        False,
        False,
    ]


def test_a_failed_compilation_leaves_the_garbage_collector_on(folder):
    with pytest.raises(numba.TypingError):
        compiled(lambda number: number.nothing)(1)
    assert gc.isenabled()


def flipped(content):
    place = len(content) * 2 // 3
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


@pytest.mark.parametrize("file", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize(
    "damage", [lambda content: content[: len(content) // 2], flipped, lambda content: b"\0" * 99]
)
def test_damaged_machine_code_is_compiled_again(folder, file, damage):
    assert fresh(1) == ([2], 0)
    (path,) = folder.glob(file)
    path.write_bytes(damage(path.read_bytes()))
    assert fresh(1)[0] == [2]
    assert fresh(1) == ([2], 1)  # the machine code has been stored again


@pytest.mark.parametrize("place", [None, Path("/dev/null/folder"), Path("/proc")])
def test_a_folder_that_cannot_be_written_stops_nothing(monkeypatch, place):
    monkeypatch.setattr(code_cache, "machine_code_folder", lambda: place)
    assert fresh(1) == ([2], 0)


def test_machine_code_that_cannot_be_stored_is_named_once(folder, monkeypatch, caplog):
    caplog.set_level("WARNING", code_cache.__name__)
    _, largest = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, largest))  # no file can have content
    try:
        assert fresh(1, 1.0) == ([2, 2.0], 0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    (message,) = caplog.messages
    assert f"cannot store its machine code in {folder} (File too large)" in message
    assert "every process compiles it again" in message and "NUMBA_CACHE_DIR" in message
    assert fresh(1) == ([2], 0) and fresh(1) == ([2], 1)  # now the file can be written


def test_folder_follows_the_environment(monkeypatch, tmp_path):
    find = machine_code_folder.__wrapped__
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "mine"))
    assert find() == tmp_path / "mine/fwsvm-numba"
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert find() == tmp_path / "xdg/fwsvm-numba"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert find() is None


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_a_relative_folder_stays_where_it_was(monkeypatch, tmp_path, variable):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "mine" if variable == "NUMBA_CACHE_DIR" else "")
    monkeypatch.setenv("XDG_CACHE_HOME", "mine")
    monkeypatch.chdir(tmp_path)
    folder = machine_code_folder.__wrapped__()
    monkeypatch.setattr(code_cache, "machine_code_folder", lambda: folder)
    assert fresh(1) == ([2], 0)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert fresh(1) == ([2], 1)


@pytest.mark.parametrize("names", ["solve", "FrankWolfeSVC"])
def test_without_a_compiler_the_import_says_why(names):
    done = subprocess.run(
        [sys.executable, "-c", f"from fwsvm import {names}"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert "NUMBA_DISABLE_JIT" in done.stderr.splitlines()[-1] and "unset" in done.stderr


@pytest.mark.parametrize(
    ("mode", "is_used"), [(0o700, True), (0o755, True), (0o775, False), (0o777, False)]
)
def test_a_folder_that_others_can_write_is_not_used(monkeypatch, tmp_path, mode, is_used):
    folder = tmp_path / "fwsvm-numba"
    folder.mkdir()
    folder.chmod(mode)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    found, reason = code_cache._folder_or_reason()
    assert (found == folder, found is None) == (is_used, not is_used)
    assert bool(reason) != is_used and (is_used or f"can write to {folder}" in reason)


def test_a_folder_of_another_user_is_not_used(monkeypatch, tmp_path):
    folder = tmp_path / "fwsvm-numba"
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(folder, 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    found, reason = code_cache._folder_or_reason()
    assert found is None and "belongs to another user" in reason


def test_the_warning_says_why_nothing_is_kept(monkeypatch, tmp_path, caplog):
    caplog.set_level("WARNING", code_cache.__name__)
    (tmp_path / "fwsvm-numba").mkdir()
    (tmp_path / "fwsvm-numba").chmod(0o777)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(code_cache, "machine_code_folder", machine_code_folder.__wrapped__)
    monkeypatch.setattr(
        code_cache,
        "_COMPILING",
        SimpleNamespace(outermost=None, since=0.0, spent=0.0, has_warned=False),
    )
    monkeypatch.setattr(code_cache, "_LONG_S", 0.0)
    assert fresh(1) == ([2], 0)
    (message,) = caplog.messages
    assert (
        "in every process, because other users can write to" in message and "chmod go-w" in message
    )
    assert list((tmp_path / "fwsvm-numba").iterdir()) == []
