"""Test the summary, which shows the methods of the benchmark, the majority class and SVC."""

import numpy as np
import pandas as pd
import pytest
from synthetic_runs import make_runs

from fwsvm.cli import main
from fwsvm_papers.reporting.tables import ArtefactData
from fwsvm_papers.result_files import write_json
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.summary.artefacts import summary_numbers, summary_table, summary_text

OWN = ("a-set-that-only-its-user-has", "mine")
DESCRIPTIONS = [
    {"dataset": name, "classes": [{"train": 30, "test": 9}, {"train": 70, "test": 11}]}
    for name in (*OWN, "a1a")
]


def svc_runs(datasets, **changes):
    row = {
        "experiment": "peers",
        "method": "svc",
        "protocol": "none",
        "repetition": 0,
        "train_cpu_s": 0.5,
        "test_accuracy": 0.75,
        "support_vectors": 7,
        "stop_reason": "converged",
    }
    return conform(pd.DataFrame([row | {"dataset": name} | changes for name in datasets]))


def make(datasets=OWN, peers=None, **options):
    runs = make_runs(
        datasets=datasets,
        **{"protocols": ("as_printed", "all_points"), "repetitions": 3, **options},
    )
    return conform(pd.concat([runs, svc_runs(datasets) if peers is None else peers]))


def of(numbers, **wanted):
    for column, value in wanted.items():
        numbers = numbers[numbers[column] == value]
    assert len(numbers) == 1
    return numbers.iloc[0]


def test_every_method_of_a_users_own_sets_is_there():
    runs = make()
    numbers = summary_numbers(runs, DESCRIPTIONS)
    for dataset in OWN:
        rows = numbers[(numbers["dataset"] == dataset) & (numbers["protocol"] == "as_printed")]
        assert list(rows["method"]) == ["cvm", "fw", "mfw", "swap", "swap2o", "svc", "majority"]
    measured = runs[
        (runs["dataset"] == "mine")
        & (runs["method"] == "swap")
        & (runs["protocol"] == "as_printed")
    ]
    swap = of(numbers, dataset="mine", method="swap", protocol="as_printed")
    assert swap["repetitions"] == 3
    assert swap["accuracy"] == pytest.approx(100 * measured["test_accuracy"].mean())
    assert swap["time"] == pytest.approx(measured["train_cpu_s"].mean())
    assert swap["support_vectors"] == pytest.approx(measured["support_vectors"].mean())
    assert swap["relative_gap"] == pytest.approx(measured["relative_gap"].mean())
    svc = of(numbers, dataset="mine", method="svc", protocol="as_printed")
    assert (svc["accuracy"], svc["time"], svc["support_vectors"]) == (75.0, 0.5, 7) and np.isnan(
        svc["relative_gap"]
    )
    assert of(numbers, dataset="mine", method="majority", protocol="all_points")[
        "accuracy"
    ] == pytest.approx(55)
    assert not numbers[["printed_accuracy", "printed_time"]].notna().to_numpy().any()


def test_printed_numbers_stand_next_to_ours():
    numbers = summary_numbers(make(("a1a", "mine")), DESCRIPTIONS)
    row = of(numbers, dataset="a1a", method="mfw", protocol="as_printed")
    assert (row["printed_accuracy"], row["printed_time"]) == (83.52, 0.712)
    assert np.isnan(
        of(numbers, dataset="a1a", method="swap", protocol="as_printed")["printed_time"]
    )


@pytest.mark.parametrize(
    ("limited", "shown"), [(2, ("≥ 4.00", ">= 4.00")), (1, ("≥ 3.00", ">= 3.00"))]
)
def test_a_mean_time_is_a_bound_if_one_run_ended_at_a_limit(limited, shown):
    runs = make(("mine",), protocols=("all_points",), methods=("fw",))
    runs = runs[runs["method"] == "fw"]
    reasons = ["time_limit"] * limited + ["converged"] * (3 - limited)
    repeated = [
        runs.assign(repetition=k, stop_reason=why, train_cpu_s=2.0 if why == "converged" else 5.0)
        for k, why in enumerate(reasons)
    ]
    three = conform(pd.concat(repeated))
    assert shown[0] in summary_table(three, []).data().to_markdown()
    text = summary_text(three, [])
    assert shown[1] in text and "The sign >= marks" in text


def test_signs_that_do_not_occur_are_not_explained():
    runs = make(("mine",), protocols=("all_points",), methods=("fw",))
    text = summary_text(runs.assign(stop_reason="converged"), [])
    assert ">=" not in text and "The column gap" in text


@pytest.mark.parametrize(
    ("reason", "shown"), [("time_limit", ">= 0.500"), ("memory_limit", "memory limit")]
)
def test_svc_at_a_limit_says_so(reason, shown):
    peers = svc_runs(OWN, stop_reason=reason, test_accuracy=None, support_vectors=None)
    line = next(
        line for line in summary_text(make(peers=peers), []).splitlines() if "SVC (scikit" in line
    )
    assert shown in line and "75.00" not in line


def test_command_with_no_runs_with_none_of_the_benchmark_and_with_all(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(["summary", "--profile", "mine"]) == 2
    assert "there is no folder results/mine" in capsys.readouterr().err
    folder = tmp_path / "results" / "mine"
    folder.mkdir(parents=True)
    assert main(["summary", "--profile", "mine"]) == 2
    assert "results/mine has no runs, since the file runs.tsv is missing" in capsys.readouterr().err
    make().assign(experiment="singh").to_csv(folder / "runs.tsv", sep="\t", index=False)
    assert main(["summary", "--profile", "mine"]) == 0
    shown = capsys.readouterr().out
    assert (
        shown.startswith("no summary, because the summary needs results of the benchmark")
        and "results/mine/runs.tsv" in shown
    )
    make().to_csv(folder / "runs.tsv", sep="\t", index=False)
    for description in DESCRIPTIONS:
        write_json(description, folder / "describe" / f"{description['dataset']}.json")
    skipped = ArtefactData(kind="table", id="claims", skipped="needs runs")
    skipped.write_json(folder / "tables/claims.json")
    assert main(["summary", "--profile", "mine"]) == 0
    shown = capsys.readouterr().out
    assert (
        shown.startswith("Settings of the papers' text")
        and "SWAP-2o" in shown
        and "majority class" in shown
    )
    assert "\n\n\n" not in shown
    assert "not drawn  1 tables or figures" in shown
