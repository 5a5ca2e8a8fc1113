"""Measure FrankWolfeSVC(), SVC() and scikit-learn-intelex where C is large: large_c.py > OUT.csv

Each problem has random, standardised points of a data set. It has two classes: the largest class of
the data set, and all others. The kernel has gamma = "scale". A row has the data set, the number of
points, C and the solver. The other columns are those of `auto_grid.py`, and so is the way of
measuring. Accuracies are for other points of the same data set.
"""

import csv
import os
import sys

import numpy as np
from auto_grid import measured
from sklearn.preprocessing import StandardScaler

from fwsvm_papers.datasets import load_dataset

HEADER = [
    "dataset",
    "points",
    "C",
    "solver",
    "fit_cpu_s",
    "accuracy",
    "n_sv",
    "relative_gap",
    "end",
]
SETS = ("covtype", "magic", "a9a", "w8a", "ijcnn1")
SIZES, C_VALUES = (2_000, 5_000), (1e4, 1e5, 1e6)
N_TEST, LIMIT_S = 5_000, 120


def points(name):
    """Return random points of a data set in a random order, and their labels 0 and 1.

    There are at most `max(SIZES) + N_TEST` points. The label of the largest class is 1.
    """
    folder = os.environ.get("FWSVM_DATA", "data")
    data = load_dataset(name, mirror=os.environ.get("FWSVM_MIRROR"), data_dir=folder)
    X, y = data.X_train, np.asarray(data.y_train)
    order = np.random.default_rng(3).permutation(len(y))[: max(SIZES) + N_TEST]
    X, y = X[order], y[order]
    classes, counts = np.unique(y, return_counts=True)
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, float)
    return X, (y == classes[counts.argmax()]).astype(int)


if __name__ == "__main__":
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(HEADER)
    for name in SETS:
        X, y = points(name)
        for m in SIZES:
            scaler = StandardScaler().fit(X[:m])
            train, test = scaler.transform(X[:m]), scaler.transform(X[max(SIZES) :])
            gamma = 1.0 / (train.shape[1] * train.var())
            for C in C_VALUES:
                for solver in ("auto", "SVC", "intelex"):
                    data = (train, y[:m], test, y[max(SIZES) :])
                    fit, _, *rest = measured(solver, LIMIT_S, C, gamma, *data)
                    row = [f"{v:.4g}" if isinstance(v, float) else v for v in (fit, *rest)]
                    writer.writerow([name, m, f"{C:.0e}", solver, *row])
                    sys.stdout.flush()
