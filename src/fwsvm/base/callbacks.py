"""Compiled functions that others call by their address, and arrays by theirs.

numba compiles a function anew within every function that calls it, and for every type of argument. A caller that gets
an address instead is compiled once, whatever it leads to, and what it leads to is compiled when it is first wanted. The
price is a call that cannot be inlined: some nanoseconds.
"""

from llvmlite import ir
from numba import types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic

from fwsvm.base.code_cache import CodeCache, stamp
from fwsvm.base.compiled import OPTIONS


@intrinsic
def pointer(typing_context, address):
    """An address (int64) as a pointer, for `numba.carray(pointer(address), shape, dtype)`; in compiled code only."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), generate


@intrinsic
def address_of(typing_context, array):
    """The address of an array's first number (int64); in compiled code only."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.int64(array), generate


@intrinsic
def call(typing_context, function, data, i, out):
    """Call what `machine_address` made of a function of three int64; in compiled code only."""

    def generate(context, builder, signature, arguments):
        number = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [number] * 3)
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), generate


def machine_address(function):
    """(address, owner) of the machine code of a function of three int64, which must not raise and returns nothing.

    The code lives as long as its owner.
    """
    function.__qualname__ += f"-{stamp(function)[:16]}"  # functions that differ in their closures need other symbols
    owner = CFunc(function, ([types.int64] * 3, types.void), {}, OPTIONS)
    owner._cache = CodeCache(function, OPTIONS)
    owner.compile()
    return owner.address, owner
