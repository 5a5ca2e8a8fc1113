"""The memory a data set takes to prepare, measured in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

_PREPARE = """
import re, sys
from fwsvm.datasets import load_catalogue, load_dataset
import pandas, sklearn.feature_extraction.text

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])

catalogue = load_catalogue(sys.argv[1])
before = peak()
load_dataset(sys.argv[2], catalogue, sys.argv[3])
print(peak() - before)
"""


def megabytes_to_prepare(name, catalogue, data_dir):
    """Fetch (FWSVM_MIRROR is passed on) and prepare; the growth of the peak of resident memory over the imports."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of a process's memory is read from /proc, which is not here")
    command = [sys.executable, "-c", _PREPARE, str(catalogue), name, str(data_dir)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return int(done.stdout) / 1024
