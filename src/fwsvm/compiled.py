"""Compilation of the numeric kernels: one numba decorator, its disk cache and a few LLVM intrinsics.

numba's own disk cache does not notice an edit in a helper of another module and would run stale machine code. Here
the cache lies in a folder named by a hash of all compiled sources, so any edit starts a fresh one. Only functions
decorated with `compiled` use that folder; numba's global configuration is left as it was found.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_PACKAGE = Path(__file__).parent
_KEEP_DAYS = 30


def source_hash():
    """Hash of every source file that enters compiled code, as 16 hexadecimal digits.

    Those are the modules that import `fwsvm.compiled`, and the constants they freeze.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_bytes()
        if b"fwsvm.compiled" in text or path.name in ("compiled.py", "constants.py"):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + text)
    return digest.hexdigest()[:16]


@cache
def cache_directory():
    """Folder of the machine code of these sources: below NUMBA_CACHE_DIR if set, else the user's cache folder."""
    if numba.config.CACHE_DIR:
        base = Path(numba.config.CACHE_DIR)
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    base = base / "fwsvm-numba"
    folder = base / f"{source_hash()}-py{sys.version_info.major}{sys.version_info.minor}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(folder)
    except OSError:
        return Path(tempfile.gettempdir()) / "fwsvm-numba" / folder.name
    for other in base.iterdir():
        if other != folder and time.time() - other.stat().st_mtime > _KEEP_DAYS * 86400:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def compiled(function=None, *, reassociate=False):
    """Compile `function` in nopython mode: cached on disk, releasing the GIL, NaN assumed absent.

    A function whose name begins with an underscore is for other compiled functions only.
    `reassociate=True` lets sums be split over vector lanes; it must stay off where rounding is part of the algorithm.
    """
    if function is None:
        return lambda f: compiled(f, reassociate=reassociate)
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_directory())
    try:
        flags = {"contract", "nnan", "nsz"} | ({"reassoc"} if reassociate else set())
        return numba.njit(
            cache=True,
            nogil=True,
            error_model="numpy",
            fastmath=flags,
            no_cfunc_wrapper=True,  # wrappers are a good part of the time of compilation
            no_cpython_wrapper=function.__name__.startswith("_"),
        )(function)
    finally:
        numba.config.CACHE_DIR = previous


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
