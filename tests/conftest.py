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


SHARED_RUNS = ("smoke_run", "tiny_run")
"""Session fixtures that run Snakemake for minutes: the tests of each go to one worker."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Distribute tests by file to the workers of pytest-xdist, and those of a shared run of Snakemake together."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        shared = [name for name in SHARED_RUNS if name in item.fixturenames]
        item.add_marker(pytest.mark.xdist_group(shared[0] if shared else item.nodeid.split("::")[0]))
    if hasattr(config, "workerinput"):  # the fast checks of the project first, then what takes longest
        items.sort(key=lambda item: _place(item.get_closest_marker("xdist_group").args[0]))


def _place(group):
    first = ["tests/test_project.py", *SHARED_RUNS]
    return first.index(group) if group in first else len(first) + ("tests/workflow/" not in group)
