"""Damaged files of a finished run: one call of Snakemake names them, sets them aside and makes them again."""

import json
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.workflow

RESULTS = "results/tiny"
PREPARED = "data/prepared/full/three"
TARGETS = (f"{RESULTS}/runs.tsv", f"{RESULTS}/describe")


def cut(path):
    path.write_bytes(path.read_bytes()[:-5])


def empty(path):
    path.write_bytes(b"")


def empty_one_of(folder):
    empty(folder / "three.json")


def lose_a_line(path):
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


DAMAGE = {
    f"{PREPARED}/X_train.npy": (cut, "bytes, not"),
    f"{RESULTS}/params/three.json": (empty, "it is empty"),
    f"{RESULTS}/runs/benchmark/three.tsv": (lose_a_line, "rows, not"),
    f"{RESULTS}/runs.tsv": (cut, "its last line is cut short"),
    f"{RESULTS}/describe": (empty_one_of, "three.json: it is empty"),
    f"{RESULTS}/cells/benchmark/three/all_points-swap.json": (cut, "it is not a whole JSON file"),
}


@pytest.fixture(scope="module")
def finished(tiny_run, tmp_path_factory):
    """The tiny configuration after a run of everything that is damaged later."""
    copy = tiny_run.copy_to(tmp_path_factory.mktemp("finished") / "tiny")
    copy.run(*TARGETS)
    return copy


def test_every_damaged_file_is_made_again_in_one_call(finished, tmp_path):
    copy = finished.copy_to(tmp_path / "tiny")
    before = {path: (copy / path).read_bytes() for path in DAMAGE if (copy / path).is_file()}
    kept = (copy / f"{RESULTS}/cells/benchmark/three/all_points-cvm.json").stat().st_mtime_ns
    for path, (damage, _) in DAMAGE.items():
        damage(copy / path)
    lines = copy.plan().text.splitlines()  # where a dry run has set a file aside, the next run makes it again
    lines += copy.run(*TARGETS).text.splitlines()
    for path, (_, what) in DAMAGE.items():
        assert any(f"{path} is damaged: " in line and what in line for line in lines), path
    names = {Path(path).name for path in DAMAGE}
    assert {path.stem for path in copy.folder.rglob("*.damaged")} == names
    assert (copy / f"{PREPARED}/X_train.npy").read_bytes() == before[f"{PREPARED}/X_train.npy"]
    assert len((copy / f"{RESULTS}/runs.tsv").read_text().splitlines()) == before[f"{RESULTS}/runs.tsv"].count(b"\n")
    assert json.loads((copy / f"{RESULTS}/params/three.json").read_bytes())["C"] > 0
    assert (copy / f"{RESULTS}/describe/three.json").is_file()
    assert (copy / f"{RESULTS}/cells/benchmark/three/all_points-cvm.json").stat().st_mtime_ns == kept
    assert copy.plan(*TARGETS).jobs == []


def test_array_of_another_content_is_prepared_by_the_job_that_reads_it(finished, tmp_path):
    copy = finished.copy_to(tmp_path / "tiny")
    path = copy / f"{PREPARED}/X_train.npy"
    whole = path.read_bytes()
    path.write_bytes(whole[:-8] + np.float64(1e9).tobytes())
    (copy / f"{RESULTS}/params/three.json").unlink()
    done = copy.run(f"{RESULTS}/params/three.json")
    assert "three is prepared again: " in done.text and "wrong checksum" in done.text
    assert path.read_bytes() == whole
    assert {rule for rule, _ in copy.plan(f"{RESULTS}/params/three.json").jobs} == set()
