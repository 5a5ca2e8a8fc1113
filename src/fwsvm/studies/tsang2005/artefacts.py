"""Figures of tsang2005 (CVM against other SVM trainers)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.text import listing
from fwsvm.runs.table import CVM_SELECTION
from fwsvm.studies.benchmark.protocol import missing_sets, protocol, selection_settings
from fwsvm.studies.benchmark.sketch_figures import core_set_chart
from fwsvm.studies.tsang2005 import captions as words
from fwsvm.studies.tsang2005.charts import series_figure, series_numbers
from fwsvm.studies.tsang2005.one_class_chart import novelty_chart
from fwsvm.studies.tsang2005.scaling import ENDED, series_runs

Missing = Mapping[str, str] | None
Details = Sequence[Mapping]

_CHECKERBOARD, _FOREST = ("checkerboard-1m",), ("covtype",)
_ADULT = tuple(f"a{i}a" for i in range(1, 10))
_READING = (
    "Lines join means over the repetitions, bars are their range; cross: the last size before a run exceeded its time "
    "or memory allowance; broad, dotted: core-set of CVM; of RSVM the size of its reduced set is shown."
)
_AVERAGE = (
    "γ is a factor over β, the average squared distance of the training set (the paper has 1 / β, LibCVM's default is "
    "2 / β)."
)
_SAME_PROBLEM = "SimpleSVM and LIBSVM (L1) solve the same problem, so that their sizes and errors coincide."
_UNPRINTED = "The paper does not print its C: three are shown, and methods are compared at the same C and γ only."


def fig1(sketches: Mapping, missing: Missing = None) -> Chart:
    """A core-set of points in the plane, from a real run of the scheme CVM follows (tsang2005 fig. 1)."""
    return core_set_chart(sketches["core_set"])


def fig2(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Time, size and error on the checkerboard (tsang2005 fig. 2)."""
    title = (
        "4 × 4 checkerboard, the first m of its points: training time, number of support vectors and test error of CVM "
        "and of other trainers."
    )
    return _series(
        "tsang2005-fig2", "checkerboard", _CHECKERBOARD, runs, tsang2005, missing,
        [title, _AVERAGE, _UNPRINTED, _SAME_PROBLEM],
        (words.million_words, words.setting_error_words, words.growth_words, words.small_words, words.size_words,
         words.accuracy_words),
    )  # fmt: skip


def fig3(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Time, size and error on forest cover type, class 2 against the rest (tsang2005 fig. 3)."""
    title = (
        "Forest cover type, class 2 against the rest, nested random shares of all points: training time, number of "
        "support vectors and test error of CVM and LIBSVM. The test points are those outside the largest share."
    )
    return _series(
        "tsang2005-fig3", "forest", _FOREST, runs, tsang2005, missing, [title, _UNPRINTED],
        (words.growth_words, words.size_words, words.accuracy_words),
    )  # fmt: skip


def fig4(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """Time, size and error on the Adult series (tsang2005 fig. 4)."""
    title = (
        "Adult, sets of growing size with their own test points: training time, number of support vectors and test "
        "error of CVM and of other trainers."
    )
    return _series(
        "tsang2005-fig4", "adult", _ADULT, runs, tsang2005, missing, [title, _AVERAGE, _UNPRINTED, _SAME_PROBLEM],
        (lambda rows: words.growth_words(rows, 0), words.small_words, words.accuracy_words),
    )  # fmt: skip


def oneclass(runs: pd.DataFrame, tsang2005: Details, missing: Missing = None) -> Chart:
    """The one-class L2-SVM (tsang2005 sec. 3.2.1) beside scikit-learn's OneClassSVM, on real data."""
    datasets = _datasets_of(tsang2005, "one_class")
    rows = series_runs(runs, datasets)
    rows = rows[rows["partition"].notna()]
    if rows.empty:
        raise NotDrawableError("tsang2005-oneclass", needs("the study tsang2005", ["usps"], missing))
    details = [entry for entry in tsang2005 if entry["series"] == "one_class"]
    chart = novelty_chart(rows, details)
    caption = f"{chart.caption} {protocol(rows)} {missing_sets(['usps'], set(rows['dataset']), missing, 'the study')}"
    return Chart(chart.figure, caption, chart.frame)


def _datasets_of(details: Details, part: str) -> list[str]:
    return list(dict.fromkeys(entry["dataset"] for entry in details if entry["series"] == part))


def _series(artefact_id, part, expected, runs, details, missing, title, sentences) -> Chart:
    rows = series_runs(runs, _datasets_of(details, part))
    rows = rows[rows["partition"].isna()]
    if rows.empty:
        raise NotDrawableError(artefact_id, needs("the study tsang2005", expected, missing))
    numbers = series_numbers(rows)
    sets = rows[["task_size", "dataset"]].drop_duplicates().sort_values("task_size")
    names = dict(zip(sets["task_size"].astype(float), sets["dataset"], strict=True)) if part == "adult" else None
    caption = [
        *title,
        _READING,
        *(said(rows) for said in sentences),
        _allowances(rows, details),
        f"CVM looks at samples as LibCVM does ({selection_settings(rows[rows['selection'] == CVM_SELECTION])})."
        if (rows["selection"] == CVM_SELECTION).any()
        else "",
        _repetitions(numbers),
        protocol(rows),
        missing_sets(expected, rows["dataset"], missing),
    ]
    return Chart(series_figure(numbers, names), " ".join(part for part in caption if part), numbers)


def _allowances(rows: pd.DataFrame, details: Details) -> str:
    """Say which methods exceeded which allowance, at the earliest."""
    ended = rows[rows["stop_reason"].isin(ENDED)]
    if ended.empty:
        return "No run exceeded its time or memory allowance."
    parts = []
    for reason, what in zip(ENDED, ("time", "memory", "number of steps"), strict=True):
        chosen = ended[ended["stop_reason"] == reason]
        if len(chosen):
            first = chosen.groupby("method")["task_size"].min()
            named = [f"{words.method_label(name)} ({size:,} points)" for name, size in first.items()]
            parts.append(f"their {what}: {listing(named)}")
    return f"Exceeded, at some setting and first at so many points, {'; '.join(parts)}."


def _repetitions(numbers: pd.DataFrame) -> str:
    least, most = int(numbers["n"].min()), int(numbers["n"].max())
    count = f"{least} to {most}" if least < most else f"{most}"
    return f"{count} repetition{'s' if most > 1 else ''} of each run."
