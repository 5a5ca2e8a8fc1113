"""Working copies in which nothing or everything has run. All tests share the long runs."""

import contextlib
import os
import shutil

import pytest
from working_copy import CHECKOUT, WorkingCopy, committed_files, set_up_compiled_tiny, set_up_tiny


@pytest.fixture(scope="session")
def committed():
    """Return the files that a new clone of the repository has."""
    return committed_files()


@pytest.fixture(scope="session")
def pristine(committed, tmp_path_factory):
    """Return a working copy in which nothing has run. Tests must not change it."""
    folder = tmp_path_factory.mktemp("checkout") / "pristine"
    for path in committed:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CHECKOUT / path, folder / path)
    # the compiled modules are copied, too, so that no working copy has to compile them
    for path in (CHECKOUT / "src").rglob("__pycache__/*.pyc"):
        kept = folder / path.relative_to(CHECKOUT)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # another process has just replaced it
            shutil.copy2(path, kept)
    return WorkingCopy(folder)


@pytest.fixture
def fresh(pristine, tmp_path):
    """Return a separate working copy in which nothing has run."""
    return pristine.copy_to(tmp_path / "fresh")


@pytest.fixture(scope="session")
def smoke_run(pristine, tmp_path_factory):
    """Return a working copy after a complete run of config/smoke.yaml, and the output of Snakemake.

    Tests must not change the copy. If FWSVM_REUSE_SMOKE is set, and the checkout itself has a
    complete run, this run is used.
    """
    copy = pristine.copy_to(tmp_path_factory.mktemp("smoke") / "smoke")
    copy.arguments = ["--configfile", "config/smoke.yaml"]
    if os.environ.get("FWSVM_REUSE_SMOKE"):
        finished = WorkingCopy(CHECKOUT, copy.arguments)
        if finished.plan().jobs == []:
            for part in ("results/smoke", "figures/smoke", "data/prepared", ".snakemake"):
                shutil.copytree(finished / part, copy / part, dirs_exist_ok=True)
    return copy, copy.snakemake("--cores", 2)


@pytest.fixture
def smoke(smoke_run, tmp_path):
    """Return a separate working copy after a complete run of config/smoke.yaml."""
    copy, done = smoke_run
    assert done.code == 0, done.text
    return copy.copy_to(tmp_path / "smoke")


@pytest.fixture
def tiny(fresh):
    """Return a working copy in which nothing has run, configured for a run of a few seconds."""
    return set_up_tiny(fresh)


@pytest.fixture(scope="session")
def tiny_run(pristine, tmp_path_factory):
    """Return a working copy after a run of the tiny configuration on one core.

    The run ends with runs.tsv. Tests must not change the copy.
    """
    copy = set_up_compiled_tiny(pristine.copy_to(tmp_path_factory.mktemp("tiny") / "tiny"))
    copy.run("results/tiny/runs.tsv", cores=1)
    return copy
