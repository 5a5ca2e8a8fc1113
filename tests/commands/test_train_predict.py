"""Test `fwsvm train` and `fwsvm predict` through the entry point of the command line."""

import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import yaml
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_iris

import fwsvm
from fwsvm.cli import commands, main
from fwsvm.estimators import machine
from fwsvm.estimators.model_files import load_model, save_model
from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm_papers.runs.records import RUN_COLUMNS


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


@pytest.mark.parametrize("command", commands())
def test_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0 and "usage: fwsvm" in capsys.readouterr().out


def test_train_and_predict_a_file(iris_file, tmp_path, capsys):
    model, labels = tmp_path / "model", tmp_path / "labels.txt"
    record = run_json(
        capsys, "train", iris_file, "--method", "swap2o", "--C", 16, "-o", model, "--seed", 3
    )
    assert (record["stop_reason"], record["task_size"]) == ("converged", 150)
    assert record["train_accuracy"] > 0.95
    assert set(record) - {"classes", "train_accuracy", "model"} <= set(RUN_COLUMNS)
    # the name of the model with the suffix .npz, and without it
    for name in (record["model"], model):
        prediction = run_json(capsys, "predict", name, iris_file, "-o", labels)
        assert prediction["test_accuracy"] == record["train_accuracy"]
    assert len(lines := labels.read_text().splitlines()) == 150 and set(lines) == {"0", "1", "2"}


def test_the_module_is_the_command():
    for option, text in (("--version", f"fwsvm {fwsvm.__version__}\n"), ("--help", "usage: fwsvm")):
        command = [sys.executable, "-m", "fwsvm", option]
        assert subprocess.check_output(command, text=True).startswith(text)


def test_the_name_of_a_model_means_the_file_that_train_wrote(iris_file, tmp_path, capsys):
    model = tmp_path / "kept"
    run_json(capsys, "train", iris_file, "-o", model)
    model.write_text("labels, not a model")
    assert run_json(capsys, "predict", model, iris_file)["test_accuracy"] > 0.9
    (tmp_path / "kept.npz").rename(model)  # without the suffix, a model can also be read
    assert run_json(capsys, "predict", model, iris_file)["test_accuracy"] > 0.9


def test_a_name_of_a_file_and_of_a_data_set(iris_file, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    iris_file.rename("breast_cancer")
    run_json(capsys, "train", "./breast_cancer", "-o", "model")
    for arguments in (["train", "breast_cancer"], ["predict", "model", "breast_cancer"]):
        assert main(arguments) == 2
        message = capsys.readouterr().err
        assert "write ./breast_cancer" in message and "rename the file" in message
    assert not (tmp_path / "data").exists()


def test_the_command_trains_what_the_estimator_trains(iris_file, capsys):
    X, y = load_iris(return_X_y=True)
    arguments = ["--C", 4, "--gamma", 0.5, "--stop", "relative", "--eps", 1e-4, "--seed", 7]
    record = run_json(capsys, "train", iris_file, *arguments)
    model = FrankWolfeSVC(C=4, gamma=0.5, stop="relative", eps=1e-4, random_state=7).fit(X, y)
    assert record["objective"] == pytest.approx(model.objective_, rel=1e-3)
    assert record["relative_gap"] <= 1e-4


def test_the_constant_of_the_polynomial_is_an_option_and_is_saved(iris_file, tmp_path, capsys):
    X, y = load_iris(return_X_y=True)
    arguments = [
        "--kernel",
        "poly",
        "--degree",
        3,
        "--gamma",
        0.1,
        "--coef0",
        2.5,
        "-o",
        tmp_path / "model",
    ]
    record = run_json(capsys, "train", iris_file, *arguments)
    model = FrankWolfeSVC(kernel="poly", degree=3, gamma=0.1, coef0=2.5).fit(X, y)
    assert record["coef0"] == 2.5 and record["objective"] == pytest.approx(
        model.objective_, rel=2e-3
    )
    loaded = load_model(tmp_path / "model")
    assert loaded.coef0 == 2.5
    assert (
        run_json(capsys, "predict", tmp_path / "model", iris_file)["test_accuracy"]
        == record["train_accuracy"]
    )
    assert main(["train", str(iris_file), "--kernel", "poly", "--coef0", "-1"]) == 2
    assert "coef0 must be a finite number >= 0" in capsys.readouterr().err


@pytest.mark.parametrize("selection", ["sampled_text", "sampled_libcvm"])
def test_sampling_options(iris_file, capsys, selection):
    options = ["--selection", selection, "--sample-size", 10, "--patience", 3, "--alternate"]
    record = run_json(capsys, "train", iris_file, "--method", "cvm", *options)
    assert (record["sample_size"], record["patience"], record["alternate"]) == (10, 3, True)
    assert record["stop_reason"] == "no_violation_in_samples" and record["inner_tolerance"] == 1e-3


def test_an_embedded_data_set_by_its_name(tmp_path, capsys):
    record = run_json(
        capsys, "train", "breast_cancer", "--data-dir", tmp_path, "--kernel", "poly", "--C", 1
    )
    assert record["dataset"] == "breast_cancer" and record["degree"] == 2
    assert record["test_accuracy"] > 0.8
    stopped = ["--data-dir", tmp_path, "--method", "fcfw", "--time-limit", 1e-9, "--no-certify"]
    # training ends before there is a model
    assert run_json(capsys, "train", "a1a", *stopped)["objective"] is None


def test_the_note_fits_what_ended_training(iris_file, capsys):
    for arguments, advice in (
        (["--C", "1e8", "--max-iterations", "5"], "--max-iterations"),
        (["--C", "100", "--method", "mfw_sparse"], "use --init random_point with it"),
        (["--C", "1e9", "--stop", "meb"], "use --stop relative with a small --eps"),
        (["--selection", "sampled_text", "--C", "1e4"], "a larger --patience or a larger --sample"),
        (["--C", "1", "--method", "mfw_sparse", "--init", "random_point"], None),
    ):
        assert main(["train", str(iris_file), *arguments]) == 0
        out = capsys.readouterr().out
        assert (advice in out) if advice else ("note " not in out)


def test_a_model_meets_data_of_another_width(tmp_path, capsys):
    """A file does not store its number of features.

    The predictions must therefore be those of a model that was trained with further columns of
    zeros.
    """
    rng, model, wide_model = np.random.default_rng(0), tmp_path / "model", tmp_path / "wide"
    for storage in ("dense", "sparse"):
        m, d = (60, 5) if storage == "dense" else (400, 300)
        X = sparse.random(m, d + 40, 1.0 if storage == "dense" else 0.05, format="csr", rng=rng)
        X.data[:] = rng.normal(size=X.nnz)
        y = np.where(np.ravel(X[:, :3].sum(axis=1)) > 0, 7, 3)
        narrow, test, padded = (tmp_path / name for name in ("train.txt", "test.txt", "padded.txt"))
        dump_svmlight_file(X[:, :d], y, str(narrow), zero_based=False)
        dump_svmlight_file(X, y, str(test), zero_based=False)
        for kernel in (["rbf", "--gamma", 0.3], ["poly", "--gamma", 0.3, "--coef0", 1], ["linear"]):
            options = ["--kernel", *kernel, "--C", 10]
            run_json(capsys, "train", narrow, *options, "-o", model)
            run_json(capsys, "train", narrow, *options, "--features", d + 40, "-o", wide_model)
            assert load_model(wide_model).n_features_in_ == d + 40
            expected = run_json(capsys, "predict", wide_model, test)
            assert main(["predict", str(model), str(test), "--json"]) == 0
            told = capsys.readouterr()
            assert json.loads(told.out)["predictions"] == expected["predictions"]
            assert (
                f"has {d + 40} features, but the model {model} has only {d}. The last 40 features"
                " are treated as if they were 0" in told.err
            )
        # test points with fewer features than the model, with and without --features
        dump_svmlight_file(X[:, : d - 2], y, str(padded), zero_based=False)
        expected = load_model(model).predict(
            sparse.hstack([X[:, : d - 2], sparse.csr_matrix((m, 2))]).tocsr()
        )
        for option in ([], ["--features", d - 1]):
            assert (
                run_json(capsys, "predict", model, padded, *option)["predictions"]
                == expected.tolist()
            )
        with pytest.raises(ValueError, match="features"):
            load_model(model).predict(X)


def test_a_huge_index_does_not_fill_the_memory(iris_file, tmp_path, capsys):
    record = run_json(capsys, "train", iris_file, "--gamma", 1e-3, "-o", tmp_path / "model")
    (wide := tmp_path / "wide.libsvm").write_text("0 1:5 90000:1\n")
    tracemalloc.start()
    assert run_json(capsys, "predict", record["model"], wide)["points"] == 1
    assert tracemalloc.get_traced_memory()[1] < 20e6  # 150 dense support vectors would take 108 MB
    tracemalloc.stop()


def test_catalogue_data_of_another_width(iris_file, tmp_path, capsys):
    """Only a file in LIBSVM's format can have more features than it shows. The number of columns of
    a table is fixed.
    """
    for source, name in (
        ({"files": {"train": {"path": str(iris_file)}}}, "file"),
        ({"sklearn": "iris"}, "package"),
    ):
        entry = {"source": source, "split": {"fraction": 0.2, "seed": 0}, "scaling": "none"}
        (catalogue := tmp_path / f"{name}.yaml").write_text(yaml.safe_dump({"mine": entry}))
        place = ["--catalogue", catalogue, "--data-dir", tmp_path / name]
        for features, code in (
            (3, 0 if name == "file" else 2),
            (4, 0),
            (6, 0 if name == "file" else 2),
        ):
            (training := tmp_path / "training.txt").write_text(f"1 1:1 {features}:2\n0 1:2\n")
            run_json(capsys, "train", training, "-o", tmp_path / "model")
            assert (
                main([*map(str, ("predict", tmp_path / "model", "mine", *place, "--json"))]) == code
            )
            message = capsys.readouterr().err
            assert code == 0 or f"has 4 features, but the model {tmp_path}" in message


def test_labels_that_the_model_does_not_know(tmp_path, capsys):
    (zero_one := tmp_path / "a.txt").write_text("0 1:1\n1 1:3\n0 1:1.5\n1 1:2.5\n")
    (signs := tmp_path / "b.txt").write_text("-1 1:1\n1 1:3\n-1 1:1.5\n1 1:2.5\n-1 1:1\n")
    (many := tmp_path / "c.txt").write_text("".join(f"{label} 1:1\n" for label in range(30)))
    assert main(["train", str(zero_one), "-o", str(tmp_path / "model")]) == 0
    for data, part in (
        (
            signs,
            (
                "40.00 % correct; 3 points have labels that the model does not know (-1); the model"
                " knows the labels 0, 1\n"
            ),
        ),
        (
            many,
            (
                "28 points have labels that the model does not know (2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
                " and 18 others)"
            ),
        ),
    ):
        assert main(["predict", str(tmp_path / "model"), str(data)]) == 0
        assert part in capsys.readouterr().err
    assert main(["predict", str(tmp_path / "model"), str(zero_one)]) == 0
    assert "know" not in capsys.readouterr().err


def test_the_data_are_described_before_training(tmp_path, capsys, monkeypatch):
    lines = [f"{i % 50} 1:{i} 2:{(i * 7) % 11}" for i in range(90)]
    (data := tmp_path / "a.txt").write_text("\n".join(lines) + "\n")
    seen = []
    pair_training = machine.PairTraining
    monkeypatch.setattr(
        machine,
        "PairTraining",
        lambda *a, **k: seen.append(capsys.readouterr().out) or pair_training(*a, **k),
    )
    assert main(["train", str(data)]) == 0
    assert f"{data}: 90 points, 2 features, 50 classes, 1,225 pairs of classes" in "".join(seen)
    assert (
        "y has 50 classes in 90 points, so training must separate 1,225 pairs of classes. If y has"
        in "".join(seen)
    )


def test_a_table_is_no_libsvm_file(tmp_path, capsys):
    for text in ("a,b,class\n1,2,0\n", "1;2;0\n", "1\t2\t0\n"):
        (table := tmp_path / "table.csv").write_text(text)
        assert main(["train", str(table)]) == 2
        message = capsys.readouterr().err
        assert "sklearn.datasets.dump_svmlight_file(X, y, FILE, zero_based=False)" in message
        assert "this needs the extra 'papers'" in message
    for text in ("1 1:2 2:x\n", "1 1:2\n1 2\n"):
        table.write_text(text)
        assert main(["train", str(table)]) == 2
        assert "table" not in capsys.readouterr().err.replace(str(table), "")


def test_predict_notes_another_scaling(iris_file, tmp_path, capsys):
    record = run_json(capsys, "train", iris_file, "-o", tmp_path / "model")
    save_model(load_model(record["model"]), record["model"], {"name": "mine", "scaling": "minmax"})
    assert main(["predict", record["model"], str(iris_file)]) == 0
    assert "mine (the training data) has the scaling minmax" in capsys.readouterr().err
    save_model(
        load_model(record["model"]),
        record["model"],
        {"name": "\x1b[31mred", "scaling": "\x9bminmax"},
    )
    assert main(["predict", record["model"], str(iris_file)]) == 0
    told = capsys.readouterr().err
    assert told.replace("\n", "").isprintable() and "\\x1b[31mred" in told
