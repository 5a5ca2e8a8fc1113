"""Run the smoke configuration through Slurm, with a node that fails during the run.

The table of runs must be equal to that of a run on this machine without Slurm.
"""

import subprocess
import time

import pandas as pd
import pytest
from working_copy import HANGS_S, LISTING_JOBS, MEASURED

from fwsvm_papers.runs.records import read_runs

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

RUNS = "results/smoke/runs.tsv"
EXCLUSIVE = ("--config", "timing=exclusive")
# The cluster has no accounting, so squeue gives the states of the jobs. The usual waiting times,
# which are for a real cluster, would take most of the test's time.
FOR_THIS_NODE = (
    "--slurm-no-account",
    "--slurm-status-command",
    "squeue",
    "--slurm-init-seconds-before-status-checks",
    "2",
    "--latency-wait",
    "5",
)


def test_smoke_run_survives_a_failed_node(copy, slurm_node, tmp_path):
    with start_on_cluster(copy, slurm_node, tmp_path / "snakemake.log") as snakemake:
        try:
            wait_for_a_finished_training_job(copy, snakemake)
            slurm_node.kill_node()
            slurm_node.start_node()
            code = snakemake.wait(timeout=HANGS_S)
        finally:
            snakemake.kill()
    assert code == 0, (tmp_path / "snakemake.log").read_text()
    assert slurm_node.failures() > 0
    on_cluster = runs_of(copy)
    assert set(on_cluster["timing"]) == {"exclusive"}

    (copy / "results").rename(copy / "results-of-the-cluster")
    done = copy.snakemake("--cores", 2, *EXCLUSIVE, "--", RUNS, env=copy.own_sources)
    assert done.code == 0, done.text
    pd.testing.assert_frame_equal(on_cluster, runs_of(copy), check_exact=True)


def start_on_cluster(copy, node, log):
    """Start Snakemake such that it sends its jobs to the node."""
    command, settings = copy.command(*EXCLUSIVE, "--", RUNS)
    profile = ["--workflow-profile", "profiles/slurm", *FOR_THIS_NODE]
    command = [*command[:3], *profile, *(word for word in command[3:] if word not in LISTING_JOBS)]
    settings["env"] |= node.environment | copy.own_sources
    return subprocess.Popen(command, stdout=log.open("w"), stderr=subprocess.STDOUT, **settings)


def wait_for_a_finished_training_job(copy, snakemake):
    """Wait until at least one training job is done."""
    until = time.monotonic() + HANGS_S
    while not list((copy / "results/smoke/cells").rglob("*.json")):
        assert snakemake.poll() is None, "Snakemake has ended before anything was trained"
        assert time.monotonic() < until
        time.sleep(0.2)


def runs_of(copy):
    """Return the table of runs without the columns of measurements."""
    return read_runs(copy / RUNS).drop(columns=list(MEASURED))
