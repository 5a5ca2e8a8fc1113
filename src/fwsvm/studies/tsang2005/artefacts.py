"""Figures of tsang2005 (CVM against other SVM trainers)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import METHODS, method_label
from fwsvm.reporting.text import joined, listing, significant
from fwsvm.runs.records import ordered
from fwsvm.studies import published
from fwsvm.studies.benchmark.numbers import majority_accuracies
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.benchmark.sketch_figures import core_set_chart
from fwsvm.studies.tsang2005.charts import best_width, series_figure, series_numbers, width_label
from fwsvm.studies.tsang2005.one_class_chart import novelty_chart
from fwsvm.studies.tsang2005.scaling import series_runs, slopes

Missing = Mapping[str, str] | None
Details = Sequence[Mapping]

_CHECKERBOARD, _FOREST = ("checkerboard-1m",), ("covtype",)
_ADULT = tuple(f"a{i}a" for i in range(1, 10))
_LARGE = 100_000
"""From here on the paper finds time and size of CVM constant."""


def fig1(sketches: Mapping, missing: Missing = None) -> Chart:
    """A core-set of points in the plane, from a real run of the scheme CVM follows (tsang2005 fig. 1)."""
    return core_set_chart(sketches["core_set"])


def fig2(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Time, size and error on the checkerboard (tsang2005 fig. 2)."""
    text = published.load("tsang2005_text").iloc[0]
    return _series(
        "checkerboard", _CHECKERBOARD, "4 × 4 checkerboard", runs, tsang2005,
        missing, printed=(1_000_000, float(text["value"])),
    )  # fmt: skip


def fig3(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Time, size and error on forest cover type, class 2 against the rest (tsang2005 fig. 3)."""
    title = "Forest cover type, class 2 against the rest, tested on the points outside the largest share"
    return _series("forest", _FOREST, title, runs, tsang2005, missing)


def fig4(runs: pd.DataFrame, tsang2005: Details, descriptions: Sequence[Mapping], missing: Missing = None) -> Chart:
    """Time, size and error on the Adult series (tsang2005 fig. 4)."""
    return _series(
        "adult", _ADULT, "Adult", runs, tsang2005, missing,
        accuracies=majority_accuracies(descriptions),
    )  # fmt: skip


def oneclass(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """The one-class L2-SVM (tsang2005 sec. 3.2.1) next to scikit-learn's OneClassSVM, on real data."""
    rows = series_runs(runs, _datasets_of(tsang2005, "one_class"))
    rows = rows[rows["partition"].notna()]
    if rows.empty:
        raise NotDrawableError(needs("the study tsang2005", ["usps"], missing))
    return novelty_chart(rows, [entry for entry in tsang2005 if entry["series"] == "one_class"])


def _datasets_of(details: Details, part: str) -> list[str]:
    return list(dict.fromkeys(entry["dataset"] for entry in details if entry["series"] == part))


def _series(part, expected, title, runs, details, missing, printed=None, accuracies=None) -> Chart:
    rows = series_runs(runs, _datasets_of(details, part))
    rows = rows[rows["partition"].isna()]
    if rows.empty:
        raise NotDrawableError(needs("the study tsang2005", expected, missing))
    numbers = series_numbers(rows)
    width = best_width(numbers)
    drawn = numbers[numbers["gamma_rule"] == width]
    sizes = rows[["task_size", "dataset"]].drop_duplicates().sort_values("task_size")
    sets = dict(zip(sizes["task_size"].astype(float), sizes["dataset"], strict=True)) if part == "adult" else {}
    errors = pd.Series(
        {m: 100 - accuracies[name] for m, name in sets.items() if name in (accuracies or {})}, dtype=float
    )
    caption = joined(
        _takeaway(rows, drawn, printed),
        f"{title}; {width_label(width)}" + (", CVM's better width." if len(drawn) < len(numbers) else "."),
        f"Means and ranges over up to {drawn['n'].max()} draws." if drawn["n"].max() > 1 else "",
        f"Open with an arrow: ended at a limit{_allowances(rows)}.",
        _worse_than_constant(drawn, errors),
        missing_sets(expected, rows["dataset"], missing),
    )
    figure = series_figure(drawn, sets or None, printed, errors if len(errors) else None)
    return Chart(figure, caption, numbers)


def _allowances(runs: pd.DataFrame) -> str:
    """The CPU seconds after which runs were ended, by the methods that were, as far as some run shows them."""
    ended = runs[(runs["stop_reason"] == "time_limit").fillna(False)]
    limits = ended.groupby("method")["train_cpu_s"].min().astype(float).round()
    most = limits.max()
    longest = [method_label(name) for name in ordered(limits.index[limits == most], tuple(METHODS))]
    others = sorted({f"{seconds:g}" for seconds in limits[limits < most]}, key=float)
    if limits.empty:
        return ""
    return f" ({most:g} s for {listing(longest)}" + (f", {listing(others)} s for others)" if others else ")")


def _worse_than_constant(drawn: pd.DataFrame, constant: pd.Series) -> str:
    """Name the C at which CVM errs more than the constant answer does on any of the sets."""
    cvm = drawn[drawn["method"] == "cvm"]
    worse = sorted(cvm.loc[cvm["error"] > constant.max(), "C"].unique()) if len(constant) else []
    return f"Worse than the majority class: CVM at C = {listing([f'{C:g}' for C in worse])}." if worse else ""


def _takeaway(runs: pd.DataFrame, drawn: pd.DataFrame, printed: tuple | None) -> str:
    """Say what CVM takes at its largest size, where its error is lowest, and how its time grows."""
    cvm = drawn[(drawn["method"] == "cvm") & drawn["error"].notna()]
    if cvm.empty:
        return ""
    row = cvm[cvm["task_size"] == cvm["task_size"].max()].sort_values("error").iloc[0]
    said = f"CVM takes {significant(row['time'], 3)} s for {row['task_size']:,.0f} points at C = {row['C']:g}, error "
    said += f"{row['error']:.2f} %" + (f" (printed: under {printed[1]:g} s)" if printed else "")
    table = slopes(runs, "cvm", "time", _LARGE if row["task_size"] > _LARGE else 0)
    table = table[(table["gamma_rule"] == row["gamma_rule"]) & (table["C"] == row["C"])]
    if len(table):
        said += f"; its time grows as m to the power of {round(table['slope'].iloc[0], 2) + 0.0:.2f}"
        said += f" from {_LARGE:,} points on" if row["task_size"] > _LARGE else ""
    others = drawn[(drawn["method"] != "cvm") & ~drawn["ended"]]
    if len(others) and others["task_size"].max() < row["task_size"]:
        last = others.loc[others["task_size"].idxmax()]
        said += f". No other gets beyond {last['task_size']:,.0f} points"
    return f"{said}."
