"""Compare `auto` with `swap2o` and `fcfw` on drawn problems: auto_grid.py --seed 1 --real LIBSVM_FILE ...

It prints the CPU time of `auto` divided by that of the faster one, and the gap of `auto` divided by that of `swap2o`
under time limits of 1/10, 1/3 and 1/2 of what `auto` needs. Since the gap jumps from step to step, `swap2o` is also
compared with itself.
"""

import argparse
import time

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file, make_classification

from fwsvm import Kernel, KernelMatrix, KernelProblem, solve

KINDS = ("dense", "binary", "sparse", "unscaled", "duplicates", "real")


def draw(rng, files):
    m, n, kind = int(500 * 40 ** rng.random()), int(2 * 400 ** rng.random()), rng.choice(KINDS[: 6 if files else 5])
    noise, C, factor = 0.3 * rng.random(), 10 ** rng.uniform(-2, 6), 10 ** rng.uniform(-1, 1)
    X, y = _real(rng, m, files) if kind == "real" else _generated(rng, m, n, noise, kind)
    power, mean = (X.multiply(X).mean(), X.mean()) if sparse.issparse(X) else ((X * X).mean(), X.mean())
    gamma = factor / (X.shape[1] * max(power - mean**2, 1e-12))
    name = f"{kind} m={X.shape[0]} n={X.shape[1]} noise={noise:.2f} C={C:.3g} gamma={factor:.2g}"
    return KernelMatrix(X, Kernel("rbf", gamma)), y, C, name


def _real(rng, m, files):
    X, y = load_svmlight_file(files[rng.integers(len(files))])
    rows = rng.permutation(len(y))[:m]
    X = X[rows] if X.nnz < 0.3 * X.shape[0] * X.shape[1] else X[rows].toarray()
    return X, np.where(y[rows] > np.median(y), 1.0, -1.0)


def _generated(rng, m, n, noise, kind):
    kept = {"n_informative": max(2, int(n * rng.uniform(0.2, 0.9))), "n_redundant": 0, "n_clusters_per_class": 1}
    X, y = make_classification(
        m, n, flip_y=noise, class_sep=rng.uniform(0.3, 2.0), random_state=int(rng.integers(1 << 30)), **kept
    )
    if kind == "binary":
        X = (X > 0.5).astype(float)
    elif kind == "sparse":
        X = sparse.csr_matrix(np.where(rng.random(X.shape) < rng.uniform(0.02, 0.2), X, 0.0))
    elif kind == "unscaled":
        X *= 10.0 ** rng.uniform(-1, 1, n)
    elif kind == "duplicates":
        rows = rng.integers(0, m // 4, m)
        X, y = X[rows], np.where(rng.random(m) < noise, 1 - y[rows], y[rows])
    return X, np.where(y > 0, 1.0, -1.0)


def fit(problem, method, limit):
    """Return CPU seconds with and without the certificate, and the gap (infinity if it is not known)."""
    begin = time.process_time()
    given = {"stop": "relative", "eps": EPS, "random_state": 0, "time_limit": limit}
    found = solve(KernelProblem(*problem), method, **given)
    seconds = time.process_time() - begin if found.stop_reason == "converged" else np.inf
    return seconds, found.train_cpu_s, np.nan_to_num(max(found.relative_gap, EPS), nan=np.inf)


def fastest(problem, method, limit):
    first = fit(problem, method, limit)
    return first if first[0] > 0.5 else min(first, fit(problem, method, limit))


def gaps_at(problem, limits):
    """Return the gaps of `auto`, `swap2o` and `swap2o` once more at each limit (medians of three runs in turn)."""
    runs = [[[fit(problem, method, limit)[2] for method in METHODS] for _ in range(3)] for limit in limits]
    return np.median(runs, axis=1).T


METHODS, EPS, SHARES = ("auto", "swap2o", "swap2o"), 1e-3, (0.1, 1 / 3, 0.5)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option, default in (("--seed", 1), ("--first", 1), ("--problems", 150), ("--seconds", 4.0)):
        parser.add_argument(option, type=type(default), default=default)
    parser.add_argument("--real", nargs="*", default=[])
    given, ratios = parser.parse_args(), []
    for number in [0, *range(given.first, given.first + given.problems)]:  # the first is for compiling
        *problem, name = draw(np.random.default_rng([given.seed, number]), given.real)
        fcfw = fastest(problem, "fcfw", given.seconds)[0]
        swap = fastest(problem, "swap2o", min(given.seconds, 4.0 * fcfw + 0.1))[0]
        best = min(swap, fcfw)
        if number == 0 or best > given.seconds:
            continue
        auto, training, _ = fastest(problem, "auto", 10.0 * given.seconds)
        own, other, again = gaps_at(problem, [share * training for share in SHARES])
        ratios.append((auto / best, *own / other, *again / other))
        print(*(f"{value:6.3f}" for value in (*ratios[-1], swap, fcfw, auto)), number, name, flush=True)
    titles = ["time", *(f"gap at {share:.2f} of it{of}" for of in ("", ", swap2o again") for share in SHARES)]
    for title, column in zip(titles, np.array(ratios).T, strict=True):
        parts = ", ".join(f"{np.mean(column <= most):.1%} up to {most}" for most in (1.3, 2.0))
        print(title, f"median {np.median(column):.2f}", parts, "worst", np.sort(column)[-5:].round(2), len(column))
