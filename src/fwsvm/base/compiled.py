"""Compilation of the numeric kernels: one numba decorator, and a few LLVM intrinsics.

Machine code is kept on disk (`fwsvm.base.code_cache`). numba's global configuration is not changed.
"""

import numba
from llvmlite import ir
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from fwsvm.base.code_cache import CodeCache

# NaN is assumed absent; a sum is not split over vector lanes.
OPTIONS = {"error_model": "numpy", "fastmath": {"contract", "nnan", "nsz"}}


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
    if isinstance(dispatcher, Dispatcher):  # not where NUMBA_DISABLE_JIT is set
        dispatcher._cache = CodeCache(function, dispatcher.targetoptions)
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
