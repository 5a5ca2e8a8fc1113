"""Speed beside scikit-learn's SVC, measured side by side in one process: `make bench`, `make bench-quick`.

Each row trains both on the same data at the same gamma and C; CPU seconds of one thread, medians over repeats,
compilation excluded. Data sets that cannot be had (no network, no mirror) are left out and named.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from fwsvm.analysis.records import write_atomically
from fwsvm.datasets import load_dataset
from fwsvm.errors import UserError
from fwsvm.estimator import FrankWolfeSVC
from fwsvm.experiments import measure

CACHE_MB = 1000
FULL = [("a7a", C) for C in (1, 64, 1024)] + [("w8a", C) for C in (1, 64, 1024)]
FULL += [("ijcnn1", C) for C in (1, 64, 1024)] + [("letter", C) for C in (1, 64)] + [("pendigits", C) for C in (1, 64)]
QUICK = [("a4a", 1), ("w4a", 64), ("a7a", 1), ("pendigits", 64), ("checkerboard", 64), ("digits", 64)]
METHODS = ("swap", "swap2o")


def median_cpu(task, repeats):
    """Median CPU seconds of `task()` over the repeats, and its last result."""
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        result = task()
        times.append(time.thread_time() - start)
    return float(np.median(times)), result


def bench_row(name, C, repeats, data_dir):
    """SVC and the Frank-Wolfe methods on one data set at one C."""
    data = load_dataset(name, data_dir=data_dir)
    X, y, X_test, y_test = data.X_train, np.asarray(data.y_train), data.X_test, np.asarray(data.y_test)
    gamma = 0.5 / data.meta["average_squared_distance"]
    row = {"dataset": name, "m": data.meta["m"], "C": C}
    seconds, svc = median_cpu(lambda: SVC(C=C, gamma=gamma, cache_size=CACHE_MB).fit(X, y), repeats)
    row |= {"svc_s": seconds, "svc_accuracy": svc.score(X_test, y_test), "svc_sv": len(svc.support_)}
    for method in METHODS:
        model = FrankWolfeSVC(method, C=C, gamma=gamma, cache_mb=CACHE_MB, random_state=0)
        FrankWolfeSVC(**{**model.get_params(), "max_iter": 200}).fit(X[:400], y[:400])
        fits = [model.fit(X, y).fit_cpu_s_ for _ in range(repeats)]
        row |= {
            f"{method}_s": float(np.median(fits)),
            f"{method}_ratio": seconds / float(np.median(fits)),
            f"{method}_accuracy": model.score(X_test, y_test),
            f"{method}_sv": len(model.support_),
            f"{method}_relative_gap": model.relative_gap_,
        }
    return row


def main(argv=None):
    """Measure, print the table, write it to results/bench."""
    parser = argparse.ArgumentParser(prog="fwsvm.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few small rows only")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="default: %(default)s")
    parser.add_argument("--data-dir", default="data", metavar="DIR")
    parser.add_argument("--output", default="results/bench", metavar="DIR")
    args = parser.parse_args(argv)
    rows, missing = [], {}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, C in QUICK if args.quick else FULL:
            if name in missing:
                continue
            try:
                rows.append(bench_row(name, C, args.repeats, args.data_dir))
            except UserError as error:
                missing[name] = str(error).splitlines()[0]
                continue
            print("{dataset} C={C}: SVC {svc_s:.2f} s, swap2o {swap2o_s:.2f} s".format(**rows[-1]), file=sys.stderr)
    if not rows:
        print("no data set could be had:", *missing.values(), sep="\n  ", file=sys.stderr)
        return 1
    table = pd.DataFrame(rows)
    print(table.to_string(index=False, float_format=lambda value: f"{value:.4g}"))
    for name, reason in missing.items():
        print(f"left out: {name}: {reason}")
    stem = Path(args.output) / ("quick" if args.quick else "full")
    stem.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(stem.with_suffix(".csv"), table.to_csv(index=False).encode())
    facts = measure.machine() | {"commit": measure.git_commit(), "repeats": args.repeats}
    write_atomically(stem.with_suffix(".json"), (pd.Series(facts).to_json(indent=1) + "\n").encode())
    print(f"written to {stem}.csv; machine facts in {stem}.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
