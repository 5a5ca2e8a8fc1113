"""Timed jobs run side by side only where that was measured to cost nothing."""

import json

import pytest

from fwsvm.pipeline.separate_cores import are_separate
from fwsvm.runs import measure


@pytest.fixture
def measured(monkeypatch):
    """Set what successive measurements find; the list of the numbers of cores that they were made with."""

    def find(*slowdowns):
        left, made = list(slowdowns), []
        monkeypatch.setattr(measure, "slowdown_side_by_side", lambda cores: made.append(cores) or left.pop(0))
        return made

    return find


@pytest.mark.parametrize(
    ("slowdowns", "separate"),
    [([1.02], True), ([1.6, 1.04], True), ([1.6, 1.5, 1.09], True), ([1.6, 1.5, 1.4], False)],
)
def test_the_least_of_three_measurements_decides(measured, tmp_path, slowdowns, separate):
    made = measured(*slowdowns)
    assert are_separate(tmp_path / "cores.json", 4, True) is separate
    assert made == [4] * len(slowdowns)
    assert json.loads((tmp_path / "cores.json").read_text())["slowdown"] == min(slowdowns)


def test_a_measurement_is_kept_for_its_processor_and_number_of_cores(measured, tmp_path, monkeypatch):
    record, made = tmp_path / "cores.json", measured(1.0, 1.0, 1.0)
    for cores in (2, 2, 4, 4):
        are_separate(record, cores, True)
    monkeypatch.setattr(measure, "machine", lambda: {"cpu": "another"})
    assert are_separate(record, 4, True)
    assert made == [2, 4, 4]


def test_where_nothing_was_measured_jobs_run_one_at_a_time(measured, tmp_path):
    made = measured()
    assert not are_separate(tmp_path / "cores.json", 2, may_measure=False)
    assert made == [] and list(tmp_path.iterdir()) == []


def test_processes_side_by_side_are_timed(monkeypatch):
    monkeypatch.setattr(measure, "_MEASURING_S", 0.05)
    assert measure.slowdown_side_by_side(1) == 1.0
    assert 0.0 < measure.slowdown_side_by_side(2) < 1000.0
