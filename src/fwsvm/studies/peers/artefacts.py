"""Today's trainers next to the methods of the papers: time against accuracy (beyond-peers)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import offset_copy

from fwsvm.reporting.axes import MAJORITY, by_rows, logarithmic_x, majority_handle, method_handle
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import MUTED, TEXT_WIDTH, MethodStyle, figure_style, method_label, method_styles
from fwsvm.reporting.text import listing
from fwsvm.runs.protocols import CERTIFIED_PROTOCOL
from fwsvm.runs.stop_reasons import ENDED_REASONS
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs, majority_accuracies, rows_in_order

PEERS, SVC, NYSTROEM, NOT_INSTALLED = "peers", "svc", "nystroem", "not installed"
_COLUMNS = 3
_LATER = {"marker": r"$\rightarrow$", "linestyle": "none", "markersize": 8, "markeredgewidth": 0, "zorder": 5}


def peers_numbers(runs: pd.DataFrame, descriptions: Sequence[Mapping]) -> pd.DataFrame:
    """Set the peers' runs beside those of the benchmark that look at all points, at the same kernel width and C."""
    peers, ours = experiment_runs(runs, PEERS), experiment_runs(runs, BENCHMARK)
    compared = peers.loc[peers["method"] != SVC, "dataset"].unique()
    peers, ours = peers[peers["dataset"].isin(compared)], ours[ours["protocol"] == CERTIFIED_PROTOCOL]
    same = ours.merge(peers[["dataset", "gamma", "C"]].drop_duplicates(), on="dataset", suffixes=("", "_peer"))
    same = same[np.isclose(same["gamma"], same["gamma_peer"]) & np.isclose(same["C"], same["C_peer"])]
    found = pd.concat([peers.rename(columns={"sample_size": "components"}), same.assign(components=np.nan)])
    found = found.assign(
        components=found["components"].astype(float),
        limit=found["stop_reason"].astype(object).where(found["stop_reason"].isin([*ENDED_REASONS, NOT_INSTALLED])),
    )
    groups = found.groupby(["dataset", "method", "components"], dropna=False, sort=False)
    frame = groups.agg(
        time=("train_cpu_s", "median"), accuracy=("test_accuracy", "mean"),
        support_vectors=("support_vectors", "median"), limit=("limit", "first"), runs=("method", "size"),
    ).reset_index()  # fmt: skip
    frame["accuracy"] = 100 * frame["accuracy"]
    frame["majority"] = frame["dataset"].map(majority_accuracies(descriptions))
    return rows_in_order(frame, ["dataset", "method", "components"])


def peers_chart(runs: pd.DataFrame, descriptions: Sequence[Mapping], missing: Mapping[str, str] | None = None) -> Chart:
    """Draw `peers_numbers`: a panel per data set, accuracy on a scale that is logarithmic in the error."""
    frame = peers_numbers(runs, descriptions)
    if frame.empty:
        raise NotDrawableError(needs("the experiment peers", []))
    names = list(frame["dataset"].unique())
    drawn = frame[frame["limit"] != NOT_INSTALLED]
    styles = method_styles(drawn["method"].unique())
    rows = -(-len(names) // _COLUMNS)
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 0.7 + 1.75 * rows), layout="constrained")
        grid = fig.subplots(rows, min(_COLUMNS, len(names)), squeeze=False)
        for axes, name in zip(grid.flat, names, strict=False):
            _draw(axes, drawn[drawn["dataset"] == name], styles)
            axes.set_title(name, loc="left", weight="bold")
        for axes in list(grid.flat)[len(names) :]:
            axes.set_axis_off()
        fig.supxlabel("training time (CPU s)", fontsize=8)
        fig.supylabel("test accuracy (%)", fontsize=8)
        later = Line2D([], [], color=MUTED, label="stopped at a limit (≥)", **_LATER)
        limited = [later] if drawn["limit"].notna().any() else []
        handles = [method_handle(style, joined=name == NYSTROEM) for name, style in styles.items()]
        handles += [*limited, majority_handle()]
        fig.legend(handles=by_rows(handles, 5), loc="outside upper center", ncols=5)
    absent = [method_label(name) for name in frame.loc[frame["limit"] == NOT_INSTALLED, "method"].unique()]
    return Chart(fig, frame, f"Not installed here: {listing(absent)}." if absent else "")


def _draw(axes: Axes, rows: pd.DataFrame, styles: Mapping) -> None:
    error = 100 - rows["accuracy"]
    tested, majority = error[error > 0], 100 - rows["majority"].iloc[0]
    worst = np.nanmax([tested.max(), majority]) if len(tested) or not np.isnan(majority) else 50.0
    best = min(tested.min(), worst / 1.5) if len(tested) else worst / 10
    low, high = best / 1.4, worst * 1.4
    if not np.isnan(majority):
        axes.axhline(majority, **MAJORITY)
    for method, style in styles.items():
        done = rows[(rows["method"] == method) & rows["accuracy"].notna()]
        y = (100 - done["accuracy"]).clip(lower=low)  # a perfect model stands on the edge
        look = {"color": style.color, "marker": style.marker, "clip_on": False}
        joined = "-" if method == NYSTROEM else "none"
        if len(done):  # a line without points would take room in the layout
            axes.plot(done["time"], y, linestyle=joined, linewidth=0.9, zorder=3, **look)
        late = done["limit"].notna()
        if late.any():
            _draw_late(axes, done.loc[late, "time"], y[late], style)
    bottom = _draw_untested(axes, rows, styles, low, high)
    times = rows["time"].dropna()
    logarithmic_x(axes, ticks=5)
    if len(times):
        room = (times.max() / times.min()) ** 0.1
        axes.set_xlim(times.min() / max(room**0.5, 1.15), times.max() * max(room**1.5, 1.5))
        if times.max() < 20 * times.min():
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=5))
    axes.set_yscale("log")
    axes.set_ylim(bottom, low)
    steps = (1, 2, 5) if high / low > 5 else (1, 1.5, 2, 3, 4, 5, 7)
    ticks = LogLocator(subs=steps, numticks=12).tick_values(low, high)
    axes.set_yticks([error for error in ticks if low <= error <= min(high, 100)], minor=False)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _position: f"{100 - value:g}"))


def _draw_untested(axes: Axes, rows: pd.DataFrame, styles: Mapping, low: float, high: float) -> float:
    """Draw trainers without any model in a strip of their own below the accuracies; return its lower edge."""
    line, edge = 0.13 * np.log(high / low), high
    for method, style in styles.items():
        stopped = rows[(rows["method"] == method) & rows["accuracy"].isna() & rows["time"].notna()].head(1)
        if len(stopped):
            _draw_late(axes, stopped["time"], [edge * np.exp(line / 2)], style)
            edge *= np.exp(line)
    if edge > high:
        axes.axhspan(high, edge, color="#ececec", zorder=0.6, linewidth=0)
        axes.annotate("not\ntested", (0, np.sqrt(high * edge)), xycoords=axes.get_yaxis_transform(), xytext=(-4, 0),
                      textcoords="offset points", fontsize=6, color=MUTED, ha="right", va="center")  # fmt: skip
    return edge


def _draw_late(axes: Axes, time: pd.Series, y: Sequence[float], style: MethodStyle) -> None:
    """Draw runs that ended at a limit: open, with an arrow to the right."""
    for marker, x in ((style.marker, 0), (_LATER["marker"], 11)):
        look = _LATER | {"markersize": 4.2, "markeredgewidth": 0.9, "markerfacecolor": "white"} if x == 0 else _LATER
        moved = offset_copy(axes.transData, axes.figure, x=x, units="points")
        (line,) = axes.plot(time, y, color=style.color, transform=moved, clip_on=False, **look | {"marker": marker})
        line.set_in_layout(False)
