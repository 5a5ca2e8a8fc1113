"""Figures of tsang2005 (CVM against other SVM trainers)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.claims.claim import NOT_REPRODUCED, NOT_RUN
from fwsvm.claims.evidence import Evidence
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.text import joined, listing, significant
from fwsvm.studies import published
from fwsvm.studies.benchmark.numbers import majority_accuracies
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.benchmark.sketch_figures import core_set_chart
from fwsvm.studies.tsang2005.charts import best_width, series_figure, series_numbers, width_label
from fwsvm.studies.tsang2005.claims import _1m_seconds as million_points
from fwsvm.studies.tsang2005.one_class_chart import novelty_chart
from fwsvm.studies.tsang2005.scaling import best_error, series_runs, slopes

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
        "checkerboard", _CHECKERBOARD, runs, tsang2005, missing,
        printed=(1_000_000, float(text["value"])), verdict=_verdict(runs, tsang2005),
    )  # fmt: skip


def _verdict(runs: pd.DataFrame, details: Details) -> str:
    """What the printed time is judged to be, and why it is not reproduced."""
    outcome = million_points.judge(Evidence(runs, None, {"tsang2005": details})).outcome
    least = best_error(series_runs(runs, _datasets_of(details, "checkerboard")), _LARGE)
    why = f": others err {least:.2f} % with {_LARGE:,}" if outcome == NOT_REPRODUCED and least == least else ""
    return "" if outcome == NOT_RUN else f"{outcome}{why}"


def fig3(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Time, size and error on forest cover type, class 2 against the rest (tsang2005 fig. 3)."""
    said = "Class 2 against the rest, tested on the points outside the largest share."
    return _series("forest", _FOREST, runs, tsang2005, missing, said)


def fig4(runs: pd.DataFrame, tsang2005: Details, descriptions: Sequence[Mapping], missing: Missing = None) -> Chart:
    """Time, size and error on the Adult series (tsang2005 fig. 4)."""
    return _series(
        "adult", _ADULT, runs, tsang2005, missing,
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


def _series(part, expected, runs, details, missing, said="", printed=None, accuracies=None, verdict="") -> Chart:
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
    largest = _largest(drawn)
    if printed and (largest is None or largest["task_size"] != printed[0]):
        printed = None
    caption = joined(
        _takeaway(rows, drawn, largest, printed, verdict),
        _same_problem(drawn),
        _worse_than_constant(drawn, errors),
        said,
        _setting(width, drawn, [name for name in numbers["gamma_rule"].unique() if name != width]),
        "Open, dotted on top: stopped (limit after ≤)." if drawn["ended"].any() else "",
        _not_described(sets, errors) if accuracies is not None else "",
        missing_sets(expected, rows["dataset"], missing),
    )
    bound = (largest["C"], *printed) if printed else None
    figure = series_figure(drawn, _limits(rows), sets or None, bound, errors if len(errors) else None)
    return Chart(figure, numbers, caption=caption)


def _largest(drawn: pd.DataFrame) -> pd.Series | None:
    """The row of CVM at its largest size, where its error is lowest."""
    cvm = drawn[(drawn["method"] == "cvm") & drawn["error"].notna()]
    return None if cvm.empty else cvm.sort_values(["task_size", "error"], ascending=[False, True]).iloc[0]


def _same_problem(drawn: pd.DataFrame) -> str:
    """Compare CVM with LIBSVM (L2), which solves the same problem, wherever both ran to their end."""
    keys = ["C", "task_size"]
    cvm, other = (drawn[drawn["method"] == name].set_index(keys)[["time", "error"]] for name in ("cvm", "libsvm_l2"))
    both = cvm.join(other.add_suffix("_other"), how="inner").dropna()
    if both.empty:
        return ""
    slower, better = (both["time"] < both["time_other"]).sum(), (both["error_other"] < both["error"]).sum()
    return f"LIBSVM (L2) is slower in {slower} of {len(both)} cases, errs less in {better}."


def _setting(width: str, drawn: pd.DataFrame, others: Sequence[str]) -> str:
    """Say which kernel width is drawn and which `others` not, and of how many draws the curves are means at most."""
    draws = f"; bars: range of {drawn['n'].max()} draws" if drawn["n"].max() > 1 else ""
    better = (
        f", better for CVM than {listing(width_label(name).removeprefix('γ = ') for name in others)}" if others else ""
    )
    return f"{width_label(width)}{better}{draws}."


def _not_described(sets: Mapping[float, str], errors: pd.Series) -> str:
    """Name the sets whose classes are not known, so that the line of the constant answer leaves them out."""
    unknown = [name for m, name in sets.items() if m not in errors.index]
    return f"Majority class unknown: {', '.join(unknown)}." if len(errors) and unknown else ""


def _limits(runs: pd.DataFrame) -> dict[str, float]:
    """The CPU seconds after which runs of each trainer were ended, where some were: those of the first, rounded."""
    ended = runs[(runs["stop_reason"] == "time_limit").fillna(False)]
    seconds = ended.groupby("method")["train_cpu_s"].min().astype(float)
    return {method: round(limit, 0 if limit > 2 else 1) for method, limit in seconds.items()}


def _worse_than_constant(drawn: pd.DataFrame, constant: pd.Series) -> str:
    """Name the C at which CVM errs more than the constant answer does on any of the sets whose classes are known."""
    cvm = drawn[drawn["method"] == "cvm"]
    worse = sorted(cvm.loc[cvm["error"] > constant.max(), "C"].unique()) if len(constant) else []
    if not worse:
        return ""
    least = cvm.loc[cvm["error"] > constant.max(), "task_size"].min()
    named = listing([f"{C:g}" for C in worse])
    return f"From {least:,.0f} points on CVM at C = {named} errs more than any known majority class."


def _takeaway(
    runs: pd.DataFrame, drawn: pd.DataFrame, row: pd.Series | None, printed: tuple | None, verdict: str
) -> str:
    """Say what CVM takes at its largest size (`row`), how its time grows, and where it and the others end."""
    if row is None:
        return ""
    said = f"CVM takes {significant(row['time'], 3)} s for {row['task_size']:,.0f} points at C = {row['C']:g}, error "
    said += f"{row['error']:.2f} %" + (
        f" (printed: under {printed[1]:g} s, C unknown{verdict and '; '}{verdict})" if printed else ""
    )
    table = slopes(runs, "cvm", "time", _LARGE if row["task_size"] > _LARGE else 0)
    table = table[(table["gamma_rule"] == row["gamma_rule"]) & (table["C"] == row["C"]) & (table["sizes"] > 2)]
    if len(table):
        said += f", growing as m^{round(table['slope'].iloc[0], 2) + 0.0:.2f}"
        said += f" from {_LARGE:,} on" if row["task_size"] > _LARGE else ""
    ended = drawn[(drawn["method"] == "cvm") & drawn["ended"]]["C"].unique()
    if len(ended):
        said += f"; at its limit at C = {listing([f'{C:g}' for C in sorted(ended)])}"
    others = drawn[(drawn["method"] != "cvm") & ~drawn["ended"]]
    if len(others) and others["task_size"].max() < row["task_size"]:
        said += f". No other gets beyond {others['task_size'].max():,.0f}"
    return f"{said}."
