"""Functions that compute ratios of training times: the time of a package divided by the time of
`auto`, at the default gap, at a loose gap and at equal accuracy.
"""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import pandas as pd

from fwsvm.inputs.parameters import FOR_USERS
from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.runs import ENDED_REASONS
from fwsvm_papers.studies.benchmark.numbers import experiment_runs
from fwsvm_papers.studies.race.competitors import AUTO

DEFAULT_GAP = cast(float, FOR_USERS["eps"])
LOOSE_GAP = 0.1
PEERS = {"svc": "SVC", "intelex": "intelex", "libsvm_l2": "LIBSVM L2"}
LARGEST_SCATTER = 0.1
"""Times whose scatter (see `baselines.limits.scatter`) is larger than this number are marked."""

CASE = ["label", "threads", "width_factor", "C"]
_RUN = ["dataset", "method", "threads", "gamma", "C", "eps"]


def race_cases(runs: pd.DataFrame, race: Sequence[Mapping]) -> pd.DataFrame:
    """Return a table with a row for each case. A case is a data set with a number of threads, a
    kernel width and a C.

    Times are medians of the fits. They are CPU seconds on one thread, and wall seconds on several
    threads. A ratio is the time of a peer (another package) divided by the time of `auto`. The
    ratio is 0 if `auto` did not reach the gap or the accuracy. Columns whose names end in
    ``is_bound`` say that the peer was stopped at its limit, so that the ratio is a lower bound.
    """
    fits = measured_fits(runs, race)
    groups = fits.groupby(CASE, sort=False)
    return pd.DataFrame(
        [dict(zip(CASE, case, strict=True)) | _ratios(group) for case, group in groups]
    )


def measured_fits(runs: pd.DataFrame, race: Sequence[Mapping]) -> pd.DataFrame:
    """Return a table with a row for each competitor, case and gap. A row has the median time, the
    results that all fits share, and columns from the details: the label of the data set, the width
    factor, the number of test points, the prediction time, and the scatter of the times.
    """
    own = experiment_runs(runs, "race")
    require(len(own) and len(race), needs("the experiment race", []))
    own["time"] = own["train_cpu_s"].where(own["threads"] == 1, own["train_wall_s"])
    first = {name: (name, "first") for name in ("test_accuracy", "support_vectors", "stop_reason")}
    fits = own.groupby(_RUN, sort=False, dropna=False).agg(
        time=("time", "median"), fits=("time", "count"), disturbed=("disturbed", "any"), **first
    )
    return fits.reset_index().merge(_of_details(race), on=_RUN, how="left")


def _of_details(race: Sequence[Mapping]) -> pd.DataFrame:
    rows = []
    for job in race:
        classes = job["classes"]
        pair = f" ({', '.join(map(str, classes))})" if classes else ""
        shared = {"dataset": job["dataset"], "method": job["method"]}
        shared |= {"label": job["dataset"] + pair, "test_points": job["test_points"]}
        rows += [{"predict_s": None, "scatter": None} | shared | case for case in job["cases"]]
    frame = pd.DataFrame(rows)
    numbers = ["threads", "gamma", "C", "eps", "predict_s", "scatter", "width_factor"]
    return frame.assign(**{name: frame[name].astype(float) for name in numbers}).astype(
        {"threads": "Int64"}
    )


def _ratios(fits: pd.DataFrame) -> dict:
    """Return the numbers of one case (see `race_cases`) as a dict."""
    of_peers = fits[fits["method"] != AUTO].set_index("method")
    ours = fits[fits["method"] == AUTO]
    reached = ours[ours["stop_reason"] == "converged"].sort_values("eps", ascending=False)
    at_default = reached[np.isclose(reached["eps"], DEFAULT_GAP)]
    at_loose = reached[np.isclose(reached["eps"], LOOSE_GAP)]
    # After a run that ended at its limit, smaller gaps are not tried. They count as tried here.
    tried = len(reached) < len(ours) or np.isclose(ours["eps"], DEFAULT_GAP).any()
    equal = at_equal_accuracy(reached, of_peers)
    found = {
        "gap": _first(equal, "eps") if equal is not None else np.nan,
        "default_s": _time(at_default, bool(tried)),
        "loose_s": _time(at_loose, bool(np.isclose(ours["eps"], LOOSE_GAP).any())),
        "equal_s": np.nan if equal is None else _time(equal, len(ours) > 0),
        "auto_accuracy": 100 * _first(at_default, "test_accuracy"),
        "auto_predict_s": _first(at_default, "predict_s"),
        "auto_vectors": _first(at_default, "support_vectors"),
    }
    used = [at_default, at_loose] if equal is None else [at_default, at_loose, equal]
    for name in PEERS:
        # a package that would have exceeded its memory limit did not train, so it has no time
        has_time = of_peers["stop_reason"] != "memory_limit"
        peer = of_peers[(of_peers.index == name) & has_time]
        seconds = _first(peer, "time")
        found |= {
            f"{name}_s": seconds,
            f"{name}_is_bound": bool(peer["stop_reason"].isin(ENDED_REASONS).any()),
            f"{name}_default": seconds / found["default_s"],
            f"{name}_loose": seconds / found["loose_s"],
            f"{name}_equal": seconds / found["equal_s"],
        }
        used.append(peer)
    shown = pd.concat(used)
    svc = of_peers[of_peers.index == "svc"]
    return found | {
        "svc_accuracy": 100 * _first(svc, "test_accuracy"),
        "predict_ratio": _first(svc, "predict_s") / found["auto_predict_s"],
        "vectors_ratio": found["auto_vectors"] / _first(svc, "support_vectors"),
        "scatter": shown["scatter"].max(),
        "once": bool((shown["scatter"].isna() & shown["time"].notna()).any()),
        "disturbed": bool(shown["disturbed"].fillna(False).any()),
    }


def at_equal_accuracy(reached: pd.DataFrame, of_peers: pd.DataFrame) -> pd.DataFrame | None:
    """Return a table with one row: the run of `auto` with the largest gap among the runs in which
    `auto` is as accurate as SVC.

    `auto` counts as accurate as SVC if its test accuracy is at least that of SVC minus one standard
    error. If there is no such run, the table is empty. If the accuracy of SVC is unknown, return
    None.

    `reached` has the runs of `auto` that reached their gaps, the largest gap first.
    """
    svc = of_peers[of_peers.index == "svc"].dropna(subset=["test_accuracy"])
    if svc.empty:
        return None
    share, points = float(svc["test_accuracy"].iloc[0]), float(svc["test_points"].iloc[0])
    enough = share - np.sqrt(share * (1.0 - share) / points)
    return reached[reached["test_accuracy"] >= enough].head(1)


def _time(run: pd.DataFrame, tried: bool) -> float:
    """Return the time of `run`, a table with the run of `auto` that reached a gap (or the accuracy
    of SVC). If the table is empty, return infinity if `tried` is true, and NaN otherwise.

    The argument `tried` says whether `auto` was run. A gap also counts as tried if `auto` did not
    reach a larger gap, and was therefore not run to this one.
    """
    if len(run):
        return float(run["time"].iloc[0])
    return np.inf if tried else np.nan


def _first(rows: pd.DataFrame, name: str) -> float:
    return float(rows[name].iloc[0]) if len(rows) and pd.notna(rows[name].iloc[0]) else np.nan
