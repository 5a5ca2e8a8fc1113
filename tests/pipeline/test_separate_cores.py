"""Timed jobs run side by side only where that was measured to cost nothing."""

import pytest

from fwsvm.pipeline import separate_cores
from fwsvm.pipeline.separate_cores import are_separate, slowdown
from fwsvm.runs import measure


@pytest.mark.parametrize(("slowdowns", "separate"), [([1.6, 1.5, 1.09], True), ([1.6, 1.5, 1.4], False)])
def test_the_least_of_three_measurements_decides_and_is_kept(monkeypatch, tmp_path, slowdowns, separate):
    record = tmp_path / "cores.json"
    assert not are_separate(record, 4, may_measure=False)
    monkeypatch.setattr(separate_cores, "slowdown", lambda cores: slowdowns.pop())
    assert [are_separate(record, 4, True) for _ in range(2)] == [separate] * 2
    assert not are_separate(record, 2, may_measure=False)  # measured for another number of cores
    monkeypatch.setattr(measure, "machine", lambda: {"cpu": "another"})
    assert not are_separate(record, 4, may_measure=False)


def test_processes_side_by_side_are_timed():
    assert slowdown(1) == 1.0
    assert 0.0 < slowdown(2) < 1000.0
