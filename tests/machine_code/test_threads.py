"""Test threads: one shared limit for the threads of BLAS, the order of the tiles, and the work that
remains when the time limit is reached.
"""

import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from fwsvm.machine_code.threads import OutOfTime, Workers, one_blas_thread, tiles


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_the_limit_ends_with_the_last_of_several_threads():
    before = blas_threads()
    inside, may_leave = threading.Event(), threading.Event()

    def fit():
        with one_blas_thread():
            inside.set()
            may_leave.wait(60)

    other = threading.Thread(target=fit)
    with one_blas_thread():
        other.start()
        assert inside.wait(60)
    assert blas_threads() == {1}
    may_leave.set()
    other.join()
    assert blas_threads() == before


@pytest.mark.parametrize("n_threads", [1, 3])
def test_sums_add_up_in_the_order_of_the_tiles(n_threads):
    values = np.random.default_rng(0).normal(size=1000).astype(np.float32) * 1e8
    expected = np.zeros(1)
    for tile in tiles(1000, 7):
        expected += values[tile].sum(keepdims=True)
    found = Workers(n_threads).sum(lambda tile: values[tile].sum(keepdims=True), tiles(1000, 7))
    assert found.dtype == np.float64 and found == expected


@pytest.mark.parametrize("n_threads", [1, 3])
def test_work_is_left_when_time_is_up(n_threads):
    done, asked = [], []

    def out_of_time(cpu_s):
        asked.append(cpu_s)
        return len(asked) > 4

    def work(tile):
        time.sleep(0.002)
        done.append(tile)

    with pytest.raises(OutOfTime):
        Workers(n_threads, out_of_time).each(work, range(1000))
    assert len(done) < 1000 and len(asked) == 5
