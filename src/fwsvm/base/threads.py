"""Threads: matrix products on one of them, and fixed tiles of work shared by several."""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from threadpoolctl import ThreadpoolController


def one_blas_thread():
    """Context in which matrix products use one thread: tiles are small, and threads that wait for each other cost."""
    return _threadpools().limit(limits=1)


@cache
def _threadpools():
    """The loaded thread pools; looking them up takes milliseconds, which thousands of small problems would feel."""
    return ThreadpoolController()


class Workers:
    """Threads that share tiles of work; what a tile computes does not depend on how many there are.

    Parameters
    ----------
    n_threads : int

    Attributes
    ----------
    cpu_s : float
        CPU seconds used in other threads than the caller's.
    """

    def __init__(self, n_threads=1):
        self.n_threads, self.cpu_s = n_threads, 0.0
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def each(self, work, tiles):
        """Call `work(tile)` for every tile; it writes to places of its own and releases the interpreter's lock."""
        if self._pool is None or len(tiles) < 2:
            for tile in tiles:
                work(tile)
            return

        def timed(tile):
            begin = time.thread_time()
            work(tile)
            return time.thread_time() - begin

        self.cpu_s += sum(self._pool.map(timed, tiles))
