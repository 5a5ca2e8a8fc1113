"""Tables of the benchmark: one row per data set, each of our numbers beside the printed one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import method_label
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, PRINTED, is_missing, joined, significant, whole
from fwsvm.runs.table import CERTIFIED, protocols_of
from fwsvm.studies import published
from fwsvm.studies.benchmark.numbers import (
    BENCHMARK,
    FRANDI2013,
    beside_printed,
    by_name,
    datasets_in_order,
    experiment_runs,
    gain_kept,
    has_certified,
    majority_accuracies,
    methods_shown,
    paper_names,
    parameters,
    widen,
)
from fwsvm.studies.benchmark.protocol import (
    CERTIFIED_WORDS,
    borrowed_cvm,
    marks_disturbed,
    missing_sets,
    protocol_heading,
    timed_on_a_busy_machine,
)

LIMIT_NOTE = "At least one run ended at its time or iteration limit: unfinished, its time a lower bound."
CONSTANT_NOTE = "No more accurate than the majority class."
DISTURBED_NOTE = "At least one run was timed on a busy machine."

FEATURES = {
    "m": "train_size",
    "t": "test_size",
    "K": "classes",
    "m_max": "max_pair_size",
    "m_min": "min_pair_size",
    "n": "features",
}
"""Features of a data set in the papers' letters -> column of the printed table."""


def benchmark_table(
    runs: pd.DataFrame,
    measure: str,
    write: Callable[[float, float, int], str],
    missing: Mapping[str, str] | None = None,
    ratio: bool = False,
    tolerance: float | None = None,
    descriptions: Sequence[Mapping] = (),
) -> Table:
    """Lay out mean and deviation of one measure, each protocol under its own heading, beside the printed.

    Parameters
    ----------
    measure : str
        A measure of `fwsvm.runs.table.summarise` with printed numbers.
    write : callable
        Writes mean, standard deviation and number of repetitions; a key of `fwsvm.reporting.text.PRINTED`.
    ratio : bool
        Add a column printed / ours.
    tolerance : float, optional
        Mark means that lie farther than this from the printed ones.
    descriptions : sequence of mapping
        One per data set, for its majority class: with them, accuracies stand next to that of the constant answer and
        to the share of CVM's gain over it.

    Returns
    -------
    Table
        Its frame has one row per protocol and data set with the columns ``<method>_<statistic>``, and for accuracies
        ``majority`` and ``<method>_kept``.
    """
    runs = experiment_runs(runs, BENCHMARK)
    if runs.empty:
        raise NotDrawableError(needs("the benchmark", []))
    methods = methods_shown(runs, FRANDI2013)
    runs = runs[runs["method"].isin(methods)]
    if has_certified(runs):
        methods.insert(1, CERTIFIED)
    table = beside_printed(runs, measure, methods)
    comparison = "ratio" if ratio else "difference"
    if ratio:
        table[comparison] = table["printed_mean"] / table["mean"]
    else:
        table[comparison] = table["mean"] - table["printed_mean"]
    table["majority"] = table["dataset"].map(majority_accuracies(descriptions)).astype(float)
    cvm = table[table["method"] == "cvm"].set_index(["protocol", "dataset"])["mean"]
    of_cvm = pd.MultiIndex.from_frame(table[["protocol", "dataset"]]).map(cvm)
    table["kept"] = gain_kept(table["mean"], pd.Series(of_cvm, table.index, dtype=float), table["majority"])
    constant = bool(table["majority"].notna().any())

    notes, is_marked = Footnotes(), ratio and marks_disturbed(runs)
    sections = []
    for protocol in protocols_of(runs):
        rows = table[table["protocol"] == protocol]
        cells = [
            (
                Cell(name),
                *([Cell(_per_cent(of_set["majority"].iloc[0], 2))] if constant else []),
                *_cells(of_set, write, comparison, tolerance, is_marked, constant, notes),
            )
            for name, of_set in rows.groupby("dataset", sort=False)
        ]
        sections.append(Section(protocol_heading(runs, protocol), tuple(cells)))
    header = (
        ("", "data set"),
        *([("", "majority class")] if constant else []),
        *(pair for method in methods for pair in _columns(method, ratio, constant)),
    )
    values = ("mean", "std", "n", "at_limit", "disturbed", *(("kept",) if constant else ()))
    frame = widen(table, values, ("printed_mean", "printed_std", comparison))
    if constant:
        frame.insert(2, "majority", frame["dataset"].map(majority_accuracies(descriptions)))
    order = datasets_in_order(runs["dataset"].dropna())
    tuned = {name: parameters(runs[(runs["protocol"] == name).fillna(False)], order) for name in protocols_of(runs)}
    tuned = pd.concat(tuned, names=["protocol", "dataset"]).reset_index()
    frame = frame.merge(tuned, on=["protocol", "dataset"], how="left")
    printed_sets = published.load("frandi2013_accuracy")["dataset"]
    caption = joined(
        _takeaway(table[table["protocol"] == protocols_of(runs)[0]], comparison),
        f"{'Training time (CPU seconds)' if ratio else 'Test accuracy (%)'}: ours as mean ± standard deviation, the "
        f"best of CVM, FW and MFW in bold{'; ≥: a run ended at its limit' if ratio else ''}.",
        "Gain kept: share of CVM's gain over the majority class." if constant else "",
        borrowed_cvm(runs),
        CERTIFIED_WORDS if CERTIFIED in methods else "",
        timed_on_a_busy_machine(runs) if ratio else "",
        missing_sets(printed_sets, runs["dataset"].dropna(), missing),
    )
    return Table(frame, header, tuple(sections), notes.listed(), caption=caption)


def _takeaway(table: pd.DataFrame, comparison: str) -> str:
    """Per method, how far ours are from the printed under the first selection."""
    parts = []
    for method, rows in table[table["method"].isin(FRANDI2013)].groupby("method", sort=False):
        known = rows.loc[~rows["at_limit"].astype(bool) | (comparison != "ratio"), comparison].dropna()
        if len(known):
            near = significant(known.median(), 2) if comparison == "ratio" else f"{known.abs().median():.2f}"
            parts.append(f"{method_label(method)} {near}")
    if not parts:
        return ""
    what = "Printed time over ours" if comparison == "ratio" else "Distance to the printed accuracies in points"
    return f"{what}, median over the data sets: {', '.join(parts)} (first section)."


def _columns(method: str, ratio: bool, constant: bool) -> list[tuple[str, str]]:
    label = method_label(method)
    printed = [(label, "printed")] if method in FRANDI2013 else []
    kept = [(label, "gain kept (%)")] if constant and method not in ("cvm", CERTIFIED) else []
    return [(label, "ours"), *printed, *([(label, "printed / ours")] if ratio and printed else []), *kept]


def _per_cent(value: float, digits: int) -> str:
    return NOTHING if is_missing(value) else f"{value:.{digits}f}".replace("-", "−")


def _cells(
    rows: pd.DataFrame,
    write: Callable,
    comparison: str,
    tolerance: float | None,
    is_marked: bool,
    constant: bool,
    notes: Footnotes,
):
    is_time = comparison == "ratio"
    compared_here = rows[rows["method"].isin(FRANDI2013)]["mean"]
    best = compared_here.min() if is_time else compared_here.max()
    for row in rows.itertuples(index=False):
        marks = []
        if row.at_limit and not is_time:
            marks.append(notes.mark(LIMIT_NOTE))
        if row.disturbed and is_marked:
            marks.append(notes.mark(DISTURBED_NOTE))
        compared = getattr(row, comparison)
        if tolerance is not None and abs(compared) > tolerance:
            marks.append(notes.mark(f"More than {tolerance:g} point{'s' * (tolerance != 1)} from the printed value."))
        if row.mean <= row.majority:
            marks.append(notes.mark(CONSTANT_NOTE))
        elsewhere = row.method == CERTIFIED and row.protocol != "all_points"
        ours = f"≥ {write(row.mean, float('nan'))}" if is_time and row.at_limit else write(row.mean, row.std, row.n)
        is_best = row.method in FRANDI2013 and row.mean == best and not row.at_limit
        yield Cell("" if elsewhere else ours, tuple(marks), bold=is_best)
        if row.method in FRANDI2013:
            yield Cell(PRINTED[write](row.printed_mean, row.printed_std))
            if comparison == "ratio":
                yield Cell(("≤ " if row.at_limit and not is_missing(compared) else "") + significant(compared, 2))
        if constant and row.method not in ("cvm", CERTIFIED):
            yield Cell(_per_cent(row.kept, 0))


def _difference(description: Mapping, letter: str) -> str:
    """The footnote of a size that is not the printed one, with the reason that the catalogue gives."""
    reason = (description.get("differs") or {}).get(letter)
    return f"Differs from the printed value: {reason}" if reason else "Differs from the printed value."


def features_table(descriptions: Sequence[Mapping], missing: Mapping[str, str] | None = None) -> Table:
    """Lay out the sizes of the prepared data sets beside the printed ones.

    Parameters
    ----------
    descriptions : sequence of mapping
        One per data set: ``dataset`` (or ``name``), ``m``, ``t``, ``K``, ``m_max``, ``m_min``, ``n`` and, if
        known, ``paper_name`` and ``differs`` (column -> why it is not the printed size).

    Returns
    -------
    Table
        Its frame has for each feature the columns ``<feature>`` and ``<feature>_printed``.
    """
    if not descriptions:
        raise NotDrawableError("needs descriptions of data sets, and this run has none")
    printed = published.load("frandi2013_datasets").set_index("dataset")
    described = by_name(descriptions)
    names = paper_names()
    notes = Footnotes()
    rows, records = [], []
    for name in datasets_in_order(described, "frandi2013_datasets"):
        ours = described[name]
        label = names.get(name) or ours.get("paper_name") or name
        cells, record = [Cell(label)], {"dataset": name, "name_in_paper": names.get(name)}
        for letter, column in FEATURES.items():
            value = ours.get(letter)
            theirs = int(printed.loc[name, column]) if name in printed.index else None
            differs = not is_missing(value) and theirs is not None and int(value) != theirs
            marks = (notes.mark(_difference(ours, letter)),) if differs else ()
            both = f"{whole(value)} ({whole(theirs)})" if differs else whole(theirs if is_missing(value) else value)
            cells.append(Cell(both, marks))
            record |= {letter: value, f"{letter}_printed": theirs}
        rows.append(tuple(cells))
        records.append(record)
    header = (("", "data set"), *(("", letter) for letter in FEATURES))
    columns = list(records[0])
    integers = [column for column in columns if column not in ("dataset", "name_in_paper")]
    frame = pd.DataFrame(records, columns=columns).astype(dict.fromkeys(integers, "Int64"))
    differing = sum(bool(cell.marks) for row in rows for cell in row)
    caption = (
        f"{differing} of the {len(records) * len(FEATURES)} sizes differ from the printed. m training points, t test "
        "points, K classes, m_max and m_min points of the largest and smallest one-versus-one subproblem, n features, "
        "of the prepared data; in brackets the printed size where it is another. "
        f"{missing_sets(printed.index, described, missing)}"
    ).strip()
    return Table(frame, header, (Section(None, tuple(rows)),), notes.listed(), caption=caption)
