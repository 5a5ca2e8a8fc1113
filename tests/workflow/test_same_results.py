"""The same runs table after an interruption, and on any number of cores."""

import os
import signal
import subprocess
import time

import pandas as pd
import pytest
from working_copy import HANGS_S, MEASURED

from fwsvm.analysis.records import read_runs
from fwsvm.experiments.job import read_json

pytestmark = pytest.mark.workflow

RUNS = "results/tiny/runs.tsv"


def assert_same_runs(copy, other):
    """Equal in every column that is not measured."""
    tables = [read_runs(folder / RUNS).drop(columns=list(MEASURED)) for folder in (copy, other)]
    assert len(tables[0]) == 6
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_killed_run_is_taken_up_again_on_another_number_of_cores(tiny_run, tmp_path):
    copy = tiny_run.copy_to(tmp_path / "killed")
    trained = sorted((copy / "results/tiny/runs").rglob("*.tsv"))
    for path in [copy / RUNS, *trained, *(copy / "results/tiny/logs/train").rglob("*.log")]:
        path.unlink()
    kill_in_mid_training(copy, trained)
    left = [path for path in trained if path.is_file()]
    assert 0 < len(left) < len(trained)
    for path in left:
        assert len(read_runs(path)) > 0
        assert read_json(path.with_suffix(".json"))["dataset"] == "three"

    locked = copy.snakemake("--cores", 2, RUNS)
    assert locked.code != 0
    assert "--unlock" in locked.text
    assert copy.snakemake("--unlock").code == 0
    done = copy.run(RUNS, cores=2)
    assert done.rules == {"train", "collect"}
    assert 0 < len([rule for rule, _ in done.jobs if rule == "train"]) < len(trained) + 1
    assert_same_runs(copy, tiny_run)


def kill_in_mid_training(copy, trained):
    """kill -9 for Snakemake and its jobs when one training job has finished and another one has begun."""
    command, settings = copy.command("--cores", 1, RUNS)
    snakemake = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **settings
    )
    try:
        while not is_in_mid_training(copy, trained):
            assert snakemake.poll() is None, snakemake.communicate()[0]
            time.sleep(0.01)
    finally:
        os.killpg(snakemake.pid, signal.SIGKILL)
        # The end of its output comes when the last job that holds the pipe is dead.
        snakemake.communicate(timeout=HANGS_S)


def is_in_mid_training(copy, trained):
    finished = sum(path.is_file() for path in trained)
    begun = len(list((copy / "results/tiny/logs/train").rglob("*.log")))
    return 0 < finished < begun
