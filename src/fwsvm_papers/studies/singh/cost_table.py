"""The table of the cost of training on two circles (singh table 1), and a function that chooses the
runs for all figures of singh.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import NOTHING, copied, counted, is_missing, significant
from fwsvm_papers.runs import LIMIT_REASONS
from fwsvm_papers.studies.benchmark.protocol import Details, Missing, missing_sets
from fwsvm_papers.studies.registry import load_printed
from fwsvm_papers.studies.singh import CIRCLES


def entries_with(
    key: str,
    runs: pd.DataFrame,
    details: Details,
    missing: Missing,
    expected: Sequence[str] = CIRCLES,
) -> tuple[list[Mapping], str]:
    """Return the details of the jobs that have an entry `key` and whose data sets have runs of the
    experiment singh in `runs`. Also return a note about missing data sets.

    The jobs on the paper's data sets come first. If there are no such jobs, the artefact is left
    out.
    """
    there = set(runs.loc[runs["experiment"] == "singh", "dataset"].dropna())
    order = {name: place for place, name in enumerate(expected)}
    found = [entry for entry in details if entry.get(key) and entry["dataset"] in there]
    require(found, needs("the study singh", expected, missing))
    found.sort(key=lambda entry: (order.get(entry["dataset"], len(order)), entry["dataset"]))
    return found, missing_sets(expected, [entry["dataset"] for entry in found], missing)


def table1(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Table:
    """Return the table of time, memory, steps and accuracy next to the paper's numbers (singh sec.
    4.2).
    """
    circles = [entry for entry in singh if entry["dataset"] in CIRCLES]
    entries, notes = entries_with("draws", runs, circles, missing)
    runs = runs[(runs["experiment"] == "singh").fillna(False)]
    frame = pd.DataFrame(
        {"dataset": entry["dataset"], "quantity": quantity, "unit": unit, "printed": printed}
        | _statistics("mfw", ours)
        | _statistics("listing", of_listing)
        for entry in entries
        for quantity, unit, ours, of_listing, printed in _costs(
            runs[runs["dataset"] == entry["dataset"]], entry
        )
    )
    limited = runs.loc[runs["stop_reason"].isin(LIMIT_REASONS), "dataset"]
    limit_notes = {name: ["Some runs ended at their time or iteration limit."] for name in limited}
    headings = {
        entry[
            "dataset"
        ]: f"{entry['m']:,} training points, {counted(len(entry['draws']), 'draw')} of the points"
        for entry in entries
    }
    columns = [
        Column("quantity", lambda row: row["quantity"], align="l"),
        Column("unit", lambda row: row["unit"], align="l"),
        Column(
            "MFW",
            lambda row: _span(row, "mfw"),
            "ours",
            lambda row: limit_notes.get(row["dataset"], []),
        ),
        Column("listing as printed", lambda row: _span(row, "listing"), "ours"),
        Column("printed", lambda row: copied(row["printed"])),
    ]
    return ours_beside_printed(frame, columns, "dataset", headings.get, notes)


def _costs(rows: pd.DataFrame, entry: Mapping) -> Iterator[tuple]:
    """Yield a tuple for each quantity: the name, the unit, our values, the values for the algorithm
    in its printed form, and the value in the paper.
    """
    draws = pd.DataFrame(entry["draws"])
    listing = pd.DataFrame(list(draws["listing"]))
    printed = load_printed("singh_cost").set_index("train_size")
    stated = printed.loc[entry["m"]] if entry["m"] in printed.index else pd.Series(dtype=float)
    vectors = stated.get("core_vectors")
    yield (
        "training time",
        "ms",
        1e3 * rows["train_cpu_s"].astype(float),
        [],
        1e3 * stated.get("seconds", np.nan),
    )
    yield "largest kernel block", "KB", draws["block_bytes"] / 1e3, [], stated.get("block_kb")
    yield "largest coreset", "points", draws["largest_coreset"], [], vectors
    yield (
        "support vectors",
        "points",
        rows["support_vectors"].astype(float),
        listing["coreset"],
        vectors,
    )
    yield "steps", "", draws["iterations"], listing["steps"], None
    yield "away steps", "", draws["away_steps"], listing["away_steps"], stated.get("away_steps")
    yield "first away step", "", draws["first_away"], listing["first_away"], None
    for name, key in (("training accuracy", "train_accuracy"), ("test accuracy", "test_accuracy")):
        yield name, "%", 100 * draws[key], 100 * listing[key], stated.get("accuracy")
    yield "relative gap", "", rows["relative_gap"].astype(float), listing["final_gap"], None


def _statistics(name: str, values: Sequence[float]) -> dict[str, float]:
    return (
        pd.Series(values, dtype=float)
        .agg(["median", "min", "max"])
        .add_prefix(f"{name}_")
        .to_dict()
    )


def _span(row: Mapping, name: str) -> str:
    """Return the median and the range over the draws as text. If all draws have the same value,
    return only the median.
    """
    median, low, high = (
        _number(row[f"{name}_{part}"], row["unit"]) for part in ("median", "min", "max")
    )
    varies = row[f"{name}_min"] < row[f"{name}_max"]
    return f"{median} ({low} to {high})" if varies else median


def _number(value: float, unit: str) -> str:
    if is_missing(value):
        return NOTHING
    if unit == "%":
        return f"{value:.2f}"
    return f"{value:.0f}" if value == round(value) else significant(value, 3)
