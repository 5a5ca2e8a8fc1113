"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def mirror():
    """Folder of real data files named by FWSVM_MIRROR; tests that need it are skipped where it is not set."""
    folder = os.environ.get("FWSVM_MIRROR", "")
    if not folder:
        pytest.skip("FWSVM_MIRROR is not set: no real data files")
    if not Path(folder).is_dir():
        pytest.skip(f"FWSVM_MIRROR={folder} is not a folder")
    return Path(folder)
