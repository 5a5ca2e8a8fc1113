"""The methods against each other, each to the same relative gap, certified over all points."""

from fwsvm.bench.points import case_name, load_points
from fwsvm.bench.timing import SVC_CACHE_MB, facts_of, frank_wolfe_task, ratio, side_by_side
from fwsvm.solvers.methods import NAMES

PEER = "cvm"
_GAPS = (1e-2, 1e-3)
_C = 64
_GAMMA_OVER_BETA = 0.5
_FULL = (
    {"dataset": "a4a"},
    {"dataset": "w4a"},
    {"dataset": "letter", "pair": [7, 10]},
    {"dataset": "mnist", "pair": [3, 8]},
)
_QUICK = ({"dataset": "w1a"}, {"dataset": "checkerboard", "size": 1000})
# FW and MFW converge sublinearly: a method that needs longer is a row that says so.
_LIMIT_S, _QUICK_LIMIT_S = 15.0, 2.0


def cases(quick):
    """Every data set at every relative gap."""
    limit = _QUICK_LIMIT_S if quick else _LIMIT_S
    chosen = _QUICK if quick else _FULL
    return [{**points, "C": _C, "eps": eps, "time_limit": limit} for points in chosen for eps in _GAPS]


def measure(case, bench):
    """One row per method; the ratio is CVM's time over the method's, where both reached the gap."""
    chosen = {key: case[key] for key in ("dataset", "pair", "size") if key in case}
    data = load_points(bench.data_dir, **chosen)
    common = dict(
        C=case["C"], gamma=data.gamma(_GAMMA_OVER_BETA), cache_mb=SVC_CACHE_MB, stop="relative", eps=case["eps"],
        time_limit=case["time_limit"],
    )  # fmt: skip
    tasks = {method: frank_wolfe_task(data, method=method, **common) for method in NAMES}
    timings = side_by_side(tasks, bench.repeats, enough_s=case["time_limit"] / 2)
    reached = {method: timing.result.stop_reason_ == "converged" for method, timing in timings.items()}
    peer_s = timings[PEER].median_s if reached[PEER] else None
    return [
        {
            "case": case_name(**chosen),
            "m": data.m,
            "features": data.X_train.shape[1],
            **common,
            "method": method,
            "selection": "full",
            "seconds": timing.median_s,
            "repeats": len(timing.times),
            "peer": PEER,
            "peer_s": peer_s,
            "ratio": ratio(peer_s, timing.median_s) if reached[method] else None,
            "accuracy": timing.result.score(data.X_test, data.y_test),
            **facts_of(timing.result),
        }
        for method, timing in timings.items()
    ]
