"""Whether timed jobs may run side by side: measured once per machine and number of cores, and kept with the results."""

import os
from pathlib import Path

from fwsvm.base.result_files import read_whole_json
from fwsvm.pipeline.job import write_json
from fwsvm.runs import measure

_ATTEMPTS = 3


def are_separate(record: str | os.PathLike, cores: int, may_measure: bool) -> bool:
    """Tell whether jobs on so many cores at once take no longer than one alone.

    Parameters
    ----------
    record : path-like
        JSON file of an earlier measurement; written where there is none for this processor and number of cores.
    cores : int
    may_measure : bool
        Without an earlier measurement the answer is False where none is to be made.

    Returns
    -------
    bool
        `slowdown` of the record is at most `measure.SEPARATE_RATIO`.
    """
    here = {"cpu": measure.machine()["cpu"], "cores": cores}
    found = read_whole_json(record) if Path(record).is_file() else {}
    if not here.items() <= found.items():
        if not may_measure:
            return False
        found = here | {"slowdown": _least_slowdown(cores)}
        write_json(found, record)
    return found["slowdown"] <= measure.SEPARATE_RATIO


def _least_slowdown(cores):
    """The least of a few measurements: while nothing of ours is running, other programs mostly raise it."""
    least = float("inf")
    for _ in range(_ATTEMPTS):
        least = min(least, measure.slowdown_side_by_side(cores))
        if least <= measure.SEPARATE_RATIO:
            break
    return least
