"""The figure beyond-peers, which compares the time and accuracy of current SVM packages with the
time and accuracy of the papers' methods.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import (
    RING,
    add_legend,
    limit_handle,
    logarithmic_x,
    method_handle,
    name_rows,
)
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import (
    ACCENT,
    MUTED,
    figure_style,
    method_label,
    method_styles,
)
from fwsvm_papers.reporting.text import joined, listing
from fwsvm_papers.runs import ENDED_REASONS
from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.runs.table import quiet_times
from fwsvm_papers.studies.benchmark.numbers import (
    LADDER,
    NEAR,
    experiment_runs,
    majority_accuracies,
    rows_in_order,
)
from fwsvm_papers.studies.benchmark.protocol import Details, Missing

PEERS, SVC, NYSTROEM, NOT_INSTALLED = "peers", "svc", "nystroem", "not installed"

_CROSS = {
    "marker": "x",
    "color": ACCENT,
    "markersize": 8,
    "markeredgewidth": 1.0,
    "linestyle": "none",
}
"""Style of the cross that is drawn over the mark of a method that is not accurate."""
_WIDTH, _LANE, _LANES_SHARE = 5.2, 0.09, 0.92
"""Width of the figure, and height of a method's lane, in inches. The third number is the share of
the height of a data set's row that the lanes of the methods take.
"""
_SPACE = 6 * "\N{NO-BREAK SPACE}"


def peers_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Return a table of the runs of other packages, and of our runs with the same kernel width and
    C. Our runs are those of the experiment ``ladder`` that search all points, with the smallest
    tolerance. Data sets on which SVC is the only other package are left out.
    """
    peers, ours = experiment_runs(runs, PEERS), experiment_runs(runs, LADDER)
    ours = ours[ours["selection"] == "full"]
    ours = ours[ours["eps"] == ours.groupby(["dataset", "method"])["eps"].transform("min")]
    compared = peers.loc[peers["method"] != SVC, "dataset"].unique()
    peers = peers[peers["dataset"].isin(compared)]
    same = ours.merge(
        peers[["dataset", "gamma", "C"]].drop_duplicates(), on="dataset", suffixes=("", "_peer")
    )
    same = same[
        np.isclose(same["gamma"], same["gamma_peer"]) & np.isclose(same["C"], same["C_peer"])
    ]
    found = pd.concat(
        [peers.rename(columns={"sample_size": "components"}), same.assign(components=np.nan)]
    )
    found = found.assign(
        components=found["components"].astype(float),
        time=quiet_times(found, ["dataset", "method", "components"]),
        limit=found["stop_reason"]
        .astype(object)
        .where(found["stop_reason"].isin([*ENDED_REASONS, NOT_INSTALLED])),
    )
    groups = found.groupby(["dataset", "method", "components"], dropna=False, sort=False)
    frame = groups.agg(
        time=("time", "mean"),
        accuracy=("test_accuracy", "mean"),
        support_vectors=("support_vectors", "mean"),
        limit=("limit", "first"),
        runs=("method", "size"),
    ).reset_index()
    frame["accuracy"] = 100 * frame["accuracy"]
    frame["majority"] = frame["dataset"].map(majority_accuracies(descriptions))
    return rows_in_order(frame, ["dataset", "method", "components"])


def peers_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw the times of all methods, divided by SVC's time.

    A cross marks methods that are not accurate: their accuracy is more than `NEAR` percentage
    points below the best accuracy on the data set. A ring marks the fastest accurate method among
    those that did not end at a limit.
    """
    frame = peers_numbers(runs, descriptions)
    svc = frame[(frame["method"] == SVC) & (frame["limit"] != "memory_limit")].set_index("dataset")[
        "time"
    ]
    drawn = frame.assign(
        ratio=frame["time"] / frame["dataset"].map(svc),
        near=~(frame["accuracy"] < frame.groupby("dataset")["accuracy"].transform("max") - NEAR),
        limited=frame["limit"].notna(),
    )
    # a method that would have exceeded its memory limit did not train, so it has no time
    drawn = drawn[drawn["limit"] != "memory_limit"].dropna(subset=["ratio"])
    slow = list(frame.loc[(frame["method"] == SVC) & frame["limit"].notna(), "dataset"])
    # if SVC and another method both ended at a limit, the ratio of their times is unknown
    is_unknown = drawn["limited"] & drawn["dataset"].isin(slow) & (drawn["method"] != SVC)
    drawn = drawn[~is_unknown]
    require(not drawn.empty, needs("the experiment peers", []))
    # Keep one Nystroem map per data set: the fastest of the accurate maps or, if no map is
    # accurate, the most accurate map.
    is_map = drawn["method"] == NYSTROEM
    maps = drawn[is_map].dropna(subset=["accuracy"]).sort_values("accuracy", ascending=False)
    maps = pd.concat([maps[maps["near"]].sort_values("time"), maps]).drop_duplicates("dataset")
    drawn = rows_in_order(pd.concat([drawn[~is_map], maps]), ["dataset", "method"])
    styles, names = method_styles(drawn["method"].unique()), list(drawn["dataset"].unique())
    lanes = (drawn["method"].map(list(styles).index) + 0.5) / len(styles) - 0.5
    drawn["place"] = drawn["dataset"].map(names.index) + _LANES_SHARE * lanes
    can_win = drawn["near"] & drawn["accuracy"].notna() & ~drawn["limited"]
    best = drawn[can_win].sort_values("time").drop_duplicates("dataset")
    with figure_style():
        height = 1.5 + _LANE * len(styles) * len(names)
        fig = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes = fig.subplots()
        axes.axvline(1, color=MUTED, linewidth=0.8, zorder=1)
        for place in range(1, len(names), 2):
            axes.axhspan(place - 0.5, place + 0.5, facecolor="#f4f4f4", linewidth=0, zorder=0)
        for method, style in styles.items():
            for limited, rows in drawn[drawn["method"] == method].groupby("limited"):
                face = "white" if limited else style.color
                look = {"marker": style.marker, "color": style.color, "linestyle": "none"}
                # a star looks smaller than other marks of the same size
                size = 6.5 if style.marker == "*" else 4
                axes.plot(
                    rows["ratio"], rows["place"], markerfacecolor=face, markersize=size, **look
                )
        far = drawn[~drawn["near"]]
        axes.plot(far["ratio"], far["place"], zorder=5, **_CROSS)
        axes.plot(best["ratio"], best["place"], zorder=5, **RING)
        logarithmic_x(axes)
        name_rows(axes, names)
        label = f"← faster than SVC{_SPACE}slower than SVC →"
        axes.set_xlabel(f"{label}\ntraining time / time of scikit-learn's SVC (log scale)")
        axes.set_title(label)
        add_legend(fig, [method_handle(style, joined=False) for style in styles.values()])
        handles = [
            Line2D([], [], label=f"fastest within {NEAR:g} points of the best accuracy", **RING)
        ]
        if len(far):
            label = f"more than {NEAR:g} points below the best accuracy"
            handles.append(Line2D([], [], label=label, **_CROSS))
        handles += [limit_handle([Bound.AT_LEAST])] * bool(drawn["limited"].any())
        fig.legend(handles=handles, loc="outside lower center")
    absent = [
        method_label(name) for name in frame.loc[frame["limit"] == NOT_INSTALLED, "method"].unique()
    ]
    over = frame[(frame["limit"] == "memory_limit") & (frame["method"] != SVC)]
    stopped = [f"{method_label(one.method)} on {one.dataset}" for one in over.itertuples()]
    notes = joined(
        f"The memory limit stopped {listing(stopped)}." if stopped else "",
        f"{listing(absent)} {'was' if len(absent) == 1 else 'were'} not installed."
        if absent
        else "",
        f"On {listing(slow)}, SVC did not finish, so ratios are upper bounds, and other"
        " unfinished runs are left out."
        if slow
        else "",
    )
    return Chart(fig, frame, notes)
