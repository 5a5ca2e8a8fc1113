"""Interrupted runs go on where they were, with the same table; a damaged result is one error that names it."""

import os
import signal
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from working_copy import HANGS_S, MEASURED

from fwsvm.runs.records import read_runs

pytestmark = pytest.mark.workflow

RUNS = "results/tiny/runs.tsv"
BATCH = "results/tiny/runs/benchmark/three.tsv"


def assert_same_runs(copy, other):
    """Equal in every column that is not measured."""
    tables = [read_runs(folder / RUNS).drop(columns=list(MEASURED)) for folder in (copy, other)]
    assert len(tables[0]) == 6
    pd.testing.assert_frame_equal(*tables, check_exact=True)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_interrupted_run_is_taken_up_again_on_another_number_of_cores(tiny_run, tmp_path, number):
    copy = tiny_run.copy_to(tmp_path / "interrupted")
    cells = sorted((copy / "results/tiny/cells/benchmark").rglob("*.json"))
    left = cells
    while len(left) == len(cells):  # again, where the jobs were quicker than the signal
        copy.snakemake("--unlock")
        for path in [copy / RUNS, copy / BATCH, *cells]:
            path.unlink(missing_ok=True)
        printed = interrupt_in_mid_training(copy, cells, number)
        left = {path: path.read_bytes() for path in cells if path.is_file()}
    assert left
    assert not (copy / BATCH).exists()
    if number == signal.SIGKILL:
        locked = copy.snakemake("--cores", 2, RUNS)
        assert locked.code != 0 and "--unlock" in locked.text
        assert copy.snakemake("--unlock").code == 0
    else:
        assert "Traceback" not in printed
    done = copy.run(RUNS, cores=2)
    assert done.rules == {"train", "collect"}
    assert {path: path.read_bytes() for path in left} == left
    assert_same_runs(copy, tiny_run)


def interrupt_in_mid_training(copy, cells, number):
    """Send Snakemake and its jobs a signal when one job of a process has finished and others have not."""
    command, settings = copy.command("--cores", 1, RUNS)
    snakemake = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **settings
    )
    try:
        while not any(path.is_file() for path in cells):
            assert snakemake.poll() is None, snakemake.communicate()[0]
            time.sleep(0.001)
    finally:
        os.killpg(snakemake.pid, number)
    # The end of its output comes when the last job that holds the pipe is dead.
    return snakemake.communicate(timeout=HANGS_S)[0]


def cut(path):
    path.write_bytes(path.read_bytes()[:-5])


def empty(path):
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("path", "damage", "lost"),
    [("results/tiny/params/three.json", empty, BATCH), (BATCH, cut, RUNS), ("results/tiny/runs.tsv", cut, "summary")],
)
def test_a_damaged_result_is_one_error_with_the_command_that_makes_it_again(tiny_run, tmp_path, path, damage, lost):
    copy = tiny_run.copy_to(tmp_path / "damaged")
    damage(copy / path)
    (copy / lost).unlink(missing_ok=True)
    done = copy.snakemake("--cores", 2, lost)
    assert done.code != 0
    assert done.text.count(f"error: {path}: the file is damaged") == 1
    assert f"snakemake --cores all {path}" in done.text and "Traceback" not in done.text
    (copy / path).unlink()
    copy.run(path)
    if lost != "summary":
        copy.run(RUNS)
    assert_same_runs(copy, tiny_run)


def test_damaged_data_and_a_damaged_cell_are_made_again(tiny_run, tmp_path):
    copy, array = tiny_run.copy_to(tmp_path / "tiny"), "data/prepared/full/three/X_train.npy"
    cell, other = (copy / f"results/tiny/cells/benchmark/three/all_points-{name}.json" for name in ("swap", "cvm"))
    whole, kept = (copy / array).read_bytes(), other.read_bytes()
    (copy / array).write_bytes(whole[:-8] + np.float64(1e9).tobytes())
    cut(cell)
    (copy / BATCH).unlink()
    done = copy.run(RUNS)
    assert "three is prepared again" in done.text and f"{cell.name} is damaged" in done.text
    assert (copy / array).read_bytes() == whole and other.read_bytes() == kept
    assert copy.plan(RUNS).jobs == []
    assert_same_runs(copy, tiny_run)
