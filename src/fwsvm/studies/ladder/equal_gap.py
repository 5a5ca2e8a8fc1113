"""Compare times and sizes at the same certified relative gap, in the last rungs of the ladder (beyond-equal)."""

from collections.abc import Mapping

import pandas as pd

from fwsvm.reporting.style import METHODS, method_label
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, significant, whole
from fwsvm.runs import LIMIT_REASONS
from fwsvm.runs.records import ordered
from fwsvm.studies.benchmark.numbers import LADDER, drawable_runs, rows_in_order
from fwsvm.studies.benchmark.protocol import Missing

_KEYS = ["relative_gap", "dataset", "method"]
_LIMIT_NOTE = "Reached its time limit before this gap, or before a looser gap."
_PRECISION_NOTE = "Stopped because the rest of the gap is below rounding errors."


def equal_gap_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Summarise the ladder's runs over all points for each requested relative gap (column ``eps``)."""
    runs = runs[runs["selection"] == "full"]
    runs = runs.assign(
        asked=-runs["eps"].astype(float),  # Put the loosest gap first.
        reached=(runs["stop_reason"] == "converged").fillna(False).astype(bool),
        ended=runs["stop_reason"].isin(LIMIT_REASONS),
        test_accuracy=100 * runs["test_accuracy"],
    )
    found = runs.groupby(["dataset", "method", "asked"], observed=True).agg(
        time=("train_cpu_s", "median"), support_vectors=("support_vectors", "median"),
        accuracy=("test_accuracy", "mean"), certified_gap=("relative_gap", "max"), reached=("reached", "min"),
        ended=("ended", "max"),
    )  # fmt: skip
    every = pd.MultiIndex.from_product(found.index.levels, names=found.index.names)
    # Repeat a run that ended at a looser gap.
    carried = found.reindex(every).groupby(level=["dataset", "method"]).ffill()
    frame = carried[every.isin(found.index) | carried["ended"].eq(True)].reset_index()
    frame = frame.assign(relative_gap=-frame["asked"]).astype({"reached": bool, "ended": bool})
    frame = rows_in_order(frame, ["dataset", "method"]).sort_values("asked", kind="stable", ignore_index=True)
    return frame[[*_KEYS, "time", "support_vectors", "accuracy", "certified_gap", "reached", "ended"]]


def equal_gap_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Lay out `equal_gap_numbers`: a section per gap, a row per data set, time and size of every method."""
    frame, notes, sections = equal_gap_numbers(drawable_runs(runs, LADDER)), Footnotes(), []
    methods = ordered(frame["method"], tuple(METHODS))
    for gap, part in frame.groupby("relative_gap", sort=False):
        rows = []
        for name, of_set in part.groupby("dataset", sort=False):
            fastest = of_set.loc[of_set["reached"], "time"].min()
            found = of_set.set_index("method").to_dict("index")
            times = [_time(found.get(method), fastest, notes) for method in methods]
            sizes = [found[name]["support_vectors"] if found.get(name, {}).get("reached") else None for name in methods]
            rows.append((Cell(name), *times, *(Cell(whole(size)) for size in sizes)))
        sections.append(Section(f"relative gap {gap:g}", tuple(rows)))
    groups = ("CPU seconds", "support vectors")
    header = (("", "data set"), *((group, method_label(name)) for group in groups for name in methods))
    return Table(frame, header, tuple(sections), notes.listed())


def _time(row: Mapping | None, fastest: float, notes: Footnotes) -> Cell:
    if row is None:
        return Cell(NOTHING)
    if row["reached"]:
        return Cell(significant(row["time"], 3), bold=row["time"] == fastest)
    if row["ended"]:
        return Cell(f"≥ {significant(row['time'], 3)}", (notes.mark(_LIMIT_NOTE),))
    return Cell(NOTHING, (notes.mark(_PRECISION_NOTE),))
