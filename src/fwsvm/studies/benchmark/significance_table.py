"""Tables of the significance tests, ours beside the printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.style import method_label
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, is_missing, joined, listing, p_value, significant
from fwsvm.runs.protocols import PROTOCOLS, protocol_words
from fwsvm.runs.records import ordered
from fwsvm.studies import published
from fwsvm.studies.benchmark.agreement import agreement
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm.studies.benchmark.protocol import missing_sets, protocol_heading

FRIEDMAN = "friedman-iman-davenport"

DOUBLED_NOTE = "The paper prints twice the upper tail of F; ours is the tail, and next to it twice that."
WILCOXON_NOTE = "Wilcoxon's tests have Pratt's zeros and exact p-values."
METHOD_NOTE = "Wilcoxon's tests have Pratt's zeros and exact p-values, Friedman's the form of Iman and Davenport."
DIFFERS_NOTE = "another conclusion at 5 % than the paper's"
SMALLER_NOTE = "W: the smaller rank sum, whichever method is ahead."
WITHOUT_NOTE = "without stand-ins"
MEASURES = {"time": "Time", "accuracy": "Accuracy"}


def of_paper(tests: pd.DataFrame, paper: str) -> pd.DataFrame:
    """Return the tests of one paper, protocols in the fixed order."""
    if tests.empty:
        return tests
    rows = tests[tests["paper"] == paper]
    rank = {name: place for place, name in enumerate(ordered(rows["protocol"].dropna(), PROTOCOLS))}
    by_protocol = rows["protocol"].map(rank).sort_values(kind="stable")
    return rows.loc[by_protocol.index].drop(columns="artefact", errors="ignore").reset_index(drop=True)


def comparison_label(comparison: str, test: str) -> str:
    """Write ``fw-cvm`` as FW vs. CVM, and the methods of a multiple test as a list."""
    labels = [method_label(method) for method in comparison.split("-")]
    return ", ".join(labels) if test == FRIEDMAN else " vs. ".join(labels)


def tests_caption(takeaway: str, notes: str, runs: pd.DataFrame, missing: Mapping[str, str] | None) -> str:
    """Put together the caption of a table of tests."""
    expected, present = published.load("frandi2013_accuracy")["dataset"], runs["dataset"].dropna()
    return joined(takeaway, notes, missing_sets(expected, present, missing))


def conclusions_in_words(tests: pd.DataFrame) -> str:
    """How many conclusions at 5 % are the paper's, under each selection."""
    parts = []
    for protocol, group in tests.groupby("protocol", sort=False):
        verdict = agreement(group)
        judged = int((verdict != "cannot tell").sum())
        title = protocol_words(protocol)
        said = f"{int((verdict == 'agrees').sum())} of {judged}" if judged else "none can be told"
        parts.append(f"{said} ({title})")
    return f"Conclusions at 5 % that are the paper's: {listing(parts)}."


def matrix_table(
    tests: pd.DataFrame,
    runs: pd.DataFrame,
    paper: str,
    value: str,
    missing: Mapping[str, str] | None = None,
) -> Table:
    """Lay out statistics or p-values as frandi2013 does: a row per measure, a column per comparison.

    Parameters
    ----------
    tests : DataFrame
        Result of ``fwsvm.studies.benchmark.hypotheses.evaluate`` for each protocol, with the column ``protocol``.
    runs : DataFrame
        The runs that were tested, for the caption.
    paper : str
        Which rows of `tests`.
    value : {"statistic", "p_value"}
        What is shown.
    """
    tests = of_paper(tests, paper)
    if tests.empty:
        raise NotDrawableError("needs significance tests, and this run has none")
    runs, tests = experiment_runs(runs, BENCHMARK), tests.assign(agreement=agreement(tests))
    doubled = value == "p_value"
    comparisons = list(tests.groupby(["comparison", "test"], sort=False).groups)
    comparisons.sort(key=lambda pair: pair[1] == FRIEDMAN)
    notes = Footnotes()
    sections = []
    for protocol, group in tests.groupby("protocol", sort=False):
        rows = []
        for measure in ordered(group["measure"], tuple(MEASURES)):
            of_measure = group[group["measure"] == measure].set_index(["comparison", "test"])
            sizes = sorted({int(n) for n in of_measure["n_datasets"].dropna()})
            cells = [
                Cell(MEASURES.get(measure, measure)),
                Cell("–".join(map(str, sizes[:1] + sizes[1:][-1:]))),
            ]
            for pair in comparisons:
                row = of_measure.loc[pair].to_dict() if pair in of_measure.index else {}
                cells += _matrix_cells(row, pair[1], value, notes)
            rows.append(tuple(cells))
        sections.append(Section(protocol_heading(runs, protocol), tuple(rows)))
    header = [("", "measure"), ("", "data sets")]
    for comparison, test in comparisons:
        label = comparison_label(comparison, test)
        label = label if doubled else f"{'F' if test == FRIEDMAN else 'W'}: {label}"
        names = ("ours", WITHOUT_NOTE, "ours, doubled") if test == FRIEDMAN else ("ours", WITHOUT_NOTE)
        header += [(label, name) for name in (*(names if doubled else ("ours",)), "printed")]
    reading = f"{METHOD_NOTE} {DOUBLED_NOTE if doubled else SMALLER_NOTE}"
    caption = tests_caption(conclusions_in_words(tests), reading, runs, missing)
    return Table(tests, tuple(header), tuple(sections), notes.listed(), caption=caption)


def _matrix_cells(row: Mapping, test: str, value: str, notes: Footnotes) -> Iterator[Cell]:
    marks = [notes.mark(DIFFERS_NOTE)] if row.get("agreement") == "differs" else []
    marks = (*marks, *remarks(row, notes, about_p=value == "p_value"))
    if value == "statistic":
        yield Cell(_statistic(row.get("statistic"), test), marks)
        yield Cell(_statistic(row.get("statistic_published"), test))
        return
    yield Cell(p_value(row.get("p_value")), marks)
    yield without_stand_ins(row)
    if test == FRIEDMAN:
        yield Cell(p_value(row.get("p_value_doubled")))
    yield Cell(words(row.get("p_printed")))


def _statistic(value: float | None, test: str) -> str:
    return significant(value, 5) if test == FRIEDMAN else NOTHING if is_missing(value) else f"{value:g}"


def remarks(row: Mapping, notes: Footnotes, about_p: bool = True) -> Iterator[str]:
    """Yield the marks of the remarks on one test; those on doubled p-values only where p-values are shown."""
    note = row.get("note")
    for remark in [] if is_missing(note) else str(note).split("; "):
        if remark and (about_p or "p_value_doubled" not in remark):
            yield notes.mark(remark.replace("compare p_value_doubled", "compare ours, doubled"))
    without = row.get("conclusion_without")
    if not is_missing(without) and without != row["conclusion"]:
        yield notes.mark(f"Without stand-ins, {row['n_without']:.0f} data sets: {without}.")


def without_stand_ins(row: Mapping) -> Cell:
    """Return the p-value without the data sets that are stand-ins; nothing where there are none."""
    value = row.get("p_without")
    return Cell("" if is_missing(value) else p_value(value))


def words(text) -> str:
    """Write a text that may be missing."""
    return NOTHING if is_missing(text) or not str(text) else str(text)
