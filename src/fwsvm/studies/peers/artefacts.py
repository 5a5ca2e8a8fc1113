"""Compare time and accuracy of current SVM packages and of the papers' methods (beyond-peers)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import offset_copy

from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.axes import logarithmic_x
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.panels import facets
from fwsvm.reporting.style import MUTED, TEXT_WIDTH, figure_style, method_label, method_styles
from fwsvm.reporting.text import listing
from fwsvm.runs import ENDED_REASONS
from fwsvm.studies.benchmark.numbers import LADDER, experiment_runs, majority_accuracies, rows_in_order
from fwsvm.studies.benchmark.protocol import Details, Missing

PEERS, SVC, NYSTROEM, NOT_INSTALLED = "peers", "svc", "nystroem", "not installed"
_LINE = 0.13
"""Height of a row of untested trainers, as a share of the height of the accuracies."""
_ARROW = {"marker": r"$\rightarrow$", "markersize": 8, "markeredgewidth": 0, "clip_on": False, "zorder": 5}


def peers_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Summarise the peers' runs and the ladder's runs to its smallest gap, with the same kernel width and C."""
    peers, ours = experiment_runs(runs, PEERS), experiment_runs(runs, LADDER)
    ours = ours[ours["selection"] == "full"]
    ours = ours[ours["eps"] == ours.groupby(["dataset", "method"])["eps"].transform("min")]
    compared = peers.loc[peers["method"] != SVC, "dataset"].unique()
    peers = peers[peers["dataset"].isin(compared)]
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


def peers_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw `peers_numbers`: a panel per data set. The accuracy axis is logarithmic in the error."""
    frame = peers_numbers(runs, descriptions)
    if frame.empty:
        raise NotDrawableError(needs("the experiment peers", []))
    ran = frame[frame["limit"] != NOT_INSTALLED]
    drawn = pd.concat([_placed(rows) for _, rows in ran.groupby("dataset", sort=False)])
    styles = method_styles(drawn["method"].unique())
    with figure_style():
        panels = facets(
            drawn, "time", "place", col="dataset", wrap=3, styles=styles, joined=False, limited="limited",
            reference="constant", share=lambda row, col: col, size=(TEXT_WIDTH, 1.75),
        )  # fmt: skip
        for (_, name), axes in panels.items():
            _finish(axes, drawn[drawn["dataset"] == name], styles)
        panels.figure.supxlabel("training time (CPU s)", fontsize=8)
        panels.figure.supylabel("test accuracy (%)", fontsize=8)
        figure = panels.finish()
    absent = [method_label(name) for name in frame.loc[frame["limit"] == NOT_INSTALLED, "method"].unique()]
    return Chart(figure, frame, f"Not installed here: {listing(absent)}." if absent else "")


def _placed(rows: pd.DataFrame) -> pd.DataFrame:
    """Place the marks of one data set by their error (%). Untested trainers get rows beyond the `largest` error."""
    error, constant = 100 - rows["accuracy"], 100 - rows["majority"].iloc[0]
    positive = error[error > 0]
    worst = max(pd.Series([*positive, constant]).dropna(), default=50.0)
    best = min(positive.min(), worst / 1.5) if len(positive) else worst / 10
    low, high = best / 1.4, worst * 1.4
    tested = rows.assign(place=error.clip(lower=low))[rows["accuracy"].notna()]
    untested = rows[rows["accuracy"].isna() & rows["time"].notna()].drop_duplicates("method")
    step = (high / low) ** _LINE
    untested = untested.assign(place=high * step ** (np.arange(len(untested)) + 0.5))
    placed = pd.concat([tested, untested])
    edges = {"least": low, "largest": high, "edge": high * step ** len(untested), "constant": constant}
    return placed.assign(limited=placed["limit"].notna(), **edges)


def _finish(axes: Axes, rows: pd.DataFrame, styles: Mapping) -> None:
    low, high, edge = rows[["least", "largest", "edge"]].iloc[0]
    joined = rows[(rows["method"] == NYSTROEM) & rows["accuracy"].notna()]
    if len(joined):
        axes.plot(joined["time"], joined["place"], color=styles[NYSTROEM].color, linewidth=0.9)
    late, aside = rows[rows["limited"]], offset_copy(axes.transData, axes.figure, x=11, units="points")
    for row in late.to_dict("records"):
        (arrow,) = axes.plot(row["time"], row["place"], color=styles[row["method"]].color, transform=aside, **_ARROW)
        arrow.set_in_layout(False)
    if edge > high:
        axes.axhspan(high, edge, color="#ececec", zorder=0.6, linewidth=0)
        axes.annotate("not\ntested", (0, np.sqrt(high * edge)), xycoords=axes.get_yaxis_transform(), xytext=(-4, 0),
                      textcoords="offset points", fontsize=6, color=MUTED, ha="right", va="center")  # fmt: skip
    times = rows["time"].dropna()
    logarithmic_x(axes, ticks=5)
    if len(times):
        room = (times.max() / times.min()) ** 0.1
        axes.set_xlim(times.min() / max(room**0.5, 1.15), times.max() * max(room**1.5, 1.5))
        if times.max() < 20 * times.min():
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=5))
    axes.set_yscale("log")
    axes.set_ylim(edge, low)
    steps = (1, 2, 5) if high / low > 5 else (1, 1.5, 2, 3, 4, 5, 7)
    ticks = LogLocator(subs=steps, numticks=12).tick_values(low, high)
    axes.set_yticks([error for error in ticks if low <= error <= min(high, 100)], minor=False)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _position: f"{100 - value:g}"))
