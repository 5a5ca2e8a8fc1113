"""Cases in order, resumption, missing data, the report, real rows, and the cells of the race."""

import io
import json
import re
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from fwsvm.inputs.errors import UnavailableError, UserError
from fwsvm_papers.bench import __main__ as bench_command
from fwsvm_papers.bench import race, race_figure, report, runner
from fwsvm_papers.bench.report import race_cells
from fwsvm_papers.bench.runner import Record, run

BENCH = SimpleNamespace(quick=True, repeats=1, time_limit=1e9, data_dir="data")
CASES = [{"dataset": name, "C": C} for name in "ab" for C in (1, 2)]


@pytest.fixture
def measured(monkeypatch, tmp_path):
    state = SimpleNamespace(done=[], errors={}, path=tmp_path / "race.json")

    def measure(case, bench):
        if error := state.errors.get((case["dataset"], case["C"])):
            raise error
        state.done.append((case["dataset"], case["C"]))
        return [{"case": case["dataset"], "value": np.float64(case["C"])}]

    monkeypatch.setattr(race, "cases", lambda quick: CASES)
    monkeypatch.setattr(race, "measure", measure)
    return state


def test_an_interrupted_run_is_resumed(measured):
    measured.errors["b", 1] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run(BENCH, Record(measured.path, BENCH), io.StringIO())
    measured.errors.clear()
    record = Record(measured.path, BENCH, resume=True)
    run(BENCH, record, io.StringIO())
    assert measured.done == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert record.rows()["run"].tolist() == [1, 1, 2, 2]
    run(BENCH, Record(measured.path, BENCH), io.StringIO())
    assert len(measured.done) == 8  # without resume everything again


def test_rows_of_another_commit_or_other_settings_are_not_resumed(measured, monkeypatch):
    run(BENCH, Record(measured.path, BENCH), io.StringIO())
    with pytest.raises(UserError, match="repeats"):
        Record(measured.path, SimpleNamespace(**vars(BENCH) | {"repeats": 9}), resume=True)
    monkeypatch.setattr(runner.measure, "git_commit", lambda: "edited")
    with pytest.raises(UserError, match="commit"):
        Record(measured.path, BENCH, resume=True)


@pytest.mark.parametrize("content", ["", "[", "[]", "{}", '{"runs": 1}'])
def test_a_damaged_record_is_named(measured, content):
    measured.path.write_text(content)
    with pytest.raises(UserError, match=r"race.json is damaged .* run without --resume"):
        Record(measured.path, BENCH, resume=True)


def test_outputs_are_tried_before_anything_is_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench_command, "run", None)
    data = tmp_path / "data/raw/points"
    data.parent.mkdir(parents=True)
    data.write_text("points")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/race.csv").symlink_to(data)
    for folder, words in (("data/raw/points", "is not a folder"), ("out", "which is read")):
        assert bench_command.main(["--output", folder]) == 2
        error = capsys.readouterr().err
        assert words in error and error.startswith("fwsvm_papers.bench: error: ")
    assert data.read_text() == "points"


def test_a_missing_data_set_is_tried_once_and_named(measured):
    measured.errors["a", 1] = UnavailableError("a is nowhere:\n  no network\nadvice")
    record = Record(measured.path, BENCH)
    run(BENCH, record, io.StringIO())
    assert measured.done == [("b", 1), ("b", 2)]
    assert record.missing == {"a": "a is nowhere: no network"}
    assert Record(measured.path, BENCH, resume=True).missing == {}  # tried again


@pytest.mark.parametrize("quick", [True, False])
def test_cases_survive_the_file_and_are_distinct(quick):
    cases = race.cases(quick)
    assert json.loads(json.dumps(cases)) == cases
    assert len({json.dumps(case) for case in cases}) == len(cases)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    bench = SimpleNamespace(**vars(BENCH) | {"data_dir": str(folder / "data")})
    apart = race._in_process
    in_processes = {"libsvm_l2", *(["intelex"] if find_spec("sklearnex") else [])}

    def run_one(task):
        return (
            apart(task)
            if task["who"] in in_processes
            else json.loads(json.dumps(race._run(**task)))
        )

    record = Record(folder / "race.json", bench)
    case = {
        "dataset": "breast_cancer",
        "C": 64,
        "gamma_over_beta": 0.5,
        "threads": 1,
        "gaps": [1e-2, 1e-3],
    }
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(1):
        patch.setattr(race, "_in_process", run_one)
        record.add(case, race.measure(case, bench))
    return record


def test_race_rows_reach_their_gap(record):
    rows = record.rows()
    assert rows["method"].tolist() == ["svc", "intelex", "libsvm_l2", "auto", "auto"]
    ours = rows[rows["method"] == "auto"]
    assert (ours["relative_gap"] <= ours["eps"]).all() and (ours["cold_s"] > 0).all()
    assert np.allclose(ours["ratio"], ours["peer_s"] / ours["seconds"])
    intelex = rows[rows["method"] == "intelex"].iloc[0]
    assert intelex["accuracy"] > 0.9 or intelex["stop_reason"].startswith("not installed")


def test_the_csv_holds_every_row_and_the_tables_are_rectangular(record, tmp_path):
    csv, text = report.write_tables(record, tmp_path / "race")
    assert len(pd.read_csv(csv)) == 5
    blocks = re.findall(r"(?:^\|.*\n)+", text.read_text(), flags=re.MULTILINE)
    assert len(blocks) == 1
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block


# The cells of the race: equal accuracy, gaps that were reached, peers that were stopped

CELL = {"case": "w8a", "C": 64, "gamma_over_beta": 0.5, "m_test": 100}


def row(method, seconds, eps=None, accuracy=None, threads=1, stop_reason="converged"):
    found = {
        "method": method,
        "seconds": seconds,
        "eps": eps,
        "accuracy": accuracy,
        "stop_reason": stop_reason,
    }
    return CELL | found | {"threads": threads}


@pytest.fixture
def rows():
    """Of SVC right on 90 of 100 test points, standard error 3, and ours on 86, 87 and 91."""
    return [
        row("svc", 6.0, accuracy=0.90, stop_reason=None),
        row("intelex", 3.0, accuracy=0.90, stop_reason=None),
        *(
            row("auto", s, eps, a)
            for s, eps, a in ((0.5, 1e-1, 0.86), (1.5, 1e-2, 0.87), (2.0, 1e-3, 0.91))
        ),
        row("auto", 9.0, 1e-4, 0.91, stop_reason="time_limit"),
        row("libsvm_l2", 24.0, 1e-3, stop_reason="time_limit"),
        row("svc", 6.5, threads=2, accuracy=0.90),
        row("auto", 1.0, 1e-3, 0.85, threads=2),
    ]


def test_equal_accuracy_is_within_a_standard_error(rows):
    single, double = race_cells(pd.DataFrame(rows)).to_dict("records")
    assert (single["gap"], single["equal_s"], single["svc_ratio"], single["intelex_ratio"]) == (
        1e-2,
        1.5,
        4.0,
        2.0,
    )
    # the smallest gap was not reached
    assert np.isnan(single["s_0.0001"]) and single["s_0.001"] == 2.0
    assert single["libsvm_ratio"] == 12.0 and single["libsvm_is_bound"]
    # too inaccurate
    assert np.isnan(double["gap"]) and double["svc_ratio"] == 0.0 and not double["libsvm_is_bound"]
    nothing = race_cells(pd.DataFrame(rows[:2])).iloc[0]
    assert np.isnan(nothing["svc_ratio"]) and np.isnan(nothing["equal_s"])
    stopped = race_cells(
        pd.DataFrame([row("svc", 6.0, stop_reason="time_limit"), *rows[2:4]])
    ).iloc[0]
    assert np.isnan(stopped["svc_ratio"]) and np.isnan(stopped["intelex_ratio"])


def test_figure_has_the_cells_of_one_thread(rows):
    drawn = race_figure.draw(race_cells(pd.DataFrame(rows[:7])))
    assert [line.get_xdata()[0] for line in drawn.axes[0].lines if line.get_marker() == "s"] == [
        4.0
    ]
