"""Table 5 of alaiz2018: how support vectors and accuracy depend on the start."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, joined, listing, with_std
from fwsvm.studies.alaiz2018.protocol import COMPARED, KERNELS, Details, Missing, absent, nothing_run, with_part
from fwsvm.studies.alaiz2018.sparsity import model_runs, start_summary
from fwsvm.studies.alaiz2018.tables import LIMIT_NOTE


def starts_table(runs: pd.DataFrame, details: Details, missing: Missing) -> Table:
    """Lay out how M-FW depends on its initial point (alaiz2018 table 5)."""
    summary = start_summary(runs, details)
    if summary.empty:
        raise NotDrawableError(nothing_run(COMPARED, missing))
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
            Cell(row["dataset"], (notes.mark(LIMIT_NOTE),) if row["at_limit"] else ()),
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
        ("over the starts", "overlap (%)"),
        ("over the starts", "support vectors"),
        ("over the starts", "accuracy (%)"),
        ("over the partitions", "accuracy (%)"),
    )
    caption = joined(
        _dependence(summary),
        "M-FW from different initial points of the first partition (all, or that many random ones), "
        f"{listing(sorted(KERNELS.get(k, k) for k in kernels))}, at the cross-validated C: mean and range over the "
        "starts. Overlap of two models: support vectors that both have over those that either has.",
        absent(COMPARED, summary["dataset"], missing),
    )
    return Table(summary, header, (Section(None, rows),), notes.listed(), caption=caption)


def _over_partitions(row: Mapping) -> str:
    if pd.isna(row["partitions_accuracy_mean"]):
        return NOTHING
    mean = f"{row['partitions_accuracy_mean']:.2f}"
    return with_std(mean, row["partitions_accuracy_std"], row["partitions_accuracy_size"])


def _dependence(summary: pd.DataFrame) -> str:
    """On which sets the models overlap least, and on how many the accuracy hardly depends on the start."""
    ranked = summary.sort_values("overlap_mean", kind="stable")
    spread = summary["accuracy_max"] - summary["accuracy_min"]
    said = (
        f"The accuracy varies by less than a point over the starts on {int((spread < 1).sum())} of {len(spread)} sets"
    )
    if len(ranked) > 2:
        lowest = [f"{row.dataset} ({row.overlap_mean:.0f} %)" for row in ranked.head(2).itertuples()]
        said += f"; the overlap of the support vectors is smallest on {listing(lowest)}"
    return f"{said}."
