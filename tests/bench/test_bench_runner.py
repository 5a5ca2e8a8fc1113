"""Cases in order, interruption and resumption, missing data."""

import io
import json

import pytest

from fwsvm.base.errors import UnavailableError, UserError
from fwsvm.bench import __main__ as command
from fwsvm.bench import runner
from fwsvm.bench.runner import SECTIONS, Bench, Record, Section, run

BENCH = Bench(quick=True, sections=("letters",))


@pytest.fixture
def measured(monkeypatch):
    """One section of four cases; the list of those that were measured."""
    done = []
    cases = [{"dataset": name, "C": C} for name in "ab" for C in (1, 2)]

    def measure(case, bench):
        done.append((case["dataset"], case["C"]))
        return [{"case": case["dataset"], "value": case["C"]}]

    monkeypatch.setattr(runner, "SECTIONS", {"letters": Section("Letters", lambda quick: cases, measure)})
    return done


def interrupt_at(monkeypatch, which):
    inner = runner.SECTIONS["letters"]

    def measure(case, bench):
        if (case["dataset"], case["C"]) == which:
            raise KeyboardInterrupt
        return inner.measure(case, bench)

    monkeypatch.setitem(runner.SECTIONS, "letters", Section("Letters", inner.cases, measure))
    return inner


def test_an_interrupted_run_keeps_its_rows_and_goes_on(measured, monkeypatch, tmp_path):
    path = tmp_path / "bench.json"
    inner = interrupt_at(monkeypatch, ("b", 1))
    with pytest.raises(KeyboardInterrupt):
        run(BENCH, Record(path, BENCH), io.StringIO())
    assert [result["case"] for result in json.loads(path.read_text())["results"]] == [
        {"dataset": "a", "C": 1},
        {"dataset": "a", "C": 2},
    ]
    monkeypatch.setitem(runner.SECTIONS, "letters", inner)
    record = Record(path, BENCH, resume=True)
    run(BENCH, record, io.StringIO())
    assert measured == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert record.rows("letters")["run"].tolist() == [1, 1, 2, 2]


def test_without_resume_everything_is_measured_again(measured, tmp_path):
    for _ in range(2):
        record = Record(tmp_path / "bench.json", BENCH)
        run(BENCH, record, io.StringIO())
    assert len(measured) == 8 and len(record.rows()) == 4


def test_other_sources_or_settings_are_not_resumed(measured, monkeypatch, tmp_path):
    path = tmp_path / "bench.json"
    run(BENCH, Record(path, BENCH), io.StringIO())
    with pytest.raises(UserError, match="measured with other repeats"):
        Record(path, Bench(quick=True, repeats=9), resume=True)
    monkeypatch.setattr(runner, "source_hash", lambda: "edited")
    with pytest.raises(UserError, match="measured with other sources"):
        Record(path, BENCH, resume=True)


def test_missing_data_are_named_and_asked_for_once(measured, monkeypatch, tmp_path):
    asked = []

    def measure(case, bench):
        asked.append(case["dataset"])
        if case["dataset"] == "a":
            raise UnavailableError("a is nowhere:\n  no network\nadvice")
        return [{"case": "b"}]

    section = runner.SECTIONS["letters"]
    monkeypatch.setitem(runner.SECTIONS, "letters", Section("Letters", section.cases, measure))
    record = Record(tmp_path / "bench.json", BENCH)
    run(BENCH, record, io.StringIO())
    assert asked == ["a", "b", "b"]
    assert record.missing == {"a": "a is nowhere: no network"}
    assert Record(tmp_path / "bench.json", BENCH, resume=True).missing == {}  # looked for again


def test_disturbed_rows_are_marked(measured, monkeypatch, tmp_path):
    pace = iter([1.0, 1.0, 1.0, 1.0, 1.5, 1.0, 1.0, 1.0, 1.0])
    monkeypatch.setattr(runner.measure, "calibrate", lambda: next(pace))
    record = Record(tmp_path / "bench.json", BENCH)
    run(BENCH, record, io.StringIO())
    assert record.rows()["disturbed"].tolist() == [False, True, False, False]


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", SECTIONS)
def test_cases_survive_the_file_and_are_distinct(name, quick):
    cases = SECTIONS[name].cases(quick)
    assert json.loads(json.dumps(cases, default=runner._plain)) == cases
    assert len({json.dumps(case, default=runner._plain) for case in cases}) == len(cases)


def test_a_bad_resume_is_a_message_and_not_a_traceback(tmp_path, capsys):
    (tmp_path / "quick.json").write_text('{"quick": true}')
    assert command.main(["--quick", "--resume", "--output", str(tmp_path)]) == 2
    assert "start anew without --resume" in capsys.readouterr().err
