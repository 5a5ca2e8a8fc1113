"""Compare the speed of CVM's inner loop with that of a plain loop, and the speed of all methods
with that of the authors' program.

This program is not a test.

    FWSVM_MIRROR=... python tests/solvers/cvm_times.py loop
    FWSVM_MIRROR=... python tests/solvers/cvm_times.py authors [--sets a1a w1a letter]

``loop`` prints nanoseconds per step for several numbers of points in the coreset. It alternates
between `minimise_block` and a plain loop with two passes over the same columns. ``authors`` prints
a ratio per data set and method: the seconds of the authors' program (on another computer) divided
by our seconds. The kernel width, C and the settings are the same. Then it prints medians over the
data sets. For each method, these are the median of its ratios, and the median of its ratios divided
by CVM's ratios.
"""

import argparse
import time
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import yaml

from fwsvm.kernels.functions import average_squared_distance
from fwsvm.problems.column_cache import CoresetColumns
from fwsvm.solvers.block_loop import minimise_block
from fwsvm.solvers.state import activate, new_state
from fwsvm_papers.datasets import load_dataset
from fwsvm_papers.runs.protocols import solver_settings
from fwsvm_papers.runs.rows import build_model
from fwsvm_papers.studies.registry import load_printed

METHODS = ("cvm", "fw", "mfw", "swap", "swap2o")


@numba.njit(fastmath=True)
def plain_loop(Q, a, s, diagonal, tolerance, limit):
    """Run SMO with second-order pairs in a simple form. In each step, one pass chooses a pair, and
    another pass updates.
    """
    n, i = len(a), s.argmin()
    for made in range(limit):
        best, j, column = 0.0, -1, Q[i]
        for r in range(n):
            rise = s[r] - s[i]
            if a[r] > 0.0 and rise > 0.0:
                gain = rise * rise / (diagonal[i] - 2.0 * column[r] + diagonal[r])
                if gain > best:
                    best, j = gain, r
        if j < 0:
            return made
        other = Q[j]
        length = min((s[j] - s[i]) / (diagonal[i] - 2.0 * column[j] + diagonal[j]), a[j])
        a[i], a[j] = a[i] + length, a[j] - length
        lowest, low, high = i, np.inf, -np.inf
        for r in range(n):
            s[r] += length * (column[r] - other[r])
            if s[r] < low:
                low, lowest = s[r], r
            if a[r] > 0.0 and s[r] > high:
                high = s[r]
        i = lowest
        if high - low <= tolerance:
            return made + 1
    return limit


def coreset_problem(name, n):
    """Return Q (float32) for `n` points of a data set: the first n / 2 points of each of its two
    largest classes.
    """
    data = load_dataset(name)
    y = np.asarray(data.y_train)
    classes, counts = np.unique(y, return_counts=True)
    largest = classes[np.argsort(counts)[-2:]]
    rows = np.concatenate([np.flatnonzero(y == each)[: n // 2] for each in largest])
    X = data.X_train[np.sort(rows)]
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    signs = np.where(y[np.sort(rows)] == largest[0], 1.0, -1.0)
    norms = (X**2).sum(axis=1)
    distances = np.maximum(norms[:, None] + norms - 2.0 * X @ X.T, 0.0)
    K = np.exp(-2.0 / average_squared_distance(data.X_train) * distances)
    return (signs[:, None] * signs * (K + 1.0) + 0.25 * np.eye(len(X))).astype(np.float32)


def time_block(Q, steps):
    n = len(Q)
    state, columns = new_state(n + 1), CoresetColumns(n, 1000.0, np.float32)
    columns.slots.owner[:n] = columns.slots.slot_of[:n] = np.arange(n)
    columns.slots.clock[0] = n
    columns.columns[:n] = Q
    state.s[:n], state.diagonal[:n] = Q[0], Q.diagonal()
    state.a[0] = 1.0
    activate(state, 0)
    state.real.objective = Q[0, 0]
    begin = time.process_time()
    minimise_block(state, n, columns.columns, columns.slots, 1e-7, 0.0, steps)
    return (time.process_time() - begin) / max(state.count.iterations, 1)


def time_plain(Q, steps):
    a, s = np.zeros(len(Q)), Q[0].astype(np.float64)
    a[0] = 1.0
    begin = time.process_time()
    made = plain_loop(Q, a, s, Q.diagonal().astype(np.float64), 1e-7, steps)
    return (time.process_time() - begin) / max(made, 1)


def loop(sets, sizes, rounds=9):
    print(
        "| data set | points in the coreset | ns per step | plain loop | ratio"
        " |\n|---|--:|--:|--:|--:|"
    )
    for name in sets:
        for n in sizes:
            Q = coreset_problem(name, n)
            ours, plain = [], []
            for _ in range(rounds + 1):  # the first round compiles
                ours.append(time_block(Q, 20_000))
                plain.append(time_plain(Q, 20_000))
            one, other = 1e9 * np.median(ours[1:]), 1e9 * np.median(plain[1:])
            print(
                f"| {name} | {len(Q)} | {one:.0f} | {other:.0f} | {one / other:.2f} |", flush=True
            )


def authors(sets, rounds=3):
    theirs = load_printed("cost_authors_code").set_index(["dataset", "method"])
    config = yaml.safe_load(Path("config/paper.yaml").read_text())
    benchmark, ratios = config["benchmark"], {}
    shared = {
        name: benchmark[name]
        for name in ("init", "stop", "eps", "inner_tolerance", "cache_mb", "max_iterations")
    }
    for name in sets:
        data = load_dataset(name)
        X, y = data.X_train, np.asarray(data.y_train)
        for method in METHODS:
            if (name, method) not in theirs.index:
                continue
            row = theirs.loc[(name, method)]
            width = row["gamma"]
            gamma = 2.0 / average_squared_distance(X) if width == "2/beta" else float(width)
            given = shared | solver_settings(config["protocols"]["as_run"], method)
            models = [
                build_model(given, method, seed, gamma=gamma, C=float(row["C"]))
                for seed in range(rounds + 1)
            ]
            seconds = [model.fit(X, y).fit_cpu_s_ for model in models][1:]
            ratios[name, method] = row["train_cpu_s"] / np.median(seconds)
            print(
                f"{name} {method}: ours {np.median(seconds):.3f} s, theirs"
                f" {row['train_cpu_s']:.3f} s",
                flush=True,
            )
    table = pd.DataFrame(
        [{method: ratios.get((name, method)) for method in METHODS} for name in sets], index=sets
    )
    print(table.round(1).to_string())
    print("medians:", table.median().round(1).to_dict())
    of_cvm = table[list(METHODS[1:])].div(table["cvm"], axis=0)
    print("medians of the ratios to CVM's:", of_cvm.median().round(2).to_dict())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["loop", "authors"])
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--sizes", nargs="+", type=int, default=[70, 150, 300, 600, 1000, 2000])
    arguments = parser.parse_args()
    if arguments.what == "loop":
        loop(
            arguments.sets or ["a1a", "a5a", "w1a", "w8a", "letter", "usps", "shuttle"],
            arguments.sizes,
        )
    else:
        sets = ["a1a", "a2a", "a3a", "a4a", "letter", "pendigits", "reuters", "usps", "w1a", "w4a"]
        authors(arguments.sets or sets)


if __name__ == "__main__":
    main()
