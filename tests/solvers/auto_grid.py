"""Measure FrankWolfeSVC(), SVC() and scikit-learn-intelex on random problems: auto_grid.py
--numbers 1 60

A problem is a part of a real data set, or comes from a generator. Its size, scaling, C and gamma
are also random. The script prints a line of comma-separated values per
fit. The values are the problem, the solver, CPU seconds of `fit`, CPU seconds of `predict` for up
to 10,000 points, the accuracy, the number of SVs, the relative gap (only for our fits), and how the
fit ended. With PYTHONPATH=OTHER/src, the script measures another version. The text of the option
--label is put before the name of the solver. Each solver runs in a new process. The process
first fits a part of the problem, and this fit is not timed. A fit of less than _SHORT seconds is
repeated until there are _REPEATS fits, and the line has the median of their times.
"""

import argparse
import csv
import multiprocessing
import os
import sys
import time
import warnings

import numpy as np
from numba.core.event import install_recorder
from scipy import sparse
from sklearn.datasets import make_blobs, make_classification, make_moons
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fwsvm import FrankWolfeSVC
from fwsvm_papers.datasets import load_dataset

HEADER = [
    "problem",
    "solver",
    "fit_cpu_s",
    "predict_cpu_s",
    "accuracy",
    "n_sv",
    "relative_gap",
    "end",
]
REAL = [
    *("a9a", "w8a", "ijcnn1", "usps", "pendigits", "letter", "shuttle", "covtype", "mushrooms"),
    *("magic", "satimage", "reuters", "kdd99-10pc", "digits", "checkerboard"),
]
GENERATORS = ("classification", "classification", "moons", "blobs", "binary", "sparse")
SMALLEST, N_TEST = 1000, 10_000
_READY_MB = 500
_SHORT, _REPEATS = 2.0, 3


def draw(seed, number, largest):
    """Return training points, their labels, test points, their labels, C, gamma and a name."""
    rng = np.random.default_rng([seed, number])
    m = int(SMALLEST * (largest / SMALLEST) ** rng.random())
    C = 10 ** rng.uniform(-1, 4)
    factor = 3 ** rng.uniform(-1, 1)
    is_real, scales = rng.random() < 0.5, rng.random() < 0.5
    name, (X, y) = (_real if is_real else _generated)(rng, m + N_TEST)
    chosen = rng.permutation(len(y))
    m = min(m, len(y) // 2)
    train, test = chosen[:m], chosen[m : m + N_TEST]
    if scales and not sparse.issparse(X):
        X = StandardScaler().fit(X[train]).transform(X)
    gamma = factor / (X.shape[1] * _variance(X[train]))
    name = (
        f"{number}: {name} {m} x {X.shape[1]} classes={len(np.unique(y))} C={C:.3g}"
        f" gamma={factor:.2g}"
    )
    return X[train], y[train], X[test], y[test], C, gamma, name


def _variance(X):
    if sparse.issparse(X):
        return max(X.multiply(X).mean() - X.mean() ** 2, 1e-12)
    return max(X.var(), 1e-12)


def _real(rng, _):
    name = REAL[rng.integers(len(REAL))]
    data = load_dataset(
        name, mirror=os.environ.get("FWSVM_MIRROR"), data_dir=os.environ.get("FWSVM_DATA", "data")
    )
    stack = sparse.vstack if sparse.issparse(data.X_train) else np.concatenate
    X, y = stack([data.X_train, data.X_test]), np.concatenate([data.y_train, data.y_test])
    return name, (X.tocsr() if sparse.issparse(X) else X, y)


def _generated(rng, m):
    kind, seed = GENERATORS[rng.integers(len(GENERATORS))], int(rng.integers(2**31))
    if kind == "moons":
        return kind, make_moons(m, noise=rng.uniform(0.05, 0.5), random_state=seed)
    d, n_classes = int(2 * 400 ** rng.random()), int(rng.choice([2, 2, 2, 3, 10, 26]))
    if kind == "blobs":
        return kind, make_blobs(
            m, d, centers=max(2, n_classes), cluster_std=rng.uniform(1, 6), random_state=seed
        )
    informative = max(2, int(min(0.6 * d, 40)))
    n_classes = min(n_classes, 2**informative // 2)
    X, y = make_classification(
        m,
        d,
        n_informative=informative,
        n_redundant=0,
        n_clusters_per_class=1,
        flip_y=0.3 * rng.random(),
        n_classes=n_classes,
        class_sep=rng.uniform(0.3, 2.0),
        random_state=seed,
    )
    if kind == "sparse":
        X = sparse.csr_matrix(np.where(rng.random(X.shape) < max(0.1, 2.0 / d), X, 0.0))
    elif kind == "binary":
        X = sparse.csr_matrix((X > 0.5).astype(float))
    return kind, (X, y)


def solver_of(name, C, gamma):
    if name == "SVC":
        return SVC(C=C, gamma=gamma)
    if name == "intelex":
        from sklearnex.svm import SVC as IntelSVC

        return IntelSVC(C=C, gamma=gamma)
    _, _, eps = name.partition("-")  # the name can include a gap, such as "auto-0.001"
    given = {"eps": float(eps)} if eps else {}
    return FrankWolfeSVC(C=C, gamma=gamma, random_state=0, **given)


def measure(solver, C, gamma, X, y, X_test, y_test, pipe):
    part = slice(min(len(y), 2000))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # On some virtual machines, the first use of memory takes a second per 300 MB.
        np.ones(_READY_MB * 125_000)
        # this fit loads the machine code
        solver_of(solver, 1.0, gamma).fit(X[part], y[part]).predict(X_test[:10])
        caught.clear()
        times, compiled = [], 0
        while len(times) < _REPEATS and (not times or times[0][0] < _SHORT):
            with install_recorder("numba:compile") as events:
                model, begin = solver_of(solver, C, gamma), time.process_time()
                model.fit(X, y)
                fitted = time.process_time()
                found = model.predict(X_test)
                times.append((fitted - begin, time.process_time() - fitted))
            # a fit that compiled machine code is repeated, since a user compiles only once
            if events.buffer and compiled < _REPEATS:
                times, compiled = [], compiled + 1
    gap = getattr(model, "relative_gap_", np.nan)
    end = (
        "stopped early" if any("stopped early" in str(each.message) for each in caught) else "done"
    )
    values = [
        *np.median(times, axis=0).tolist(),
        np.mean(found == y_test),
        len(model.support_),
        np.max(gap),
        end,
    ]
    pipe.send(values)


def measured(solver, limit, C, gamma, *data):
    """Measure a fit in another process, and return the values of its line. After `limit` seconds,
    the process is ended.
    """
    mine, its = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=measure, args=(solver, C, gamma, *data, its)
    )
    process.start()
    try:
        return (
            mine.recv() if mine.poll(limit) else [limit, np.nan, np.nan, -1, np.nan, "time limit"]
        )
    except EOFError:
        return [np.nan, np.nan, np.nan, -1, np.nan, "failed"]
    finally:
        process.kill()
        process.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--numbers", type=int, nargs=2, default=(1, 60))
    parser.add_argument(
        "--largest", type=int, default=30_000, help="largest number of training points"
    )
    parser.add_argument("--limit", type=float, default=900, help="seconds of wall time for a fit")
    parser.add_argument("--solvers", nargs="*", default=["auto", "SVC", "intelex"])
    parser.add_argument("--label", default="", help="put before the solver's name in the output")
    given = parser.parse_args()
    writer = csv.writer(sys.stdout)
    writer.writerow(HEADER)
    for number in range(given.numbers[0], given.numbers[1] + 1):
        *data, C, gamma, name = draw(given.seed, number, given.largest)
        for solver in given.solvers:
            values = measured(solver, given.limit, C, gamma, *data)
            row = [f"{v:.4g}" if isinstance(v, float) else v for v in values]
            writer.writerow([name, given.label + solver, *row])
            sys.stdout.flush()
