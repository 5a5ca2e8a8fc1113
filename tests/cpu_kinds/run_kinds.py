"""Run some tests as if on other CPU models, and compare their results (`make test-kinds`).

OpenBLAS uses the code for the processor that OPENBLAS_CORETYPE names. If this machine does not
support a kind of processor, the kind is omitted, and the output says why. Other tests compare
results bit for bit, but only on the machine's own kind. Here, the results of different kinds must
agree within the certified gaps.
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
KINDS = ("Haswell", "SkylakeX")  # the first kind has AVX2, and the second one has AVX-512
SELECTION = ("tests/cpu_kinds/test_this_kind.py", "tests/kernels/test_symmetry.py")
COMPARISON = "tests/cpu_kinds/test_kinds_agree.py"

_PROBE = """
import json, numpy, scipy.linalg, threadpoolctl
numpy.ones((64, 64)) @ numpy.ones((64, 64))
pools = threadpoolctl.threadpool_info()
print(json.dumps([pool.get("architecture") for pool in pools if pool["user_api"] == "blas"]))
"""


def call(arguments, results, kind=None):
    """Run Python as if on a CPU model of the given kind, with one thread for matrix products. If
    the kind is None, run Python on the machine's own kind.
    """
    settings = {
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "FWSVM_KIND_RESULTS": str(results),
    }
    settings |= {"OPENBLAS_CORETYPE": kind} if kind else {}
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | settings,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
    )


def run_kind(kind, folder):
    """Run the tests on one kind.

    Return the exit code and the output of pytest. If the kind was omitted, return None and the
    reason.
    """
    probe = call(["-c", _PROBE], folder, kind)
    if probe.returncode or any(found != kind for found in json.loads(probe.stdout)):
        return (
            None,
            (
                "left out: OpenBLAS reports"
                f" {probe.stdout.strip() or f'nothing (exit code {probe.returncode})'}"
            ),
        )
    done = call(
        ["-m", "pytest", "-q", "-p", "no:cacheprovider", *SELECTION], folder / f"{kind}.json", kind
    )
    return done.returncode, done.stdout + done.stderr


def main():
    """Run all kinds at the same time. Return 0 if all tests pass and the results of the kinds
    agree.
    """
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        for kind, (code, text) in zip(
            KINDS, pool.map(run_kind, KINDS, [Path(folder)] * len(KINDS)), strict=True
        ):
            print(f"{kind}: {text if code else text.strip().splitlines()[-1]}", flush=True)
            failed += bool(code)
        compared = call(["-m", "pytest", "-q", "-p", "no:cacheprovider", COMPARISON], folder)
        print(compared.stdout, end="")
    return failed + bool(compared.returncode)


if __name__ == "__main__":
    sys.exit(main())
