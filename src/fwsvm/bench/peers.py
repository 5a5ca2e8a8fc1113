"""SWAP and SWAP-2o, full selection, beside scikit-learn's SVC at the same gamma and C."""

from fwsvm.bench.points import case_name, load_points
from fwsvm.bench.timing import SVC_CACHE_MB, facts_of, frank_wolfe_task, ratio, side_by_side, svc_task

METHODS = ("swap", "swap2o")
GAMMA_OVER_BETA = 0.5
_FULL = (
    *({"dataset": name} for name in ["a7a", "w8a", "ijcnn1", "letter", "pendigits", "usps", "shuttle", "reuters"]),
    {"dataset": "mnist", "pair": [3, 8]},
)
_QUICK = (("a4a", 1), ("w4a", 64), ("pendigits", 64), ("digits", 64), ("breast_cancer", 64))


def cases(quick):
    """Every data set at C = 1, 64 and 1024."""
    if quick:
        return [{"dataset": name, "C": C} for name, C in _QUICK]
    return [{**points, "C": C} for points in _FULL for C in (1, 64, 1024)]


def measure(case, bench):
    """One row per method, with SVC as the peer; accuracies on the whole test set."""
    chosen = {key: case[key] for key in ("dataset", "pair") if key in case}
    data, C = load_points(bench.data_dir, **chosen), case["C"]
    gamma = data.gamma(GAMMA_OVER_BETA)
    common = dict(C=C, gamma=gamma, cache_mb=SVC_CACHE_MB, time_limit=bench.time_limit)
    tasks = {"svc": svc_task(data, C, gamma)}
    tasks |= {method: frank_wolfe_task(data, method=method, **common) for method in METHODS}
    timings = side_by_side(tasks, bench.repeats)
    svc = timings["svc"]
    peer = {
        "peer": "SVC",
        "peer_s": svc.median_s,
        "peer_accuracy": svc.result.score(data.X_test, data.y_test),
        "peer_support_vectors": len(svc.result.support_),
    }
    return [
        {
            "case": case_name(**chosen),
            "m": data.m,
            "features": data.X_train.shape[1],
            "C": C,
            "gamma": gamma,
            "cache_mb": SVC_CACHE_MB,
            "method": method,
            "selection": "full",
            "seconds": timings[method].median_s,
            "repeats": len(timings[method].times),
            **peer,
            "ratio": ratio(svc.median_s, timings[method].median_s),
            "accuracy": timings[method].result.score(data.X_test, data.y_test),
            **facts_of(timings[method].result),
        }
        for method in METHODS
    ]
