"""The numba decorator `compiled` for all numeric functions, calls by address, and a few LLVM
intrinsics.

Machine code is kept on disk (`fwsvm.machine_code.code_cache`). numba's global configuration is not
changed.

numba compiles a function again within every function that calls it. A call by address
(`machine_address`, `call`) avoids these repetitions: the caller is compiled once, and the function
at the address is compiled when it is first used. Such a call cannot be inlined, which costs a few
nanoseconds.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numba
from llvmlite import ir
from numba import types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic
from numba.np.arrayobj import np_cfarray

from fwsvm.inputs.errors import UserError
from fwsvm.machine_code.code_cache import CodeCache, stamp

if TYPE_CHECKING:
    from collections.abc import Callable

# These flags allow the compiler to fuse a multiplication and an addition, to assume that no value
# is NaN, and to ignore the sign of zeros. The flags do not allow the compiler to change the order
# of sums, so sums are not vectorised.
FLAGS = "contract", "nnan", "nsz"
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": set(FLAGS)}


_Function = TypeVar("_Function", bound="Callable[..., Any]")


@overload
def compiled(
    function: _Function, *, reassociate: bool = False, inline: bool = False
) -> _Function: ...


@overload
def compiled(
    *, reassociate: bool = False, inline: bool = False
) -> Callable[[_Function], _Function]: ...


def compiled(
    function: Callable[..., Any] | None = None, *, reassociate: bool = False, inline: bool = False
) -> Any:
    """Return `function` compiled by numba, with its machine code cached on disk. Without
    `function`, return a decorator.

    If the name of the function begins with an underscore, only compiled functions can call it.

    `reassociate=True` allows the compiler to reorder sums, so that it can vectorise them. Do not
    use it if results must not depend on the order of sums. `inline=True` copies the function into
    its callers, which shortens compilation if a process uses only one caller.
    """
    if function is None:
        return lambda f: compiled(f, reassociate=reassociate, inline=inline)
    if numba.config.DISABLE_JIT:
        raise UserError(
            "fwsvm needs numba's compiler, but NUMBA_DISABLE_JIT is set: unset this variable"
        )
    options = {**OPTIONS, "fastmath": OPTIONS["fastmath"] | {"reassoc"}} if reassociate else OPTIONS
    dispatcher = numba.njit(
        **options,
        inline="always" if inline else "never",
        nogil=True,
        no_cfunc_wrapper=True,  # compiling wrappers for calls from C takes a long time
        no_cpython_wrapper=function.__name__.startswith("_"),
    )(function)
    dispatcher._cache = CodeCache(function, dispatcher.targetoptions)
    dispatcher.compile = _without_collector(dispatcher.compile)
    return dispatcher


def _without_collector(compile_now: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs `compile_now` while Python's garbage collector is off.

    Without the collector, compilation takes an eighth less time.
    """

    def run(*arguments: Any) -> Any:
        collects = gc.isenabled()
        gc.disable()
        try:
            return compile_now(*arguments)
        finally:
            # If the collector was already off, it stays off, because the user or another
            # compilation switched it off.
            if collects:
                gc.enable()

    return run


def _extremum(name: str, comparison: str) -> Any:
    @intrinsic
    def operation(typing_context: Any, x: Any, y: Any) -> tuple[Any, Callable[..., Any]]:
        kind = typing_context.unify_types(types.unliteral(x), types.unliteral(y))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if isinstance(kind, types.Integer):
                return builder.select(builder.icmp_signed(comparison, *arguments), *arguments)
            number = context.get_value_type(kind)
            function = builder.module.declare_intrinsic(
                name, [number], ir.FunctionType(number, [number, number])
            )
            return builder.call(function, arguments, fastmath=("fast",))

        return kind(kind, kind), generate

    return operation


# The compiler does not vectorise loops with numba's min() and max(), but it vectorises loops with
# LLVM's intrinsics. A loop that updates values and finds their extremes then takes a quarter of the
# time that it takes with min() and max(). The intrinsics also compile faster than min() and max().
fast_min = _extremum("llvm.minnum", "<")
fast_max = _extremum("llvm.maxnum", ">")


@intrinsic
def array_at(
    typing_context: Any, address: Any, shape: Any, dtype: Any
) -> tuple[Any, Callable[..., Any]]:
    """Make an array from an int64 address. Only compiled code can call this function.

    The function `numba.carray` cannot be used, because it needs a pointer.
    """
    array = types.Array(dtype.dtype, len(shape) if isinstance(shape, types.BaseTuple) else 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
        return np_cfarray(context, builder, array(types.voidptr, shape), (data, arguments[1]))

    return array(types.int64, shape, dtype), generate


@intrinsic
def call(
    typing_context: Any, function: Any, data: Any, i: Any, out: Any
) -> tuple[Any, Callable[..., Any]]:
    """Call the function at an address from `machine_address`. Only compiled code can use this
    function.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [number] * 3)
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), generate


def machine_address(function: Any) -> tuple[int, Any]:
    """Compile a function, and return its address and an object that keeps the machine code in
    memory.

    The function takes three int64 numbers, returns nothing, and must not raise an error.
    """
    # functions with the same name but different closures need different symbol names
    function.__qualname__ += f"-{stamp(function)[:16]}"
    owner = CFunc(function, ([types.int64] * 3, types.void), {}, OPTIONS)
    owner._cache = CodeCache(function, OPTIONS)
    _without_collector(owner.compile)()
    return owner.address, owner
