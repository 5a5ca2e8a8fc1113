"""Test new draws of the checkerboard. They are other points of the same board, are the same for
every method, and count as repetitions.
"""

import numpy as np
import pandas as pd
import pytest

from fwsvm.inputs.errors import DataError
from fwsvm_papers.datasets.catalogue import load_catalogue
from fwsvm_papers.datasets.prepare import prepare
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies import tsang2005 as plan
from fwsvm_papers.studies.tsang2005 import run as study_run
from fwsvm_papers.studies.tsang2005 import scaling

CVM, LIBSVM = (
    Job("draws", protocol, "checkerboard", method)
    for protocol, method in (("libcvm", "cvm"), ("none", "libsvm_l1"))
)


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    catalogue = load_catalogue("config/datasets.yaml")
    folder = tmp_path_factory.mktemp("board")
    return prepare(
        catalogue["checkerboard"], catalogue, folder / "raw", folder / "checkerboard", None
    )


@pytest.fixture
def config(load_config):
    return load_config(
        "smoke",
        datasets=["checkerboard"],
        tsang2005={"C": [10], "checkerboard": {"sizes": [100, 300, 900], "gamma_factors": [2]}},
        draws={
            "methods": ["cvm", "libsvm_l1"],
            "draws": 2,
            "most_points": {"cvm": 900, "default": 300},
            "large": {"above": 300, "draws": 1},
        },
    )


def test_runs_are_further_repetitions_of_the_study(config, board):
    assert plan.draws_jobs(config, ["checkerboard", "iris"]) == [CVM, LIBSVM]
    settings = plan.draws_settings(config, CVM)
    runs = conform(pd.DataFrame(study_run.run(board, CVM, settings)))
    assert len(runs) == settings["runs"] == 5
    job = Job("tsang2005", *CVM[1:])
    own, _ = study_run.run(board, job, plan.settings(config, job))
    both = pd.concat([conform(pd.DataFrame(own)), runs], ignore_index=True)
    curves = scaling.curves(scaling.series_runs(both, ["checkerboard"]))
    assert list(curves["task_size"]) == [100, 300, 900] and list(curves["n"]) == [3, 3, 2]
    errors = 100 * (1 - both.loc[both["task_size"] == 900, "test_accuracy"])
    last = curves.iloc[-1]
    assert (last["error"], last["error_low"]) == pytest.approx((errors.mean(), errors.min()))


def test_every_method_sees_the_same_new_points_of_the_same_board(config, board, monkeypatch):
    seen = []
    monkeypatch.setattr(
        study_run, "_run_once", lambda prepared, *_: seen.append(prepared) or ([], {})
    )
    for job in (CVM, LIBSVM):
        study_run.run(board, job, plan.draws_settings(config, job))
    (first, second), (same, _) = seen[:2], seen[2:]
    # LIBSVM's largest training set is the first part of CVM's
    np.testing.assert_array_equal(first.X_train[:300], same.X_train)
    assert not np.array_equal(first.X_train, second.X_train)
    for drawn in (first, second):
        assert drawn.X_test is board.X_test
        np.testing.assert_array_equal(drawn.y_train, np.floor(drawn.X_train).sum(axis=1) % 2 == 0)
        assert 3 < drawn.X_train.max() < 4


def test_what_is_not_a_board_is_refused(prepared_sets, config):
    with pytest.raises(DataError, match="checkerboard"):
        study_run.run(
            prepared_sets["three"], CVM._replace(dataset="three"), plan.draws_settings(config, CVM)
        )
