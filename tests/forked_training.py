"""Training in a process of its own as a fork of the tests' process, which has imported what a
new one has to.
"""

import os
import subprocess
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module")
def trained_in_forks():
    """Where forks are safe, `baselines.limits` starts no new processes; signals end a fork in
    the same way.
    """
    from fwsvm_papers.baselines import limits  # which loads compiled code

    with pytest.MonkeyPatch.context() as patch:
        if sys.platform.startswith("linux"):
            patch.setattr(limits, "subprocess", SimpleNamespace(run=_run))
        yield


def _run(command, **settings):
    folder = Path(command[-1])
    if b"sklearnex" in (folder / "task").read_bytes():  # its threads do not outlive a fork
        return subprocess.run(command, **settings)
    child = os.fork()
    if child == 0:
        _train_and_end(folder)
    return subprocess.CompletedProcess(
        command, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "", ""
    )


def _train_and_end(folder):
    from fwsvm_papers.baselines import limits

    code = 1
    try:
        with threadpool_limits(1):
            limits._main(folder)
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)
