"""The race cell by cell: what `method="auto"` takes to SVC's accuracy and to a gap, next to its peers."""

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

    Equal accuracy is reached at the largest gap whose model is right on as many test points as SVC, or on fewer by no
    more than one standard error of SVC's accuracy.

    Parameters
    ----------
    rows : DataFrame
        Of the section ``race``.

    Returns
    -------
    DataFrame
        ``svc_s``, ``intelex_s``: seconds of the SVCs; ``gap``, ``equal_s``: the gap of equal accuracy and the seconds
        to it, infinity where no gap gives it; ``svc_ratio``, ``intelex_ratio``: theirs over ours, 0 then; ``s_0.001``
        (and so on): seconds to the gaps; ``libsvm_ratio``: seconds of LIBSVM's L2-SVM over ours at 0.001,
        ``libsvm_is_bound`` whether it was ended.
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
    """Seconds of a competitor, NaN where there are none or it is ours and has not come to its gap."""
    rows = rows[rows["method"] == method]
    if gap is not None:
        rows = rows[np.isclose(rows["eps"].astype(float), gap) & (rows["stop_reason"] == "converged")]
    values = rows["seconds"].dropna() if "seconds" in rows else rows.iloc[:0]
    return float(values.iloc[0]) if len(values) else np.nan


def _equal_accuracy(rows):
    """(gap, seconds) of ours at SVC's accuracy: (NaN, infinity) where no gap gives it, NaN where none was tried."""
    svc = rows[rows["method"] == "svc"]
    own = rows[(rows["method"] == AUTO) & (rows["stop_reason"] == "converged")]
    if svc.empty or own.empty or "m_test" not in rows:
        return np.nan, np.nan
    share, m_test = float(svc["accuracy"].iloc[0]), float(svc["m_test"].iloc[0])
    enough = share - np.sqrt(share * (1.0 - share) / m_test)
    own = own[own["accuracy"] >= enough].sort_values("eps", ascending=False)
    return (float(own["eps"].iloc[0]), float(own["seconds"].iloc[0])) if len(own) else (np.nan, np.inf)
