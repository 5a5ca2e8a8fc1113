"""Compare SWAP and SWAP-2o, with the papers' stopping rule, to scikit-learn's SVC at the same gamma and C."""

import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from fwsvm.bench.race import CACHE_MB, ENOUGH_S, FULL, case_name, facts_of, load_points, ratio
from fwsvm.estimators.svc import FrankWolfeSVC

METHODS = ("swap", "swap2o")
GAMMA_OVER_BETA = 0.5
_QUICK = (("a4a", 1), ("w4a", 64), ("pendigits", 64), ("digits", 64), ("breast_cancer", 64))


def cases(quick):
    """Return the cases: every data set at C = 1, 64 and 1024, or five cases if `quick` is true."""
    if quick:
        return [{"dataset": name, "C": C} for name, C in _QUICK]
    return [{**points, "C": C} for points in FULL for C in (1, 64, 1024)]


def measure(case, bench):
    """Return a row for SWAP and a row for SWAP-2o, with accuracies on the whole test set."""
    chosen = {key: case[key] for key in ("dataset", "pair") if key in case}
    (data, beta), C = load_points(bench.data_dir, **chosen), case["C"]
    gamma = GAMMA_OVER_BETA / beta
    settings = dict(C=C, gamma=gamma, cache_mb=CACHE_MB, time_limit=bench.time_limit, stop="meb", eps=1e-6)
    times, models = {name: [] for name in ("svc", *METHODS)}, {}
    for name in [*times] * bench.repeats:  # in turn, so that a slow machine affects all methods
        if sum(times[name]) < ENOUGH_S:
            if name == "svc":
                models[name] = SVC(C=C, gamma=gamma, cache_size=CACHE_MB)
            else:
                models[name] = FrankWolfeSVC(name, random_state=len(times[name]), **settings)
            times[name].append(_cpu_seconds(models[name], data))
    svc, svc_s = models["svc"], float(np.median(times["svc"]))
    rows = []
    for method in METHODS:
        model, seconds = models[method], float(np.median(times[method]))
        rows.append({
            "case": case_name(**chosen), "m": len(data.y_train), "features": data.X_train.shape[1], "C": C,
            "gamma": gamma, "cache_mb": CACHE_MB, "method": method, "selection": "full", "seconds": seconds,
            "repeats": len(times[method]), "peer": "SVC", "peer_s": svc_s,
            "peer_accuracy": svc.score(data.X_test, data.y_test), "peer_support_vectors": len(svc.support_),
            "ratio": ratio(svc_s, seconds), "accuracy": model.score(data.X_test, data.y_test), **facts_of(model),
        })  # fmt: skip
    return rows


def _cpu_seconds(model, data):
    """Fit the model. Return the CPU seconds (without the certificate)."""
    start = time.thread_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.X_train, data.y_train)
    return getattr(model, "fit_cpu_s_", time.thread_time() - start)
