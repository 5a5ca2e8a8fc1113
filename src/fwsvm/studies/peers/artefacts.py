"""Compare time and accuracy of current SVM packages and of the papers' methods (beyond-peers)."""

import numpy as np
import pandas as pd
from matplotlib.ticker import NullLocator

from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.panels import facets
from fwsvm.reporting.style import MUTED, TEXT_WIDTH, figure_style, method_label, method_styles
from fwsvm.reporting.text import joined, listing
from fwsvm.runs import ENDED_REASONS
from fwsvm.runs.table import quiet_times
from fwsvm.studies.benchmark.numbers import LADDER, experiment_runs, majority_accuracies, rows_in_order
from fwsvm.studies.benchmark.protocol import Details, Missing

PEERS, SVC, NYSTROEM, NOT_INSTALLED = "peers", "svc", "nystroem", "not installed"
_OTHERS = (SVC, NYSTROEM, "libsvm_l2", "intelex")
_TITLES = ("the papers' methods and auto, to a gap of 0.001", "other packages")


def peers_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Summarise the runs of other packages, and our runs to the smallest gap, at the same kernel width and C."""
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
        time=quiet_times(found, ["dataset", "method", "components"]),
        limit=found["stop_reason"].astype(object).where(found["stop_reason"].isin([*ENDED_REASONS, NOT_INSTALLED])),
    )
    groups = found.groupby(["dataset", "method", "components"], dropna=False, sort=False)
    frame = groups.agg(
        time=("time", "median"), accuracy=("test_accuracy", "mean"),
        support_vectors=("support_vectors", "median"), limit=("limit", "first"), runs=("method", "size"),
    ).reset_index()  # fmt: skip
    frame["accuracy"] = 100 * frame["accuracy"]
    frame["majority"] = frame["dataset"].map(majority_accuracies(descriptions))
    return rows_in_order(frame, ["dataset", "method", "components"])


def peers_chart(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Chart:
    """Draw how far each accuracy is below the best against the time relative to SVC's: a mark per data set."""
    frame = peers_numbers(runs, descriptions)
    svc = frame[frame["method"] == SVC].set_index("dataset")["time"]
    drawn = frame.assign(
        ratio=frame["time"] / frame["dataset"].map(svc),
        loss=frame.groupby("dataset")["accuracy"].transform("max") - frame["accuracy"],
        limited=frame["limit"].notna(),
        group=pd.Categorical(np.where(frame["method"].isin(_OTHERS), *_TITLES[::-1]), _TITLES),
    ).dropna(subset=["ratio", "loss"])
    if drawn.empty:
        raise NotDrawableError(needs("the experiment peers", []))
    styles = method_styles(drawn["method"].unique())
    with figure_style():
        panels = facets(
            drawn, "ratio", "loss", col="group", styles=styles, joined=False, limited="limited", logx=10,
            size=(TEXT_WIDTH, 2.6),
        )  # fmt: skip
        for (_, group), axes in panels.items():
            axes.axvline(1, color=MUTED, linewidth=0.8, zorder=1)
            lines = drawn[(drawn["method"] == NYSTROEM) & (drawn["group"] == group)]
            for _, line in lines.groupby("dataset"):
                axes.plot(line["ratio"], line["loss"], color=styles[NYSTROEM].color, linewidth=0.6, zorder=1)
            axes.set_yscale("symlog", linthresh=0.1)
            axes.set_yticks([0, 0.1, 1, 10], ["0", "0.1", "1", "10"])
            axes.yaxis.set_minor_locator(NullLocator())
            axes.set_ylim(1.4 * drawn["loss"].max(), -0.02)
        panels.figure.supxlabel("training time / time of scikit-learn's SVC (log scale)", fontsize=8)
        panels.figure.supylabel("points below the best accuracy", fontsize=8)
        figure = panels.finish()
    absent = [method_label(name) for name in frame.loc[frame["limit"] == NOT_INSTALLED, "method"].unique()]
    untested = frame.groupby(["dataset", "method"], sort=False).filter(lambda rows: rows["accuracy"].isna().all())
    late = untested.dropna(subset="time").groupby("method", sort=False)["dataset"].agg(lambda names: listing([*names]))
    slow = list(frame.loc[(frame["method"] == SVC) & frame["limit"].notna(), "dataset"])
    notes = joined(
        f"Not installed here: {listing(absent)}." if absent else "",
        f"SVC reached its limit on {listing(slow)}, so the ratios there are upper bounds." if slow else "",
        *(f"{method_label(name)} reached its limit on {sets}." for name, sets in late.items() if name != SVC),
    )
    return Chart(figure, frame, notes)
