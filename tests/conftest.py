"""Define fixtures for all tests, the profiles of hypothesis, and how tests are distributed to
several workers.
"""

import fcntl
import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Every core has a worker, so several threads of BLAS would only wait for each other.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

# By default, all runs of the tests use the same examples. The profile `anew` draws the same number
# of new examples, and `exhaustive` draws many more.
settings.register_profile("small", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("anew", max_examples=25, deadline=None, print_blob=True)
settings.register_profile("exhaustive", max_examples=300, deadline=None, print_blob=True)
settings.load_profile("small")

pytest_plugins = ("configurations", "forked_training", "synthetic_inputs")

SHARED_RUNS = ("smoke_run", "tiny_run")
"""Session fixtures that run Snakemake for minutes. The tests that use one of them share a worker.
"""
WITHOUT_COMPILED = ("statistics", "claims", "datasets", "reporting", "workflow")
"""Folders of tests that need no compiled code, or use it only in other processes."""


@pytest.fixture(scope="session")
def mirror():
    """Return the folder of real data files that FWSVM_MIRROR names.

    Tests that need it are skipped if the variable is not set.
    """
    folder = os.environ.get("FWSVM_MIRROR", "")
    if not folder:
        pytest.skip("FWSVM_MIRROR is not set: no real data files")
    if not Path(folder).is_dir():
        pytest.skip(f"FWSVM_MIRROR={folder} is not a folder")
    return Path(folder)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Omit the tests marked `exhaustive`, and distribute the others to the workers of pytest-xdist.

    The tests of a file go to one worker, and so do the tests that share a run of Snakemake.
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
    """Test whether a test marked `exhaustive` was requested, by this mark or by its own name."""
    return "exhaustive" in item.config.option.markexpr or any(
        "[" in name for name in item.config.args
    )


def _place(item):
    """Return the place of a test in the order of a worker.

    Fast checks of the project come first, and then the tests that take longest. Tests that need
    compiled code come late, when there has been time to compile it.
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
    """Compile once before the first test that needs compiled code.

    Several compilations at the same time would slow each other down.
    """
    if hasattr(item.config, "workerinput") and not set(WITHOUT_COMPILED) & set(item.path.parts):
        _warm_up(Path(item.config.option.basetemp).parent / "compiled.lock")


@cache
def _warm_up(lock):
    """Compile once per run of the tests: the first worker compiles, and the others wait for it."""
    with lock.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if not file.read():
            from fwsvm_papers.pipeline.warm_up import warm_up

            warm_up()
            file.write("done")
