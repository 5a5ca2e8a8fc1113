"""Bad inputs of `fwsvm train` and `fwsvm predict`: one message each, before the work is done, and never a traceback."""

import gzip
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

from fwsvm.base import files
from fwsvm.cli import main
from fwsvm.commands import train
from fwsvm.estimators.svc import FrankWolfeSVC

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def libsvm_file(tmp_path):
    """60 points of 5 features, all of them non-zero."""
    rng = np.random.default_rng(0)
    rows = [" ".join(f"{j + 1}:{value:.3f}" for j, value in enumerate(rng.uniform(1, 2, 5))) for _ in range(60)]
    path = tmp_path / "points.libsvm"
    path.write_text("".join(f"{i % 2} {row}\n" for i, row in enumerate(rows)))
    return path


@pytest.fixture
def model_file(libsvm_file, tmp_path, capsys):
    path = tmp_path / "model.npz"
    assert main(["train", str(libsvm_file), "-o", str(path), "--max-iterations", "5"]) == 0
    capsys.readouterr()
    return path


def refused(capsys, *arguments):
    """The one message of a command that ends with exit code 2."""
    assert main([*map(str, arguments)]) == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error and error.startswith(f"fwsvm {arguments[0]}: error: ")
    return error


def test_predictions_do_not_replace_the_model_or_the_data(libsvm_file, tmp_path, capsys):
    model = tmp_path / "model.npz"
    assert main(["train", str(libsvm_file), "-o", str(model)]) == 0
    capsys.readouterr()
    for path in (model, libsvm_file):
        before = path.read_bytes()
        link = tmp_path / f"link-{path.name}"
        link.symlink_to(path)
        for output in (path, link):
            assert "is the file" in refused(capsys, "predict", tmp_path / "model", libsvm_file, "-o", output)
            assert path.read_bytes() == before


def test_output_is_tried_before_training(libsvm_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(FrankWolfeSVC, "fit", None)  # training would be an error
    (tmp_path / "folder.npz").mkdir()
    for name in ("folder", "folder.npz", "."):
        assert "not a regular file" in refused(capsys, "train", libsvm_file, "-o", tmp_path / name)
    for name in (".", "/"):
        assert "not a regular file" in refused(capsys, "train", libsvm_file, "-o", name)
    assert "cannot be written" in refused(capsys, "train", libsvm_file, "-o", tmp_path / ("x" * 300))

    def full(path, mode):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "open", full, raising=False)
    message = refused(capsys, "train", libsvm_file, "-o", tmp_path / "model")
    assert "model.npz cannot be written: No space left on device" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.npz", "points.libsvm"]


def test_too_little_memory_is_a_message(libsvm_file, capsys, monkeypatch):
    def load_too_much(*_):
        raise MemoryError("Unable to allocate 1. TiB")

    monkeypatch.setattr(train, "load_data", load_too_much)
    message = refused(capsys, "train", libsvm_file)
    assert "not enough memory" in message and "--cache-mb" in message and "1. TiB" in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"1 1:nan\n0 1:2\n", "line 1"),
        (b"1 1:2\n1 1:3\n", "only one class"),
        (b"\x1f\x8b broken", "damaged"),
        (b"1 1:2\n0 34\n", "line 2: a colon is missing"),
        (b"1e20 1:2\n-1 1:3\n", "a label of 1e+20"),
        (b"1 1:1e308\n0 1:2\n", "bad.libsvm: X"),
        (b"0.5 1:1\n0.25 1:2\n0.125 1:3\n", "label"),
    ],
)
def test_files_that_cannot_be_trained_on(tmp_path, capsys, content, message):
    path = tmp_path / "bad.libsvm"
    path.write_bytes(content)
    assert message in refused(capsys, "train", path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "iri"], "did you mean 'iris'"),
        (["train", "IRIS"], "did you mean 'iris'"),
        (["train", "file", "--features", "999999999999"], "--features must be from 1 to 100,000,000"),
        (["summary", "--profile", "relesed"], "did you mean 'released'"),
        (["train", "iris", "--C", "-1"], "C must be a positive"),
        (["train", "iris", "--sigma2", "wide"], "--sigma2 must be 'average' or a number"),
        (["train", "iris", "--patience", "2"], "draws no samples"),
        (["train", "iris", "--features", "9"], "--features is for LIBSVM files"),
        (["train", "file", "--features", "0"], "--features must be from 1 to"),
        (["train", "iris", "-o", "no/such/folder/model"], "its folder does not exist"),
        (["predict", "no-model", "iris"], "no model file"),
        (["train", "iris", "--max-iterations", "0"], "--max-iterations must be an integer >= 1"),
        (["predict", "other.npz", "iris"], "it has no 'header'"),
    ],
)
def test_arguments_that_cannot_be_used(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("results/released").mkdir(parents=True)
    np.savez("other.npz", points=np.ones(3))
    assert message in refused(capsys, *arguments)


def test_without_certificate(libsvm_file, capsys):
    assert main(["train", str(libsvm_file), "--no-certify", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["gap"] is record["relative_gap"] is record["train_accuracy"] is None
    assert record["certify_cpu_s"] == 0
    assert main(["train", str(libsvm_file), "--no-certify"]) == 0
    assert "not certified" in capsys.readouterr().out


def test_infinite_numbers_are_text_in_json(libsvm_file, capsys):
    assert main(["train", str(libsvm_file), "--C", "inf", "--json"]) == 0
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["C"] == "inf"


def test_a_file_may_be_a_pipe(libsvm_file, tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[gzip.compress(libsvm_file.read_bytes())])
    writer.start()
    assert main(["train", str(tmp_path / "pipe"), "--max-iterations", "5", "--json"]) == 0
    writer.join()
    assert json.loads(capsys.readouterr().out)["task_size"] == 60
    assert "neither a file" in refused(capsys, "train", tmp_path)


def test_a_setting_that_a_model_file_cannot_have(model_file, libsvm_file, capsys):
    with np.load(model_file) as stored:
        arrays = dict(stored)
    header = json.loads(str(arrays["header"]))
    header["parameters"]["n_jobs"] = "x"
    del header["checksum"]  # as in files of earlier versions
    np.savez(model_file, **arrays | {"header": np.array(json.dumps(header))})
    assert "n_jobs must be an integer" in refused(capsys, "predict", model_file, libsvm_file)


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_a_reader_that_stops_is_no_error():
    command = f"set -o pipefail; {sys.executable} -m fwsvm.cli datasets list | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", ["budget", "claims", "release", "render"])
def test_commands_that_need_a_checkout(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "run this command in the folder of the checkout" in refused(capsys, command)


WITHOUT_MATPLOTLIB = """
import sys

class Missing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")

sys.meta_path.insert(0, Missing())
from fwsvm.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", ["budget", "report", "verify"])
@pytest.mark.parametrize(("name", "hint"), [("config/papr.yaml", "did you mean"), ("zzz", "known: ")])
def test_a_configuration_that_is_not_there_is_named_with_those_that_are(capsys, monkeypatch, command, name, hint):
    monkeypatch.chdir(CHECKOUT)
    message = refused(capsys, command, "--config", name)
    assert f"{name}: there is no such configuration file; {hint}" in message and "datasets.yaml" not in message


@pytest.mark.parametrize("command", ["claims", "summary"])
def test_a_package_that_is_not_installed_is_one_line(command):
    done = subprocess.run([sys.executable, "-c", WITHOUT_MATPLOTLIB, command], capture_output=True, text=True)
    assert done.returncode == 2
    assert "needs matplotlib" in done.stderr and done.stderr.count("\n") == 1
    python, *words = shlex.split(done.stderr.partition("; run ")[2])
    assert python == sys.executable and words[:3] == ["-m", "pip", "install"]
    extra = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["reproduce"]
    assert {Requirement(word) for word in words[3:]} == {Requirement(line) for line in extra}


def test_no_threads_for_numba_is_one_line(libsvm_file):
    command, env = [sys.executable, "-m", "fwsvm.cli", "train", libsvm_file], os.environ | {"NUMBA_NUM_THREADS": "0"}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert "NUMBA_NUM_THREADS" in done.stderr and done.stderr.count("\n") == 1
