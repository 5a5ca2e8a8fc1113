"""Test the largest possible cost of a configuration, and the cost that was measured."""

import pandas as pd
import pytest

from fwsvm.cli import main
from fwsvm_papers.pipeline.budget import costs, markdown, summary
from fwsvm_papers.result_files import write_json
from fwsvm_papers.runs.job_results import name_of
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import write_runs

RUN = {"stop_reason": "converged", "train_wall_s": 3.0}
FW = Job("benchmark", "all_points", "iris", "fw")
MEASURED = ["measured_runs", "measured_s", "job_s", "at_limit"]


@pytest.fixture
def configuration(load_study):
    """Return a configuration with two data sets, two methods and one protocol.

    There are two repetitions. The time limit is 10 s, and 60 s for CVM.
    """
    benchmark = {
        "methods": ["cvm", "fw"],
        "protocols": ["all_points"],
        "repetitions": {"all_points": 2},
    }
    benchmark["time_limit"] = {"cvm": 60, "default": 10}
    tuning = {
        "C_exponents": [0, 4, 6],
        "time_limit": 5,
        "cross_validation": {"datasets": ["digits"], "time_limit": 2},
    }
    tuning["cross_validation"] |= {
        "folds": 3,
        "width_exponents": [0, 1],
        "C_exponents": [0, 1, 2, 3],
    }
    return load_study(
        "demo",
        datasets=["iris", "digits"],
        experiments=["benchmark"],
        benchmark=benchmark,
        tuning=tuning,
    )


@pytest.fixture
def results(tmp_path):
    """Write results in which one training job with two runs and one tuning job are done. The job of
    FW also trained PFW.
    """
    rows = [FW._asdict() | RUN | {"repetition": k, "seed": k} for k in (0, 1)]
    rows[1]["stop_reason"] = "time_limit"
    write_runs(
        pd.DataFrame([*rows, *(row | {"method": "pfw"} for row in rows)]), tmp_path / "runs.tsv.gz"
    )
    write_json({"jobs": {name_of(FW): {"wall_s": 8.0}}}, tmp_path / "provenance.json")
    grid = [{"train_cpu_s": 1.5, "stop_reason": "converged"}] * 3
    write_json({"grid": grid, "wall_s": 5.0}, tmp_path / "params/iris.json")
    return tmp_path


def test_every_run_is_counted_at_its_limit(configuration, tmp_path):
    table = costs(configuration, tmp_path).set_index(["experiment", "dataset", "method"])
    assert table["runs"].to_dict() == {
        ("tuning", "iris", "cvm"): 3,
        ("cross-validation", "digits", "cvm"): 3 * 2 * 4,
        ("benchmark", "iris", "cvm"): 2,
        ("benchmark", "iris", "fw"): 2,
        ("benchmark", "digits", "cvm"): 2,
        ("benchmark", "digits", "fw"): 2,
    }
    assert table["limit_s"].tolist() == [15, 48, 120, 20, 120, 20]
    assert table[MEASURED].to_numpy().sum() == 0


def test_what_is_there_is_measured(configuration, results):
    table = costs(configuration, results).set_index(["experiment", "dataset", "method"])
    assert table.loc[("benchmark", "iris", "fw"), MEASURED].tolist() == [4, 12.0, 8.0, 2]
    assert table.loc[("tuning", "iris", "cvm"), MEASURED].tolist() == [3, 4.5, 5.0, 0]
    assert table[MEASURED].to_numpy().sum() == 16 + 12.5 + 10
    sums = summary(table.reset_index(), ["experiment"])
    assert sums["experiment"].tolist() == ["tuning", "cross-validation", "benchmark", "all"]
    lines = markdown(sums, ["experiment"]).splitlines()
    assert lines[-1] == "| all | 6 | 35 | 5.7 | 7 | 0.3 | 0.2 | 2 |"


def test_command(capsys, load_config, results):
    load_config()
    assert main(["budget", "--config", "config/smoke.yaml", "--by", "dataset"]) == 0
    rows = [
        line.split(" | ")[0]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("|")
    ]
    assert rows == ["| dataset", "| ---", "| iris", "| checkerboard", "| two-circles", "| all"]
    assert main(["budget", "--cores", "8", "--results", "results/released"]) == 0
    assert "On 8 cores, the run takes at least" in capsys.readouterr().out
    for wrong in (["--cores", "0"], ["--by", "data"], ["--results", "nowhere"]):
        assert main(["budget", *wrong]) == 2 and wrong[0] in capsys.readouterr().err
    (results / "provenance.json").write_text("{")
    assert main(["budget", "--results", str(results)]) == 2
    assert "provenance.json: the file is damaged" in capsys.readouterr().err
