"""What the tests were designed to show and what they conclude, in words that follow from the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.style import method_label
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, is_missing, joined, listing, p_value, whole
from fwsvm.statistics.tests import LEVELS
from fwsvm.studies.benchmark.agreement import agreement, time_order
from fwsvm.studies.benchmark.hypotheses import HYPOTHESES, NOT_REJECTED, NOT_RUN
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm.studies.benchmark.protocol import protocol_heading
from fwsvm.studies.benchmark.significance_table import (
    FRIEDMAN,
    MEASURES,
    METHOD_NOTE,
    WILCOXON_NOTE,
    WITHOUT_NOTE,
    comparison_label,
    conclusions_in_words,
    of_paper,
    remarks,
    tests_caption,
    without_stand_ins,
    words,
)

_ALTERNATIVES = {"less": "one-sided", "greater": "one-sided", "two-sided": "two-sided"}


def design_table(paper: str) -> Table:
    """Lay out the null and alternative hypotheses of a paper's binary tests; no runs are needed.

    Parameters
    ----------
    paper : str
        Which of `HYPOTHESES`.
    """
    designed = [test for test in HYPOTHESES if test.paper == paper and test.test != FRIEDMAN]
    order = list(dict.fromkeys(test.comparison for test in designed))
    designed.sort(key=lambda test: order.index(test.comparison))
    names = ("comparison", "measure", "h0", "h1", "test", "alternative")
    frame = pd.DataFrame([{name: getattr(test, name) for name in names} for test in designed], columns=list(names))
    rows = tuple(
        (
            Cell(comparison_label(test.comparison, test.test)),
            Cell(MEASURES[test.measure]),
            Cell(test.h0),
            Cell(test.h1),
            Cell(_ALTERNATIVES[test.alternative]),
        )
        for test in designed
    )
    header = (("", "comparison"), ("", "measure"), ("", "H0"), ("", "H1"), ("", "Wilcoxon test"))
    caption = (
        "Hypotheses of the paper's binary tests, all of them Wilcoxon signed-rank tests over the data sets; the "
        "multiple "
        "test that goes before is Friedman's in the form of Iman and Davenport."
    )
    return Table(frame, header, (Section(None, rows),), caption=caption, align="llwwl")


def conclusions_table(
    tests: pd.DataFrame,
    runs: pd.DataFrame,
    paper: str,
    missing: Mapping[str, str] | None = None,
) -> Table:
    """Lay out the conclusions of a paper's binary tests at each of the three levels, beside the printed.

    Parameters are those of `significance_table.matrix_table`.
    """
    tests = of_paper(tests, paper)
    if tests.empty:
        raise NotDrawableError("needs significance tests, and this run has none")
    runs = experiment_runs(runs, BENCHMARK)
    tests = tests.assign(agreement=agreement(tests))
    binary = tests[tests["test"] != FRIEDMAN]
    notes = Footnotes()
    sections = []
    for protocol, group in binary.groupby("protocol", sort=False):
        by_pair = group.assign(_place=group.groupby("comparison", sort=False).ngroup())
        by_pair = by_pair.sort_values("_place", kind="stable")
        rows = tuple(tuple(_conclusion_cells(row, notes)) for row in by_pair.to_dict("records"))
        sections.append(Section(protocol_heading(runs, protocol), rows))
    header = (
        *(("", name) for name in ("comparison", "measure", "data sets")),
        ("p-value", "ours"),
        ("p-value", WITHOUT_NOTE),
        ("p-value", "printed"),
        ("conclusion", "ours, with its level"),
        ("conclusion", "printed, at 1 %"),
        ("", "the same?"),
    )
    reading = f"{WILCOXON_NOTE} {_sides(binary)} {LEVELS_NOTE}"
    caption = tests_caption(conclusions_in_words(binary), reading, runs, missing)
    return Table(binary, header, tuple(sections), notes.listed(), caption=caption, align="llrrrrwwl")


def _sides(tests: pd.DataFrame) -> str:
    """Which tests are one-sided."""
    rows = tests[tests["alternative"] == "two-sided"].drop_duplicates(["comparison", "measure"])
    both = [
        f"{comparison_label(row.comparison, row.test)} in {MEASURES.get(row.measure, row.measure).lower()}"
        for row in rows.itertuples()
    ]
    return f"One-sided toward the printed conclusion{f', two-sided {listing(both)}' if both else ''}."


def _conclusion_cells(row: Mapping, notes: Footnotes) -> Iterator[Cell]:
    yield Cell(comparison_label(row["comparison"], row["test"]))
    yield Cell(MEASURES.get(row["measure"], row["measure"]))
    yield Cell(whole(row["n_datasets"]))
    yield Cell(p_value(row["p_value"]), tuple(remarks(row, notes)))
    yield without_stand_ins(row)
    yield Cell(words(row["p_printed"]))
    if is_missing(row["p_value"]):
        yield Cell(NOT_RUN)
    elif levels := [level for level in LEVELS if row[f"decision_{round(100 * level)}"]]:
        yield Cell(f"{_rejection(row)} {_STARS[min(levels)]}")
    else:
        reverse = row["alternative"] != "two-sided" and row["p_value"] > 1 - min(LEVELS)
        yield Cell(f"{NOT_REJECTED}, rather the reverse" if reverse else NOT_REJECTED)
    yield Cell(row["conclusion_published"])
    yield _same(row)


LEVELS_NOTE = "H0 is rejected at 1 % (***), 5 % (**) or 10 % (*); agreement is judged at 5 %."
_STARS = dict(zip(LEVELS, ("***", "**", "*"), strict=True))


def _rejection(row: Mapping) -> str:
    """The conclusion where H0 is rejected; at 5 % it stands in the row, at other levels it is H1."""
    found = row["conclusion"]
    return found if found not in (NOT_REJECTED, NOT_RUN) else row["h1"]


def hypotheses_table(
    tests: pd.DataFrame,
    runs: pd.DataFrame,
    paper: str,
    missing: Mapping[str, str] | None = None,
) -> Table:
    """Lay out tests as nanculef2014 does: a row per hypothesis, with p-values and conclusions in words.

    Parameters are those of `significance_table.matrix_table`.
    """
    tests = of_paper(tests, paper)
    if tests.empty:
        raise NotDrawableError("needs significance tests, and this run has none")
    runs = experiment_runs(runs, BENCHMARK)
    tests = tests.assign(agreement=agreement(tests))
    notes = Footnotes()
    sections = []
    for protocol, group in tests.groupby("protocol", sort=False):
        rows = []
        for row in group.to_dict("records"):
            rows.append(
                (
                    Cell(MEASURES.get(row["measure"], row["measure"])),
                    Cell(comparison_label(row["comparison"], row["test"])),
                    Cell(words(row["h1"])),
                    Cell(whole(row["n_datasets"])),
                    Cell(p_value(row["p_value"]), tuple(remarks(row, notes))),
                    without_stand_ins(row),
                    Cell(words(row["p_printed"])),
                    Cell(_decision(row["conclusion"])),
                    Cell(_decision(row["conclusion_published"])),
                    _same(row),
                )
            )
        sections.append(Section(protocol_heading(runs, protocol), tuple(rows)))
    header = (
        ("", "measure"),
        ("", "comparison"),
        ("", "alternative hypothesis"),
        ("", "data sets"),
        ("p-value", "ours"),
        ("p-value", WITHOUT_NOTE),
        ("p-value", "printed"),
        ("conclusion at 5 %", "ours"),
        ("conclusion at 5 %", "printed"),
        ("", "the same?"),
    )
    reading = joined(METHOD_NOTE, _order(tests, runs), DECISION_NOTE)
    caption = tests_caption(conclusions_in_words(tests), reading, runs, missing)
    return Table(tests, header, tuple(sections), notes.listed(), caption=caption, align="lwwrrrrwwl")


DECISION_NOTE = "H0: not rejected."


def _decision(conclusion: str | None) -> str:
    """A conclusion as H0 or H1, with the direction that stands behind a two-sided one in brackets."""
    text = words(conclusion)
    if text in (NOTHING, NOT_RUN):
        return text
    return "H0" if text == NOT_REJECTED else f"H1{text[text.rindex(' (') :] if text.endswith(')') else ''}"


def _same(row: Mapping) -> Cell:
    """Whether the conclusions agree; bold where our data could and do decide otherwise than the paper's."""
    return Cell({"agrees": "yes", "differs": "no"}.get(row["agreement"], NOTHING), bold=row["agreement"] == "differs")


def _order(tests: pd.DataFrame, runs: pd.DataFrame) -> str:
    """Mean ranks of training time under the first selection, ours next to the printed ones."""
    order = time_order(runs, tests["protocol"].iloc[0])
    if order is None:
        return ""
    return f"Mean ranks of time (first section): {_ranked(order.ours)}; printed {_ranked(order.printed)}."


def _ranked(ranks: Mapping[str, float]) -> str:
    return ", ".join(f"{method_label(method)} {rank:.2f}" for method, rank in ranks.items())
