"""Test seeds, disturbed runs, peak memory and the description of the computer."""

import subprocess

import numpy as np
import pytest

from fwsvm_papers.runs import measure


def test_seeds_differ_from_run_to_run_and_never_change():
    assert measure.derive_seed(2013, "benchmark", "a1a", "swap", "full", 0) == 2116563533
    assert measure.derive_seed("ab", "c") != measure.derive_seed("a", "bc")
    seeds = {
        measure.derive_seed(2013, "a1a", method, n)
        for method in ("fw", "mfw", "swap")
        for n in range(100)
    }
    assert len(seeds) == 300 and all(0 <= seed < 2**31 for seed in seeds)


@pytest.mark.parametrize(
    ("cpu_s", "wall_s", "before_s", "after_s", "disturbed"),
    [
        (10.0, 10.0, 1.0, 1.0, False),
        (10.0, 12.4, 1.2, 1.2, False),
        (10.0, 13.0, 1.0, 1.0, True),
        (10.0, 10.0, 1.3, 1.0, True),
        (10.0, 10.0, 1.0, 1.3, True),
        (0.001, 0.04, 1.0, 1.0, False),
        (0.0, 0.0, 1.0, 1.0, False),
    ],
)
def test_disturbed_runs_waited_or_ran_slower(cpu_s, wall_s, before_s, after_s, disturbed):
    assert measure.is_disturbed(cpu_s, wall_s, before_s, after_s, best_s=1.0) is disturbed


def test_peak_memory_sees_an_allocation_and_forgets_it():
    measure.reset_peak_memory()
    before = measure.peak_memory_mb()
    block = np.ones(25_000_000)
    high = measure.peak_memory_mb()
    assert before > 0 and high - before > 150
    del block
    if measure._STATUS.exists():  # only Linux can reset the peak
        measure.reset_peak_memory()
        assert high - measure.peak_memory_mb() > 150


def test_commit_of_a_checkout(tmp_path):
    assert measure.git_commit(tmp_path) is None
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", "-C", tmp_path, *identity, *command], check=True)
    commit = measure.git_commit(tmp_path)
    assert len(commit) == 40
    (tmp_path / "file").write_text("1")
    subprocess.run(["git", "-C", tmp_path, "add", "file"], check=True)
    assert measure.git_commit(tmp_path) == f"{commit}-dirty"
    (tmp_path / "unpacked").mkdir()
    assert measure.git_commit(tmp_path / "unpacked") is None
    (tmp_path / "link").symlink_to(tmp_path)
    assert measure.git_commit(tmp_path / "link") == f"{commit}-dirty"


def monitored(monkeypatch, paces):
    """Return a monitor, a function that lets seconds pass, and the remaining `paces`.

    The calibration loops of the monitor take the `paces`, one after the other.
    """
    pace, now = iter(paces), [100.0]
    monkeypatch.setattr(measure, "calibrate", lambda: next(pace))
    monkeypatch.setattr(measure, "peak_memory_mb", lambda: 7.0)
    monkeypatch.setattr(measure.time, "monotonic", lambda: now[0])

    def wait(seconds):
        now[0] += seconds
        return now[0]

    return measure.RunMonitor(), wait, pace


def test_surroundings_of_a_run(monkeypatch):
    monitor, wait, _ = monitored(monkeypatch, [1.0, 0.8, 1.2, 0.9, 0.9])
    wait(10)
    result, conditions = monitor.timed(lambda x: (x, wait(10)), 7)
    assert result == (7, 120.0)
    # The loop after the run took 1.5 times the shortest time, which is that of the loop before the
    # run.
    assert conditions(10.0, 10.0) == {"peak_rss_mb": 7.0, "calibration_s": 1.2, "disturbed": True}
    wait(10)
    _, conditions = monitor.timed(wait, 10)
    assert not conditions(10.0, 10.0)["disturbed"]
    assert conditions(10.0, 20.0)["disturbed"]


def test_a_loop_serves_the_runs_around_it_while_it_is_recent(monkeypatch):
    monitor, wait, left = monitored(monkeypatch, [1.0, 1.5, 0.9, 0.8, 0.7])
    found = []
    for pause, length in ((0.0, 0.1), (0.0, 1.0), (0.1, 0.1), (0.0, 5.0), (60.0, 0.1)):
        wait(pause)
        _, conditions = monitor.timed(wait, length)
        found.append(conditions(1.0, 1.0))
    # The calibration loop runs four times: before the first run (1.0 s), after the second (1.5 s),
    # after the fourth (0.9 s), and before the fifth (0.8 s).
    assert [one["calibration_s"] for one in found] == [1.0, 1.5, 1.5, 1.5, 0.8]
    assert [one["disturbed"] for one in found] == [False, True, True, True, False]
    assert list(left) == [0.7]
