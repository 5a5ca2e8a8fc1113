"""The limit of matrix products to one thread, and threads that share pieces of work (tiles)."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import threadpoolctl

from fwsvm.machine_code.team import TeamCall, new_boxes, post, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# `users` lists, for each active context of `one_blas_thread`, the identifier of its thread.
_LIMIT = SimpleNamespace(lock=threading.Lock(), users=[], limiter=None)


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit matrix products to one thread in this context.

    If contexts overlap, the context that ends last removes the limit.
    """
    thread = threading.get_ident()
    with _LIMIT.lock:
        if not _LIMIT.users:
            _LIMIT.limiter = _threadpools().limit(limits=1)
        _LIMIT.users.append(thread)
    try:
        yield
    finally:
        with _LIMIT.lock:
            _LIMIT.users.remove(thread)
            if not _LIMIT.users:
                _remove_limit()


def _remove_limit() -> None:
    _let_this_thread_control()
    _LIMIT.limiter.restore_original_limits()
    _let_this_thread_control()


def _let_this_thread_control() -> None:
    """Allow this thread to change the limit.

    In threadpoolctl 3.7, only the thread that set a limit can change it.
    """
    clear = getattr(
        getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None
    )
    if clear is not None:
        clear(force=True)


def _end_contexts_of_other_threads() -> None:
    """Remove the limit in a forked process, unless the limit is that of the thread that forked.

    The other threads do not exist in the forked process, so their contexts never end there.
    """
    _LIMIT.lock = threading.Lock()
    others = [thread for thread in _LIMIT.users if thread != threading.get_ident()]
    for thread in others:
        _LIMIT.users.remove(thread)
    if others and not _LIMIT.users:
        _remove_limit()


# A fork waits for the lock, so that no other thread changes the limit during the fork.
os.register_at_fork(
    before=lambda: _LIMIT.lock.acquire(),
    after_in_parent=lambda: _LIMIT.lock.release(),
    after_in_child=_end_contexts_of_other_threads,
)


# The controller is cached, because it needs milliseconds to find the libraries.
_threadpools = cache(threadpoolctl.ThreadpoolController)


def tiles(n: int, size: int) -> list[slice]:
    """List slices of length `size` that cover range(n). The last slice can be shorter."""
    return [slice(begin, min(begin + size, n)) for begin in range(0, n, size)]


class OutOfTime(Exception):
    """Work was left unfinished because its time ran out."""


# Each thread that shares a compiled loop gets at least _LEAST_PART points. Parts begin at multiples
# of _PART_UNIT points. `Workers` uses at most _MOST_THREADS threads.
_LEAST_PART, _PART_UNIT, _MOST_THREADS = 1024, 256, 1024


class Workers:
    """Threads that share tiles (slices) of work.

    `cpu_s` is the CPU seconds that these threads have used. The caller's thread does not count. (If
    `n_threads` is 1, it does all work, and `cpu_s` stays 0.) `out_of_time` is called with `cpu_s`.
    If it returns True, the methods that distribute tiles raise `OutOfTime`.
    """

    def __init__(
        self, n_threads: int = 1, out_of_time: Callable[[float], bool] = lambda cpu_s: False
    ) -> None:
        n_threads = min(n_threads, _MOST_THREADS)
        self.n_threads = n_threads
        self.cpu_s = 0.0
        self._out_of_time = out_of_time
        self._has_time = False
        self._pool: Any = ThreadPoolExecutor(n_threads) if n_threads > 1 else None
        self._boxes = new_boxes(n_threads)

    def parts(self, record: np.ndarray) -> np.ndarray | None:
        """Return an array (n_parts,) with a copy of the structured array `record` (1,) for each
        part of the points, or None if there is only one thread or there are too few points for
        several. There are at most as many parts as threads.

        The fields `begin` and `end` of a copy give its part of the points.
        """
        size = int(record["size"][0])
        n_parts = min(self.n_threads, size // _LEAST_PART)
        if n_parts < 2:
            return None
        parts = np.repeat(record, n_parts)
        parts["begin"] = size * np.arange(n_parts) // n_parts // _PART_UNIT * _PART_UNIT
        parts["end"][:-1], parts["end"][-1] = parts["begin"][1:], size
        return parts

    def team_call(self, function: int, parts: np.ndarray) -> TeamCall:
        """Return the `TeamCall` that calls a function for each record of the structured array
        `parts` (n_parts,). `function` is the address of the function.
        """
        return TeamCall(function, parts, self._boxes)

    @contextlib.contextmanager
    def serving(self, calls: Sequence[TeamCall]) -> Iterator[None]:
        """Keep helper threads ready while compiled code runs in this context.

        The caller's thread processes the first part of each of the `calls`, and one helper thread
        is ready for each other part. If a helper has not begun its part, the caller's thread
        processes this part too.
        """
        boxes = self._boxes[1 : len(calls[0].parts)] if calls else ()
        futures: list[Any] = []
        try:
            for box in boxes:
                futures.append(self._pool.submit(_timed, _serve, box))
            yield
        finally:
            for box in boxes:
                post(box.ctypes.data, 0, 0, 0, 0)
            self.cpu_s += sum(future.result()[1] for future in futures)

    def each(self, work: Callable[[slice], None], tiles: Sequence[slice]) -> None:
        """Call `work(tile)` for every tile.

        `work` must release the GIL. Two calls must not write to the same memory.
        """
        for _ in self._results(work, tiles):
            pass

    def sum(self, share: Callable[[slice], np.ndarray], tiles: Sequence[slice]) -> np.ndarray:
        """Return the float64 sum of the arrays `share(tile)` over all tiles, added in the order of
        the tiles. All these arrays have the same shape.
        """
        results = self._results(share, tiles)
        total: np.ndarray = next(results).astype(np.float64)
        for one in results:
            total += one
        return total

    def _results(self, work: Callable[[slice], Any], tiles: Sequence[slice]) -> Iterator[Any]:
        if self._pool is None or len(tiles) < 2:
            for tile in tiles:
                self._check_time()
                yield work(tile)
            return

        results = self._pool.map(lambda tile: _timed(work, tile), tiles)
        try:
            for result, cpu_s in results:
                self.cpu_s += cpu_s
                self._check_time()
                yield result
        finally:
            results.close()  # this cancels the work that has not started

    @contextlib.contextmanager
    def without_clock(self) -> Iterator[None]:
        """Suspend the time limit in this context."""
        self._has_time = True
        try:
            yield
        finally:
            self._has_time = False

    def _check_time(self) -> None:
        if not self._has_time and self._out_of_time(self.cpu_s):
            raise OutOfTime


def _serve(box: np.ndarray) -> None:
    # The argument is the array, so that its memory is not freed while the thread reads it.
    serve(box.ctypes.data)


def _timed(work: Callable[[Any], Any], argument: Any) -> tuple[Any, float]:
    begin = time.thread_time()
    return work(argument), time.thread_time() - begin
