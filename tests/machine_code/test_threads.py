"""Test threads: one shared limit for the threads of BLAS, the order of the tiles, the work that
remains when the time limit is reached, and threads that cannot start.
"""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from fwsvm import MatrixProblem, solve
from fwsvm.machine_code import threads
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


FORKS = """
import os, signal, threading
from threadpoolctl import threadpool_info
import fwsvm.solvers.solve
from fwsvm.machine_code.threads import one_blas_thread

def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

def check_fork(inside, outside, leave=lambda: None):
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # this ends the child if it waits for a lock
        code = 1
        try:
            assert blas_threads() == inside, blas_threads()
            with one_blas_thread():
                assert blas_threads() == {1}, blas_threads()
            assert blas_threads() == inside, blas_threads()
            leave()
            assert blas_threads() == outside, blas_threads()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0

free = blas_threads()
is_inside, may_leave = threading.Event(), threading.Event()

def fit():
    with one_blas_thread():
        is_inside.set()
        may_leave.wait(60)

other = threading.Thread(target=fit)
other.start()
is_inside.wait(60)
check_fork(free, free)
own = one_blas_thread()
own.__enter__()
check_fork({1}, free, lambda: own.__exit__(None, None, None))
may_leave.set()
other.join()
assert blas_threads() == {1}
own.__exit__(None, None, None)
assert blas_threads() == free

is_over = False

def fit_again_and_again():
    while not is_over:
        with one_blas_thread():
            pass

other = threading.Thread(target=fit_again_and_again)
other.start()
for _ in range(20):
    check_fork(free, free)
is_over = True
other.join()
assert blas_threads() == free
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks are safe only on Linux")
def test_a_fork_keeps_only_the_limit_of_its_own_thread():
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", FORKS], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("n_started", [1, 2])
def test_an_error_waits_for_the_helper_threads_if_another_cannot_start(monkeypatch, n_started):
    before, start, serve = set(threading.enumerate()), threading.Thread.start, threads.serve
    started, served = [], []

    def fail_later(thread):
        if len(started) == n_started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    def serve_late(address):
        time.sleep(0.2)
        serve(address)
        served.append(address)

    a = np.random.default_rng(0).normal(size=(4096, 8))
    problem = MatrixProblem(a @ a.T + np.eye(len(a)))
    monkeypatch.setattr(threads, "serve", serve_late)
    monkeypatch.setattr(threading.Thread, "start", fail_later)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        solve(problem, method="swap", threads=4, random_state=0)
    assert len(started) == n_started <= len(served)
    for thread in set(threading.enumerate()) - before:
        thread.join(20)
        assert not thread.is_alive()


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
