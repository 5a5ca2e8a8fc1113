"""Matrix products on one thread: tiles are small here, and threads that wait for each other cost more than they add."""

from functools import cache

from threadpoolctl import ThreadpoolController


def one_blas_thread():
    """Context in which matrix products use one thread."""
    return _threadpools().limit(limits=1)


@cache
def _threadpools():
    """The loaded thread pools; looking them up takes milliseconds, which thousands of small problems would feel."""
    return ThreadpoolController()
