"""Test the measures of alaiz2018 on a few numbers, with results that were calculated by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon

from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.alaiz2018 import sparsity
from fwsvm_papers.studies.alaiz2018.partitions import support_overlap


def row(method, C, partition, accuracy, support_vectors, iterations, **changes):
    return {
        "experiment": "alaiz2018",
        "dataset": "heart",
        "method": method,
        "init": "random_point",
        "kernel": "rbf",
        "C": C,
        "partition": partition,
        "test_accuracy": accuracy,
        "support_vectors": support_vectors,
        "iterations": iterations,
        "stop_reason": "converged",
        **changes,
    }


DETAILS = [
    {
        "dataset": "heart",
        "comparison": {"tuned": {"rbf": {"C": {"svm": 4.0, "mfw": 0.5, "mfw_fixed": 1.0}}}},
    }
]


@pytest.fixture
def runs():
    """Return runs on eight partitions. M-FW has half as many support vectors as the SVM, and a
    quarter of its iterations.
    """
    rows = []
    for p in range(8):
        rows += [
            row("pfw", 4.0, p, 0.80 + 0.01 * (p % 2), 100 + p, 1000),
            row(
                "mfw_sparse",
                0.5,
                p,
                0.80 + 0.01 * ((p + 1) % 2),
                50 + p / 2 if p % 2 == 0 else 50,
                250,
            ),
            row("mfw_sparse", 1.0, p, 0.70, 20, 100 + p),
            row("mfw_sparse", 2.0, p, 0.99, 1, 1),
        ]
    return conform(pd.DataFrame(rows))


def test_models_differ_by_method_and_their_own_C(runs):
    table = sparsity.model_runs(runs, DETAILS)
    assert table.groupby("model")["C"].unique().map(list).to_dict() == {
        "svm": [4.0],
        "mfw": [0.5],
        "mfw_fixed": [1.0],
    }
    assert len(table) == 24 and table["accuracy"].max() == pytest.approx(81.0)
    others = runs.assign(experiment="benchmark")
    largest = runs.assign(partition=pd.array([None] * len(runs), dtype="Int64"))
    assert len(sparsity.study_runs(pd.concat([runs, others, largest]))) == len(runs)


def test_summary_has_means_deviations_and_ranks(runs):
    summary = sparsity.model_summary(sparsity.model_runs(runs, DETAILS)).set_index("model")
    assert summary.loc["svm", "support_vectors_mean"] == 103.5
    assert summary.loc["svm", "support_vectors_std"] == pytest.approx(np.std(np.arange(8), ddof=1))
    assert summary["support_vectors_rank"].to_dict() == {"svm": 3, "mfw": 2, "mfw_fixed": 1}
    assert summary["accuracy_rank"].to_dict() == {"svm": 1, "mfw": 1, "mfw_fixed": 3}
    assert summary["partitions"].tolist() == [8, 8, 8]


def test_percentages_are_of_the_svm(runs):
    relative = sparsity.relative_to_svm(
        sparsity.model_summary(sparsity.model_runs(runs, DETAILS))
    ).set_index("model")
    assert relative.loc["mfw", "iterations_percent"] == 25.0
    assert relative.loc["mfw_fixed", "support_vectors_percent"] == pytest.approx(100 * 20 / 103.5)
    assert relative.loc["mfw_fixed", "accuracy_difference"] == pytest.approx(-10.5)
    assert relative.loc["mfw", "accuracy_percent"] == pytest.approx(100.0)


def test_ranks_follow_the_signed_rank_test():
    rng = np.random.default_rng(5)
    for _ in range(30):
        a, b = rng.normal(size=10), rng.normal(0.6, 1, size=10)
        ranks = sparsity.wilcoxon_ranks({"a": a, "b": b}, lower_is_better=False)
        better, worse = ("a", "b") if a.mean() > b.mean() else ("b", "a")
        differ = wilcoxon(a, b, method="exact").pvalue < 0.05
        assert ranks == {better: 1, worse: 2 if differ else 1}


def test_a_rank_is_shared_with_the_first_of_the_group_only():
    base = np.arange(10.0)
    values = {
        "first": base,
        "second": base - 0.1 * np.array([1, -1] * 5) - 0.05,
        "third": base - 5.0,
    }
    assert sparsity.wilcoxon_ranks(values, lower_is_better=False) == {
        "first": 1,
        "second": 1,
        "third": 3,
    }
    assert sparsity.wilcoxon_ranks(values, lower_is_better=True) == {
        "first": 2,
        "second": 2,
        "third": 1,
    }
    few = {"a": [1.0] * 5, "b": [2.0] * 5}
    assert sparsity.wilcoxon_ranks(few, lower_is_better=False) == {"a": 1, "b": 1}


def test_overlap_is_shared_over_all_support_vectors():
    overlap = support_overlap([[1, 2, 3], [2, 3, 4], [7]])
    assert overlap == {"mean": pytest.approx(50 / 3), "min": 0.0, "max": 50.0}
    assert support_overlap([[1, 2], [2, 1]])["mean"] == 100.0
    assert support_overlap([[5]]) == {"mean": 100.0, "min": 100.0, "max": 100.0}


@pytest.mark.parametrize(
    ("exponents", "accuracy", "width"),
    [
        ([0, 1, 2, 3], [90, 90.5, 91, 80], 2.0),
        ([3, 2, 1, 0], [80, 91, 90.5, 90], 2.0),  # the values can be in any order
        # the longest range need not contain the best value
        ([0, 1, 2, 3, 4], [91, 80, 90.2, 90.1, 90.3], 2.0),
        ([0, 2, 4], [91, 80, 91], 0.0),
        ([5], [70], 0.0),
        # the first and last means differ only by a rounding error
        ([0, 1, 2], [97.3 - 1e-13, 98.3, 97.3], 2.0),
    ],
)
def test_stable_width_is_the_longest_run(exponents, accuracy, width):
    assert sparsity.stable_width([2.0**k for k in exponents], accuracy, best=max(accuracy)) == width
    assert np.isnan(sparsity.stable_width([2.0**k for k in exponents], accuracy, best=100.0))


def test_path_sums_up_over_partitions_and_compares_widths():
    rows = []
    for p in range(3):
        for k, (svm, mfw) in enumerate([(0.80, 0.90), (0.90, 0.90), (0.90, 0.89)]):
            reason = "time_limit" if k == 2 else "converged"
            rows.append(row("pfw", 2.0**k, p, svm + 0.001 * p, 10, 10, stop_reason=reason))
            rows.append(row("mfw_sparse", 2.0**k, p, mfw + 0.001 * p, 5, 10))
    details = [{"dataset": "heart", "c_path": {}}]
    summary = sparsity.path_summary(conform(pd.DataFrame(rows)), details)
    first = summary[(summary["model"] == "mfw") & (summary["C"] == 1.0)].iloc[0]
    assert first["accuracy_mean"] == pytest.approx(90.1)
    assert (first["accuracy_min"], first["accuracy_max"]) == (
        pytest.approx(90.0),
        pytest.approx(90.2),
    )
    assert summary.loc[summary["at_limit"] > 0, ["model", "C", "at_limit"]].to_numpy().tolist() == [
        ["svm", 4.0, 3]
    ]
    assert sparsity.path_widths(summary).set_index("model")["width"].to_dict() == {
        "svm": 1.0,
        "mfw": 2.0,
    }


def test_starts_are_kept_apart_from_partitions(runs):
    more = [
        row("mfw_sparse", 0.5, 0, 0.8 + 0.01 * s, 40 + s, 9, init="each_point", start_index=s)
        for s in range(4)
    ]
    both = conform(pd.concat([runs, pd.DataFrame(more)]))
    overlap = {"mean": 60.0, "min": 50.0, "max": 70.0}
    details = [{**DETAILS[0], "starts": {"kernel": "rbf", "points": 99, "overlap": overlap}}]
    (found,) = sparsity.start_summary(both, details).to_dict("records")
    assert (found["starts"], found["points"], found["overlap_mean"]) == (4, 99, 60.0)
    assert (found["support_vectors_min"], found["support_vectors_max"]) == (40.0, 43.0)
    assert found["accuracy_mean"] == pytest.approx(81.5)
    assert len(sparsity.model_runs(both, details)) == 24
