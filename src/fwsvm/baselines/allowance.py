"""Time and memory that a baseline may use."""

import time

import numpy as np


class AllowanceExceededError(Exception):
    """Training had to end; `reason` is a stop reason, the message says what would have been needed.

    `cpu_s` are the CPU seconds spent where that was not in this thread.
    """

    def __init__(self, reason, message, cpu_s=None):
        super().__init__(message)
        self.reason, self.cpu_s = reason, cpu_s


class Allowance:
    """Limits of one training run, and what it has used of them.

    Parameters
    ----------
    time_limit : float
        CPU seconds of this thread.
    memory_limit_mb : float
        MB (1e6 bytes) of the baseline's own arrays; they are asked for before they are allocated.
    """

    def __init__(self, time_limit=np.inf, memory_limit_mb=np.inf):
        self.time_limit, self.memory_limit_mb = time_limit, memory_limit_mb
        self.cpu_start, self.wall_start = time.thread_time(), time.perf_counter()
        self.reserved_mb = self.peak_mb = 0.0

    @property
    def cpu_s(self):
        """CPU seconds of this thread so far."""
        return time.thread_time() - self.cpu_start

    @property
    def wall_s(self):
        """Seconds so far."""
        return time.perf_counter() - self.wall_start

    @property
    def seconds_left(self):
        """CPU seconds left, never quite none."""
        return max(self.time_limit - self.cpu_s, 1e-3)

    @property
    def is_over(self):
        """Whether the time is used up."""
        return self.cpu_s >= self.time_limit

    def check_time(self):
        """End training by an `AllowanceExceededError` if its time is used up."""
        if self.is_over:
            raise AllowanceExceededError("time_limit", f"not finished after {self.time_limit:g} CPU seconds")

    def reserve(self, megabytes, what):
        """Ask for memory before it is allocated; an `AllowanceExceededError` says that it is too much."""
        if self.reserved_mb + megabytes > self.memory_limit_mb:
            raise AllowanceExceededError(
                "memory_limit",
                f"{what} would need {megabytes:.0f} MB beside {self.reserved_mb:.0f} MB in use; "
                f"{self.memory_limit_mb:g} MB are allowed",
            )
        self.reserved_mb += megabytes
        self.peak_mb = max(self.peak_mb, self.reserved_mb)

    def release(self, megabytes):
        """Give back memory that was reserved."""
        self.reserved_mb -= megabytes
