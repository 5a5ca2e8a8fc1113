"""Table 5 of alaiz2018: how support vectors and accuracy depend on the start."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, listing, with_std
from fwsvm.studies.alaiz2018.protocol import (
    COMPARED,
    KERNELS,
    NOT_PRINTED,
    Details,
    Missing,
    absent,
    nothing_run,
    protocol,
    set_name,
    trouble,
    with_part,
)
from fwsvm.studies.alaiz2018.sparsity import (
    EACH_POINT,
    model_runs,
    start_summary,
    study_runs,
)
from fwsvm.studies.alaiz2018.tables import LIMIT_NOTE, joined


def starts_table(artefact_id: str, runs: pd.DataFrame, details: Details, missing: Missing) -> Table:
    """Lay out how M-FW depends on its initial point (alaiz2018 table 5)."""
    summary = start_summary(runs, details)
    if summary.empty:
        raise NotDrawableError(artefact_id, nothing_run(COMPARED, missing))
    order = {entry["dataset"]: place for place, entry in enumerate(with_part(details, "comparison"))}
    summary = summary.sort_values("dataset", key=lambda names: names.map(order), kind="stable", ignore_index=True)
    kernels = {entry["starts"]["kernel"] for entry in details if "starts" in entry}
    models = model_runs(runs, details)
    models = models[(models["model"] == "mfw") & models["kernel"].isin(kernels)]
    over = models.groupby("dataset")["accuracy"].agg(["mean", "std", "size"])
    over["std"] = over["std"].fillna(0.0)
    summary = summary.merge(over.add_prefix("partitions_accuracy_"), left_on="dataset", right_index=True, how="left")
    notes = Footnotes()
    rows = tuple(
        (
            Cell(set_name(row["dataset"]), (notes.mark(LIMIT_NOTE),) if row["at_limit"] else ()),
            Cell(f"{row['starts']} of {row['points']}"),
            Cell(f"{row['overlap_mean']:.1f} ({row['overlap_min']:.1f}–{row['overlap_max']:.1f})"),
            Cell(
                f"{row['support_vectors_mean']:.1f} ({row['support_vectors_min']:.0f}–{row['support_vectors_max']:.0f})"
            ),
            Cell(
                with_std(f"{row['accuracy_mean']:.2f}", row["accuracy_std"], row["starts"])
                + f" ({row['accuracy_min']:.2f}–{row['accuracy_max']:.2f})"
            ),
            Cell(_over_partitions(row)),
        )
        for row in summary.to_dict("records")
    )
    header = (
        ("", "data set"),
        ("", "starts"),
        ("over the starts: mean (range)", "overlap (%)"),
        ("over the starts: mean (range)", "support vectors"),
        ("over the starts: mean (range)", "accuracy ± deviation (%)"),
        ("over the partitions", "accuracy (%)"),
    )
    chosen = study_runs(runs, EACH_POINT)
    caption = [
        "M-FW from different initial points on the first partition, "
        f"{listing(sorted(KERNELS.get(k, k) for k in kernels))}"
        ", at the cross-validated C. Overlap of two models: the support vectors that both share over all that either "
        "has; "
        "every pair counts. Starts: all training points, or that many random ones of them.",
        _dependence(summary),
        "The paper: the overlap is smallest on the easiest sets, iris and mushrooms, and large on the others; the "
        "accuracies hardly differ from those over the partitions.",
        protocol(details, "comparison", one_start=False),
        trouble(chosen),
        NOT_PRINTED,
        absent(COMPARED, summary["dataset"], missing),
    ]
    return Table(summary, header, (Section(None, rows),), joined(caption), notes.listed())


def _over_partitions(row: Mapping) -> str:
    if pd.isna(row["partitions_accuracy_mean"]):
        return NOTHING
    mean = f"{row['partitions_accuracy_mean']:.2f}"
    return with_std(mean, row["partitions_accuracy_std"], row["partitions_accuracy_size"])


def _dependence(summary: pd.DataFrame) -> str:
    ranked = summary.sort_values("overlap_mean", kind="stable")
    said = []
    if len(ranked) > 2:
        lowest = [f"{set_name(row.dataset)} ({row.overlap_mean:.0f} %)" for row in ranked.head(2).itertuples()]
        least = ranked["overlap_mean"].iloc[2:]
        said.append(
            f"Here it is smallest on {listing(lowest)}; the others have {least.min():.0f} to {least.max():.0f} %."
        )
    spread = summary["accuracy_max"] - summary["accuracy_min"]
    wide = int((spread >= 1.0).sum())
    widest = summary.loc[spread.idxmax(), "dataset"]
    said.append(
        f"Over the starts the range of the accuracy is below a point on {len(spread) - wide} of {len(spread)} sets "
        f"(widest on {set_name(widest)}: {spread.max():.2f} points)"
    )
    known = summary[summary["partitions_accuracy_size"] > 1]
    smaller = int((known["accuracy_std"] < known["partitions_accuracy_std"]).sum())
    said[-1] += (
        f"; its deviation is smaller than over the partitions on {smaller} of {len(known)}." if len(known) else "."
    )
    return " ".join(said)
