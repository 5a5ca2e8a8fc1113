"""`fwsvm train` and `fwsvm predict`, through the command line's own entry."""

import json

import pytest
from sklearn.datasets import dump_svmlight_file, load_iris

from fwsvm.cli import COMMANDS, main
from fwsvm.estimators.model_files import load_model, save_model
from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.runs.records import RUN_COLUMNS


@pytest.fixture
def iris_file(tmp_path):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "iris.libsvm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    return path


def run_json(capsys, *arguments):
    assert main([*map(str, arguments), "--json"]) == 0
    out = capsys.readouterr().out
    assert len(out.strip().splitlines()) == 1
    return json.loads(out)


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0 and "usage: fwsvm" in capsys.readouterr().out


def test_train_and_predict_a_file(iris_file, tmp_path, capsys):
    model, labels = tmp_path / "model", tmp_path / "labels.txt"
    record = run_json(capsys, "train", iris_file, "--method", "swap2o", "--C", 16, "-o", model, "--seed", 3)
    assert (record["stop_reason"], record["task_size"]) == ("converged", 150)
    assert record["train_accuracy"] > 0.95
    assert set(record) - {"classes", "train_accuracy", "model"} <= set(RUN_COLUMNS)
    for name in (record["model"], model):  # with and without the suffix .npz
        prediction = run_json(capsys, "predict", name, iris_file, "-o", labels)
        assert prediction["test_accuracy"] == record["train_accuracy"]
    assert len(lines := labels.read_text().splitlines()) == 150 and set(lines) == {"0", "1", "2"}


def test_the_command_trains_what_the_estimator_trains(iris_file, capsys):
    X, y = load_iris(return_X_y=True)
    arguments = ["--C", 4, "--gamma", 0.5, "--stop", "relative", "--eps", 1e-4, "--seed", 7]
    record = run_json(capsys, "train", iris_file, *arguments)
    model = FrankWolfeSVC(C=4, gamma=0.5, stop="relative", eps=1e-4, random_state=7).fit(X, y)
    assert record["objective"] == pytest.approx(model.objective_, rel=1e-3)
    assert record["relative_gap"] <= 1e-4


def test_the_constant_of_the_polynomial_is_an_option_and_is_saved(iris_file, tmp_path, capsys):
    X, y = load_iris(return_X_y=True)
    arguments = ["--kernel", "poly", "--degree", 3, "--gamma", 0.1, "--coef0", 2.5, "-o", tmp_path / "model"]
    record = run_json(capsys, "train", iris_file, *arguments)
    model = FrankWolfeSVC(kernel="poly", degree=3, gamma=0.1, coef0=2.5).fit(X, y)
    assert record["coef0"] == 2.5 and record["objective"] == pytest.approx(model.objective_, rel=2e-3)
    loaded = load_model(tmp_path / "model")
    assert loaded.coef0 == 2.5
    assert run_json(capsys, "predict", tmp_path / "model", iris_file)["test_accuracy"] == record["train_accuracy"]
    assert main(["train", str(iris_file), "--kernel", "poly", "--coef0", "-1"]) == 2
    assert "coef0 must be a finite number >= 0" in capsys.readouterr().err


@pytest.mark.parametrize("selection", ["sampled_text", "sampled_libcvm"])
def test_sampling_options(iris_file, capsys, selection):
    options = ["--selection", selection, "--sample-size", 10, "--patience", 3, "--alternate"]
    record = run_json(capsys, "train", iris_file, "--method", "cvm", *options)
    assert (record["sample_size"], record["patience"], record["alternate"]) == (10, 3, True)
    assert record["stop_reason"] == "no_violation_in_samples" and record["inner_tolerance"] == 1e-3


def test_an_embedded_data_set_by_its_name(tmp_path, capsys):
    record = run_json(capsys, "train", "breast_cancer", "--data-dir", tmp_path, "--kernel", "poly", "--C", 1)
    assert record["dataset"] == "breast_cancer" and record["degree"] == 2
    assert record["test_accuracy"] > 0.8
    stopped = ["--data-dir", tmp_path, "--method", "fcfw", "--time-limit", 1e-9, "--no-certify"]
    assert run_json(capsys, "train", "a1a", *stopped)["objective"] is None  # before there is a model


def test_the_note_fits_what_ended_training(iris_file, capsys):
    for arguments, advice in (
        (["--C", "1e8", "--max-iterations", "5"], "--max-iterations"),
        (["--C", "100", "--method", "mfw_sparse"], "needs init='random_point'"),
        (["--C", "1", "--method", "mfw_sparse", "--init", "random_point"], None),
    ):
        assert main(["train", str(iris_file), *arguments]) == 0
        out = capsys.readouterr().out
        assert (advice in out) if advice else ("note " not in out)


def test_predict_refuses_other_features(iris_file, tmp_path, capsys):
    record = run_json(capsys, "train", iris_file, "-o", tmp_path / "model")
    (wide := tmp_path / "wide.libsvm").write_text("0 9:1\n")
    assert main(["predict", record["model"], str(wide)]) == 2
    assert "9" in capsys.readouterr().err
    save_model(load_model(record["model"]), record["model"], {"name": "mine", "scaling": "minmax"})
    assert main(["predict", record["model"], str(iris_file)]) == 0
    assert "minmax" in capsys.readouterr().err
