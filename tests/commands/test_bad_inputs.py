"""Test wrong inputs of `fwsvm train`, `fwsvm predict` and the other commands.

For each wrong input, there is one message before any work is done. There is never a traceback.
"""

import gzip
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from fwsvm.cli import main
from fwsvm.commands import train
from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.inputs import files
from fwsvm_papers.commands.data import FilesAndCatalogue

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def libsvm_file(tmp_path):
    """Return a file of 60 points with 5 features, all of them non-zero."""
    rng = np.random.default_rng(0)
    rows = [
        " ".join(f"{j + 1}:{value:.3f}" for j, value in enumerate(rng.uniform(1, 2, 5)))
        for _ in range(60)
    ]
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
    """Run a command that must end with exit code 2 and one message. Return the message."""
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
            assert "is the file" in refused(
                capsys, "predict", tmp_path / "model", libsvm_file, "-o", output
            )
            assert path.read_bytes() == before
    # `model` also names the file model.npz, so an output with this name would look like the model
    for output in (tmp_path / "model", tmp_path / "." / "." / "model"):
        assert "is the name of the model" in refused(
            capsys, "predict", tmp_path / "model", libsvm_file, "-o", output
        )
        assert not output.exists()


@pytest.fixture
def own_set(libsvm_file, tmp_path, monkeypatch):
    """Write the catalogue `own.yaml` with the data set `own` into the current folder. Return
    arguments that name both.

    A command that would then load points or save a model raises an error.
    """
    monkeypatch.chdir(tmp_path)
    source = {"files": {"train": {"path": libsvm_file.name}}}
    entries = {"own": {"source": source, "split": {"fraction": 0.5, "seed": 0}}}
    Path("own.yaml").write_text(json.dumps(entries))
    Path("model.npz").write_bytes(b"model")
    assert main(["datasets", "describe", "own", "--catalogue", "own.yaml"]) == 0
    monkeypatch.setattr(FilesAndCatalogue, "load", None)
    monkeypatch.setattr(train, "save_model", None)
    return ["own", "--catalogue", "own.yaml"]


READ = ("points.libsvm", "own.yaml", "data/prepared/own/X_train.npy", "data/prepared/own/meta.json")
WRITERS = {
    "train": ("train", "own", "--catalogue", "own.yaml", "-o"),
    "train on a file": ("train", "points.libsvm", "--catalogue", "own.yaml", "-o"),
    "predict": ("predict", "model", "own", "--catalogue", "own.yaml", "-o"),
    "describe": ("datasets", "describe", "own", "--catalogue", "own.yaml", "--picture"),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", ["name", "path", "symbolic link", "hard link"])
def test_no_command_writes_over_what_it_reads(own_set, tmp_path, capsys, writer, kind):
    for place, name in enumerate(READ[:2] if writer == "train on a file" else READ):
        output, before = Path(name), Path(name).read_bytes()
        if kind == "path":
            output = tmp_path / "data/.." / name
        elif kind != "name":
            output = Path(f"{place}.npz")
            output.unlink(missing_ok=True)
            output.symlink_to(name) if kind == "symbolic link" else output.hardlink_to(name)
        # `fwsvm train` adds this suffix to the name of a model
        if WRITERS[writer][0] == "train" and output.suffix != ".npz":
            output.with_name(f"{output.name}.npz").unlink(missing_ok=True)
            output.with_name(f"{output.name}.npz").symlink_to(output.absolute())
        assert ", which this command reads" in refused(capsys, *WRITERS[writer], output)
        assert Path(name).read_bytes() == before


@pytest.mark.parametrize(
    "name", ["raw/own", "prepared/own/y_test.npy", "prepared/other/X_train.npy"]
)
def test_no_command_writes_into_the_folders_of_the_data(own_set, capsys, name):
    for folder in ("raw", "prepared/other"):
        Path("data", folder).mkdir()
    assert "in the folder data/" in refused(capsys, *WRITERS["predict"], f"data/{name}")


def test_the_page_of_a_catalogue_does_not_replace_the_catalogue(own_set, capsys):
    Path("link").symlink_to("own.yaml")
    for output in ("own.yaml", "link"):
        message = refused(capsys, "datasets", "docs", "--catalogue", "own.yaml", "--output", output)
        assert "is the file own.yaml, which this command reads" in message
    assert main(["datasets", "docs", "--catalogue", "own.yaml", "--output", "page.md"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "PLACE"),
        ("predict", "model.npz", "PLACE"),
        ("compare", "PLACE"),
        ("datasets", "list", "--catalogue", "PLACE"),
        ("train", "own", "--catalogue", "PLACE"),
        ("budget", "--config", "PLACE"),
        ("verify", "--config", "PLACE"),
    ],
)
@pytest.mark.parametrize("place", ["/dev/zero", "pipe", "folder", "x" * 5000])
def test_what_is_no_file_ends_at_once_with_a_short_message(
    model_file, tmp_path, capsys, monkeypatch, arguments, place
):
    monkeypatch.setattr(files, "PIPE_WAIT_S", 0.01)
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    for folder in ("folder", "config", "workflow/schemas", "results/released"):
        Path(folder).mkdir(parents=True)
    for name in ("config/paper.yaml", "workflow/schemas/config.schema.yaml"):
        Path(name).write_text("profile: paper")
    message = refused(capsys, *(place if word == "PLACE" else word for word in arguments))
    words = ("a device", "no program writes", "folder", "File name too long")
    assert any(word in message for word in words)
    assert len(message) < 2000 and message.count("\n") <= 2


SEVERAL_CALLS = """
import json, sys
from fwsvm.cli import main

for arguments in json.loads(sys.argv[1]):
    assert main(arguments) in (0, 2)
    print(end=chr(0), flush=True)
"""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_letters_that_a_terminal_lacks_are_escape_sequences(tmp_path, encoding):
    path = tmp_path / "täble€.csv"
    path.write_text(
        "dätä,für,€,\N{PILE OF POO}\n" + "".join(f"ä{i},{i},{i + 1},{i * i}\n" for i in range(8))
    )
    calls = ([path], [path, "--json"], [tmp_path / "ñ€.csv"])
    calls = [["compare", *map(str, arguments)] for arguments in calls]
    done = subprocess.run(
        [sys.executable, "-c", SEVERAL_CALLS, json.dumps(calls)],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0
    *texts, rest = done.stdout.decode(encoding).split("\0")
    assert not rest and not any("Traceback" in text for text in texts)
    shown = (
        "für €"
        if encoding == "utf-8"
        else {"ascii": r"f\xfcr \u20ac", "latin-1": r"für \u20ac"}[encoding]
    )
    assert all(word in texts[0] for word in shown.split())
    assert "für" in json.dumps(json.loads(texts[1]), ensure_ascii=False)
    assert ".csv: No such file or directory" in texts[2]


def test_output_is_tried_before_training(libsvm_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(FrankWolfeSVC, "fit", None)  # a call of `fit` would raise an error
    (tmp_path / "folder.npz").mkdir()
    for name in ("folder", "folder.npz", "."):
        assert "not a regular file" in refused(capsys, "train", libsvm_file, "-o", tmp_path / name)
    for name in (".", "/"):
        assert "not a regular file" in refused(capsys, "train", libsvm_file, "-o", name)
    assert "cannot be written" in refused(
        capsys, "train", libsvm_file, "-o", tmp_path / ("x" * 300)
    )

    def full(path, mode):
        if mode == "xb":
            raise OSError(28, "No space left on device")
        return open(path, mode)

    monkeypatch.setattr(files, "open", full, raising=False)
    message = refused(capsys, "train", libsvm_file, "-o", tmp_path / "model")
    assert "model.npz cannot be written: No space left on device" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.npz", "points.libsvm"]


def test_too_little_memory_is_a_message(libsvm_file, capsys, monkeypatch):
    def load_too_much(*_):
        raise MemoryError("Unable to allocate 1. TiB")

    monkeypatch.setattr(FilesAndCatalogue, "load", load_too_much)
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
        (b"1 0:2 1:3\n0 1:2\n", "the indices are integers, ascending and at least 1"),
        (b"1 1:2\n0 0:7 3:1\n", "wrote this file, write it again with zero_based=False"),
        (b"no 1:2\nyes 1:3\n", "the label and the values are numbers"),
        (b"1e20 1:2\n-1 1:3\n", "has the label 1e+20"),
        (b"1 1:1e308\n0 1:2\n", "bad.libsvm: X"),
        (b"0.5 1:1\n0.25 1:2\n0.125 1:3\n", "label"),
        (
            b"1 1:1\n0 4000000000:1\n",
            "line 2: an index is too large; at most 100,000,000 features are allowed",
        ),
        (
            b"1 1:1\n0 1:2 99999999999999999999:1\n",
            "line 2: an index is too large; at most 100,000,000",
        ),
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
        (
            ["train", "file", "--features", "999999999999"],
            "--features must be from 1 to 100,000,000",
        ),
        (["summary", "--profile", "relesed"], "did you mean 'released'"),
        (["train", "iris", "--C", "-1"], "C must be a positive"),
        (["trian", "iris"], "there is no command 'trian'; did you mean 'train'?"),
        (["BUDGET"], "there is no command 'BUDGET'; did you mean 'budget'?"),
        (["xyzxyz"], "there is no command 'xyzxyz'; the installed commands are train, predict,"),
        (["train", "iris", "--sigma2", "wide"], "--sigma2 must be 'average' or a number"),
        (["train", "iris", "--patience", "2"], "draws no samples"),
        (["train", "iris", "--features", "9"], "--features can only be used for LIBSVM files"),
        (["train", "file", "--features", "0"], "--features must be from 1 to"),
        (["train", "iris", "-o", "no/such/folder/model"], "its folder does not exist"),
        (["predict", "no-model", "iris"], "no model file"),
        (["train", "iris", "--max-iterations", "0"], "--max-iterations must be an integer from 1"),
        (["predict", "other.npz", "iris"], "its entry 'header' is missing"),
        (["train", "iris", "--degree", "3"], "--degree has no effect with --kernel rbf"),
        (["train", "iris", "--coef0", "1"], "--coef0 has no effect with --kernel rbf"),
        (
            ["train", "iris", "--kernel", "linear", "--gamma", "2"],
            "--gamma has no effect with --kernel linear",
        ),
        (
            ["train", "iris", "--kernel", "linear", "--sigma2", "2"],
            "--sigma2 has no effect with --kernel linear",
        ),
        (
            ["train", "iris", "--inner-tolerance", "0.1"],
            "--inner-tolerance has no effect with --method auto",
        ),
        (
            ["train", "other.npz", "--mirror", "m"],
            "--mirror can only be used for data sets of the catalogue",
        ),
        (["train", "iris", "--seed", "-1"], "--seed must be an integer from 0 to 2^32 - 1, got -1"),
        (
            ["train", "iris", "--sample-size", "5", "--alternate"],
            "--selection full draws no samples, so it cannot be combined with --sample-size,"
            " --alternate",
        ),
        (["train", "iris", "--time-limit", "0"], "--time-limit must be a positive number, got"),
        (
            ["train", "iris", "--method", "fcfw", "--selection", "sampled_text"],
            "--method fcfw needs all points: --selection must be",
        ),
        (
            ["train", "iris", "--gamma", "wide"],
            "--gamma must be a positive number of at most 1e300",
        ),
    ],
)
def test_arguments_that_cannot_be_used(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("results/released").mkdir(parents=True)
    np.savez("other.npz", points=np.ones(3))
    assert message in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--gamma", "wide", "--gamma must be a positive number of at most 1e300"),
        ("--sigma2", "-2", "--sigma2 must be"),
        ("--C", "0", "--C must be"),
        ("--eps", "nan", "--eps must be"),
        ("--seed", "-1", "--seed must be"),
        ("--sample-size", "5", "--selection full draws no samples"),
    ],
)
def test_options_are_checked_before_the_data_are_read(option, value, message, capsys, monkeypatch):
    monkeypatch.setattr(FilesAndCatalogue, "load", None)
    assert f"error: {message}" in refused(capsys, "train", "iris", option, value)


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("train", "iris", "--c", "3"), "--c 3; did you mean --C?"),
        (("train", "iris", "--max-iter=9"), "--max-iter=9; did you mean --max-iterations?"),
        (("predict", "a", "b", "--jsno"), "--jsno; did you mean --json?"),
        (("datasets", "list", "--catalog", "x"), "--catalog x; did you mean --catalogue?"),
        (("train", "iris", "--nonsense"), "--nonsense"),
        (("train", "iris", "wine"), "wine"),
    ],
)
def test_options_have_whole_names(arguments, advice, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([*arguments])
    message = capsys.readouterr().err
    assert f"error: unrecognized arguments: {advice}; `fwsvm {arguments[0]}" in message
    assert message.count("\n") == 1


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
    writer = threading.Thread(
        target=(tmp_path / "pipe").write_bytes, args=[gzip.compress(libsvm_file.read_bytes())]
    )
    writer.start()
    assert main(["train", str(tmp_path / "pipe"), "--max-iterations", "5", "--json"]) == 0
    writer.join()
    assert json.loads(capsys.readouterr().out)["task_size"] == 60
    assert f"{tmp_path} is a folder" in refused(capsys, "train", tmp_path)


def test_a_setting_that_a_model_file_cannot_have(model_file, libsvm_file, capsys):
    with np.load(model_file) as stored:
        arrays = dict(stored)
    header = json.loads(str(arrays["header"]))
    header["parameters"]["n_jobs"] = "x"
    del header["checksum"]  # files of earlier versions have no checksum
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
    assert "Run the command in the folder of a git clone" in refused(capsys, command)


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
@pytest.mark.parametrize(
    ("name", "hint"), [("config/papr.yaml", "did you mean"), ("zzz", "known: ")]
)
def test_a_configuration_that_is_not_there_is_named_with_those_that_are(
    capsys, monkeypatch, command, name, hint
):
    monkeypatch.chdir(CHECKOUT)
    message = refused(capsys, command, "--config", name)
    assert (
        f"{name}: there is no such configuration file; {hint}" in message
        and "datasets.yaml" not in message
    )


@pytest.mark.parametrize("command", ["claims", "summary"])
def test_a_package_that_is_not_installed_is_one_line(command):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MATPLOTLIB, command], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "needs matplotlib" in done.stderr and done.stderr.count("\n") == 1
    python, *words = shlex.split(done.stderr.partition("; run ")[2])
    assert python == sys.executable and words == [
        "-m",
        "pip",
        "install",
        "-e",
        f"{CHECKOUT}[papers]",
    ]


@pytest.mark.parametrize(
    ("variable", "value"), [("NUMBA_NUM_THREADS", "0"), ("NUMBA_DISABLE_JIT", "1")]
)
def test_settings_with_which_numba_cannot_compile_are_one_line(libsvm_file, variable, value):
    command = [sys.executable, "-m", "fwsvm.cli", "train", libsvm_file]
    env = os.environ | {variable: value}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 2 and variable in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("train", "points.svm"), "points.svm: there is no such file"),
        (("train", "folder/points"), "folder/points: there is no such file"),
        (("train", "folder"), "folder is a folder; give the path of a LIBSVM file"),
        (("predict", "model", "new.txt"), "new.txt: there is no such file"),
        (("predict", "model", "folder.d"), "folder.d is a folder"),
        (("train", "shutle"), "did you mean 'shuttle'?"),
        (("train", "xyzxyz"), "nor a data set in the catalogue; `fwsvm datasets list` lists the"),
        (("datasets", "describe", "./points.svm"), "must be the name of a data set, not a path"),
        (("datasets", "describe", "folder.d"), "must be the name of a data set, not a path"),
        (("datasets", "describe", "xyzxyz"), "'xyzxyz'; `fwsvm datasets list` lists the data sets"),
        (("datasets", "fetch", "pendigit"), "did you mean 'pendigits'?"),
        (("predict", ".", "iris"), ". is a folder, not a model file"),
    ],
)
def test_what_is_neither_a_file_nor_a_name_lists_no_catalogue(
    model_file, capsys, monkeypatch, arguments, words
):
    monkeypatch.chdir(model_file.parent)
    for folder in ("folder", "folder.d"):
        Path(folder).mkdir()
    message = refused(capsys, *arguments)
    assert words in message and "kdd99" not in message


@pytest.mark.parametrize("first", ["points.libsvm", "iris", "absent"])
@pytest.mark.parametrize("second", ["model", "model.npz"])
def test_a_model_that_is_not_the_first_argument(model_file, capsys, monkeypatch, first, second):
    monkeypatch.chdir(model_file.parent)
    words = f"{second} is a model and {first} is not; exchange the two arguments"
    assert words in refused(capsys, "predict", first, second)


def test_data_with_the_name_of_a_model_are_no_model(model_file, libsvm_file, capsys, monkeypatch):
    monkeypatch.chdir(model_file.parent)
    Path("model").write_bytes(Path(libsvm_file).read_bytes())  # beside model.npz
    message = refused(capsys, "predict", "modle", "model")
    assert "modle" in message and "exchange" not in message


def test_data_instead_of_a_model(model_file, libsvm_file, capsys):
    message = refused(capsys, "predict", libsvm_file, libsvm_file)
    assert "points.libsvm is not a model file, and the first argument" in message
    model_file.write_bytes(model_file.read_bytes()[:-30])  # a damaged model
    assert "train the model again" in refused(capsys, "predict", model_file, libsvm_file)


@pytest.mark.parametrize("folder", ["results/nope", "elsewhere/papr"])
@pytest.mark.parametrize("command", [("verify",), ("claims", "--runs"), ("render", "--released")])
def test_a_folder_of_results_that_is_not_there(tmp_path, capsys, monkeypatch, command, folder):
    monkeypatch.chdir(tmp_path)
    for name in ("paper", "released", "toy"):
        Path("results", name).mkdir(parents=True)
    hint = "known: paper, released, toy" if folder == "results/nope" else "did you mean 'paper'?"
    assert f"there is no folder {folder}; {hint}" in refused(capsys, *command, folder)
    message = refused(capsys, *command, "results/toy")
    assert "results/toy has no runs" in message and "demo" not in message


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "iris", "--seed", "x"),
        ("train",),
        ("verify",),
        ("datasets", "lst"),
        ("datasets", "docs", "--json"),
    ],
)
def test_wrong_options_are_one_line(capsys, arguments):
    with pytest.raises(SystemExit, match="2"):
        main([*arguments])
    message = capsys.readouterr().err
    command = "fwsvm datasets docs" if arguments[-1] == "--json" else f"fwsvm {arguments[0]}"
    assert message.startswith(f"{command}: error: ") and message.count("\n") == 1
    assert f"`{command} --help`" in message


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [("train", "iris"), ("datasets", "list", "--json")])
def test_a_full_disk_is_named(arguments):
    command = [sys.executable, "-m", "fwsvm.cli", *arguments]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "standard output or a file cannot be written: No space left on device" in done.stderr


def test_one_class_one_feature_and_one_point_are_singular(tmp_path, capsys):
    path = tmp_path / "points.txt"
    path.write_text("1 1:2\n")
    assert main(["train", str(path)]) == 2
    assert f"{path}: 1 point, 1 feature, 1 class\n" in capsys.readouterr().out
    path.write_text("1 1:2\n0 1:3\n")
    assert main(["train", str(path)]) == 0
    assert f"{path}: 2 points, 1 feature, 2 classes\n" in capsys.readouterr().out


def test_an_empty_output_is_named_before_training(own_set, capsys):
    for output in ("", " "):
        assert "--output is empty" in refused(
            capsys, "train", "own", "--catalogue", "own.yaml", "-o", output
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "results/paper", "--config", "own.yaml"),
        ("summary", "--profile", "demo", "--config", "own.yaml"),
    ],
)
def test_two_names_of_one_run_are_refused(capsys, arguments):
    with pytest.raises(SystemExit, match="2"):
        main([*arguments])
    assert "not allowed with argument" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("catalogue", "message"),
    [
        ("[]", "must be a mapping from names of data sets to entries"),
        ("0", "must be a mapping from names of data sets to entries"),
        ('""', "must be a mapping from names of data sets to entries"),
        ("own:", "own: must be a mapping of keys to values, not null"),
        ("own: 3", "own: must be a mapping of keys to values, not 3"),
        (
            "a: {}\n---\nb: {}",
            "line 2: expected a single document in the stream, but found another document",
        ),
    ],
)
def test_what_is_no_catalogue_or_entry(tmp_path, capsys, catalogue, message):
    path = tmp_path / "own.yaml"
    path.write_text(catalogue)
    assert message in refused(capsys, "datasets", "list", "--catalogue", path)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("benchmark: [fw]", "benchmark: must be a mapping of keys to values, not ['fw']"),
        ("benchmark:", "benchmark: must be a mapping of keys to values, not null"),
        ("datasets: []", "datasets: [] should be non-empty"),
        ('data_dir: ""', "data_dir: must be a folder for raw and prepared data"),
    ],
)
def test_values_of_another_type_in_a_configuration(tmp_path, capsys, monkeypatch, keys, message):
    path = tmp_path / "own.yaml"
    path.write_text(keys)
    monkeypatch.chdir(CHECKOUT)
    assert message in refused(capsys, "budget", "--config", path)


@pytest.mark.parametrize("rows", ["x,,", "x,,1\ny,1,"])
def test_a_table_without_complete_rows(tmp_path, capsys, rows):
    (tmp_path / "table.csv").write_text(f"name,a,b\n{rows}\n")
    assert "table.csv: no row has a value in every column" in refused(
        capsys, "compare", tmp_path / "table.csv"
    )
