"""A cluster of one node, where Slurm is installed and root asks."""

import os
import shutil
import tempfile
from importlib.util import find_spec

import pytest
from slurm_node import SlurmNode, missing_programs
from working_copy import CHECKOUT, WorkingCopy, committed_files


@pytest.fixture
def slurm_node():
    """A running cluster of one node; skips the tests where it cannot start."""
    if missing := missing_programs():
        pytest.skip(f"{', '.join(missing)} not installed: tests/cluster/setup installs Slurm")
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("snakemake-executor-plugin-slurm is not installed: pip install -e '.[slurm]'")
    if os.geteuid() != 0:
        pytest.skip("only root can start Slurm's daemons")
    with tempfile.TemporaryDirectory(prefix="slurm") as folder:
        node = SlurmNode(folder)
        try:
            node.start()
            yield node
        finally:
            node.stop()


@pytest.fixture
def copy(tmp_path):
    """A working copy in which nothing has run, set up for config/smoke.yaml."""
    copy = WorkingCopy(tmp_path / "copy", ["--configfile", "config/smoke.yaml"])
    for path in committed_files():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / path, copy / path)
    return copy
