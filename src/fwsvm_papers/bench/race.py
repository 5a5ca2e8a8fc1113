"""Measure the times to reach equal accuracy and equal gaps; each competitor has its own process.

Our method, "auto", runs to certified relative gaps, and its times include the certificate. LIBSVM's
L2-SVM runs to a tolerance of 0.001. The SVC classes (L1-SVMs) of scikit-learn and
scikit-learn-intelex use their default tolerance. A competitor that needs far longer than SVC is
stopped. `python -m fwsvm_papers.bench.race '{"who": ..., ...}'` runs one competitor.
"""

import json
import resource
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.inputs.errors import DataError, UserError
from fwsvm.kernels.functions import Kernel, average_squared_distance
from fwsvm_papers.baselines.libsvm import fit_l2_svc
from fwsvm_papers.baselines.limits import Limits
from fwsvm_papers.datasets import load_dataset
from fwsvm_papers.datasets.storage import Built

CACHE_MB = 1000
# A competitor that has used ENOUGH_S seconds on a case is not run on it again. Short fits are
# repeated for SHORT_S.
ENOUGH_S, SHORT_S = 10.0, 3.0
PEERS = (("svc", None), ("intelex", None), ("libsvm_l2", 1e-3))
_SETS = ("ijcnn1", "w8a", "a7a", "letter", "pendigits", "usps", "shuttle", "reuters")
FULL = (*({"dataset": name} for name in _SETS), {"dataset": "mnist", "pair": [3, 8]})
GAPS = (1e-1, 1e-2, 1e-3, 1e-4)
# A competitor may take 30 CPU seconds, or 4 times SVC's time if that is longer, plus 10 s to start.
_LEAST_LIMIT_S, _TIMES_SVC, _START_S = 30.0, 4.0, 10.0


def load_points(data_dir, dataset, pair=None):
    """Load a data set, or the two classes of a `pair` (counted from 0).

    Also return its average squared distance.
    """
    data = load_dataset(dataset, data_dir=data_dir, progress=False)
    # The arrays are mapped files. Copy them into memory, so that reading from disk is not timed.
    parts = [(data.X_train.copy(), data.y_train.copy()), (data.X_test.copy(), data.y_test.copy())]
    beta = data.meta["average_squared_distance"]
    if pair is not None:
        parts = [(X[np.isin(y, pair)], y[np.isin(y, pair)]) for X, y in parts]
        beta = average_squared_distance(parts[0][0])
    return Built(*parts[0], *parts[1]), beta


def case_name(dataset, pair=None):
    """Return the name that tables show for a data set, or for a pair of its classes."""
    return f"{dataset} ({pair[0]}, {pair[1]})" if pair else dataset


def cases(quick):
    """List all data sets at each gamma and C on one thread, then at C = 64 on two, or one case
    if `quick` is true.
    """
    if quick:
        return [
            {
                "dataset": "breast_cancer",
                "C": 64,
                "gamma_over_beta": 0.5,
                "threads": 1,
                "gaps": [1e-2, 1e-3],
            }
        ]
    settings = [(C, width, 1) for width in (0.5, 2.0) for C in (64, 1, 1024)] + [(64, 0.5, 2)]
    return [
        {**points, "C": C, "gamma_over_beta": width, "threads": threads, "gaps": list(GAPS)}
        for C, width, threads in settings
        for points in FULL
    ]


def measure(case, bench):
    """Return one row per competitor and gap."""
    points = {key: case[key] for key in ("dataset", "pair") if key in case}
    common = {key: case[key] for key in ("C", "gamma_over_beta", "threads")}
    rows, svc_s, limit = [], None, bench.time_limit
    for who, gap in (*PEERS, *(("auto", gap) for gap in case["gaps"])):
        task = {
            "who": who,
            "eps": gap,
            "data_dir": bench.data_dir,
            "points": points,
            "repeats": bench.repeats,
        }
        found = _in_process(task | common | {"time_limit": limit})
        if who == "svc" and "seconds" in found:
            svc_s = found["seconds"]
            limit = min(limit, max(_LEAST_LIMIT_S, _TIMES_SVC * svc_s))
        named = {
            "case": case_name(**points),
            "method": who,
            **common,
            "eps": gap,
            "peer": "SVC",
            "peer_s": svc_s,
        }
        rows.append({**named, **found, "ratio": ratio(svc_s, found.get("seconds"))})
    return rows


def _in_process(task):
    seconds = int(task["time_limit"] * task["threads"] + _START_S)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "fwsvm_papers.bench.race",
            json.dumps(task | {"cpu_seconds": seconds}),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == -signal.SIGXCPU:
        return {"stop_reason": "time_limit", "seconds": task["time_limit"]}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"])[-1]
        return {"stop_reason": f"failed: {last}"}
    found = json.loads(done.stdout.splitlines()[-1])
    if "unavailable" in found:
        raise DataError(found["unavailable"])
    return found


def facts_of(model):
    """Return the numbers that the tables show for a trained FrankWolfeSVC."""
    return {
        "certify_s": model.certify_cpu_s_,
        "support_vectors": len(model.support_),
        "steps": int(model.n_iter_.sum()),
        "relative_gap": float(model.relative_gap_),
        "stop_reason": model.stop_reason_,
        "kernel_path": model.pair_solutions_[0].kernel_path,
        "column_dtype": model.pair_solutions_[0].column_dtype,
    }


def ratio(peer_s, own_s):
    """Divide the peer's time by ours. Return None if a time is missing."""
    return None if not peer_s or not own_s else peer_s / own_s


def _fit(who, data, C, gamma, eps, threads, time_limit):
    """Return a function that trains the competitor once."""
    X, y = data.X_train, data.y_train
    if who == "libsvm_l2":
        signs, kernel = np.where(y == y.max(), 1.0, -1.0), Kernel("rbf", gamma)
        return lambda: fit_l2_svc(X, signs, kernel, C, Limits(), None, tol=eps, cache_mb=CACHE_MB)
    if who == "auto":
        settings = dict(C=C, gamma=gamma, cache_mb=CACHE_MB, time_limit=time_limit, n_jobs=threads)
        return lambda: FrankWolfeSVC(who, stop="relative", eps=eps, random_state=0, **settings).fit(
            X, y
        )
    if who == "intelex":
        import daal4py
        from sklearnex.svm import SVC

        daal4py.daalinit(threads)
    else:
        from sklearn.svm import SVC
    return lambda: SVC(C=C, gamma=gamma, cache_size=CACHE_MB).fit(X, y)


def _run(who, eps, data_dir, points, repeats, C, gamma_over_beta, threads, time_limit):
    data, beta = load_points(data_dir, **points)
    if who == "libsvm_l2" and len(np.unique(data.y_train)) > 2:
        return {"stop_reason": "two classes only"}
    try:
        fit = _fit(who, data, C, gamma_over_beta / beta, eps, threads, time_limit)
    except ImportError as error:
        return {"stop_reason": f"not installed: {error.name}"}
    clock, times = (time.process_time if threads == 1 else time.perf_counter), []
    while (len(times) <= repeats or sum(times) < SHORT_S) and sum(times) < ENOUGH_S:
        begin = clock()
        model = fit()
        times.append(clock() - begin)
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    found = {
        "m": len(data.y_train),
        "cold_s": times[0],
        "seconds": float(np.median(times[1:] or times)),
        "repeats": len(times),
    }
    if who == "libsvm_l2":
        return found | {"support_vectors": model.support_vectors}
    found |= {"m_test": len(data.y_test), "accuracy": model.score(data.X_test, data.y_test)}
    if who == "auto":
        return (
            found
            | facts_of(model)
            | {"used": "+".join(sorted({each.method for each in model.pair_solutions_}))}
        )
    return found | {"support_vectors": len(model.support_)}


if __name__ == "__main__":
    try:
        task = json.loads(sys.argv[1])
        # for the first fit
        resource.setrlimit(resource.RLIMIT_CPU, (task.pop("cpu_seconds"), resource.RLIM_INFINITY))
        warnings.simplefilter("ignore")
        with threadpool_limits(task["threads"]):
            print(json.dumps(_run(**task)))
    except UserError as error:
        print(json.dumps({"unavailable": str(error)}))
