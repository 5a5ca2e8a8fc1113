"""Test that every column in a cache of limited size is correct, even after columns were removed or
extended.
"""

import numpy as np
import pytest

from fwsvm import Kernel, KernelMatrix, KernelProblem
from fwsvm.kernels.matrix import GRAM_FEATURES
from fwsvm.problems import column_cache
from fwsvm.problems.column_cache import (
    ColumnCache,
    CoresetColumns,
    SharedColumns,
    cached,
    load,
    new_slots,
    take_slot,
)
from fwsvm.problems.dual import MatrixProblem


def load_column(cache, i, keep=-1):
    return cache.arrays.columns[load(cache.arrays, cache.source, i, keep)]


def symmetric(n, seed):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A @ A.T


@pytest.mark.parametrize("cache_mb", [1e-6, 0.001, 0.05, 1.0])
def test_columns_of_a_growing_coreset(cache_mb):
    rng, Q = np.random.default_rng(0), symmetric(400, 1).astype(np.float32)
    size, cache = 20, CoresetColumns(32, cache_mb, np.float32)
    for _ in range(2500):
        if size < 400 and rng.random() < 0.2:
            if size == cache.capacity:
                cache.grow(2 * cache.capacity)
            cache.append(size, Q[size, :size])
            size += 1
        i = int(rng.integers(size))
        if cache.slots.slot_of[i] < 0:
            cache.columns[take_slot(cache.slots, i, -1), :size] = Q[i, :size]
        owners = cached(cache.slots)
        np.testing.assert_array_equal(cache.columns[: len(owners), :size], Q[owners, :size])
        np.testing.assert_array_equal(cache.slots.slot_of[owners], np.arange(len(owners)))
    assert size == 400
    assert cache.memory.nbytes <= max(1e6 * cache_mb, 3 * 512 * 4)


@pytest.mark.parametrize(("n", "cache_mb"), [(60, 1e-6), (60, 0.01), (60, 10.0), (2100, 1.0)])
def test_columns_over_all_points(n, cache_mb):
    rng, Q = np.random.default_rng(0), symmetric(n, 2)
    cache = ColumnCache(MatrixProblem(Q), cache_mb, np.float64)
    for _ in range(500):
        i, keep = (int(r) for r in rng.integers(n, size=2))
        kept = cache.arrays.slots.slot_of[keep]
        np.testing.assert_array_equal(load_column(cache, i, keep), Q[i])
        if kept >= 0:
            np.testing.assert_array_equal(load_column(cache, keep), Q[keep])
    # nine columns, which is more than the smallest number of slots (three)
    chosen, weights, rows = rng.permutation(n)[:9], rng.random(9), np.empty((9, n))
    column_cache.write_weighted(cache.arrays, cache.source, chosen, weights, rows)
    np.testing.assert_array_equal(rows, weights[:, None] * Q[chosen])
    assert cache.arrays.columns.nbytes <= max(1e6 * cache_mb, 3 * 8 * n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_columns_are_computed_at_once_where_half_of_the_cache_holds_them(dtype):
    X, y = np.random.default_rng(0).normal(size=(50, GRAM_FEATURES)), np.tile([-1.0, 1.0], 25)
    needed_mb = 50 * 50 * np.dtype(dtype).itemsize / 1e6
    for size, at_once in ((1.99, 0), (2.01, 1)):
        matrix = KernelMatrix(X, Kernel("rbf", 0.1))
        ColumnCache(KernelProblem(matrix, y), size * needed_mb, dtype)
        assert (matrix.evaluations > 0) == at_once


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_are_kept_from_one_value_of_C_to_the_next(dtype):
    rng = np.random.default_rng(0)
    matrix = KernelMatrix(rng.normal(size=(50, 3)), Kernel("rbf", 0.3))
    y = np.where(rng.random(50) < 0.5, 1.0, -1.0)
    shared, expected = SharedColumns(), np.empty(50, dtype)
    for C, wanted in ((0.5, (1, 7)), (20.0, (7, 30)), (3.0, (1, 30, 49))):
        problem = KernelProblem(matrix, y, C)
        cache = shared.cache(problem, 0.1, np.dtype(dtype))
        before = matrix.evaluations
        for i in wanted:
            column = load_column(cache, i).copy()
            problem.fill_column(i, expected)
            np.testing.assert_allclose(
                column, expected, atol=1e-6 if dtype == np.float32 else 1e-14
            )
        if C == 3.0:
            # only one of these columns is new
            assert matrix.evaluations - before == 50 * (1 + len(wanted))
    assert cached(cache.arrays.slots).tolist() == [1, 7, 30, 49]
    other = KernelProblem(
        KernelMatrix(rng.normal(size=(60, 3)), Kernel("rbf", 0.3)), np.ones(60), 1.0
    )
    memory = shared.memory
    assert shared.cache(other, 0.1, np.dtype(dtype)).arrays.columns.shape[1] == 60
    assert shared.memory is memory


def test_a_used_column_outlives_an_unused_one():
    slots = new_slots(4, 10)
    for i in range(4):
        take_slot(slots, i, -1)
    slots.used[:] = (1, 0, 1, 1)
    take_slot(slots, 5, -1)
    assert slots.slot_of[1] == -1
    assert all(slots.slot_of[i] >= 0 for i in (0, 2, 3, 5))
