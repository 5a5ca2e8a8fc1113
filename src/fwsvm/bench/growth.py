"""Time and peak memory against the number of points, each point in a fresh process."""

from fwsvm.bench.fresh import SVC, train_fresh
from fwsvm.bench.points import case_name
from fwsvm.bench.timing import ratio

_CACHE_MB = 200
_BOARD = dict(dataset="checkerboard", C=1024, gamma_over_beta=2.0)
_SERIES = (
    dict(dataset="a9a", C=1, gamma_over_beta=0.5, sizes=(1000, 4000, 12_000, 32_561)),
    dict(dataset="w8a", C=64, gamma_over_beta=0.5, sizes=(1000, 4000, 14_000, 49_749)),
)
_QUICK_SERIES = (dict(dataset="w4a", C=64, gamma_over_beta=0.5, sizes=(1000, 4000)),)
_BOARD_SIZES = (1000, 10_000, 100_000, 1_000_000)
_QUICK_BOARD_SIZES = (1000, 10_000, 100_000)
# SVC's time on the checkerboard grows with the square of m.
_SVC_BOARD_LIMIT = 10_000


def cases(quick):
    """The checkerboard with sampled SWAP and CVM, nested subsets with full SWAP, and SVC where it is quick enough."""
    board = [{**_BOARD, "size": m} for m in (_QUICK_BOARD_SIZES if quick else _BOARD_SIZES)]
    for case in board:
        is_small = case["size"] <= _SVC_BOARD_LIMIT
        case["methods"] = [["cvm", "sampled_libcvm"]]
        case["methods"] += [] if quick and not is_small else [["swap", "sampled_libcvm"]]
        case["methods"] += [[SVC, ""]] if is_small else []
    subsets = [
        {key: series[key] for key in ("dataset", "C", "gamma_over_beta")}
        | {"size": m, "methods": [["swap", "full"], [SVC, ""]]}
        for series in (_QUICK_SERIES if quick else _SERIES)
        for m in series["sizes"]
    ]
    return board + subsets


def measure(case, bench):
    """One row per method at one number of points."""
    points = {"dataset": case["dataset"], "size": case["size"]}
    settings = {"C": case["C"], "gamma_over_beta": case["gamma_over_beta"]}
    rows = []
    for method, selection in case["methods"]:
        own = {} if method == SVC else dict(selection=selection, cache_mb=_CACHE_MB, time_limit=bench.time_limit)
        found = train_fresh(bench.data_dir, points, method, **settings, repeats=bench.repeats, **own)
        named = {"case": case_name(case["dataset"]), "method": method, "selection": selection}
        rows.append({**named, **settings, "cache_mb": own.get("cache_mb"), **found})
    svc_s = next((row.get("seconds") for row in rows if row["method"] == SVC), None)
    for row in rows:
        if row["method"] != SVC:
            row |= {"peer": "SVC", "peer_s": svc_s, "ratio": ratio(svc_s, row.get("seconds"))}
    return rows
