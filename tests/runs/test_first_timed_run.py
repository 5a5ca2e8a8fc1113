"""Test that the first timed run of a job loads no compiled code, because the job's warm-up runs
have loaded it.
"""

import subprocess
import sys

import pytest
from code_loads import LIST_LOADS

TIMED = """
import sys
from types import SimpleNamespace

import numpy as np

from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job

timed, runs = measure.RunMonitor.timed, 0

def counting(self, *arguments, **options):
    global runs
    runs += 1
    loaded.clear()
    result = timed(self, *arguments, **options)
    print(*loaded, sep=chr(10), end=chr(10) if loaded else "")
    return result

measure.RunMonitor.timed = counting
measure.WARM_UP_S = 20.0  # on a slow machine, loading the code can take more than 0.5 s
SETTINGS = {
    "init": "random_meb", "eps": 1e-5, "cache_mb": 20, "max_iterations": 10**8,
    "time_limit": 60.0, "seed": 5, "timing": "shared",
}

def points(m, n, classes):
    rng = np.random.default_rng(m)
    X = rng.random((m, n))
    y = np.where(rng.random(m) < 0.1, 0, (X[:, 0] * classes).astype(int))
    meta = {"name": "x", "m": m, "n": n, "t": 50, "average_squared_distance": n / 6}
    return SimpleNamespace(X_train=X, y_train=y, X_test=X[:50], y_test=y[:50], meta=meta)

def benchmark(data, method, variants, **own):
    from fwsvm_papers.studies.benchmark import training

    variants = [{"repetitions": 1, **variant} for variant in variants]
    long_runs = {"above": 1e9, "repetitions": 1}
    settings = {**SETTINGS, "kernel": "rbf", "long_runs": long_runs, "variants": variants, **own}
    tuned = {"sigma2": 0.5, "C": 4.0, "gamma_rule": "", "C_rule": ""}
    training.run(data, tuned, Job("benchmark", "p", "x", method), settings)

def convergence(data, method):
    from fwsvm_papers.studies.convergence.run import run

    tuned = {"gamma": 1.0, "C": 4.0, "gamma_rule": ""}
    run(data, tuned, Job("convergence", "p", "x", method), {**SETTINGS, "ratio": 1.5})

"""
SAMPLED = '{"selection": "sampled_libcvm", "patience": 1}'
FULL = '{"selection": "full", "stop": "relative", "eps": %s}'
CASES = {
    "auto on a small set": (
        'benchmark(points(250, 5, 2), "auto", [{}], selection="full", stop="relative")'
    ),
    "auto on a set with more points": (
        'benchmark(points(1500, 5, 2), "auto", [{}], selection="full", stop="relative")'
    ),
    "auto on ten classes": (
        'benchmark(points(3000, 4, 10), "auto", [{}], selection="full", stop="relative")'
    ),
    "CVM over all points": (
        'benchmark(points(350, 30, 2), "cvm", [{}], selection="full", stop="relative",'
        " inner_tolerance=1e-3)"
    ),
    "samples, and then smaller and smaller gaps": (
        f'benchmark(points(700, 6, 3), "cvm", [{SAMPLED}, {FULL % 1e-2}, {FULL % 1e-6}],'
        ' stop="meb", inner_tolerance=1e-3)'
    ),
    "a recorded run": 'convergence(points(400, 30, 2), "swap")',
}


@pytest.mark.parametrize("case", CASES)
def test_the_first_timed_run_loads_no_code(case):
    script = LIST_LOADS + TIMED + CASES[case] + "\nassert runs\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stdout.strip()
