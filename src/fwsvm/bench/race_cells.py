"""The race in cells: seconds of `method="auto"` to SVC's accuracy and to a gap, next to those of its peers."""

import numpy as np
import pandas as pd

AUTO = "auto"
_CELL = ["case", "C", "gamma_over_beta", "threads"]
_GAPS = (1e-1, 1e-2, 1e-3, 1e-4)
_COLUMNS = (
    "svc_s", "intelex_s", "gap", "equal_s", "svc_ratio", "intelex_ratio", "libsvm_ratio", "libsvm_is_bound",
    *(f"s_{gap:g}" for gap in _GAPS),
)  # fmt: skip


def race_cells(rows):
    """One row per data set, C, width and number of threads.

    `gap` is the largest gap that gives SVC's accuracy (less one standard error), `equal_s` our seconds to it: infinity
    if no gap does. `svc_ratio` and `intelex_ratio` are their seconds over ours. `libsvm_ratio` is that of LIBSVM's
    L2-SVM at gap 0.001, `libsvm_is_bound` says that LIBSVM was stopped. `s_0.001` and so on are our seconds to a gap.
    """
    cells = [_cell(rows) | dict(zip(_CELL, key, strict=True)) for key, rows in rows.groupby(_CELL, sort=False)]
    return pd.DataFrame(cells, columns=[*_CELL, *_COLUMNS])


def _cell(rows):
    svc, intelex = _seconds(rows, "svc"), _seconds(rows, "intelex")
    gap, equal_s = _equal_accuracy(rows)
    libsvm = rows[(rows["method"] == "libsvm_l2") & np.isclose(rows["eps"].astype(float), 1e-3)]
    peer_s, own_s = _seconds(libsvm, "libsvm_l2"), _seconds(rows, AUTO, 1e-3)
    return {
        "svc_s": svc, "intelex_s": intelex, "gap": gap, "equal_s": equal_s, "svc_ratio": svc / equal_s,
        "intelex_ratio": intelex / equal_s, "libsvm_ratio": peer_s / own_s,
        "libsvm_is_bound": bool((libsvm["stop_reason"] == "time_limit").any()),
        **{f"s_{each:g}": _seconds(rows, AUTO, each) for each in _GAPS},
    }  # fmt: skip


def _seconds(rows, method, gap=None):
    """Seconds of a competitor; NaN if there are none, or if our method did not reach the gap."""
    rows = rows[rows["method"] == method]
    if gap is not None:
        rows = rows[np.isclose(rows["eps"].astype(float), gap) & (rows["stop_reason"] == "converged")]
    values = rows["seconds"].dropna() if "seconds" in rows else rows.iloc[:0]
    return float(values.iloc[0]) if len(values) else np.nan


def _equal_accuracy(rows):
    """Gap and seconds of ours at SVC's accuracy: (NaN, infinity) if no gap reaches it, (NaN, NaN) if none was tried."""
    svc = rows[rows["method"] == "svc"]
    own = rows[(rows["method"] == AUTO) & (rows["stop_reason"] == "converged")]
    if svc.empty or own.empty or "m_test" not in rows:
        return np.nan, np.nan
    share, m_test = float(svc["accuracy"].iloc[0]), float(svc["m_test"].iloc[0])
    enough = share - np.sqrt(share * (1.0 - share) / m_test)
    own = own[own["accuracy"] >= enough].sort_values("eps", ascending=False)
    return (float(own["eps"].iloc[0]), float(own["seconds"].iloc[0])) if len(own) else (np.nan, np.inf)
