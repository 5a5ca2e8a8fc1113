"""Test that `fwsvm clean` removes one profile or one data set, but no files that others use."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from fwsvm.cli import main
from fwsvm_papers.datasets.storage import write_prepared
from fwsvm_papers.result_files import with_checksum

KEPT = (
    "results/released/runs.tsv",
    "figures/released/README.md",
    "results/README.md",
    "results/other/runs.tsv",
    "data/raw/iris",
    "data/prepared/iris/meta.json",
    "data/prepared/full/a1a/meta.json",
    "data/prepared/train9-test9/wine/meta.json",
)
GONE = (
    "results/mine/runs.tsv",
    "results/mine/cells/benchmark/iris/all_points-fw.json",
    "figures/mine/x-fig1.svg",
    "data/prepared/train9-test9/iris/meta.json",
)


def prepared(folder, digest):
    """Write prepared data of four points, with this digest."""
    X, y = np.ones((2, 3)), np.array([0, 1])
    name = Path(folder).name.split("-")[0]
    meta = {
        "name": name,
        "digest": digest,
        "m": 2,
        "t": 2,
        "n": 3,
        "K": 2,
        "storage": "dense",
        "sources": [],
    }
    write_prepared(folder, X, y, X, y, meta)


@pytest.fixture(autouse=True)
def tree(tmp_path, monkeypatch):
    """Make two profiles that share the data of a1a, and a release, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in (*KEPT, *GONE):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x" * 1000)
    for folder, digest in {
        "iris": "full",
        "iris-0123456789abcdef": "subset",
        "train9-test9/iris": "small",
        "full/a1a": "shared",
        "train9-test9/wine": "nobody",
    }.items():
        prepared(Path("data/prepared", folder), digest)
    for profile, place, digest in (
        ("mine", "benchmark/iris/all_points-fw", "small"),
        ("mine", "benchmark/a1a/all_points-fw", "shared"),
        ("other", "benchmark/a1a/all_points-cvm", "shared"),
        ("other", "benchmark/iris/all_points-cvm", "full"),
    ):
        path = Path("results", profile, "cells", f"{place}.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(with_checksum({"key": "k", "record": {"data_digest": digest}})))
    return tmp_path


def files():
    return {str(path) for path in Path().rglob("*") if path.is_file()}


def refused(capsys, *arguments):
    before = files()
    assert main(["clean", *arguments]) == 2
    assert files() == before
    return capsys.readouterr().err


def test_a_profile_with_the_data_that_only_it_uses(capsys):
    before = files()
    assert main(["clean", "--profile", "mine", "--dry-run"]) == 0
    listed = capsys.readouterr().out
    assert files() == before
    assert main(["clean", "--profile", "mine"]) == 0
    assert capsys.readouterr().out.replace("removed", "would remove") == listed
    folders = ("results/mine", "figures/mine", "data/prepared/train9-test9/iris")
    assert before - files() == {
        name for name in before if name.startswith(tuple(f"{one}/" for one in folders))
    }
    assert set(KEPT) <= files() and not set(GONE) & files()
    assert not any(Path(folder).exists() for folder in folders)
    assert all(folder in listed for folder in folders)
    assert "kept  data/prepared/full/a1a: also used by other" in listed


def test_the_listed_sizes_are_those_of_the_removed_files(capsys):
    Path("figures/mine/large.svg").write_bytes(bytes(2_500_000))
    assert main(["clean", "--profile", "mine"]) == 0
    assert "2.5 MB  figures/mine\n" in capsys.readouterr().out


@pytest.mark.parametrize("chosen", [("--profile", "mine"), ("--dataset", "iris")])
def test_temporary_files_of_killed_processes_are_removed(chosen, capsys):
    left = {"data/raw/libsvm/.a9a.0123456789ab.part", "data/prepared/full/a1a/.X.0123456789ab.part"}
    for path in map(Path, left):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * 1000)
        os.utime(path, (0, 0))
    # another process can still write to a young file
    Path("data/raw/libsvm/.a9a.ba9876543210.part").write_text("x")
    before = files()
    assert main(["clean", *chosen, "--dry-run"]) == 0 and files() == before
    assert main(["clean", *chosen]) == 0
    assert Path("data/raw/libsvm/.a9a.ba9876543210.part").is_file()
    assert not left & files() and {"data/raw/iris", "data/prepared/full/a1a/meta.json"} <= files()
    printed = capsys.readouterr().out
    assert all(path in printed for path in left)


def test_the_prepared_data_of_a_data_set(capsys):
    before = files()
    assert main(["clean", "--dataset", "iris"]) == 0
    folders = (
        "data/prepared/iris",
        "data/prepared/iris-0123456789abcdef",
        "data/prepared/train9-test9/iris",
    )
    assert before - files() == {
        name for name in before if name.startswith(tuple(f"{one}/" for one in folders))
    }
    assert "did you mean 'wine'?" in refused(capsys, "--dataset", "wien")


def test_a_data_set_with_the_name_of_a_folder_of_others():
    prepared(Path("data/prepared/full"), "of full")
    assert main(["clean", "--dataset", "full"]) == 0
    assert (
        Path("data/prepared/full/a1a/meta.json").is_file()
        and not Path("data/prepared/full/meta.json").exists()
    )


@pytest.mark.parametrize("name", ["released", "Released", "../data", ".", "", "results/mine"])
def test_what_is_no_profile_of_the_user(capsys, name):
    assert any(
        words in refused(capsys, "--profile", name)
        for words in ("are committed to the repository", "cannot be the name")
    )


def test_unknown_profile(capsys):
    assert "there is no folder results/mime; did you mean 'mine'?" in refused(
        capsys, "--profile", "mime"
    )


@pytest.mark.parametrize("chosen", [("--profile", "mine"), ("--dataset", "iris")])
def test_nothing_is_removed_during_a_run(capsys, chosen):
    Path(".snakemake/locks").mkdir(parents=True)
    Path(".snakemake/locks/0.input.lock").touch()
    assert "has locked this folder" in refused(capsys, *chosen)


def test_of_a_link_only_the_link_is_removed(tree, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "notes").touch()
    Path("results/linked").symlink_to(elsewhere)
    Path("figures/mine/released").symlink_to(tree / "figures/released")
    for name in ("linked", "mine"):
        assert main(["clean", "--profile", name]) == 0
    assert (elsewhere / "notes").is_file() and Path("figures/released/README.md").is_file()
    assert not Path("results/linked").is_symlink()
