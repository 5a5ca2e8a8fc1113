"""Time of a kernel column and of a block beside what memory bandwidth and arithmetic allow.

Bounds. A column of dense data reads all points and writes m values, at the bandwidth of reading an array of the same
number of bytes, measured beside it; small data lie in the processor's cache, and the bound is the cache's. (`times_bus`
compares with reading the same bytes from main memory.) For sparse data the bound reads every nonzero with its index
once; a column-major scatter reads less and can beat it. Arithmetic, for a column and for a block, is one multiplication
and addition per nonzero feature at the rate of a large matrix product, and one exponential per value.
"""

import numpy as np
from scipy import sparse

from fwsvm.bench import limits
from fwsvm.bench.points import load_points
from fwsvm.kernels.functions import Kernel, average_squared_distance
from fwsvm.kernels.matrix import KernelMatrix

_COLUMNS = 24
_BLOCK_ROWS = 60
_BLOCK_POINTS = 2000
_INDEX_BYTES = 4
_LARGE_BYTES = 256 * 2**20


def cases(quick):
    """Columns of dense, sparse and image-like data, and blocks, in both precisions."""
    large = 100_000 if quick else 1_000_000
    columns = [{"points": "dense", "m": 50_000, "d": 22}, {"points": "dense", "m": large, "d": 2}]
    columns += [{"points": name} for name in (("a4a", "w4a") if quick else ("a7a", "w8a"))]
    columns += [{"points": "image-like", "m": 6_000 if quick else 60_000, "d": 780, "density": 0.19}]
    blocks = [{"points": "dense", "m": 20_000, "d": 22}]
    blocks += [{"points": "sparse", "m": 20_000, "d": 300, "density": 11.7 / 300}]
    blocks += [{"points": "image-like", "m": 4_000, "d": 780, "density": 0.19}]
    return [
        {"operation": operation, "dtype": dtype, **points}
        for operation, chosen in (("column", columns), ("block", blocks))
        for points in chosen
        for dtype in ("float64", "float32")
    ]


def measure(case, bench):
    """One row: the time, the bound, and the time in multiples of the bound."""
    X = _points(case, bench)
    matrix = KernelMatrix(X, Kernel("rbf", 0.5 / average_squared_distance(X)))
    dtype = np.dtype(case["dtype"])
    timed = _column if case["operation"] == "column" else _block
    seconds, values, moved = timed(matrix, X, dtype)
    products = 2 * (X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1])
    arithmetic = values * (products / limits.gemm_rate(dtype) + 1 / limits.exp_rate(dtype))
    memory = moved / limits.read_bandwidth(moved, dtype)
    bound = max(memory, arithmetic)
    return [
        {
            "case": _label(case, X),
            "operation": case["operation"],
            "dtype": case["dtype"],
            "kernel_path": matrix.path,
            "m": X.shape[0],
            "features": X.shape[1],
            "values": values,
            "seconds": seconds,
            "ns_per_value": 1e9 * seconds / values,
            "bound_s": bound,
            "limit": "memory" if memory >= arithmetic else "arithmetic",
            "times_bound": seconds / bound,
            "times_bus": None
            if case["operation"] == "block"
            else seconds * limits.read_bandwidth(_LARGE_BYTES, dtype) / moved,
        }
    ]


def _points(case, bench):
    if "m" not in case:
        return load_points(bench.data_dir, case["points"]).X_train
    rng = np.random.default_rng(0)
    shape = case["m"], case["d"]
    if case["points"] == "dense":
        return rng.random(shape)
    X = sparse.random(*shape, density=case["density"], format="csr", rng=rng)
    if case["points"] == "sparse":
        X.data[:] = 1.0
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _label(case, X):
    name = case["points"] if "m" not in case or case["points"] == "image-like" else ""
    size = f"{X.shape[0]} x {X.shape[1]}" if case["operation"] == "column" else f"d = {X.shape[1]}"
    filled = f", {X.nnz / X.shape[0]:.3g} nonzeros per row" if sparse.issparse(X) else ""
    return f"{name} {size}{filled}".strip()


def _column(matrix, X, dtype):
    """Seconds, values and bytes moved of one column over all m points, averaged over columns spread over the data."""
    out = np.empty(matrix.size, dtype)
    chosen = np.linspace(0, matrix.size - 1, _COLUMNS).astype(int)

    def columns():
        for i in chosen:
            matrix.column(i, out)

    seconds = limits.seconds_per_call(columns) / _COLUMNS
    stored = X.nnz * (dtype.itemsize + _INDEX_BYTES) if sparse.issparse(X) else X.size * dtype.itemsize
    return seconds, matrix.size, stored + out.nbytes


def _block(matrix, X, dtype):
    """The same of one block: a sample of 60 points against 2000 stored ones, as sampled selection asks for it."""
    rng = np.random.default_rng(1)
    store = matrix.store(dtype, capacity=_BLOCK_POINTS)
    store.fill(matrix.points, rng.permutation(matrix.size)[:_BLOCK_POINTS])
    samples = [rng.permutation(matrix.size)[:_BLOCK_ROWS].astype(np.int64) for _ in range(10)]
    out = np.empty((_BLOCK_ROWS, _BLOCK_POINTS), dtype)

    def blocks():
        for rows in samples:
            store.block(matrix.points, rows, out)

    seconds = limits.seconds_per_call(blocks) / len(samples)
    return seconds, out.size, _BLOCK_POINTS * X.shape[1] * dtype.itemsize + out.nbytes
