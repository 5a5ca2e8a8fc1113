"""The machine code in numba's cache on disk.

A stamp (hash) of the source code shows whether the code has changed, and checksums show damaged
files.

numba's own stamp covers one file. The stamp of this module covers all functions and constants that
a function uses, even those in other files. (An overload must be in the file of the function that it
overloads.) numba does not check its cache files. A damaged file therefore crashes the process, and
two processes that write at the same time can mix up their entries. To prevent both errors, each
signature of a function (its argument types) has its own files, with checksums. This module uses
private names of numba 0.61 to 0.68 (see pyproject.toml).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import multiprocessing
import os
import pickle
import stat
import sys
import time
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.dispatcher import Dispatcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LOG = logging.getLogger(__name__)
_LONG_S = 2.0  # CPU seconds of compilation after which one warning explains the delay
# The file _ANNOUNCED in the cache folder contains the process id of the last program that warned of
# its compilation. Other processes of the same program do not warn again within _RECENT_S seconds.
_ANNOUNCED, _RECENT_S = "announced", 3600.0
_COMPILING = SimpleNamespace(outermost=None, since=0.0, spent=0.0, has_warned=False)
# The code of these libraries is not hashed. Instead, the cache key contains numba's version.
_LIBRARIES = {"builtins", "llvmlite", "math", "numba", "numpy"}


@cache
def machine_code_folder() -> Path | None:
    """Return the folder for machine code, or None if no folder can be used.

    The folder is in NUMBA_CACHE_DIR or, if this variable is not set, in the user's cache folder.
    Its path is absolute, so that it is also found after a change of the working directory.
    """
    return _folder_or_reason()[0]


def _folder_or_reason() -> tuple[Path | None, str]:
    """Return the folder for machine code and an empty text. If the folder cannot be used, return
    None and the reason.

    Machine code from the folder is executed. Therefore a folder to which other users (except the
    administrator) can write is not used.
    """
    # An error here means that the folder cannot be made, or that the user has no home folder.
    with contextlib.suppress(OSError, RuntimeError):
        folder = Path(
            numba.config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        )
        folder = folder.absolute() / "fwsvm-numba"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if status.st_uid not in (0, os.geteuid()):
            return (
                None,
                f"{folder} belongs to another user: set NUMBA_CACHE_DIR to a folder of your own",
            )
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return None, f"other users can write to {folder}: remove it, or run chmod go-w on it"
        if os.access(folder, os.W_OK):
            return folder, ""
    return None, (
        "no cache folder is writable; set the environment variable NUMBA_CACHE_DIR to a writable"
        " folder"
    )


def stamp(function: FunctionType) -> str:
    """Hash everything that determines the machine code of a Python function."""
    return hashlib.sha256("\0".join(_function_parts(function, {function})).encode()).hexdigest()


def _function_parts(function: FunctionType, seen: set[Any]) -> Iterator[str]:
    """Yield the texts that `stamp` hashes: the function's defaults, its code, and every value
    that it uses by name.
    """
    codes, values = [function.__code__], function.__globals__
    if function.__closure__:
        captured = [cell.cell_contents for cell in function.__closure__]
        values = values | dict(zip(function.__code__.co_freevars, captured, strict=True))
    yield repr(function.__defaults__)
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        constants = [
            one
            for one in code.co_consts
            if not isinstance(one, CodeType) and one != function.__doc__
        ]
        yield repr((code.co_code, code.co_names, code.co_varnames, constants))
    names = frozenset(function.__code__.co_freevars).union(*(code.co_names for code in codes))
    for name in sorted(names & values.keys()):
        yield name
        yield from _value_parts(values[name], names, seen)


def _value_parts(value: Any, names: frozenset[str], seen: set[Any]) -> Iterator[str]:
    """Yield texts that describe everything in `value` that affects the machine code.

    For a module, only its members in `names` count.
    """
    # a compiled function or an intrinsic wraps the Python function
    function = getattr(value, "__wrapped__", value)
    if isinstance(value, Dispatcher):
        yield _text(value.targetoptions)
    if isinstance(value, np.ndarray):
        yield repr((value.dtype, value.shape, value.tobytes()))
    elif isinstance(value, tuple):
        for part in value:
            yield from _value_parts(part, names, seen)
    elif isinstance(value, ModuleType):
        yield value.__name__
        if (value, names) not in seen and not _is_library(value.__name__):
            seen.add((value, names))
            for name in sorted(names & vars(value).keys()):
                yield from _value_parts(vars(value)[name], names, seen)
    elif isinstance(value, type):
        yield (
            f"{value.__module__}.{value.__name__} {getattr(value, '__members__', '')}"
            f" {getattr(value, '_fields', '')}"
        )
    elif isinstance(function, FunctionType):
        yield f"{function.__module__}.{function.__qualname__}"
        if function not in seen and not _is_library(function.__module__):
            seen.add(function)
            yield from _function_parts(function, seen)
            # This Python function is not compiled itself, but numba compiles its overloads, which
            # are in the same file.
            if function is value:
                for other in vars(sys.modules[function.__module__]).values():
                    if getattr(other, "__module__", None) == function.__module__:
                        yield from _value_parts(other, names, seen)
    else:
        yield repr(value)


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES


def _text(options: dict[str, Any]) -> str:
    return repr(
        sorted(
            (name, sorted(value) if isinstance(value, set) else value)
            for name, value in options.items()
        )
    )


class _Locator(_CacheLocator):
    def __init__(self, function: FunctionType) -> None:
        self._stamp = stamp(function)

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> _Locator:
        return cls(py_func)

    def get_cache_path(self) -> str:
        folder = machine_code_folder()
        if folder is None:  # there is no cache on disk
            raise OSError("no folder for machine code is writable")
        return os.fspath(folder)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return self._stamp[:16]


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012


class _CheckedFiles(IndexDataCacheFile):
    """The files with the index and the machine code of a signature.

    Each file ends with a checksum, which unpickling ignores. Only the checksum of the machine code
    is compared. An index that cannot be read counts as missing (`CodeCache.load_overload`).
    """

    def _dump(self, obj: object) -> bytes:
        content: bytes = super()._dump(obj)
        return content + hashlib.sha256(content).digest()

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(content[:-32]).digest() != content[-32:]:
            raise OSError(f"{name} does not match its checksum")
        return pickle.loads(content)


def _note_time(function: FunctionType, has_begun: bool) -> None:
    """Record that the compilation of a function has begun or ended. Warn once if compilation has
    taken more than `_LONG_S` CPU seconds in total.

    numba compiles in one thread at a time, so this function needs no lock.
    """
    state, now = _COMPILING, time.thread_time()
    if state.outermost is None and has_begun:
        state.outermost, state.since = function, now
    elif state.outermost is function and not has_begun:
        state.outermost, state.spent = None, state.spent + now - state.since
    if (
        not state.has_warned
        and state.spent + (now - state.since if state.outermost else 0.0) > _LONG_S
    ):
        state.has_warned, folder = True, machine_code_folder()
        if _is_first_to_announce(folder):
            once = f"only once, if the machine code can be stored in {folder}"
            when = once if folder else f"in every process, because {_folder_or_reason()[1]}"
            _LOG.warning(
                "fwsvm is compiling its numeric code for this processor. This happens %s", when
            )


@cache  # warn once for each cause
def _warn_that_nothing_is_stored(folder: Path | None, cause: str) -> None:
    _LOG.warning(
        "fwsvm cannot store its machine code in %s (%s), so every process compiles it again. Remove"
        " the cause, or set the environment variable NUMBA_CACHE_DIR to another folder",
        folder,
        cause,
    )


def _is_first_to_announce(folder: Path | None) -> bool:
    """Test whether this process is the first of its program to announce a compilation.

    Other processes of the program are, for example, workers of joblib.
    """
    is_worker = multiprocessing.parent_process() is not None
    if folder is None:
        return not is_worker
    program = str(os.getppid() if is_worker else os.getpid())
    try:
        with (folder / _ANNOUNCED).open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            is_recent = time.time() - os.fstat(file.fileno()).st_mtime < _RECENT_S
            file.seek(0)
            if file.read() == program and is_recent:
                return False
            file.truncate(0)
            file.write(program)
    except OSError:
        return not is_worker
    return True


class CodeCache(FunctionCache):
    """A cache on disk for the machine code of a function. If the cache cannot be used, the function
    is compiled anew in each process.
    """

    _impl_class = _Implementation

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self._function, self._options, self._cache_path = function, _text(options), None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with contextlib.suppress(Exception):
            self._open(sig, target_context.codegen())
            if (found := super().load_overload(sig, target_context)) is not None:
                return found
        _note_time(self._function, has_begun=True)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        _note_time(self._function, has_begun=False)
        with contextlib.suppress(Exception):
            self._open(sig, data.codegen)
            try:
                # write an empty index, because the old index can be damaged
                self._cache_file.flush()
                super().save_overload(sig, data)
            except OSError as error:  # for example, the disk is full
                cause = error.strerror or str(error)
                _warn_that_nothing_is_stored(machine_code_folder(), cause)

    def _open(self, sig: Any, codegen: Any) -> None:
        """Prepare the cache files of a signature.

        The function is hashed in this method, and not when the function is defined, because it can
        use functions that are defined later.
        """
        super().__init__(self._function)
        # numba does not distinguish named tuples by their fields
        fields = _fields(getattr(sig, "args", sig))
        self._key = sig, fields, codegen.magic_tuple(), self._options, numba.__version__
        digest = hashlib.sha256(repr(self._key).encode()).hexdigest()
        name = f"{self._impl.filename_base}-{digest[:16]}"
        self._cache_file = _CheckedFiles(
            self._cache_path, name, self._impl.locator.get_source_stamp()
        )

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return self._key


def _fields(types: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(
        (str(getattr(one, "fields", "")), _fields(getattr(one, "types", ()))) for one in types
    )
