"""Run a selection of tests as on other kinds of processors, and compare their results (`make test-kinds`).

OpenBLAS takes the kernels of the processor named by OPENBLAS_CORETYPE, and numba compiles for NUMBA_CPU_NAME. A kind
that this machine cannot take on is left out, with the reason. What is compared bit for bit elsewhere in the tests is
compared on the machine's own kind only; here results agree within the certified gaps.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
THIS_KIND, COMPARISON = "tests/cpu_kinds/test_this_kind.py", "tests/cpu_kinds/test_kinds_agree.py"

# Kind -> (environment, architecture of OpenBLAS or None for the machine's own). The one that compiles anew comes first.
KINDS = {
    "generic": ({"NUMBA_CPU_NAME": "generic"}, None),
    "Haswell": ({"OPENBLAS_CORETYPE": "Haswell"}, "Haswell"),
    "Sandybridge": ({"OPENBLAS_CORETYPE": "Sandybridge"}, "Sandybridge"),  # no AVX2, no fused multiply-add
    "SkylakeX": ({"OPENBLAS_CORETYPE": "SkylakeX"}, "SkylakeX"),
}

# The tests of a kind, and what is left out of them because it takes long.
SELECTION = [
    "tests/kernels/test_symmetry.py",
    "tests/kernels/test_kernels.py",
    "tests/estimators/test_estimator.py",
    "tests/kernels/test_shared_kernels.py",
    "tests/estimators/test_one_class.py",
    "tests/estimators/test_enclosing_ball.py",
    "tests/solvers/test_optimum.py",
    "tests/studies/benchmark/test_cross_validation.py",
]
LEFT_OUT = "not (fw-linear or linear_svc or threads or sklearn_contract or sigma2_is_the_grid)"
# For numba's generic processor all loops are compiled: only what runs them once.
GENERIC_SELECTION = ["tests/kernels/test_symmetry.py"]

_PROBE = """
import json, numpy, scipy.linalg, threadpoolctl
numpy.ones((64, 64)) @ numpy.ones((64, 64))
print(json.dumps([pool.get("architecture") for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]))
"""


def environment(kind):
    """Environment variables of a process on that kind of processor, with one thread for matrix products."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", **KINDS[kind][0]}


def why_not(kind):
    """Why this machine cannot take on a kind; empty if it can."""
    wanted = KINDS[kind][1]
    probe = subprocess.run([sys.executable, "-c", _PROBE], env=environment(kind), capture_output=True, text=True)
    if probe.returncode:
        return f"a matrix product ends with code {probe.returncode}"
    loaded = json.loads(probe.stdout)
    if wanted and any(architecture != wanted for architecture in loaded):
        return f"OpenBLAS takes {', '.join(map(str, loaded)) or 'no part'}"
    return ""


def run_kind(kind, folder):
    """Run the selection on one kind; returns pytest's code and what it printed, or None and a reason."""
    reason = why_not(kind)
    if reason:
        return None, reason
    selection = GENERIC_SELECTION if kind == "generic" else SELECTION
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", LEFT_OUT, THIS_KIND, *selection]
    settings = {**environment(kind), "FWSVM_KIND_RESULTS": str(folder / f"{kind}.json")}
    answer = subprocess.run(command, env=settings, cwd=CHECKOUT, capture_output=True, text=True)
    return answer.returncode, answer.stdout + answer.stderr


def main():
    """Run all kinds, two at a time; returns 0 if their tests pass and their results agree."""
    failed = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        began = time.perf_counter()
        results = {kind: pool.submit(run_kind, kind, Path(folder)) for kind in KINDS}
        for kind, result in results.items():
            code, text = result.result()
            if code is None:
                print(f"{kind}: left out, {text}")
                continue
            summary = text.strip().splitlines()[-1] if text.strip() else "nothing printed"
            print(f"{kind}: {summary}", flush=True)
            if code:
                failed.append(kind)
                print(text)
        settings = {**os.environ, "FWSVM_KIND_RESULTS": folder}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/cpu_kinds/test_kinds_agree.py",
        ]
        if subprocess.run(command, env=settings, cwd=CHECKOUT).returncode:
            failed.append("comparison")
        print(f"{time.perf_counter() - began:.0f} s" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
