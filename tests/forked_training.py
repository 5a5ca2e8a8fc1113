"""A fixture that trains in forks of the test process. The test process has already imported what a
new process would have to import.
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
    """Replace the new processes of `baselines.limits` by forks, on systems on which forks are safe.

    A signal ends a fork in the same way as a new process.
    """
    from fwsvm_papers.baselines import limits  # this import loads compiled code

    with pytest.MonkeyPatch.context() as patch:
        if sys.platform.startswith("linux"):
            patch.setattr(limits, "subprocess", SimpleNamespace(run=_run))
        yield


def _run(command, **settings):
    folder = Path(command[-1])
    # sklearnex has threads, which do not exist in a fork
    if b"sklearnex" in (folder / "task").read_bytes():
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
