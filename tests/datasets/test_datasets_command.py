"""Test `fwsvm datasets`: its output as text and as JSON, and its exit codes."""

import json
import re

import pytest

from fwsvm.cli import main


@pytest.fixture
def fwsvm(tmp_path, capsys, no_mirror):
    """Return a function that runs `fwsvm datasets ACTION ...` with a data folder of its own.

    The function returns the exit code, stdout and stderr.
    """

    def run(action, *arguments):
        code = main(
            ["datasets", action, "--data-dir", str(tmp_path / "data"), *map(str, arguments)]
        )
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def served(server, file_entry, content, write_catalogue):
    """Return the path of a catalogue with two data sets: one whose file the server has, and one
    that is generated.
    """
    server.files["up/tiny"] = content
    train = {"name": file_entry.name, "url": file_entry.url, "sha256": file_entry.sha256}
    board = {
        "source": {"generator": "checkerboard", "size": 20, "seed": 1},
        "split": {"test_size": 5},
    }
    tiny = {
        "source": {"files": {"train": train}},
        "split": {"fraction": 0.25, "seed": 3},
        "title": "Tiny points",
    }
    return write_catalogue({"tiny": tiny, "board": board})


def test_list_has_the_state(fwsvm, served):
    code, out, _ = fwsvm("list", "--catalogue", served)
    assert code == 0
    _, tiny, board = out.splitlines()
    assert "1 of 1 files missing" in tiny and "generated" in board
    fwsvm("fetch", "tiny", "--catalogue", served)
    assert "fetched" in fwsvm("list", "--catalogue", served)[1]
    fwsvm("describe", "tiny", "--catalogue", served)
    assert "prepared" in fwsvm("list", "--catalogue", served)[1]


def test_fetch_names_the_file_and_its_checksum(fwsvm, served, file_entry, tmp_path):
    code, out, _ = fwsvm("fetch", "tiny", "--json", "--catalogue", served)
    (row,) = json.loads(out)["files"]
    assert code == 0 and row["path"] == str(tmp_path / "data/raw" / file_entry.name)
    assert (row["sha256"], row["checksum"]) == (file_entry.sha256, "verified")
    assert "verified" in fwsvm("fetch", "--all", "--catalogue", served)[1]
    assert "nothing to fetch" in fwsvm("fetch", "board", "--catalogue", served)[1]


def test_describe(fwsvm, served):
    code, out, _ = fwsvm("describe", "board", "--size", "30", "--json", "--catalogue", served)
    description = json.loads(out)
    assert (code, description["dataset"], description["m"], description["t"]) == (0, "board", 30, 5)
    assert description["checksum"] == "generated"
    out = fwsvm("describe", "board", "--size", "30", "--catalogue", served)[1]
    assert len(str(description["average_squared_distance"])) > 10
    numbers = re.findall(r"(?<![\w.])\d+\.\d+", out)
    assert numbers and all(len(number.replace(".", "").lstrip("0")) <= 6 for number in numbers)


def test_unverified_checksum_is_said_everywhere(
    fwsvm, served, file_entry, tmp_path, write_catalogue
):
    served.write_text(served.read_text().replace(file_entry.sha256, "unverified"))
    assert "unverified" in fwsvm("list", "--catalogue", served)[1]
    code, out, _ = fwsvm("fetch", "tiny", "--catalogue", served)
    assert (code, "unverified" in out, file_entry.sha256[:12] in out) == (0, True, True)
    _, out, _ = fwsvm("describe", "tiny", "--catalogue", served)
    assert (
        "checksum (train)             UNVERIFIED: the checksum was recorded at the first download"
        in out
    )
    assert file_entry.sha256 in out
    description = json.loads(fwsvm("describe", "tiny", "--json", "--catalogue", served)[1])
    assert (description["checksum"], description["sources"][0]["sha256"]) == (
        "unverified",
        file_entry.sha256,
    )
    assert "unverified" in fwsvm("docs", "--catalogue", served)[1]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_describe_draws_a_picture_the_same_each_time(fwsvm, tmp_path, ending):
    pictures = [tmp_path / f"{number}.{ending}" for number in range(2)]
    for picture in pictures:
        code, out, _ = fwsvm("describe", "iris", "--picture", picture, "--json")
        assert (code, json.loads(out)["dataset"]) == (0, "iris")
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    (tmp_path / "file").touch()
    for name in ("x.gif", "file/x.png"):
        assert fwsvm("describe", "iris", "--picture", tmp_path / name)[0] == 2
