"""What the machine can do, one thread: memory bandwidth, matrix products, exponentials."""

import time

import numpy as np

from fwsvm.base.compiled import compiled
from fwsvm.kernels.exponential import exp_nonpositive

_GEMM_ORDER = 1500
_EXP_VALUES = 4096
_LEAST_S = 0.02


@compiled(reassociate=True)
def read_all(x):
    total = x.dtype.type(0)
    for i in range(x.shape[0]):
        total += x[i]
    return total


@compiled
def triad(a, b, c, factor):
    scale = a.dtype.type(factor)
    for i in range(a.shape[0]):
        a[i] = b[i] + scale * c[i]


@compiled
def exponentials(x, out):
    for i in range(x.shape[0]):
        out[i] = exp_nonpositive(x[i])


def seconds_per_call(task, rounds=5):
    """Median CPU seconds of `task()`; a short task is called many times in a round."""
    task()
    start = time.thread_time()
    task()
    calls = max(1, int(_LEAST_S / max(time.thread_time() - start, 1e-7)))
    times = []
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(calls):
            task()
        times.append((time.thread_time() - start) / calls)
    return float(np.median(times))


def read_bandwidth(n_bytes, dtype=np.float64):
    """Bytes per second of reading an array of `n_bytes` bytes again and again."""
    x = np.ones(max(1, int(n_bytes) // np.dtype(dtype).itemsize), dtype)
    return x.nbytes / seconds_per_call(lambda: read_all(x))


def triad_bandwidth(n_bytes, dtype=np.float64):
    """Bytes per second of a = b + s c, three arrays of together `n_bytes` bytes."""
    a, b, c = np.ones((3, max(1, int(n_bytes) // (3 * np.dtype(dtype).itemsize))), dtype)
    return 3 * a.nbytes / seconds_per_call(lambda: triad(a, b, c, 0.5))


def gemm_rate(dtype):
    """Floating-point operations per second of a large matrix product."""
    A = np.ones((_GEMM_ORDER, _GEMM_ORDER), dtype)
    return 2 * _GEMM_ORDER**3 / seconds_per_call(lambda: A @ A)


def exp_rate(dtype):
    """Exponentials per second of the compiled loop, in the first-level cache."""
    x = np.linspace(-20, 0, _EXP_VALUES).astype(dtype)
    out = np.empty_like(x)
    return _EXP_VALUES / seconds_per_call(lambda: exponentials(x, out))


def numpy_exp_rate(dtype):
    """Exponentials per second of numpy."""
    x = np.linspace(-20, 0, _EXP_VALUES).astype(dtype)
    out = np.empty_like(x)
    return _EXP_VALUES / seconds_per_call(lambda: np.exp(x, out=out))


def cases(quick):
    """One case: all limits."""
    return [{"large_mb": 128 if quick else 512}]


def measure(case, bench):
    """One row per limit, in 1e9 per second."""
    large = case["large_mb"] * 2**20
    limits = {
        "memory read, 16 MB": ("GB/s", lambda dtype: read_bandwidth(16 * 2**20, dtype)),
        f"memory read, {case['large_mb']} MB": ("GB/s", lambda dtype: read_bandwidth(large, dtype)),
        f"memory triad, {case['large_mb']} MB": ("GB/s", lambda dtype: triad_bandwidth(large, dtype)),
        f"matrix product, n = {_GEMM_ORDER}": ("GF/s", gemm_rate),
        "exp, compiled polynomial": ("G/s", exp_rate),
        "exp, numpy": ("G/s", numpy_exp_rate),
    }
    return [
        {"case": name, "unit": unit, "float64": of(np.float64) / 1e9, "float32": of(np.float32) / 1e9}
        for name, (unit, of) in limits.items()
    ]
