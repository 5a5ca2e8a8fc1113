"""CPU time of `auto` against the faster of `swap2o` and `fcfw`: auto_grid.py --seed 1 --real LIBSVM_FILE ..."""

import argparse
import time

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file, make_classification

from fwsvm import Kernel, KernelMatrix, KernelProblem, solve

KINDS = ("dense", "binary", "sparse", "unscaled", "duplicates", "real")


def draw(rng, files):
    """A kernel matrix, labels, C and a description."""
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


def measured(problem, method, limit):
    """The least CPU time of up to three runs (inf if it is not done), and the relative gap."""
    best = np.inf
    for _ in range(3):
        begin = time.process_time()
        found = solve(KernelProblem(*problem), method, stop="relative", eps=1e-3, random_state=0, time_limit=limit)
        took, previous = time.process_time() - begin, best
        best = min(best, took)
        if took > 0.6 or (took > 0.1 and previous < np.inf):
            break
    return best if found.stop_reason == "converged" else np.inf, found.relative_gap


def gap_ratio(problem, limit):
    """The gap of `auto` over that of `swap2o` at a time limit; a gap below the target counts as the target."""
    mine, other = (measured(problem, method, limit)[1] for method in ("auto", "swap2o"))
    return max(mine, 1e-3) / max(other, 1e-3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option, default in (("--seed", 1), ("--first", 1), ("--problems", 150), ("--seconds", 4.0)):
        parser.add_argument(option, type=type(default), default=default)
    parser.add_argument("--real", nargs="*", default=[])
    parser.add_argument("--shares", nargs="*", type=float, default=[0.1, 1 / 3, 0.5])
    given, ratios = parser.parse_args(), []
    for number in [0, *range(given.first, given.first + given.problems)]:  # the first is for compiling
        *problem, name = draw(np.random.default_rng([given.seed, number]), given.real)
        fcfw = measured(problem, "fcfw", given.seconds)[0]
        swap = measured(problem, "swap2o", min(given.seconds, 8.0 * fcfw + 0.1))[0]
        if number == 0 or (best := min(swap, fcfw)) == np.inf:
            continue
        took, _ = measured(problem, "auto", 8.0 * best + 0.1)
        gaps = [gap_ratio(problem, share * min(took, best)) for share in given.shares]
        ratios.append((took / best, *gaps))
        shown = " ".join(f"{gap:6.2f}" for gap in gaps)
        print(f"{took / best:5.2f} {swap:6.3f} {fcfw:6.3f} {took:6.3f}  gaps {shown}  {number} {name}", flush=True)
    for title, column in zip(
        ("time", *(f"gap at {share:.2f}" for share in given.shares)), np.array(ratios).T, strict=True
    ):
        shares = ", ".join(f"{np.mean(column <= most):.1%} up to {most}" for most in (1.3, 2.0))
        print(
            f"{title}: median {np.median(column):.2f}, {shares}, worst {np.sort(column)[-5:].round(2)} of {len(column)}"
        )
