"""Measure how training time and memory grow with the number of points, on covertype.

growth.py OUT.csv trains FrankWolfeSVC, SVC and scikit-learn-intelex's SVC on random points of
covertype (class 2 against the others, standardised, C = 1, gamma = "scale"). Each fit has its own
process. A row has the number of points, the solver, the gap to which our solver trains, and the CPU
seconds of `fit`. It also has the memory (MB), the accuracy on 20,000 other points, the certified
gap, and how the fit ended. The memory is the largest memory of the process minus the memory of the
data. Fits end after --limit CPU seconds. A solver that did not finish is not run on more points.
Rows that are already in OUT.csv are not measured again.
"""

import argparse
import csv
import inspect
import multiprocessing
import os
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fwsvm import FrankWolfeSVC
from fwsvm_papers.datasets import load_dataset
from fwsvm_papers.runs.measure import peak_memory_mb, reset_peak_memory

HEADER = ("points", "solver", "eps", "cpu_s", "peak_mb", "accuracy", "relative_gap", "end")
SIZES = (5_000, 10_000, 20_000, 40_000, 58_101, 80_000, 522_911)
N_TEST = 20_000
CACHE_MB = 6_000  # with this cache, a fit on all points needs less than 8 GB


def points():
    folder = os.environ.get("FWSVM_DATA", "data")
    data = load_dataset("covtype", mirror=os.environ.get("FWSVM_MIRROR"), data_dir=folder)
    X = np.concatenate([part.toarray() for part in (data.X_train, data.X_test)])
    y = np.concatenate([np.asarray(part) for part in (data.y_train, data.y_test)])
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def model_of(solver, limit):
    if solver == "SVC":
        return SVC(cache_size=CACHE_MB)
    if solver == "intelex":
        from sklearnex.svm import SVC as IntelSVC

        return IntelSVC(cache_size=CACHE_MB)
    return FrankWolfeSVC(cache_mb=CACHE_MB, time_limit=limit, random_state=0)


def measure(solver, limit, X, y, X_test, y_test, pipe):
    warnings.simplefilter("ignore")
    # this fit loads the machine code
    model_of(solver, limit).fit(X[:2000], y[:2000]).predict(X_test[:10])
    reset_peak_memory()
    before, begin = peak_memory_mb(), time.process_time()
    if solver != "auto":
        most = int(begin + limit) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    model = model_of(solver, limit).fit(X, y)
    seconds, peak = time.process_time() - begin, peak_memory_mb() - before
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2)
    gap = getattr(model, "relative_gap_", np.nan)
    met = solver != "auto" or gap <= model.eps
    accuracy = model.score(X_test, y_test)
    pipe.send((seconds, peak, accuracy, gap, "done" if met else "limit"))


def main():
    parser = argparse.ArgumentParser(description=inspect.cleandoc(__doc__))
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=float, default=900, help="CPU seconds of a fit")
    parser.add_argument("--solvers", nargs="*", default=["auto", "intelex", "SVC"])
    given = parser.parse_args()
    if given.out.exists():
        with given.out.open() as file:
            rows = list(csv.DictReader(file))
        known = {(int(row["points"]), row["solver"]): row["end"] for row in rows}
    else:
        given.out.write_text(",".join(HEADER) + "\n")
        known = {}
    X, y = points()
    context = multiprocessing.get_context("fork")
    for solver in given.solvers:
        for m in SIZES:
            if (m, solver) not in known:
                scaler = StandardScaler().fit(X[:m])
                train, test = scaler.transform(X[:m]), scaler.transform(X[m : m + N_TEST])
                mine, its = context.Pipe()
                data = (train, y[:m], test, y[m : m + N_TEST])
                process = context.Process(target=measure, args=(solver, given.limit, *data, its))
                process.start()
                its.close()
                try:
                    seconds, peak, accuracy, gap, end = mine.recv()
                except EOFError:
                    seconds, peak, accuracy, gap, end = given.limit, np.nan, np.nan, np.nan, "limit"
                process.join()
                eps = 0.01 if solver == "auto" else ""
                numbers = (f"{value:.4g}" for value in (seconds, peak, accuracy, gap))
                with given.out.open("a") as file:
                    csv.writer(file, lineterminator="\n").writerow([m, solver, eps, *numbers, end])
                known[m, solver] = end
            if known[m, solver] == "limit":
                break


if __name__ == "__main__":
    main()
