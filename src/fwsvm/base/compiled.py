"""Compilation of the numeric kernels: one numba decorator, its disk cache and a few LLVM intrinsics.

numba's own disk cache does not notice an edit in a helper of another module and would run stale machine code. Here the
cache lies in a folder named by a hash of all compiled sources and the kind of processor, so any change of an algorithm
starts a fresh one, and machines that share a home folder do not share machine code. Its files are checked
(`fwsvm.base.code_cache`). Only functions decorated with `compiled` use that folder; numba's global configuration is not
touched.
"""

import hashlib
import os
import shutil
import sys
import time
from functools import cache
from pathlib import Path

import numba
from llvmlite import ir
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from fwsvm.base.code_cache import CodeCache, cpu_kind, private_temporary_folder
from fwsvm.base.code_hash import PACKAGE, files_hash
from fwsvm.base.source_cache import user_cache_folder

_KEEP_DAYS = 30
# NaN is assumed absent; a sum is not split over vector lanes.
OPTIONS = {"error_model": "numpy", "fastmath": {"contract", "nnan", "nsz"}}


def source_hash():
    """Hash of what the sources that enter compiled code do, as 16 hexadecimal digits; comments do not count.

    Those are the modules that import `fwsvm.base.compiled`, and the constants they freeze.
    """
    paths = [
        path
        for path in PACKAGE.rglob("*.py")
        if b"fwsvm.base.compiled" in path.read_bytes()
        or path.name in ("compiled.py", "constants.py")
        or path.parent.name == "methods"
    ]
    return hashlib.sha256(f"{numba.__version__} {files_hash(paths, PACKAGE)}".encode()).hexdigest()[:16]


@cache
def cache_directory():
    """Folder of the machine code of these sources on this kind of processor.

    Below NUMBA_CACHE_DIR if set, else the user's cache folder, else a private temporary one; None if there is no folder
    to write to, so that machine code is kept for this process alone.
    """
    name = f"{source_hash()}-py{sys.version_info.major}{sys.version_info.minor}-{cpu_kind()}"
    return _folder_below(_wanted_folder(), name) or _folder_below(private_temporary_folder("fwsvm-numba"), name)


def _wanted_folder():
    """Where the user keeps machine code; None where that is not known."""
    base = Path(numba.config.CACHE_DIR) if numba.config.CACHE_DIR else user_cache_folder()
    return None if base is None else base / "fwsvm-numba"


def _folder_below(base, name):
    """base / name, made if need be and marked as used today, or None if it cannot be written; old neighbours go."""
    if base is None:
        return None
    folder = base / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.utime(folder)
        if not os.access(folder, os.W_OK):
            return None
        others = [other for other in base.iterdir() if other != folder]
    except OSError:
        return None
    for other in others:
        try:
            age_s = time.time() - other.stat().st_mtime
        except OSError:
            continue  # another process has just removed it
        if age_s > _KEEP_DAYS * 86400:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def compiled(function=None, *, reassociate=False):
    """Compile `function` in nopython mode: cached on disk, releasing the GIL, NaN assumed absent.

    A function whose name begins with an underscore is for other compiled functions only.
    `reassociate=True` lets sums be split over vector lanes; it must stay off where rounding is part of the algorithm.
    """
    if function is None:
        return lambda f: compiled(f, reassociate=reassociate)
    options = {**OPTIONS, "fastmath": OPTIONS["fastmath"] | {"reassoc"}} if reassociate else OPTIONS
    dispatcher = numba.njit(
        **options,
        nogil=True,
        no_cfunc_wrapper=True,  # wrappers are a good part of the time of compilation
        no_cpython_wrapper=function.__name__.startswith("_"),
    )(function)
    folder, is_top_level = cache_directory(), function.__qualname__ == function.__name__
    if folder is not None and is_top_level and isinstance(dispatcher, Dispatcher):
        dispatcher._cache = CodeCache(function, folder)
    return dispatcher


def _extremum(name):
    @intrinsic
    def operation(typing_context, x, y):
        def generate(context, builder, signature, arguments):
            double = ir.DoubleType()
            function = builder.module.declare_intrinsic(name, [double], ir.FunctionType(double, [double, double]))
            return builder.call(function, arguments, fastmath=("fast",))

        return types.float64(types.float64, types.float64), generate

    return operation


# numba's min() and max() keep loops scalar; LLVM's intrinsics vectorise (four times the throughput of a fused pass).
fast_min = _extremum("llvm.minnum")
fast_max = _extremum("llvm.maxnum")


def _bitcast(source, target, llvm_type):
    @intrinsic
    def operation(typing_context, x):
        def generate(context, builder, signature, arguments):
            return builder.bitcast(arguments[0], llvm_type())

        return target(source), generate

    return operation


bits_to_float32 = _bitcast(types.int32, types.float32, ir.FloatType)
bits_to_float64 = _bitcast(types.int64, types.float64, ir.DoubleType)
