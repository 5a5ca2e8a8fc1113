"""Imagined machines: schedules that can be worked out by hand, and bounds that hold for any."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwsvm.cli import main
from fwsvm.pipeline.budget import COLUMNS
from fwsvm.pipeline.schedule import Process, processes, schedule


def job(name, seconds, priority=0, after=None, timed=False):
    return Process((name,), priority, seconds, after and (after,), timed)


def test_shared_machine_takes_the_longest_first():
    jobs = [job("a", 3, 1), job("b", 2), job("c", 2), job("d", 4, 2)]
    assert schedule(jobs, 2, False).seconds == 6  # d with a, b behind a, c behind d
    assert schedule(jobs, 4, False).seconds == 4
    assert schedule(jobs, 1, True).seconds == 11


def test_timed_processes_run_alone_after_what_holds_a_core():
    jobs = [job("tune", 5, 9), job("x", 2, timed=True), job("y", 3, after="tune", timed=True)]
    done = schedule(jobs, 8, True)
    assert (done.seconds, done.alone_s, done.chain_s) == (10, 5, 8)
    assert schedule(jobs, 8, False).seconds == 8


@given(
    st.lists(st.tuples(st.floats(1, 100), st.integers(0, 5), st.booleans()), min_size=1, max_size=12), st.integers(1, 5)
)
def test_bounds_hold_for_any_jobs(numbers, cores):
    jobs = [job(str(k), seconds, priority, timed=timed) for k, (seconds, priority, timed) in enumerate(numbers)]
    shared, exclusive = (schedule(jobs, cores, alone) for alone in (False, True))
    assert max(shared.work_s / cores, shared.chain_s) <= shared.seconds + 1e-9
    assert shared.seconds <= shared.work_s + 1e-9
    assert exclusive.alone_s <= exclusive.seconds + 1e-9 <= exclusive.work_s + 2e-9


def test_processes_of_measured_jobs(load_study):
    study = load_study("demo", datasets=["iris"], experiments=["benchmark"])
    rows = [
        {"experiment": "tuning", "dataset": "iris", "method": "cvm", "job_s": 6.0},
        {"experiment": "benchmark", "dataset": "iris", "method": "cvm", "job_s": 1.0},
        {"experiment": "benchmark", "dataset": "iris", "method": "fw", "job_s": 2.0},
        {"experiment": "poly", "dataset": "iris", "method": "fw", "job_s": 0.0},
    ]
    tuning, training = processes(study, pd.DataFrame(rows, columns=list(COLUMNS)))
    assert (tuning.seconds, tuning.after, tuning.timed) == (10.0, None, False)
    assert (training.seconds, training.after, training.timed) == (7.0, tuning.name, True)
    assert tuning.priority > training.priority


@pytest.mark.parametrize("cores", ["0", "8"])
def test_command(cores, capsys, monkeypatch):

    monkeypatch.chdir(Path(__file__).parents[2])
    code = main(["budget", "--cores", cores, "--results", "results/released"])
    output = capsys.readouterr()
    if cores == "0":
        assert code != 0 and "--cores 0" in output.err
    else:
        rows = [line.strip("| ").split(" | ") for line in output.out.splitlines()[2:]]
        times = {(row[0], row[1]): int(row[2]) for row in rows}
        assert times["shared", "1"] == times["exclusive", "1"]
        assert times["shared", "8"] < times["exclusive", "8"] < times["exclusive", "1"]
