"""Fixtures for all tests, profiles of hypothesis, and the distribution of the tests to several
workers.
"""

import fcntl
import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Every core has a worker. If BLAS used several threads, they would only wait for each other.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # this must be set before numpy is imported

# By default, every run of the tests uses the same examples. The profile `anew` draws as many
# examples, but new ones. The profile `exhaustive` draws many more.
settings.register_profile("small", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("anew", max_examples=25, deadline=None, print_blob=True)
settings.register_profile("exhaustive", max_examples=300, deadline=None, print_blob=True)
settings.load_profile("small")

pytest_plugins = ("configurations", "forked_training", "synthetic_inputs")

SHARED_RUNS = ("smoke_run", "tiny_run")
"""Fixtures of the whole session whose Snakemake runs take minutes. All tests that use one of these
fixtures run in the same worker.
"""
WITHOUT_COMPILED = ("statistics", "claims", "datasets", "reporting", "workflow")
"""Folders of tests that need no compiled code, or that use it only in other processes."""


@pytest.fixture(scope="session")
def mirror():
    """Return the folder of real data files. The environment variable FWSVM_MIRROR has its path.

    If the variable is not set, the tests that need the folder are skipped.
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
    """Return whether a test marked `exhaustive` was requested, by this mark or by its own name."""
    return "exhaustive" in item.config.option.markexpr or any(
        "[" in name for name in item.config.args
    )


def _place(item):
    """Return a number that sorts the tests of a worker.

    Fast checks of the project come first, and then the tests that take longest. Tests that need
    compiled code come late, because the code can be compiled before that.
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
    """Compile everything before the first test that needs compiled code.

    Otherwise, several workers would compile at the same time and slow each other down.
    """
    if hasattr(item.config, "workerinput") and not set(WITHOUT_COMPILED) & set(item.path.parts):
        _warm_up(Path(item.config.option.basetemp).parent / "compiled.lock")


@cache
def _warm_up(lock):
    """Compile once per run of the tests. The first worker compiles, and the others wait for it."""
    with lock.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if not file.read():
            from fwsvm_papers.pipeline.warm_up import warm_up

            warm_up()
            file.write("done")
