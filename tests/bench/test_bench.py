"""Cases in order, resumption, missing data, the report, and a real row of each section."""

import io
import json
import re
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from fwsvm.base.errors import UnavailableError, UserError
from fwsvm.bench import peers, race, report, runner
from fwsvm.bench.runner import SECTIONS, Record, run

BENCH = SimpleNamespace(quick=True, repeats=1, time_limit=1e9, data_dir="data", sections=["letters"])
CASES = [{"dataset": name, "C": C} for name in "ab" for C in (1, 2)]


@pytest.fixture
def measured(monkeypatch, tmp_path):
    state = SimpleNamespace(done=[], errors={}, path=tmp_path / "race.json")

    def measure(case, bench):
        if error := state.errors.get((case["dataset"], case["C"])):
            raise error
        state.done.append((case["dataset"], case["C"]))
        return [{"case": case["dataset"], "value": np.float64(case["C"])}]

    section = SimpleNamespace(cases=lambda quick: CASES, measure=measure)
    monkeypatch.setattr(runner, "SECTIONS", {"letters": section})
    return state


def test_an_interrupted_run_is_resumed(measured):
    measured.errors["b", 1] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run(BENCH, Record(measured.path, BENCH), io.StringIO())
    measured.errors.clear()
    record = Record(measured.path, BENCH, resume=True)
    run(BENCH, record, io.StringIO())
    assert measured.done == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert record.rows("letters")["run"].tolist() == [1, 1, 2, 2]
    run(BENCH, Record(measured.path, BENCH), io.StringIO())
    assert len(measured.done) == 8  # without resume everything again


def test_rows_of_another_commit_or_other_settings_are_not_resumed(measured, monkeypatch):
    run(BENCH, Record(measured.path, BENCH), io.StringIO())
    with pytest.raises(UserError, match="repeats"):
        Record(measured.path, SimpleNamespace(**vars(BENCH) | {"repeats": 9}), resume=True)
    monkeypatch.setattr(runner.measure, "git_commit", lambda: "edited")
    with pytest.raises(UserError, match="commit"):
        Record(measured.path, BENCH, resume=True)


def test_a_missing_data_set_is_tried_once_and_named(measured):
    measured.errors["a", 1] = UnavailableError("a is nowhere:\n  no network\nadvice")
    record = Record(measured.path, BENCH)
    run(BENCH, record, io.StringIO())
    assert measured.done == [("b", 1), ("b", 2)]
    assert record.missing == {"a": "a is nowhere: no network"}
    assert Record(measured.path, BENCH, resume=True).missing == {}  # tried again


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", SECTIONS)
def test_cases_survive_the_file_and_are_distinct(name, quick):
    cases = SECTIONS[name].cases(quick)
    assert json.loads(json.dumps(cases)) == cases
    assert len({json.dumps(case) for case in cases}) == len(cases)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    bench = SimpleNamespace(**vars(BENCH) | {"data_dir": str(folder / "data")})
    apart, in_processes = race._in_process, {"libsvm_l2", *(["intelex"] if find_spec("sklearnex") else [])}

    def run_one(task):
        return apart(task) if task["who"] in in_processes else json.loads(json.dumps(race._run(**task)))

    record = Record(folder / "race.json", bench)
    case = {"dataset": "breast_cancer", "C": 64, "gamma_over_beta": 0.5, "threads": 1, "gaps": [1e-2, 1e-3]}
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(1):
        patch.setattr(race, "_in_process", run_one)
        record.add("race", case, race.measure(case, bench))
        case = {"dataset": "breast_cancer", "C": 1}
        record.add("peers", case, peers.measure(case, bench))
    return record


def test_race_rows_reach_their_gap(record):
    rows = record.rows("race")
    assert rows["method"].tolist() == ["svc", "intelex", "libsvm_l2", "auto", "auto"]
    ours = rows[rows["method"] == "auto"]
    assert (ours["relative_gap"] <= ours["eps"]).all() and (ours["cold_s"] > 0).all()
    assert np.allclose(ours["ratio"], ours["peer_s"] / ours["seconds"])
    intelex = rows[rows["method"] == "intelex"].iloc[0]
    assert intelex["accuracy"] > 0.9 or intelex["stop_reason"].startswith("not installed")


def test_peer_rows(record):
    rows = record.rows("peers")
    assert rows["method"].tolist() == list(peers.METHODS) and (rows["stop_reason"] == "converged").all()
    assert np.allclose(rows["ratio"], rows["peer_s"] / rows["seconds"])
    assert (rows["accuracy"] > 0.9).all() and (rows["peer_accuracy"] > 0.9).all()


def test_the_csv_holds_every_row_and_the_tables_are_rectangular(record, tmp_path):
    csv, text = report.write_tables(record, tmp_path / "race")
    assert pd.read_csv(csv)["section"].tolist() == ["race"] * 5 + ["peers"] * 2
    blocks = re.findall(r"(?:^\|.*\n)+", text.read_text(), flags=re.MULTILINE)
    assert len(blocks) == 2
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block
