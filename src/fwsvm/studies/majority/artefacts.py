"""Speed-up over CVM against the share of CVM's gain over the majority class (beyond-majority)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm.reporting.axes import logarithmic
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import MUTED, TEXT_WIDTH, figure_style, method_label
from fwsvm.runs.protocols import protocol_words
from fwsvm.runs.table import protocols_of
from fwsvm.studies.benchmark.numbers import (
    BENCHMARK,
    FRANDI2013,
    beside_printed,
    experiment_runs,
    gain_kept,
    majority_accuracies,
)

METHODS = FRANDI2013[1:]
FAST, KEPT = 5, 90
"""Speed-up over CVM that counts as fast; share of CVM's gain, in per cent, that counts as kept."""

BOUNDS = ("", "at most", "at least", "unknown")
"""What runs at a limit make of a speed-up: none, the method's, CVM's, those of both."""

_MARKERS = dict(zip(BOUNDS, "ov^X", strict=True))
_SHOWN, _GAPS = (-6.0, 108.0), (1e-2, 1e1)
_COLOURS = "viridis_r"


def majority_numbers(runs: pd.DataFrame, descriptions: Sequence[Mapping]) -> pd.DataFrame:
    """Compute shares of CVM's gain and speed-ups under the benchmark's first heading, ours and printed.

    Returns
    -------
    DataFrame
        One row per data set and method other than CVM: ``protocol``; ``majority``, the test accuracy (%) of the
        training set's largest class; ``accuracy``, ``cvm_accuracy`` (%); ``share`` = 100 (accuracy - majority) /
        (cvm_accuracy - majority); ``speed_up`` = CVM's mean CPU time over the method's; ``bound``: whether that is a
        bound because runs ended at a limit, "at most" (the method's), "at least" (CVM's) or "unknown" (both);
        ``relative_gap``, the certified median; ``printed_share`` and ``printed_speed_up``. Data sets on which CVM gains
        nothing are left out.
    """
    runs = experiment_runs(runs, BENCHMARK)
    keys = ["protocol", "dataset", "method"]
    columns = {"test_accuracy": "accuracy", "train_cpu_s": "time"}
    tables = [beside_printed(runs, measure, FRANDI2013) for measure in (*columns, "relative_gap")]
    if tables[0].empty:
        raise NotDrawableError(needs("the benchmark", []))
    accuracy, time, gap = (table.set_index(keys) for table in tables)
    table = pd.DataFrame({"accuracy": accuracy["mean"], "printed_accuracy": accuracy["printed_mean"]})
    table = table.assign(time=time["mean"], printed_time=time["printed_mean"], at_limit=time["at_limit"])
    table["relative_gap"] = gap["median"]
    table = table.xs(protocols_of(runs)[0], level="protocol", drop_level=False).reset_index()
    table["majority"] = table["dataset"].map(majority_accuracies(descriptions)).astype(float)
    cvm = table[table["method"] == "cvm"].set_index("dataset")
    table = table[table["method"] != "cvm"].copy()
    for prefix in ("", "printed_"):
        of_cvm = table["dataset"].map(cvm[f"{prefix}accuracy"])
        table[f"{prefix}share"] = gain_kept(table[f"{prefix}accuracy"], of_cvm, table["majority"])
        table[f"{prefix}speed_up"] = table["dataset"].map(cvm[f"{prefix}time"]) / table[f"{prefix}time"]
        table[f"{prefix}cvm_accuracy"] = of_cvm
    limits = (table["at_limit"] > 0) + 2 * (table["dataset"].map(cvm["at_limit"]) > 0)
    table["bound"] = limits.map(dict(enumerate(BOUNDS)))
    names = ["share", "speed_up", "printed_share", "printed_speed_up"]
    shown = [*keys, "majority", "accuracy", "cvm_accuracy", *names, "relative_gap", "bound"]
    return table.dropna(subset=["share", "speed_up"])[shown].reset_index(drop=True)


def majority_chart(
    runs: pd.DataFrame, descriptions: Sequence[Mapping], missing: Mapping[str, str] | None = None
) -> Chart:
    """Draw `majority_numbers`: a panel per method, a line from each printed mark to ours."""
    frame = majority_numbers(runs, descriptions)
    if frame.empty:
        raise NotDrawableError("needs a data set on which CVM is better than the majority class")
    norm = LogNorm(*_GAPS, clip=True)
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 3.5), layout="constrained")
        panels = fig.subplots(1, len(METHODS), sharex=True, sharey=True)
        for axes, method in zip(panels, METHODS, strict=True):
            _draw(axes, frame[frame["method"] == method], norm)
            axes.set_title(method_label(method), loc="left", weight="bold")
        panels[0].set_ylabel("speed-up over CVM (log scale)")
        fig.supxlabel("share of CVM's gain over the majority class (%)", fontsize=8)
        logarithmic(panels[0])
        bar = fig.colorbar(ScalarMappable(norm, _COLOURS), ax=list(panels), fraction=0.03, pad=0.01, aspect=30)
        bar.set_label("certified relative duality gap (ours)")
        bar.ax.tick_params(which="minor", size=0)
        ours = {"marker": "o", "color": MUTED, "linestyle": "none"}
        handles = [
            Line2D([], [], label="our run", **ours),
            *(Line2D([], [], label=_LABELS[bound], **ours | {"marker": _MARKERS[bound]}) for bound in _bounds(frame)),
            Line2D([], [], label="printed", markerfacecolor="white", **ours),
        ]
        fig.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return Chart(fig, _caption(frame), frame)


_NEAR_X, _NEAR_Y, _MOST_NAMES = 9.0, 0.14, 4
"""Per cent and decades within which marks share a label, and the most names of one."""

_THRESHOLD = {"color": "#a0a0a0", "linewidth": 0.7, "linestyle": (0, (5, 3)), "zorder": 1}

_LABELS = {
    "at most": "our run, at most this fast",
    "at least": "our run, at least this fast",
    "unknown": "our run and CVM's ended at limits",
}


def _bounds(frame: pd.DataFrame) -> list[str]:
    return [bound for bound in _LABELS if (frame["bound"] == bound).any()]


def _draw(axes: Axes, rows: pd.DataFrame, norm: LogNorm) -> None:
    axes.axhline(1, color=MUTED, linewidth=0.8, zorder=1)
    axes.axhline(FAST, **_THRESHOLD)
    axes.axvline(KEPT, **_THRESHOLD)
    for x, words in ((0, "majority class"), (100, "CVM")):
        axes.axvline(x, color=MUTED, linewidth=0.8, linestyle=":", zorder=1)
        axes.annotate(words, (x, 0.01), xycoords=("data", "axes fraction"), xytext=(-2, 2), rotation=90, fontsize=7,
                      textcoords="offset points", color=MUTED, ha="right", va="bottom")  # fmt: skip
    shares = rows["share"].clip(*_SHOWN)
    printed = rows[rows["printed_share"].notna() & rows["printed_speed_up"].notna()]
    for index, row in printed.iterrows():
        path = [[row["printed_share"], shares[index]], [row["printed_speed_up"], row["speed_up"]]]
        axes.plot(*path, color="#c4c4c4", linewidth=0.7, zorder=2)
    axes.plot(printed["printed_share"], printed["printed_speed_up"], "o", mfc="white", mec=MUTED, zorder=3)
    for bound, marker in _MARKERS.items():
        mask = rows["bound"] == bound
        look = {"c": rows.loc[mask, "relative_gap"], "cmap": _COLOURS, "norm": norm, "marker": marker}
        axes.scatter(shares[mask], rows.loc[mask, "speed_up"], s=26, edgecolors=MUTED, linewidths=0.3, zorder=4, **look)
    named = rows[(rows["speed_up"] >= FAST) | (rows["share"] < KEPT)]
    for x, y, names in _joined_names(named["dataset"], shares[named.index], np.log10(named["speed_up"])):
        side = -1 if x > 60 else 1
        axes.annotate(", ".join(names), (x, 10**y), xytext=(5 * side, 0), fontsize=7, textcoords="offset points",
                      ha="left" if side > 0 else "right", va="center", zorder=5)  # fmt: skip
    axes.set_xlim(*_SHOWN)


def _joined_names(names: pd.Series, x: pd.Series, y: pd.Series) -> list[tuple[float, float, list[str]]]:
    """Names of marks with the places of their labels; marks so close that labels would touch share one."""
    groups: list[list] = []
    for index in y.sort_values(ascending=False).index:
        near = (one for one in groups if abs(x[one[0]] - x[index]) < _NEAR_X and y[one[-1]] - y[index] < _NEAR_Y)
        if found := next((one for one in near if len(one) < _MOST_NAMES), None):
            found.append(index)
        else:
            groups.append([index])
    return [(float(x[one].min()), float(y[one].mean()), list(names[one])) for one in groups]


def _caption(frame: pd.DataFrame) -> str:
    words = []
    for prefix in ("", "printed_"):
        known = frame if prefix else frame[frame["bound"].isin(["", "at least"])]
        fast = known[known[f"{prefix}speed_up"] >= FAST]
        words.append(f"{int((fast[f'{prefix}share'] >= KEPT).sum())} of {len(fast)}")
    in_print = f" (in print {words[1]})" if frame["printed_share"].notna().any() else ""
    return (
        f"Where FW or MFW trains at least {FAST} times as fast as CVM, it keeps {KEPT} % of CVM's gain over the "
        f"majority class in {words[0]} cases{in_print}. Each point is a data set "
        f"({protocol_words(frame['protocol'].iloc[0])}), joined to its printed numbers; dark points stopped far from "
        "the optimum; dashed: these two thresholds. At the left edge a model is no better than the majority class."
    )
