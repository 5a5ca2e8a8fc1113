"""CPU time of `auto` against the faster of `swap2o` and `fcfw`: auto_grid.py --seed 1 --real LIBSVM_FILE ..."""

import argparse
import time

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file, make_classification

from fwsvm import Kernel, KernelMatrix, KernelProblem, solve
from fwsvm.solvers import automatic
from fwsvm.solvers.corrective_driver import CorrectiveDriver

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


class Watch:
    def __init__(self, problem, limits=(), stops=False):
        self.problem, self.limits, self.stops = problem, list(limits), stops
        self.value = problem.matrix.points.stored_per_point / automatic._STORED_PER_ENTRY
        self.gaps, self.work, self.seen, self.spent = [], 0.0, (None, 0, 0), 0.0
        self.before = problem.evaluations  # earlier runs used the same matrix

    def __call__(self, driver):
        begin = time.process_time()
        if isinstance(driver, CorrectiveDriver):
            now, of_steps = (driver, driver.work, 0), 1.0
        else:
            values = driver.evaluations + self.problem.evaluations - self.before
            now, of_steps = (driver, driver.count.iterations, values), 2.0 * len(driver.state.s)
        if driver is not self.seen[0]:  # SWAP-2o goes on with its counts, FCFW and the first driver begin with 0
            goes_on = self.seen[0] is not None and not isinstance(driver, CorrectiveDriver)
            self.seen = now if goes_on else (driver, 0, 0)
        self.work += of_steps * (now[1] - self.seen[1]) + self.value * (now[2] - self.seen[2])
        self.seen = now
        while len(self.gaps) < len(self.limits) and self.work >= self.limits[len(self.gaps)]:
            self.gaps.append(self.gap(*driver.weights()))
        self.spent += time.process_time() - begin
        return self.stops and len(self.gaps) == len(self.limits)

    def gap(self, indices, weights):
        kept = self.problem.evaluations
        s = self.problem.gradient(indices, weights / weights.sum())
        objective = float(weights @ s[indices]) / weights.sum()
        self.before += self.problem.evaluations - kept
        return 2.0 * (objective - s.min()) / objective


def measured(problem, method, limit=np.inf, runs=2, **watched):
    best = np.inf
    for _ in range(runs):
        given = KernelProblem(*problem)
        begin, watch = time.process_time(), Watch(given, **watched)
        found = solve(given, method, stop="relative", eps=1e-3, random_state=0, time_limit=limit, callback=watch)
        best = min(best, time.process_time() - begin - watch.spent)
        if best > 0.5:
            break
    return best if found.stop_reason == "converged" else np.inf, watch


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option, default in (("--seed", 1), ("--first", 1), ("--problems", 150), ("--seconds", 4.0)):
        parser.add_argument(option, type=type(default), default=default)
    parser.add_argument("--real", nargs="*", default=[])
    given, ratios = parser.parse_args(), []
    for number in [0, *range(given.first, given.first + given.problems)]:  # the first is for compiling
        *problem, name = draw(np.random.default_rng([given.seed, number]), given.real)
        fcfw, newton = measured(problem, "fcfw", given.seconds)
        auto, mine = measured(problem, "auto", min(given.seconds, 4.0 * fcfw + 0.1))
        limits = [share * mine.work for share in (0.1, 1 / 3, 0.5)]
        swap, steps = measured(problem, "swap2o", min(given.seconds, 4.0 * min(auto, fcfw) + 0.1), limits=limits)
        best = min(swap, fcfw)
        if number == 0 or best > given.seconds:
            continue
        _, limited = measured(problem, "auto", given.seconds, 1, limits=limits, stops=True)
        done = [0.0] * 3 if swap < np.inf else []  # SWAP-2o converged before the last limits
        both = zip(limited.gaps, steps.gaps + done, strict=False)
        gaps = ([max(one, 1e-3) / max(other, 1e-3) for one, other in both] + [0.0] * 3)[:3]
        ratios.append((auto / best, *gaps))
        works, figures = (watch.work for watch in (steps, newton, mine)), (auto / best, swap, fcfw, auto, *gaps)
        print(*(f"{value:6.3f}" for value in figures), *(f"{work:.1e}" for work in works), number, name, flush=True)
    for title, column in zip(("time", "gap at 1/10", "at 1/3", "at 1/2"), np.array(ratios).T, strict=True):
        parts = ", ".join(f"{np.mean(column <= most):.1%} up to {most}" for most in (1.3, 2.0))
        print(title, f"median {np.median(column):.2f}", parts, "worst", np.sort(column)[-5:].round(2), len(column))
