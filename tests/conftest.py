"""Fixtures shared by all tests, the profiles of hypothesis, and how tests are distributed to
several workers.
"""

import fcntl
import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# every core has a worker: threads of BLAS would only wait for each other
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

# One set of examples for everyone, the same each time; `anew` draws as many new ones, `exhaustive`
# many.
settings.register_profile("small", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("anew", max_examples=25, deadline=None, print_blob=True)
settings.register_profile("exhaustive", max_examples=300, deadline=None, print_blob=True)
settings.load_profile("small")

pytest_plugins = ("configurations", "forked_training", "synthetic_inputs")

SHARED_RUNS = ("smoke_run", "tiny_run")
"""Session fixtures that run Snakemake for minutes: the tests of each go to one worker."""
WITHOUT_COMPILED = ("statistics", "claims", "datasets", "reporting", "workflow")
"""Folders of tests that need no compiled code (or in processes of their own)."""


@pytest.fixture(scope="session")
def mirror():
    """Folder of real data files named by FWSVM_MIRROR; tests that need it are skipped where it
    is not set.
    """
    folder = os.environ.get("FWSVM_MIRROR", "")
    if not folder:
        pytest.skip("FWSVM_MIRROR is not set: no real data files")
    if not Path(folder).is_dir():
        pytest.skip(f"FWSVM_MIRROR={folder} is not a folder")
    return Path(folder)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out the wider grids; distribute files to the workers of pytest-xdist, and shared
    runs of Snakemake.
    """
    left_out = {
        item: None
        for item in items
        if item.get_closest_marker("exhaustive") and not _is_wanted(item)
    }
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            shared = [name for name in SHARED_RUNS if name in item.fixturenames]
            item.add_marker(
                pytest.mark.xdist_group(shared[0] if shared else item.nodeid.split("::")[0])
            )
    if hasattr(config, "workerinput"):
        items.sort(key=_place)


def _is_wanted(item):
    """Whether a test marked `exhaustive` is asked for: by the mark, or by its own name."""
    return "exhaustive" in item.config.option.markexpr or any(
        "[" in name for name in item.config.args
    )


def _place(item):
    """The fast checks of the project first; then what takes longest; compiled code when there
    has been time for it.
    """
    group = item.get_closest_marker("xdist_group").args[0]
    for place, prefix in enumerate(
        ("tests/test_project.py", "smoke_run", "tests/pipeline/test_artefacts")
    ):
        if group.startswith(prefix):
            return place
    return (
        3 + ("workflow" not in item.path.parts) + (not set(WITHOUT_COMPILED) & set(item.path.parts))
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Compile once before the first test that needs it: concurrent cold compilations slow each
    other down.
    """
    if hasattr(item.config, "workerinput") and not set(WITHOUT_COMPILED) & set(item.path.parts):
        _warm_up(Path(item.config.option.basetemp).parent / "compiled.lock")


@cache
def _warm_up(lock):
    """Whichever worker of a run comes first compiles; the others wait for it."""
    with lock.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if not file.read():
            from fwsvm_papers.pipeline.warm_up import warm_up

            warm_up()
            file.write("done")
