"""Compare two tables of runs row by row: `python tests/cpu_kinds/compare_runs.py runs.tsv other.tsv` prints Markdown.

Rows are those of the benchmark, of the same protocol, data set, method, C, width and repetition in both.
"""

import sys

import numpy as np

from fwsvm.base.result_files import markdown_rows
from fwsvm.runs.records import collect

KEY = ["experiment", "protocol", "dataset", "method", "kernel", "patience", "repetition", "seed"]
RESULTS = ["test_accuracy", "objective", "support_vectors", "iterations", "kernel_evaluations"]


def matched(one, other):
    """The rows of both tables that are of the same job and repetition, side by side (columns `_x`, `_y`)."""
    keys = [name for name in KEY if name in one and name in other]
    pairs = one[one["experiment"] == "benchmark"].merge(other, on=keys, suffixes=("_x", "_y"))
    return pairs[np.isclose(pairs["C_x"], pairs["C_y"]) & np.isclose(pairs["gamma_x"], pairs["gamma_y"])], len(pairs)


def differences(pairs):
    """One line per protocol and data set: equal rows, and the largest difference of each result."""
    for (protocol, dataset), rows in pairs.groupby(["protocol", "dataset"], sort=True):
        same = [rows[f"{name}_x"].astype(float).eq(rows[f"{name}_y"].astype(float)) for name in RESULTS]
        equal = int(np.logical_and.reduce(same).sum())
        accuracy = 100 * (rows["test_accuracy_x"] - rows["test_accuracy_y"])
        means = rows.groupby("method")[["test_accuracy_x", "test_accuracy_y"]].mean()
        of_means = 100 * (means["test_accuracy_x"] - means["test_accuracy_y"]).abs().max()
        objective = 100 * ((rows["objective_x"] - rows["objective_y"]).abs() / rows["objective_x"]).max()
        gap = 100 * rows[["relative_gap_x", "relative_gap_y"]].max(axis=1).max()
        steps = np.log2(rows["iterations_x"] / rows["iterations_y"]).abs().max()
        yield protocol, dataset, len(rows), equal, accuracy.abs().max(), of_means, objective, gap, 2**steps


def main(first, second):
    """Print the comparison."""
    pairs, number = matched(collect([first]), collect([second]))
    if pairs.empty:
        raise SystemExit("no row of the one table is of the same job, C and width as a row of the other")
    heads = [
        "protocol",
        "data set",
        "rows",
        "equal in all",
        "accuracy, points",
        "mean accuracy, points",
        "objective, %",
    ]
    heads += ["certified gap, %", "steps, factor"]
    texts = [[*row[:2], *map(str, row[2:4]), *(f"{value:.3g}" for value in row[4:])] for row in differences(pairs)]
    print(f"{len(pairs)} of {number} rows have the same C and width. Largest differences:\n")
    print(markdown_rows(heads, texts, "ll" + 7 * "r"))


if __name__ == "__main__":
    main(*sys.argv[1:])
