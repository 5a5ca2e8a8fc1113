"""Bounded column caches: whatever is evicted or grown, a cached column is the right one."""

import numpy as np
import pytest

from fwsvm.column_cache import ColumnCache, CoresetColumns, Slots
from fwsvm.dual import MatrixProblem


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
            cache.columns[cache.slots.claim(i), :size] = Q[i, :size]
        owners = cache.slots.owner[: cache.slots.filled]
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
        kept = cache.slots.slot_of[keep]
        np.testing.assert_array_equal(cache.load(i, keep), Q[i])
        if kept >= 0:
            np.testing.assert_array_equal(cache.load(keep), Q[keep])
    assert cache.columns.nbytes <= max(1e6 * cache_mb, 3 * 8 * n)


def test_a_small_problem_is_filled_at_once_when_it_asks_for_a_part():
    Q = symmetric(64, 3)
    cache = ColumnCache(MatrixProblem(Q), 1.0, np.float64)
    for i in range(5):
        cache.load(i)
    assert cache.slots.filled == 5
    cache.load(40)
    assert cache.slots.filled == 64
    np.testing.assert_array_equal(cache.columns, Q)


def test_the_kept_column_is_never_evicted():
    slots = Slots(3, 10)
    for i in (0, 1, 2):
        slots.claim(i)
    for i in (3, 4, 5, 6, 7):
        slots.claim(i, keep=1)
        assert slots.slot_of[1] >= 0
        assert slots.owner[slots.slot_of[i]] == i


def test_a_used_column_outlives_an_unused_one():
    slots = Slots(4, 10)
    for i in range(4):
        slots.claim(i)
    slots.used[:] = (1, 0, 1, 1)
    slots.claim(5)
    assert slots.slot_of[1] == -1
    assert all(slots.slot_of[i] >= 0 for i in (0, 2, 3, 5))
