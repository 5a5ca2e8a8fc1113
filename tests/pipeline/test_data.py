"""Test that damaged or outdated prepared data are prepared again."""

import json
import logging
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from fwsvm_papers.datasets import load_catalogue
from fwsvm_papers.datasets.prepare import prepare
from fwsvm_papers.datasets.storage import prepared_files
from fwsvm_papers.pipeline.data import drop_outdated
from fwsvm_papers.pipeline.scripts import open_or_prepare

CATALOGUE = (
    "board:\n  source: {generator: checkerboard, size: 40, seed: 0}\n  split: {test_size: 10}\n"
)


@pytest.fixture
def folder(tmp_path):
    """Return a folder of prepared data."""
    (tmp_path / "catalogue.yaml").write_text(CATALOGUE)
    catalogue = load_catalogue(tmp_path / "catalogue.yaml")
    prepare(catalogue["board"], catalogue, tmp_path / "raw", tmp_path / "board")
    return tmp_path / "board"


@pytest.mark.parametrize(
    "damage", [lambda whole: b"", lambda whole: whole[:100], lambda whole: whole[:-8] + bytes(8)]
)
def test_damaged_files_are_prepared_again_and_keep_their_times(folder, caplog, damage):
    config = {
        "catalogue": folder.parent / "catalogue.yaml",
        "data_dir": str(folder.parent),
        "mirror": None,
    }
    for path in map(Path, prepared_files(folder)):
        whole = path.read_bytes()
        if damage(whole) == whole:
            continue
        path.write_bytes(damage(whole))
        os.utime(path, ns=(10**18, 10**18))
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert open_or_prepare(config, "board", folder).X_train.shape == (40, 2)
        assert "board is prepared again" in caplog.text and path.name in caplog.text
        assert path.read_bytes() == whole and path.stat().st_mtime_ns == 10**18


def test_data_of_another_entry_are_outdated(folder):
    digest = json.loads((folder / "meta.json").read_text())["digest"]
    for current, is_kept in ((digest, True), ("other", False)):
        configuration = SimpleNamespace(
            datasets=["board", "absent"], digest=lambda name, d=current: d
        )
        drop_outdated(configuration, folder.parent)
        assert (folder / "meta.json").exists() == is_kept
