"""Fixtures that start a Slurm cluster of one node, if Slurm is installed and the user is root."""

import os
import shutil
import tempfile
from importlib.util import find_spec

import pytest
from slurm_node import SlurmNode, missing_programs
from working_copy import CHECKOUT, WorkingCopy, committed_files


@pytest.fixture
def slurm_node():
    """Yield a running cluster of one node. Tests are skipped if the cluster cannot start."""
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
    """Return a working copy for config/smoke.yaml in which nothing has run."""
    copy = WorkingCopy(tmp_path / "copy", ["--configfile", "config/smoke.yaml"])
    for path in committed_files():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / path, copy / path)
    return copy
