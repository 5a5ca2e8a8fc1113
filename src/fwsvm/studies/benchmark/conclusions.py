"""What the tests were designed to show and what they conclude, in words that follow from the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.reporting.style import method_label
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import is_missing, listing, p_value, whole
from fwsvm.statistics.tests import LEVELS
from fwsvm.studies.benchmark.agreement import agreement, time_order
from fwsvm.studies.benchmark.hypotheses import HYPOTHESES, NOT_REJECTED, NOT_RUN
from fwsvm.studies.benchmark.numbers import BENCHMARK, experiment_runs
from fwsvm.studies.benchmark.protocol import protocol_heading, protocol_words
from fwsvm.studies.benchmark.significance_table import (
    FRIEDMAN,
    MEASURES,
    comparison_label,
    of_paper,
    remarks,
    tests_caption,
    words,
)

DIFFERS_NOTE = "not the conclusion of the paper"
_ALTERNATIVES = {"less": "one-sided", "greater": "one-sided", "two-sided": "two-sided"}


def design_table(paper: str, title: str) -> Table:
    """Lay out the null and alternative hypotheses of a paper's binary tests; no runs are needed.

    Parameters
    ----------
    paper : str
        Which of `HYPOTHESES`.
    title : str
        First sentence of the caption.
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
        f"{title} All are Wilcoxon signed-rank tests over the data sets; the multiple test that goes before is "
        "Friedman's in the form of Iman and Davenport. The design is the paper's, whichever data sets are at hand."
    )
    return Table(frame, header, (Section(None, rows),), caption, align="llwwl")


def conclusions_table(
    artefact_id: str,
    tests: pd.DataFrame,
    runs: pd.DataFrame,
    paper: str,
    title: str,
    missing: Mapping[str, str] | None = None,
) -> Table:
    """Lay out the conclusions of a paper's binary tests at each of the three levels, beside the printed.

    Parameters are those of `significance.matrix_table`.
    """
    tests = of_paper(tests, paper)
    if tests.empty:
        raise NotDrawableError(artefact_id, "needs significance tests, and this run has none")
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
        ("", "comparison"),
        ("", "measure"),
        ("", "data sets"),
        ("", "p-value"),
        *(("conclusion, ours", f"at {100 * level:g} %") for level in LEVELS),
        ("conclusion, printed", "at 1, 5 and 10 %"),
    )
    caption = tests_caption(title, findings(tests, runs), tests, runs, missing)
    return Table(binary, header, tuple(sections), caption, notes.listed(), align="llrrwwww")


def _conclusion_cells(row: Mapping, notes: Footnotes) -> Iterator[Cell]:
    yield Cell(comparison_label(row["comparison"], row["test"]))
    yield Cell(MEASURES.get(row["measure"], row["measure"]))
    yield Cell(whole(row["n_datasets"]))
    yield Cell(p_value(row["p_value"]), tuple(remarks(row, notes)))
    for level in LEVELS:
        decision = row[f"decision_{round(100 * level)}"]
        said = NOT_RUN if is_missing(row["p_value"]) else _rejection(row) if decision else NOT_REJECTED
        # The printed conclusion is the same at the three levels, so that each of ours can be held against it.
        told = row["agreement"] != "cannot tell" and row["p_smallest"] <= level
        differs = told and bool(decision) != (row["conclusion_published"] != NOT_REJECTED)
        yield Cell(said, (notes.mark(DIFFERS_NOTE),) if differs else ())
    printed = row["conclusion_published"]
    yield Cell(printed if printed == NOT_REJECTED else f"H0 rejected: {printed}")


def _rejection(row: Mapping) -> str:
    """The conclusion where H0 is rejected; at 5 % it stands in the row, at other levels it is H1."""
    found = row["conclusion"]
    return f"H0 rejected: {found if found not in (NOT_REJECTED, NOT_RUN) else row['h1']}"


def hypotheses_table(
    artefact_id: str,
    tests: pd.DataFrame,
    runs: pd.DataFrame,
    paper: str,
    title: str,
    missing: Mapping[str, str] | None = None,
) -> Table:
    """Lay out tests as nanculef2014 does: a row per hypothesis, with p-values and conclusions in words.

    Parameters are those of `significance.matrix_table`.
    """
    tests = of_paper(tests, paper)
    if tests.empty:
        raise NotDrawableError(artefact_id, "needs significance tests, and this run has none")
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
                    Cell(words(row["p_printed"])),
                    Cell(words(row["conclusion"]), _disagreement(row, notes)),
                    Cell(words(row["conclusion_published"])),
                )
            )
        sections.append(Section(protocol_heading(runs, protocol), tuple(rows)))
    header = (
        ("", "measure"),
        ("", "comparison"),
        ("", "alternative hypothesis"),
        ("", "data sets"),
        ("p-value", "ours"),
        ("p-value", "printed"),
        ("conclusion at 5 %", "ours"),
        ("conclusion at 5 %", "printed"),
    )
    caption = tests_caption(title, findings(tests, runs), tests, runs, missing)
    return Table(tests, header, tuple(sections), caption, notes.listed(), align="llwrrrww")


def _disagreement(row: Mapping, notes: Footnotes) -> tuple[str, ...]:
    """A mark where our data could and do decide otherwise than the paper's."""
    return (notes.mark(DIFFERS_NOTE),) if row["agreement"] == "differs" else ()


def findings(tests: pd.DataFrame, runs: pd.DataFrame) -> str:
    """Say in sentences where our conclusions and our order of the methods are the paper's and where not.

    Parameters
    ----------
    tests : DataFrame
        Tests of one paper, all protocols.
    runs : DataFrame
        Runs of the benchmark.
    """
    said = []
    for protocol, group in tests.groupby("protocol", sort=False):
        methods = list(dict.fromkeys(method for pair in group["comparison"] for method in pair.split("-")))
        said.append(
            f"Under “{protocol_words(protocol)}”: {_agreement_words(group)}{_order_words(runs, protocol, methods)}."
        )
    return " ".join(said)


def _agreement_words(group: pd.DataFrame) -> str:
    verdict = agreement(group)
    judged = int((verdict != "cannot tell").sum())
    if not judged:
        return f"none of the {len(group)} tests can be judged on so few data sets"
    said = f"{int((verdict == 'agrees').sum())} of {judged} conclusions at 5 % agree with the paper's"
    differing = group[verdict == "differs"]
    if len(differing):
        parts = [
            f"{MEASURES[row.measure].lower()} {comparison_label(row.comparison, row.test)} "
            f"(ours: {row.conclusion}; printed: {row.conclusion_published})"
            for row in differing.itertuples(index=False)
        ]
        said += f"; they differ for {listing(parts)}"
    untold = len(group) - judged
    return said + (f"; {untold} cannot be judged" if untold else "")


def _order_words(runs: pd.DataFrame, protocol: str, methods: Sequence[str]) -> str:
    order = time_order(runs, protocol, methods)
    if order is None:
        return ""
    ours, printed = _ranked(order.ours), _ranked(order.printed)
    sets = f"{len(order.datasets)} data set{'s' if len(order.datasets) > 1 else ''}"
    verdict = "the same order" if order.agrees else "another order"
    words = f"; mean ranks of training time over {sets}, fastest first: ours {ours}; printed {printed}: {verdict}"
    return words + (f"; ours with all methods {_ranked(order.all_methods)}" if order.all_methods else "")


def _ranked(ranks: Mapping[str, float]) -> str:
    return ", ".join(f"{method_label(method)} {rank:.2f}" for method, rank in ranks.items())
