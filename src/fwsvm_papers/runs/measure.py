"""A monitor that measures the memory of a run, and the speed of the computer before and after the
run. Functions that compute seeds, and that describe the computer and the checkout.
"""

import contextlib
import functools
import hashlib
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fwsvm_papers.result_files import versions

# A run is disturbed if one of two ratios exceeds this number: wall_s / cpu_s, or the time of the
# calibration loop (`calibrate`) divided by the shortest time of this loop.
DISTURBED_RATIO = 1.25
SLACK_S = 0.05  # a wait of at most this number of seconds does not mean that a run is disturbed
# if a calibration loop ended less than this number of seconds ago, its time is used again
RECENT_S = 0.25
WARM_UP_S = 0.5
"""Time limit (CPU seconds) of a warm-up run, which loads compiled code before runs are timed. A
limit of steps would not do, since `auto` uses some code only if many steps are allowed.
"""
_STATUS = Path("/proc/self/status")
_PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "pandas",
    "snakemake",
    "matplotlib",
    "fwsvm",
)
# names of vector instruction sets, in the spelling of Linux
_VECTORS = ("avx", "avx2", "fma", "avx512f", "asimd", "sve")


class RunMonitor:
    """A monitor that measures the speed of the computer before and after each timed run of this
    process, and the memory of the run.
    """

    def __init__(self) -> None:
        self._ended, self._best_s = -np.inf, np.inf
        self._speed()

    def timed(self, train: Callable, *arguments: object, **options: object) -> tuple:
        """Call `train` with these arguments, and measure the speed of the computer and the memory.

        Return the result of `train` and a function. The arguments of this function are the times of
        the run, cpu_s and wall_s. It returns a dict with columns of the table of runs.
        """
        before_s = self._speed()
        reset_peak_memory()
        result = train(*arguments, **options)
        peak_mb, after_s = peak_memory_mb(), self._speed()
        columns = {"peak_rss_mb": peak_mb, "calibration_s": max(before_s, after_s)}
        of_loop = before_s, after_s, self._best_s
        return (
            result,
            lambda cpu_s, wall_s: columns | {"disturbed": is_disturbed(cpu_s, wall_s, *of_loop)},
        )

    def _speed(self) -> float:
        """Return the time of the calibration loop (`calibrate`).

        If the loop ended less than RECENT_S seconds ago, do not run it again, and return the last
        time.
        """
        if time.monotonic() - self._ended >= RECENT_S:
            self._latest_s, self._ended = calibrate(), time.monotonic()
            self._best_s = min(self._best_s, self._latest_s)
        return self._latest_s


def calibrate() -> float:
    """Return the median CPU time (s) of several rounds of a fixed computation, as a measure of the
    computer's present speed.
    """
    values = np.linspace(-1.0, 0.0, 200_000)
    results = np.empty_like(values)
    times = []
    # with only three rounds, the median would vary by 40 % even on an idle computer
    for _ in range(12):
        start = time.thread_time()
        np.exp(values, out=results).sum()
        times.append(time.thread_time() - start)
    return float(np.median(times))


def is_disturbed(
    cpu_s: float, wall_s: float, before_s: float, after_s: float, best_s: float
) -> bool:
    """Test whether other work on the computer made the times of a run unreliable.

    `before_s` and `after_s` are the times of the calibration loop before and after the run, and
    `best_s` is the shortest time of this loop so far.
    """
    waited = wall_s > DISTURBED_RATIO * cpu_s + SLACK_S
    return bool(waited or max(before_s, after_s) > DISTURBED_RATIO * best_s)


def reset_peak_memory() -> None:
    """Reset the peak memory that the operating system records for this process.

    Only Linux supports this. On other systems, `peak_memory_mb` is the peak since the start of the
    process.
    """
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_mb() -> float:
    """Return the peak resident memory since the last reset, in MB (1e6 bytes)."""
    if found := re.search(r"VmHWM:\s*(\d+)", _STATUS.read_text() if _STATUS.exists() else ""):
        return int(found[1]) * 1024 / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def derive_seed(*parts: object) -> int:
    """Return a seed below 2^31, computed from the parts that identify a run.

    The seed of a run does not depend on other runs, so a new run in an experiment does not change
    the seeds of the existing runs.
    """
    text = "|".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big") >> 1


@functools.cache
def machine() -> dict:
    """Return a dict that describes this computer and its software for provenance.json.

    The dict is cached, so the caller must not change it.
    """
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    names = re.findall(r"^model name\s*:\s*(.*)", text, re.MULTILINE)
    cpu = names[0].strip() if names else platform.processor() or platform.machine()
    flags = re.findall(r"^(?:flags|Features)\s*:\s*(.*)", text, re.MULTILINE)
    return {
        "cpu": cpu,
        "vector_extensions": [name for name in _VECTORS if flags and name in flags[0].split()],
        "cores": os.cpu_count(),
        "system": platform.system(),
        "versions": versions(*_PACKAGES),
    }


def git_commit(folder: str | Path = ".") -> str | None:
    """Return the name that `git describe` gives to the commit of the checkout in `folder`. Without
    annotated tags, the name is the hash of the commit. Return None if there is no checkout, or if
    git cannot be run.

    `folder` must be the top of the checkout. A folder inside another repository is no checkout.
    If files of the checkout differ from the commit, "-dirty" is added to the name.
    """

    def printed(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.check_output(
            command, stderr=subprocess.DEVNULL, text=True, timeout=300
        ).strip()

    try:
        if printed("rev-parse", "--show-prefix"):
            return None
        return printed("describe", "--always", "--dirty", "--abbrev=40")
    except (OSError, subprocess.SubprocessError):
        return None
