"""Test the study alaiz2018: its jobs and settings, and the results of one run."""

import json

import numpy as np
import pandas as pd
import pytest

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.solve import solve
from fwsvm_papers.runs.records import SETTING_COLUMNS, distinct_runs, read_runs, write_runs
from fwsvm_papers.studies import alaiz2018 as plan
from fwsvm_papers.studies.alaiz2018 import run as alaiz2018
from fwsvm_papers.studies.alaiz2018.partitions import draw, pool
from fwsvm_papers.studies.alaiz2018.sparsity import MODELS, model_runs

SECTION = {
    "datasets": ["two"],
    "kernels": ["linear", "rbf"],
    "partitions": 2,
    "train_points": 100,
    "test_points": 500,
    "folds": 3,
    "tuning_points": 60,
    "tuning_iterations": 5000,
    "gamma_exponents": [-1, 2],
    "C_exponents": [-2, 2],
    "fixed_C": 1,
    "starts": {"kernel": "rbf", "most": {"default": 6}},
    "stop": "relative",
    "eps": 1e-3,
    "cache_mb": 50,
    "max_iterations": 20_000,
    "time_limit": 1e9,
    "c_path": {"datasets": [], "train_points": 80, "test_points": 40},
    "largest": {
        "datasets": [],
        "kernel": "rbf",
        "train_points": 120,
        "test_points": 50,
        "iterations": 200,
        "every": 20,
    },
}


def settings_for(name="two", **changes):
    config = {"alaiz2018": {**SECTION, **changes}, "seed": 7, "timing": "shared", "caps": {}}
    (job,) = plan.jobs(config, [name])
    return job, plan.settings(config, job)


@pytest.fixture(scope="module")
def comparison(prepared_sets):
    job, settings = settings_for()
    return alaiz2018.run(prepared_sets["two"], job, settings), settings


@pytest.fixture(scope="module")
def path_and_largest(prepared_sets):
    changes = {key: {**SECTION[key], "datasets": ["two"]} for key in ("c_path", "largest")}
    job, settings = settings_for(datasets=[], **changes)
    return alaiz2018.run(prepared_sets["two"], job, settings), settings


def test_settings_hold_what_concerns_the_data_set_only():
    both = {"datasets": ["two", "large"], "train_points": 9, "test_points": 9}
    _, settings = settings_for("two", c_path=both)
    assert (
        "comparison" not in settings
        and "largest" not in settings
        and settings["c_path"]["train_points"] == 9
    )
    assert settings["runs"] == 2 * 2 * 2 * 2
    _, settings = settings_for("two", fixed_C="infinity")
    assert settings["fixed_C"] == float("inf") and settings["runs"] == 3 * 2 * 2 + 6


def test_rows_are_a_whole_runs_table(comparison, tmp_path):
    (rows, details), settings = comparison
    write_runs(pd.DataFrame(rows), tmp_path / "runs.tsv")
    runs = distinct_runs(read_runs(tmp_path / "runs.tsv"))
    assert len(runs) == len(rows) <= settings["runs"]
    assert not runs.duplicated(list(SETTING_COLUMNS)).any()
    needed = [
        "start_index",
        "partition",
        "seed",
        "support_vectors",
        "relative_gap",
        "test_accuracy",
        "calibration_s",
    ]
    assert runs[needed].notna().all().all()
    assert set(runs["task_size"]) == {100} and set(runs["partition"]) == {0, 1}
    assert json.loads(json.dumps(details)) == details


def test_each_model_ran_on_every_partition_from_the_same_start(comparison):
    (rows, details), _ = comparison
    runs = pd.DataFrame(rows)
    table = model_runs(runs, [{"dataset": "two", **details}])
    assert table.groupby(["kernel", "model"]).size().tolist() == [2] * 6
    assert len(table[["partition", "start_index"]].drop_duplicates()) == 2
    assert set(runs.loc[runs["init"] == "each_point", "seed"]) == set(
        runs.loc[runs["partition"] == 0, "seed"]
    )
    assert set(table.loc[table["model"] == "mfw_fixed", "C"]) == {1.0}
    for kernel, tuned in details["comparison"]["tuned"].items():
        rows = table[(table["kernel"] == kernel) & (table["model"] == "svm")]
        assert set(rows["C"]) == {tuned["C"]["svm"]}
        assert (
            rows["gamma"].isna().all()
            if kernel == "linear"
            else set(rows["gamma"]) == {tuned["gamma"]}
        )


def test_a_row_is_the_run_it_says(comparison, prepared_sets):
    """The model is trained again with the settings in its row. This time, its kernel values are
    computed and not shared.
    """
    (rows, _), settings = comparison
    row = next(
        r
        for r in rows
        if r["method"] == "mfw_sparse" and r["kernel"] == "rbf" and r["init"] == "random_point"
    )
    part = draw(*pool(prepared_sets["two"]), 100, 50, row["seed"])
    problem = KernelProblem(KernelMatrix(part.X, Kernel("rbf", row["gamma"])), part.y, row["C"])
    solution = solve(
        problem, "mfw_sparse", init=row["start_index"], stop="relative", eps=settings["eps"]
    )
    assert solution.objective == pytest.approx(row["objective"], rel=1e-3)
    assert len(solution.support) == row["support_vectors"]
    assert solution.coreset_size == row["coreset_size"]


def test_another_number_of_partitions_changes_no_other_run(comparison, prepared_sets):
    (rows, _), _ = comparison
    job, settings = settings_for(partitions=1)
    fewer, _ = alaiz2018.run(prepared_sets["two"], job, settings)
    same = ("objective", "iterations", "test_accuracy", "seed", "start_index", "C", "kernel")
    first = [[row[name] for name in same] for row in rows if row["partition"] == 0]
    assert [[row[name] for name in same] for row in fewer] == first


def test_curves_are_the_intermediate_models(path_and_largest, prepared_sets):
    (rows, details), _ = path_and_largest
    path = pd.DataFrame([row for row in rows if "partition" in row])
    assert len(path) == 2 * 2 * 2 * 2 and set(path["C"]) == {0.25, 4.0}
    largest = details["largest"]
    assert set(largest["curves"]) == set(MODELS) and (largest["train"], largest["test"]) == (
        120,
        50,
    )
    finals = {(row["method"], row["C"]): row for row in rows if "partition" not in row}
    for model, found in largest["curves"].items():
        row = finals[MODELS[model], largest["tuned"]["rbf"]["C"][model]]
        assert found["iteration"][0] == 0 and found["support_vectors"][0] == 1
        assert found["iteration"][-1] == row["iterations"] <= 200
        assert found["support_vectors"][-1] == row["support_vectors"]
        assert found["accuracy"][-1] == pytest.approx(100 * row["test_accuracy"])
        # a model in the middle of a run is equal to that of a run that ends at this step
        middle = found["iteration"][2]
        part = draw(*pool(prepared_sets["two"]), 120, 50, row["seed"])
        problem = KernelProblem(KernelMatrix(part.X, Kernel("rbf", row["gamma"])), part.y, row["C"])
        solution = solve(
            problem,
            row["method"],
            init=row["start_index"],
            stop="relative",
            eps=1e-3,
            max_iterations=middle,
        )
        signed = solution.weights * part.y[solution.support]
        K = np.exp(
            -row["gamma"] * ((part.X_test[:, None] - part.X[solution.support]) ** 2).sum(axis=2)
        )
        right = ((K @ signed + signed.sum()) > 0) == (part.y_test > 0)
        assert found["accuracy"][2] == pytest.approx(100 * right.mean())
        assert found["support_vectors"][2] == len(solution.support)
