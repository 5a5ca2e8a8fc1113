"""What a configuration costs, what is measured of it, and how far a run is."""

import json
from pathlib import Path

import pandas as pd
import pytest

from fwsvm.cli import main
from fwsvm.pipeline.budget import costs, markdown, summary
from fwsvm.pipeline.job import write_json
from fwsvm.pipeline.progress import duration, progress
from fwsvm.runs.jobs import Job
from fwsvm.runs.records import write_runs

RUN = {"stop_reason": "converged", "train_wall_s": 3.0}
FW = Job("benchmark", "all_points", "iris", "fw")


def finish(job, results, wall_s):
    """Leave what a finished training job leaves."""
    write_json({"key": "", "rows": [], "details": None, "record": {"wall_s": wall_s}}, job.cell(results))


@pytest.fixture
def study(load_study):
    """Two data sets, two methods, one protocol, 2 repetitions of the limit 10 s; CVM 60 s."""
    benchmark = {"methods": ["cvm", "fw"], "protocols": ["all_points"], "repetitions": {"all_points": 2}}
    benchmark["time_limit"] = {"cvm": 60, "default": 10}
    tuning = {"C_exponents": [0, 4, 6], "time_limit": 5, "cross_validation": {"datasets": ["digits"], "time_limit": 2}}
    tuning["cross_validation"] |= {"folds": 3, "width_exponents": [0, 1], "C_exponents": [0, 1, 2, 3]}
    return load_study(
        "demo", datasets=["iris", "digits"], experiments=["benchmark"], benchmark=benchmark, tuning=tuning
    )


@pytest.fixture
def results(tmp_path):
    """One training job of two runs, and one tuning job, have been done."""
    rows = [dict(zip(Job._fields, FW, strict=True)) | RUN | {"repetition": k, "seed": k} for k in (0, 1)]
    rows[1]["stop_reason"] = "time_limit"
    write_runs(pd.DataFrame(rows), tmp_path / "runs.tsv")
    finish(FW, tmp_path, wall_s=8.0)
    write_json({"jobs": {FW.name: {"wall_s": 8.0}}}, tmp_path / "provenance.json")
    grid = [{"train_cpu_s": 1.5, "stop_reason": "converged"}] * 3
    write_json({"grid": grid, "wall_s": 5.0}, tmp_path / "params/iris.json")
    return str(tmp_path)


def test_every_run_is_counted_at_its_limit(study):
    table = costs(study).set_index(["experiment", "dataset", "method"])
    assert table["runs"].to_dict() == {
        ("tuning", "iris", "cvm"): 3,
        ("cross-validation", "digits", "cvm"): 3 * 2 * 4,
        ("benchmark", "iris", "cvm"): 2,
        ("benchmark", "iris", "fw"): 2,
        ("benchmark", "digits", "cvm"): 2,
        ("benchmark", "digits", "fw"): 2,
    }
    assert table["limit_s"].tolist() == [15, 48, 120, 20, 120, 20]
    assert table[["measured_runs", "measured_s", "job_s", "at_limit"]].to_numpy().sum() == 0


def test_what_is_there_is_measured(study, results):
    table = costs(study, results).set_index(["experiment", "dataset", "method"])
    columns = ["measured_runs", "measured_s", "job_s", "at_limit"]
    assert table.loc[("benchmark", "iris", "fw"), columns].tolist() == [2, 6.0, 8.0, 1]
    assert table.loc[("tuning", "iris", "cvm"), columns].tolist() == [3, 4.5, 5.0, 0]
    assert table.loc[("benchmark", "digits", "fw"), columns].tolist() == [0, 0, 0, 0]


def test_released_runs_are_measured_too(study, results, tmp_path):
    write_runs(pd.read_csv(tmp_path / "runs.tsv", sep="\t"), tmp_path / "runs.tsv.gz")
    expected = costs(study, results)
    (tmp_path / "runs.tsv").unlink()
    pd.testing.assert_frame_equal(costs(study, results), expected)
    assert expected["measured_runs"].sum() == 5


def test_runs_of_a_method_without_a_job_count_for_the_job_beside_which_they_ran(study, results, tmp_path):
    runs = pd.read_csv(tmp_path / "runs.tsv", sep="\t")
    write_runs(pd.concat([runs, runs.assign(method="pfw")]), tmp_path / "runs.tsv")
    table = costs(study, results).set_index(["experiment", "dataset", "method"])
    columns = ["measured_runs", "measured_s", "job_s", "at_limit"]
    assert table.loc[("benchmark", "iris", "fw"), columns].tolist() == [4, 12.0, 8.0, 2]
    assert table.loc[("benchmark", "iris", "cvm"), columns].tolist() == [0, 0, 0, 0]


def test_missing_data_sets_cost_nothing(study, results, tmp_path):
    write_json({"missing": {"digits": "not to be had"}}, tmp_path / "inventory.json")
    assert set(costs(study, results)["dataset"]) == {"iris"}


def test_sums_and_their_table(study, results):
    sums = summary(costs(study, results), ["experiment"])
    assert sums["experiment"].tolist() == ["tuning", "cross-validation", "benchmark", "all"]
    assert sums["runs"].tolist() == [3, 24, 8, 35]
    assert sums["limit_s"].tolist() == [15, 48, 280, 343]
    lines = markdown(sums, ["experiment"]).splitlines()
    assert lines[-1] == "| all | 6 | 35 | 5.7 | 5 | 0.2 | 0.2 | 1 |"
    assert len({line.count("|") for line in lines}) == 1


def test_command_prints_the_shipped_budget(capsys, load_config):
    load_config()
    assert main(["budget", "--config", "config/smoke.yaml", "--results", "nowhere"]) == 2
    assert "--results nowhere: there is no such folder" in capsys.readouterr().err
    assert main(["budget", "--config", "config/smoke.yaml", "--by", "dataset"]) == 0
    rows = [line.split(" | ")[0] for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        "| dataset",
        "| ---",
        "| iris",
        "| checkerboard",
        "| two-circles",
        "| all",
    ]
    assert main(["budget", "--by", "data"]) == 2
    assert "'data' is not one of experiment, protocol, dataset, method" in capsys.readouterr().err


def test_progress_counts_runs_and_scales_the_limits_left(study, results):
    # 8 s of 20 s were used, a share of 0.4; 260 s of limits and 3 jobs are left.
    assert str(progress(study, results)) == "training runs: 2 done, 6 left, about 2 min, one job at a time"


def test_progress_takes_the_pace_of_a_data_set_where_it_is_known(study, results, tmp_path):
    # CVM took 100 s of 120 s on iris, FW 1 s of 20 s on digits: overall 109/160, on digits 1/20 drawn towards that.
    finish(Job("benchmark", "all_points", "iris", "cvm"), tmp_path, wall_s=100.0)
    finish(Job("benchmark", "all_points", "digits", "fw"), tmp_path, wall_s=1.0)
    left = 120 * (1 + 300 * 109 / 160) / (20 + 300) + 3
    assert round(left) == 80
    assert str(progress(study, results)) == "training runs: 6 done, 2 left, about 80 s, one job at a time"


def test_progress_before_the_first_job_and_after_the_last(study, tmp_path):
    assert str(progress(study, str(tmp_path))) == "training runs: 0 done, 8 left"
    for job in study.jobs():
        finish(job, tmp_path, wall_s=1.0)
    assert str(progress(study, str(tmp_path))) == "training runs: 8 done, 0 left"


def test_progress_passes_over_a_damaged_file(study, results, tmp_path):
    Path(FW.cell(tmp_path)).write_text('{"key": "", "ro')
    assert str(progress(study, results)) == "training runs: 0 done, 8 left"


def test_progress_leaves_out_what_could_not_be_had(study, results, tmp_path):
    (tmp_path / "inventory.json").write_text(json.dumps({"missing": {"digits": "gone"}}))
    assert str(progress(study, results)).startswith("training runs: 2 done, 2 left")


@pytest.mark.parametrize(
    ("seconds", "words"), [(40, "40 s"), (600, "10 min"), (7199, "2 h 0 min"), (12000, "3 h 20 min")]
)
def test_duration_in_words(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize("content", ["", '{"wall_s": 8', "[]", '{"record": null}', '{"rows": [], "record": {}}'])
def test_damaged_files_do_not_fail_a_healthy_job(study, results, tmp_path, content):
    (tmp_path / "inventory.json").write_text(content)
    assert str(progress(study, results)).startswith("training runs: 2 done, 6 left")
    Path(FW.cell(tmp_path)).write_text(content)
    assert str(progress(study, results)) == "training runs: 0 done, 8 left"


def test_damaged_files_are_named_by_the_budget(study, results, tmp_path, capsys, load_config):
    load_config()
    for name in ("provenance.json", "inventory.json", "params/a1a.json"):
        content = (tmp_path / name).read_bytes() if (tmp_path / name).exists() else b"{}"
        (tmp_path / name).write_bytes(content[: len(content) // 2])
        assert main(["budget", "--config", "config/demo.yaml", "--results", results]) == 2
        assert f"{tmp_path / name}: the file is damaged: " in capsys.readouterr().err
        (tmp_path / name).write_bytes(content)
