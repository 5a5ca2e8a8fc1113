"""Measure CPU seconds of FrankWolfeSVC(), SVC() and scikit-learn-intelex on drawn problems: auto_grid.py --numbers 1 20

It prints a line of comma-separated values per fit: problem, solver, CPU seconds, accuracy, number of SVs, and whether
it met the stopping rule. With PYTHONPATH=OTHER/src, it measures another version of `auto`; --label names its rows.
"""

import argparse
import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from fwsvm import FrankWolfeSVC

HEADER = "problem,solver,cpu_s,accuracy,n_sv,converged"


def draw(seed, number, largest):
    """Return training points, labels, test points, labels, C, gamma and a name."""
    rng = np.random.default_rng([seed, number])
    m, d = int(1000 * (largest / 1000) ** rng.random()), int(2 * 150 ** rng.random())
    n_classes, kind = int(rng.choice([2, 2, 2, 3, 10])), rng.choice(["dense", "sparse", "binary"])
    C, factor, informative = 10 ** rng.uniform(-1, 4), 3 ** rng.uniform(-1, 1), max(2, int(0.6 * d))
    X, y = make_classification(
        m + 1000, d, n_informative=informative, n_redundant=0, n_clusters_per_class=1, flip_y=0.3 * rng.random(),
        n_classes=min(n_classes, 2**informative // 2), class_sep=rng.uniform(0.3, 2.0), random_state=number,
    )  # fmt: skip
    if kind == "sparse":
        X = sparse.csr_matrix(np.where(rng.random(X.shape) < max(0.1, 2.0 / d), X, 0.0))
    elif kind == "binary":
        X = sparse.csr_matrix((X > 0.5).astype(float))
    mean_square, mean = (X.multiply(X).mean(), X.mean()) if sparse.issparse(X) else ((X * X).mean(), X.mean())
    gamma = factor / (d * max(mean_square - mean**2, 1e-12))
    name = f"{number}: {kind} {m} x {d} classes={y.max() + 1} C={C:.3g} gamma={factor:.2g}"
    return X[:m], y[:m], X[m:], y[m:], C, gamma, name


def solver_of(name, C, gamma):
    if name == "SVC":
        return SVC(C=C, gamma=gamma)
    if name == "intelex":
        from sklearnex.svm import SVC as IntelSVC

        return IntelSVC(C=C, gamma=gamma)
    return FrankWolfeSVC(C=C, gamma=gamma, random_state=0)


def measure(model, X, y, X_test, y_test):
    begin = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    seconds = time.process_time() - begin
    stopped_early = any("stopped early" in str(warning.message) for warning in caught)
    return seconds, model.score(X_test, y_test), len(model.support_), not stopped_early


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--numbers", type=int, nargs=2, default=(1, 20))
    parser.add_argument("--largest", type=int, default=20_000, help="largest number of training points")
    parser.add_argument("--solvers", nargs="*", default=["auto", "SVC", "intelex"])
    parser.add_argument("--label", default="auto", help="name of the rows of auto")
    given = parser.parse_args()
    print(HEADER, flush=True)
    for number in range(given.numbers[0], given.numbers[1] + 1):
        *data, C, gamma, name = draw(given.seed, number, given.largest)
        for solver in given.solvers:
            part = [data[0][:2500], data[1][:2500], *data[2:]]
            measure(solver_of(solver, 1.0, gamma), *part)  # this compiles loops
            found = measure(solver_of(solver, C, gamma), *data)
            if found[0] < 0.3:
                found = min(found, measure(solver_of(solver, C, gamma), *data))
            label = given.label if solver == "auto" else solver
            print(f"{name},{label},{found[0]:.4f},{found[1]:.4f},{found[2]},{found[3]}", flush=True)
