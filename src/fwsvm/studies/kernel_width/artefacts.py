"""Which kernel width did the papers use? CVM at several widths beside the printed accuracy (beyond-gamma)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, accuracy, listing
from fwsvm.runs.table import summarise
from fwsvm.studies.benchmark.groups import WIDTH_STUDY
from fwsvm.studies.benchmark.numbers import datasets_in_order, experiment_runs, printed_numbers
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.benchmark.tables import LIMIT_NOTE

ARTEFACT = "beyond-gamma"

_KEYS = ["dataset", "factor"]


def width_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Set the accuracies at each width beside the printed ones.

    Parameters
    ----------
    runs : DataFrame
        Runs of the experiment ``gamma``.

    Returns
    -------
    DataFrame
        One row per data set and factor (gamma x beta): ``C``, ``mean``, ``std``, ``n``, ``at_limit``, ``printed``,
        ``difference`` (ours minus printed, points) and ``nearest``, whether this width is the nearest to the printed.
    """
    factor = runs["gamma_rule"].str.split("/").str[0].astype(float)
    runs = runs.assign(gamma_rule=factor.astype(str))
    summary = summarise(runs, by=("gamma_rule", "C"))
    frame = pd.DataFrame(
        {
            "dataset": summary["dataset"].astype(str),
            "factor": summary["gamma_rule"].astype(float),
            "C": summary["C"],
            **{name: summary[f"test_accuracy_{name}"] for name in ("mean", "std", "n")},
            "at_limit": summary["at_limit"],
        }
    )
    printed = printed_numbers("test_accuracy").get("cvm_mean", pd.Series(dtype=float))
    frame["printed"] = frame["dataset"].map(printed)
    frame["difference"] = frame["mean"] - frame["printed"]
    smallest = frame["difference"].abs().groupby(frame["dataset"]).transform("min")
    frame["nearest"] = frame["difference"].abs() == smallest
    place = {name: i for i, name in enumerate(datasets_in_order(frame["dataset"]))}
    return frame.sort_values(_KEYS, key=lambda column: column.map(place) if column.name == "dataset" else column)


def gamma_table(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Table:
    """Lay out `width_numbers`: a row per data set, a group of columns per width."""
    runs = experiment_runs(runs, "gamma").dropna(subset=["gamma_rule"])
    if runs.empty:
        raise NotDrawableError(ARTEFACT, needs("the experiment gamma", []))
    frame = width_numbers(runs)
    factors, notes = sorted(frame["factor"].unique()), Footnotes()
    header = [("", "data set"), ("", "printed")]
    for factor in factors:
        header += [(f"γ = {factor:g}/β", name) for name in ("C", "accuracy (%)", "− printed")]
    rows = [_cells(name, part, factors, notes) for name, part in frame.groupby("dataset", sort=False)]
    caption = [
        _takeaway(frame),
        "CVM's test accuracy at γ = factor / β, β the average squared distance (frandi2013 writes 1/(2 β), tsang2005 "
        "1/β, "
        "LibCVM's default is 2/β), C tuned for each; in bold the nearest to the printed. Mean ± standard deviation "
        "over "
        "the repetitions.",
        missing_sets(WIDTH_STUDY, frame["dataset"], missing, "the study"),
    ]
    text = " ".join(part for part in caption if part)
    return Table(frame, tuple(header), (Section(None, tuple(rows)),), text, notes.listed())


def _takeaway(frame: pd.DataFrame) -> str:
    """Say which width is the nearest to the printed accuracies, and by how much each misses them."""
    compared = frame.dropna(subset=["difference"])
    if compared.empty:
        return "None of these data sets has a printed accuracy."
    misses = compared.groupby("factor")["difference"].agg(lambda values: values.abs().median())
    counts = compared[compared["nearest"]].drop_duplicates("dataset")["factor"].value_counts()
    parts = [f"{value:.2f} at {factor:g}/β (nearest on {counts.get(factor, 0)})" for factor, value in misses.items()]
    return f"Median distance to the printed accuracy of {compared['dataset'].nunique()} sets: {listing(parts)} points."


def _cells(name: str, part: pd.DataFrame, factors: list[float], notes: Footnotes) -> tuple[Cell, ...]:
    part = part.set_index("factor")
    printed = part["printed"].iloc[0]
    cells = [Cell(name), Cell(accuracy(printed, float("nan")))]
    for factor in factors:
        if factor not in part.index:
            cells += [Cell(NOTHING)] * 3
            continue
        row = part.loc[factor]
        marks = (notes.mark(LIMIT_NOTE),) if row["at_limit"] else ()
        difference = NOTHING if pd.isna(row["difference"]) else f"{row['difference']:+.2f}".replace("-", "−")
        cells += [
            Cell(f"{row['C']:g}"),
            Cell(
                accuracy(row["mean"], row["std"], int(row["n"])),
                marks,
                bold=bool(row["nearest"] and difference != NOTHING),
            ),
            Cell(difference),
        ]
    return tuple(cells)
