"""Test interrupted runs. They continue where they stopped, and give the same table.

If a result is damaged, there is one error, which names the result.
"""

import os
import signal
import subprocess
import time

import pandas as pd
import pytest
from working_copy import HANGS_S, MEASURED

from fwsvm_papers.runs.records import read_runs

pytestmark = pytest.mark.workflow

RUNS = "results/tiny/runs.tsv"
BATCH = "results/tiny/runs/benchmark/three.json"


def assert_same_runs(copy, other):
    """Check that two tables of runs are equal in every column without measurements."""
    tables = [read_runs(folder / RUNS).drop(columns=list(MEASURED)) for folder in (copy, other)]
    assert len(tables[0]) == 6
    pd.testing.assert_frame_equal(*tables, check_exact=True)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_stopped_run_is_taken_up_again_on_another_number_of_cores(tiny_run, tmp_path, sent):
    copy = tiny_run.copy_to(tmp_path / "stopped")
    left = cells = sorted((copy / "results/tiny/cells/benchmark").rglob("*.json"))
    while len(left) == len(cells):  # try again if the jobs were faster than the signal
        copy.snakemake("--unlock")
        for path in [copy / RUNS, copy / BATCH, *cells]:
            path.unlink(missing_ok=True)
        printed = stop_in_the_middle(copy, RUNS, cells, sent)
        left = {path: path.read_bytes() for path in cells if path.is_file()}
    assert left and not (copy / BATCH).exists()
    if sent == signal.SIGKILL:
        locked = copy.snakemake("--cores", 2, RUNS)
        assert locked.code != 0 and "--unlock" in locked.text
        assert copy.snakemake("--unlock").code == 0
    else:
        assert "Traceback" not in printed
    assert copy.run(RUNS, cores=2).rules == {"train", "collect"}
    assert {path: path.read_bytes() for path in left} == left
    assert_same_runs(copy, tiny_run)


def stop_in_the_middle(copy, target, files, sent):
    """Send a signal to Snakemake and its jobs as soon as one of the files exists. Return the
    output.
    """
    command, settings = copy.command("--cores", 1, "--", target)
    snakemake = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **settings,
        # If the tests run as a background job, they ignore SIGINT. Snakemake would inherit this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while not any(path.is_file() for path in files):
            assert snakemake.poll() is None, snakemake.communicate()[0]
            time.sleep(0.001)
    finally:
        os.killpg(snakemake.pid, sent)
    # The output ends when the last job that holds the pipe is dead.
    return snakemake.communicate(timeout=HANGS_S)[0]


@pytest.fixture(scope="module")
def drawn_run(tiny_run, tmp_path_factory):
    """Return a working copy after a run of the tiny configuration, and the contents of its tables
    and figures.

    The run ends after the figures that belong to no paper. Tests must not change the copy.
    """
    copy = tiny_run.copy_to(tmp_path_factory.mktemp("drawn") / "drawn")
    text = (copy / "tiny.yaml").read_text()
    copy.configure("tiny.yaml", f"{text}figure_formats: [svg]\n")
    copy.run("--", "beyond")
    return copy, {path.name: path.read_bytes() for path in drawn_files(copy)}


def drawn_files(copy):
    return [*(copy / "figures/tiny").glob("*"), *(copy / "results/tiny/tables").glob("*")]


@pytest.mark.parametrize("ending", ["json", "svg", "csv", "md"])
def test_a_file_of_a_figure_that_is_missing_is_made_again(drawn_run, tmp_path, ending):
    copy = drawn_run[0].copy_to(tmp_path / "missing")
    assert copy.plan("--", "beyond").jobs == []
    (copy / f"figures/tiny/beyond-majority.{ending}").unlink()
    assert copy.plan("--", "beyond").rules == {"beyond"}
    if ending == "svg":
        copy.run("--", "beyond")
        assert {path.name: path.read_bytes() for path in drawn_files(copy)} == drawn_run[1]
        assert copy.plan("--", "beyond").jobs == []


def test_figures_are_whole_after_an_interruption(drawn_run, tmp_path):
    copy, files = drawn_run[0].copy_to(tmp_path / "stopped"), drawn_run[1]
    left = paths = drawn_files(copy)
    while len(left) == len(paths):  # try again if the job was faster than the signal
        copy.snakemake("--unlock")
        for path in paths:
            path.unlink(missing_ok=True)
        stop_in_the_middle(copy, "beyond", paths, signal.SIGKILL)
        left = [path for path in paths if path.is_file()]
    assert left
    copy.snakemake("--unlock")
    assert copy.run("--", "beyond").rules == {"beyond"}
    assert {path.name: path.read_bytes() for path in drawn_files(copy)} == files


def test_files_that_a_killed_process_left_are_removed(drawn_run, tmp_path):
    copy = drawn_run[0].copy_to(tmp_path / "left")
    left = [
        copy / folder / ".beyond-majority.svg.0123456789ab.part"
        for folder in ("figures/tiny", "results/tiny/tables", "results/tiny/cells/benchmark")
    ]
    other = copy / "results/other/.runs.tsv.0123456789ab.part"
    other.parent.mkdir()
    for path in (*left, other):
        path.write_text("<svg")
    (copy / "figures/tiny/beyond-majority.svg").unlink()
    assert copy.plan("--", "beyond").rules == {"beyond"} and all(map(os.path.exists, left))
    copy.run("--", "beyond")
    # another profile can be running, so its file is kept
    assert not any(map(os.path.exists, left)) and other.is_file()


def test_figures_of_a_removed_protocol_and_parameters_of_a_removed_data_set_are_removed(tiny):
    old = [
        tiny / "figures/tiny/nanculef2014-fig3--as_printed.svg",
        tiny / "results/tiny/params/other.json",
    ]
    kept = [tiny / "figures/tiny/nanculef2014-fig3.svg", tiny / "results/tiny/params/three.json"]
    for path in (*old, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<svg")
    target = "data/prepared/full/three/meta.json"
    tiny.plan(target)
    assert all(path.is_file() for path in (*old, *kept))
    tiny.run(target)
    assert [path.is_file() for path in (*old, *kept)] == [False, False, True, True]


def test_a_damaged_result_is_one_error_with_the_command_that_makes_it_again(tiny_run, tmp_path):
    copy = tiny_run.copy_to(tmp_path / "damaged")
    cell = copy / "results/tiny/cells/benchmark/three/all_points-swap.json"
    for damaged in (copy / BATCH, cell):
        damaged.write_bytes(damaged.read_bytes()[:-5])
        (copy / RUNS).unlink()
        done = copy.snakemake("--cores", 2, RUNS)
        assert done.code != 0
        assert done.text.count(f"error: {BATCH}: the file is damaged") == 1
        assert f"snakemake --cores all {BATCH}" in done.text and "Traceback" not in done.text
        (copy / BATCH).unlink()
        copy.run(RUNS)
        assert_same_runs(copy, tiny_run)


def test_the_recipe_of_the_docs_repeats_one_training_job(tiny_run, tmp_path):
    """The recipe removes three files: that of the job, that of its batch, and the table of all
    runs.
    """
    copy = tiny_run.copy_to(tmp_path / "repeated")
    cell, other = (
        copy / f"results/tiny/cells/benchmark/three/all_points-{name}.json"
        for name in ("swap", "cvm")
    )
    kept = other.read_bytes()
    for path in (cell, copy / BATCH, copy / RUNS):
        path.unlink()
    assert {"train", "collect"} <= copy.plan().rules
    copy.run(RUNS)
    assert cell.is_file() and other.read_bytes() == kept
    assert_same_runs(copy, tiny_run)
