"""Peak memory of training against `cache_mb`, each row in a fresh process."""

from fwsvm.bench.fresh import train_fresh
from fwsvm.bench.points import case_name

_FULL = [
    *({"dataset": "a7a", "method": "swap", "selection": "full", "cache_mb": mb} for mb in (50, 100, 200, 500, 1000)),
    *({"dataset": "a7a", "method": "cvm", "selection": "sampled_libcvm", "cache_mb": mb} for mb in (50, 200, 1000)),
    {"dataset": "kdd99-10pc", "pair": "largest", "method": "swap", "selection": "sampled_libcvm", "cache_mb": 200},
    {"dataset": "kdd99-10pc", "pair": "largest", "method": "cvm", "selection": "sampled_libcvm", "cache_mb": 200},
    {"dataset": "kdd99-10pc", "pair": "largest", "method": "swap", "selection": "full", "cache_mb": 2000},
]
_QUICK = [
    {"dataset": "checkerboard", "size": 10_000, "method": "swap", "selection": "full", "cache_mb": 20},
    *({"dataset": "a4a", "method": "swap", "selection": "full", "cache_mb": mb} for mb in (20, 50)),
]
_C = 1
_GAMMA_OVER_BETA = 0.5


def allowed_mb(cache_mb):
    """What training may use above import and loading: the cache, a tenth of it, and 50 MB."""
    return 1.1 * cache_mb + 50


def cases(quick):
    """a7a over the caches; the largest pair of kdd99-10pc, sampled and full."""
    return [{**case, "C": _C} for case in (_QUICK if quick else _FULL)]


def measure(case, bench):
    """One row: peak memory above import and loading, beside what the cache allows."""
    points = {key: case[key] for key in ("dataset", "pair", "size") if key in case}
    settings = {key: case[key] for key in ("method", "C", "selection", "cache_mb")}
    found = train_fresh(
        bench.data_dir, points, gamma_over_beta=_GAMMA_OVER_BETA, **settings, time_limit=bench.time_limit
    )  # fmt: skip
    allowed = allowed_mb(case["cache_mb"])
    named = {"case": case_name(**points), **settings}
    share = found["peak_mb"] / allowed if "peak_mb" in found else None
    return [{**named, **found, "allowed_mb": allowed, "times_allowed": share}]
