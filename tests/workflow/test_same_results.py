"""The same runs table after an interruption, and on any number of cores."""

import os
import signal
import subprocess
import time

import pandas as pd
import pytest
from working_copy import HANGS_S, MEASURED

from fwsvm.pipeline.cells import read_cell
from fwsvm.runs.records import read_runs

pytestmark = pytest.mark.workflow

RUNS = "results/tiny/runs.tsv"


def assert_same_runs(copy, other):
    """Equal in every column that is not measured."""
    tables = [read_runs(folder / RUNS).drop(columns=list(MEASURED)) for folder in (copy, other)]
    assert len(tables[0]) == 6
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_killed_run_is_taken_up_again_on_another_number_of_cores(tiny_run, tmp_path):
    copy = tiny_run.copy_to(tmp_path / "killed")
    cells = sorted((copy / "results/tiny/cells/benchmark").rglob("*.json"))
    batch = copy / "results/tiny/runs/benchmark/three.tsv"
    for path in [copy / RUNS, batch, *cells]:
        path.unlink()
    kill_in_mid_training(copy, cells)
    left = {path: path.read_bytes() for path in cells if path.is_file()}
    assert 0 < len(left) < len(cells)
    assert not batch.exists()
    for path in left:
        assert len(read_cell(path)["rows"]) > 0

    locked = copy.snakemake("--cores", 2, RUNS)
    assert locked.code != 0
    assert "--unlock" in locked.text
    assert copy.snakemake("--unlock").code == 0
    done = copy.run(RUNS, cores=2)
    assert done.rules == {"train", "collect"}
    assert {path: path.read_bytes() for path in left} == left
    assert_same_runs(copy, tiny_run)


def kill_in_mid_training(copy, cells):
    """kill -9 for Snakemake and its jobs when one of the jobs of a process has finished and others have not."""
    command, settings = copy.command("--cores", 1, RUNS)
    snakemake = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **settings
    )
    try:
        while not any(path.is_file() for path in cells):
            assert snakemake.poll() is None, snakemake.communicate()[0]
            time.sleep(0.001)
    finally:
        os.killpg(snakemake.pid, signal.SIGKILL)
        # The end of its output comes when the last job that holds the pipe is dead.
        snakemake.communicate(timeout=HANGS_S)
