"""`cvm` with LibCVM's sampling and settings beside LibCVM 2.2, which was measured on another machine.

LibCVM is no part of this project: its CPU seconds are the table `libcvm_anchors.csv`, taken on another machine of the
same kind. The report scales them by the pace of SVC in this run over the pace of SVC beside LibCVM then.
"""

from importlib import resources

import pandas as pd

from fwsvm.bench.points import load_points
from fwsvm.bench.timing import facts_of, frank_wolfe_task, side_by_side

_QUICK = (("a1a", 1, None), ("w1a", 64, None), ("pendigits", 64, None), ("checkerboard", 1024, 100_000))


def anchors():
    """LibCVM's times, one row per data set, C, width and cache.

    Returns
    -------
    DataFrame
        `seconds`, `support_vectors`, `accuracy` (per cent) of LibCVM; `svc_seconds` etc. of scikit-learn's SVC beside
        it; `is_lower_bound` where LibCVM was stopped; `gamma_over_beta` x 1 / average squared distance is gamma.
    """
    with resources.files("fwsvm.bench").joinpath("libcvm_anchors.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, comment="#")


def cases(quick):
    """The cells of the table of anchors."""
    chosen = [_case(row) for row in anchors().to_dict("records")]
    return [case for case in chosen if not quick or (case["dataset"], case["C"], case.get("size")) in _QUICK]


def _case(anchor):
    size = {} if pd.isna(anchor["m"]) else {"size": int(anchor["m"])}
    return {key: anchor[key] for key in ("dataset", "C", "gamma_over_beta", "cache_mb")} | size


def measure(case, bench):
    """One row: CVM's CPU seconds with LibCVM's beside them, not yet scaled."""
    data = load_points(bench.data_dir, case["dataset"], case.get("size"))
    settings = dict(method="cvm", selection="sampled_libcvm", C=case["C"], cache_mb=case["cache_mb"])
    gamma = data.gamma(case["gamma_over_beta"])
    task = frank_wolfe_task(data, **settings, gamma=gamma, time_limit=bench.time_limit)
    timing = side_by_side({"cvm": task}, bench.repeats)["cvm"]
    anchor = next(row for row in anchors().to_dict("records") if _case(row) == case)
    return [
        {
            "case": case["dataset"],
            "m": data.m,
            "features": data.X_train.shape[1],
            **settings,
            "gamma": gamma,
            "gamma_over_beta": case["gamma_over_beta"],
            "seconds": timing.median_s,
            "repeats": len(timing.times),
            "peer": "LibCVM 2.2, another machine",
            "peer_s": anchor["seconds"],
            "peer_is_lower_bound": anchor["is_lower_bound"],
            "peer_accuracy": anchor["accuracy"] / 100,
            "peer_support_vectors": anchor["support_vectors"],
            "accuracy": timing.result.score(data.X_test, data.y_test),
            **facts_of(timing.result),
        }
    ]


def machine_pace(peer_rows):
    """SVC's CPU seconds in this run over those beside LibCVM, at the same data set and C: the median and the cells.

    Parameters
    ----------
    peer_rows : DataFrame
        Rows of the section `peers`.

    Returns
    -------
    pace : float
        1 where no cell is in both; above 1 on a slower machine.
    cells : int
    """
    if peer_rows.empty:
        return 1.0, 0
    mine = peer_rows.drop_duplicates(["case", "C"])[["case", "C", "peer_s"]]
    then = anchors().query("gamma_over_beta == 0.5 and svc_seconds.notna()").drop_duplicates(["dataset", "C"])
    both = mine.merge(then, left_on=["case", "C"], right_on=["dataset", "C"])
    if both.empty:
        return 1.0, 0
    return float((both["peer_s"] / both["svc_seconds"]).median()), len(both)
