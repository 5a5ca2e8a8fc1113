"""Read the results of finished jobs.

The result of a job is stored in a cell: a JSON file with rows of the table of runs, details and a
record. All jobs of an experiment on a data set form a batch. The file of a batch maps the names of
its jobs to the keys of their cells.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from fwsvm_papers.result_files import damaged_result, read_whole_json, without_checksum
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import collect


def finished_jobs(batches: Iterable[str | Path]) -> list[tuple[Job, dict]]:
    """Return the jobs of batches with their cells.

    If a cell is missing, or is not the one that the batch lists, an error is raised that names the
    batch.
    """
    found = []
    for batch in map(Path, batches):
        results = batch.parents[2]
        for name, key in read_whole_json(batch)["cells"].items():
            job = Job(*name.split("/"))
            path = Path(job.cell(results))
            try:
                cell = read_cell(path)
            except (OSError, ValueError) as error:
                raise damaged_result(batch, f"the result of a job ({path}): {error}") from error
            if cell["key"] != key:
                raise damaged_result(batch, f"the result of a job ({path}) is from another run")
            found.append((job, cell))
    return found


def runs_of(done: Iterable[tuple[Job, dict]]) -> pd.DataFrame:
    """Return the table of runs of finished jobs."""
    return collect([pd.DataFrame([row for _, cell in done for row in cell["rows"]])])


def read_cell(path: Path) -> dict:
    """Read a cell.

    An OSError means that the cell is missing, and a ValueError means that it is damaged.
    """
    try:
        cell = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"it is not valid JSON: {error}") from error
    if not isinstance(cell, dict):
        raise ValueError("it is not a JSON object")
    return without_checksum(cell)
