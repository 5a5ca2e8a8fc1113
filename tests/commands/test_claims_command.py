"""Test `fwsvm claims` on a folder of results: as text or JSON, for one paper, and without
results.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

from fwsvm.cli import main
from fwsvm_papers.runs.records import write_runs


@pytest.fixture
def folder(tmp_path):
    rows = [
        {
            "experiment": "benchmark",
            "dataset": "w8a",
            "method": method,
            "protocol": "as_printed",
            "train_cpu_s": seconds,
            "task_size": 49749,
            "stop_reason": "converged",
            "test_accuracy": 0.98,
            "support_vectors": 100,
        }
        for method, seconds in (("cvm", 500.0), ("swap", 2.0))
    ]
    write_runs(pd.DataFrame(rows), tmp_path / "runs.tsv.gz")
    return tmp_path


def test_text_has_outcome_number_rule_and_totals(folder, capsys):
    assert main(["claims", "--runs", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "nanculef2014-swap-w8a: reproduced\n" in said and "SWAP 250×" in said
    assert "within a factor of 3" in said and "printed: 250" in said
    assert (
        "authors' program, on another machine: reproduced, true on 4 of 4 data sets ["
        in " ".join(said.split())
    )
    assert said.splitlines()[-1].startswith("all headline")


def test_one_paper_as_json(folder, capsys):
    assert main(["claims", "--runs", str(folder), "--paper", "nanculef2014", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert {row["paper"] for row in content["claims"]} == {"nanculef2014"}
    row = next(
        row for row in content["claims"] if row["id"] == "nanculef2014-swap-w8a" and row["headline"]
    )
    assert (row["outcome"], row["protocol"], row["ours"]) == (
        "reproduced",
        "as_printed",
        "SWAP 250×",
    )
    # two claims are reproduced: SWAP is faster than CVM, and the speed-up is 250
    assert content["totals"][-1]["reproduced"] == 2


def test_the_page_of_results_has_the_verdicts_of_the_released_run(capsys, monkeypatch):
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    assert main(["claims", "--brief"]) == 0
    sentences = capsys.readouterr().out.strip()
    page = (root / "docs/results.md").read_text(encoding="utf-8")
    assert " ".join(sentences.split()) in " ".join(page.split()), (
        f"docs/results.md is of an older release; it should have:\n{sentences}"
    )


@pytest.mark.parametrize(
    "command", [["claims", "--runs", "results/x"], ["summary", "--profile", "x"]]
)
def test_without_results(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(command) == 2 and "there is no folder results/x" in capsys.readouterr().err
    # a folder with the name of the table
    Path("results/x/runs.tsv").mkdir(parents=True)
    assert main(command) == 2 and "runs.tsv is missing" in capsys.readouterr().err
