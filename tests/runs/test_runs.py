import gzip

import numpy as np
import pandas as pd
import pytest

from fwsvm.inputs.errors import DataError
from fwsvm_papers.runs.records import (
    RUN_COLUMNS,
    conform,
    distinct_runs,
    empty_runs,
    read_runs,
    write_runs,
)
from fwsvm_papers.runs.table import protocols_of, summarise, wide


def run(method="fw", protocol="as_printed", repetition=0, dataset="a1a", **columns):
    settings = {
        "dataset": dataset,
        "method": method,
        "protocol": protocol,
        "repetition": repetition,
    }
    results = {
        "train_cpu_s": 2.0,
        "test_accuracy": 0.8,
        "support_vectors": 100,
        "relative_gap": 0.5,
        "disturbed": False,
    }
    return {"experiment": "benchmark", **settings, **results, "stop_reason": "converged", **columns}


def table(*rows):
    return conform(pd.DataFrame(rows))


@pytest.mark.parametrize("name", ["runs.tsv", "deep/er/runs.tsv.gz"])
def test_values_survive_writing_and_reading(tmp_path, name):
    runs = table(
        run(
            eps=1e-6,
            gamma=np.pi,
            C=2.0**12,
            alternate=True,
            seed=2**53 + 1,
            disturbed=True,
            gap=np.inf,
        ),
        run(
            repetition=1,
            alternate=False,
            train_cpu_s=0.1 + 0.2,
            test_accuracy=np.nan,
            gamma_rule="None",
        ),
    )
    write_runs(runs, tmp_path / name)
    pd.testing.assert_frame_equal(read_runs(tmp_path / name), runs)


def test_equal_tables_give_equal_bytes_whatever_the_order(tmp_path):
    rows = [run(repetition=i, method=m) for i in range(3) for m in ("fw", "cvm")]
    write_runs(pd.DataFrame(rows), tmp_path / "a.tsv.gz")
    shuffled = pd.DataFrame(rows[::-1])
    write_runs(shuffled[shuffled.columns[::-1]], tmp_path / "b.tsv.gz")
    assert (tmp_path / "a.tsv.gz").read_bytes() == (tmp_path / "b.tsv.gz").read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [({"iterations": 1.5}, "iterations"), ({"eps": "small"}, "eps"), ({"colour": "red"}, "colour")],
)
def test_wrong_types_name_the_column(change, message):
    with pytest.raises(DataError, match=message):
        table(run(**change))


def test_a_damaged_archive_and_a_missing_column_are_named(tmp_path):
    whole = tmp_path / "runs.tsv.gz"
    write_runs(table(*(run(repetition=i, seed=i**5) for i in range(200))), whole)
    text = gzip.decompress(whole.read_bytes()).decode()
    whole.write_bytes(whole.read_bytes()[:-300])
    (tmp_path / "old.tsv").write_text(text.replace("certify_cpu_s\t", "", 1))
    for name in ("runs.tsv.gz", "old.tsv"):
        with pytest.raises(DataError, match=name):
            read_runs(tmp_path / name)


def test_distinct_runs_are_sorted_and_a_run_twice_is_refused():
    rows = [run(dataset="w1a"), run(dataset="a1a", repetition=1), run(dataset="a1a")]
    runs = distinct_runs(pd.DataFrame(rows))
    assert runs["dataset"].tolist() == ["a1a", "a1a", "w1a"]
    with pytest.raises(DataError, match="dataset=w1a"):
        distinct_runs(pd.DataFrame([*rows, rows[0]]))
    nothing = distinct_runs(pd.DataFrame([]))
    assert nothing.empty and tuple(nothing.columns) == RUN_COLUMNS


def test_summary_numbers():
    runs = table(
        run(repetition=0, train_cpu_s=1.0, test_accuracy=0.80, stop_reason="time_limit"),
        run(repetition=1, train_cpu_s=2.0, test_accuracy=0.82, disturbed=True),
        run(
            repetition=2,
            train_cpu_s=6.0,
            test_accuracy=np.nan,
            stop_reason="no_violation_in_samples",
        ),
        run(method="cvm", protocol="libcvm", stop_reason="iteration_limit"),
    )
    fw, cvm = (row for _, row in summarise(runs).iterrows())
    assert (fw["method"], cvm["method"], fw["repetitions"]) == ("fw", "cvm", 3)
    # the disturbed run is left out
    assert (fw["train_cpu_s_mean"], fw["train_cpu_s_n"]) == (3.5, 2)
    assert fw["train_cpu_s_std"] == pytest.approx(np.std([1, 6], ddof=1))
    assert (fw["train_cpu_s_median"], fw["train_cpu_s_min"], fw["train_cpu_s_max"]) == (
        3.5,
        1.0,
        6.0,
    )
    assert fw["test_accuracy_mean"] == pytest.approx(81.0)
    assert fw["test_accuracy_n"] == 2
    assert (fw["stop_time_limit"], fw["stop_converged"], fw["stop_no_violation_in_samples"]) == (
        1,
        1,
        1,
    )
    assert (fw["at_limit"], fw["disturbed"]) == (1, 1)
    assert (np.isnan(cvm["train_cpu_s_std"]), cvm["train_cpu_s_n"], cvm["at_limit"]) == (True, 1, 1)
    only = summarise(runs.assign(disturbed=True)).iloc[0]
    assert (only["train_cpu_s_mean"], only["train_cpu_s_n"], only["disturbed"]) == (3.0, 3, 3)
    assert summarise(empty_runs()).empty
    assert summarise(table(run(C=1.0), run(C=4.0)), by=("C",))["C"].tolist() == [1.0, 4.0]


def test_wide_has_only_the_rows_of_its_protocol():
    runs = table(
        run(train_cpu_s=1.0),
        run(protocol="all_points", train_cpu_s=2.0),
        run(method="cvm", train_cpu_s=10.0),
        run(method="cvm", protocol="libcvm", train_cpu_s=20.0),
        run(dataset="w1a", train_cpu_s=3.0),
    )
    summary = summarise(runs)
    text = wide(summary, "train_cpu_s", "as_printed", ["cvm", "fw", "mfw"])
    assert list(text.columns) == ["cvm", "fw", "mfw"] and text.index.tolist() == ["a1a", "w1a"]
    assert text.loc["a1a", ["cvm", "fw"]].tolist() == [10.0, 1.0]
    assert np.isnan(text.loc["w1a", "cvm"]) and text["mfw"].isna().all()
    full = wide(summary, "train_cpu_s", "all_points", ["cvm", "fw"])
    assert full["fw"].tolist() == [2.0] and full["cvm"].isna().all()


def test_wide_refuses_several_experiments():
    summary = summarise(table(run(), run(experiment="poly")))
    with pytest.raises(ValueError, match="select the rows of one experiment"):
        wide(summary, "train_cpu_s", "as_printed", ["fw"])


def test_every_protocol_that_ran_is_a_heading_in_the_order_of_the_configuration():
    cvm = run(method="cvm", protocol="libcvm")
    runs = table(cvm, run(protocol="mine"), run(protocol="all_points"), run())
    assert protocols_of(runs) == ["as_printed", "libcvm", "all_points", "mine"]
