"""The tables of the significance tests, with our results next to those of the papers."""

from collections.abc import Iterator, Mapping

import pandas as pd

from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.style import method_label
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import NOTHING, is_missing, p_value, significant, whole
from fwsvm_papers.statistics.tests import LEVELS
from fwsvm_papers.studies.benchmark.numbers import BENCHMARK, experiment_runs, rows_in_order
from fwsvm_papers.studies.benchmark.protocol import Missing, missing_sets, protocol_heading
from fwsvm_papers.studies.benchmark.significance import HYPOTHESES, NOT_REJECTED, NOT_RUN, agreement
from fwsvm_papers.studies.registry import load_printed

FRIEDMAN = "friedman-iman-davenport"
DIFFERS_NOTE = "Our conclusion at the 5 % significance level differs from the paper's conclusion."
WITHOUT_NOTE = "without stand-ins"
MEASURES = {"time": "Time", "accuracy": "Accuracy"}
_SIDES = {"two-sided": "two-sided", "less": "one-sided", "greater": "one-sided"}
_STARS = dict(zip(LEVELS, ("***", "**", "*"), strict=True))


def design_table(missing: Missing = None, *, paper: str) -> Table:
    """Return a table with the hypotheses H0 and H1 of each test in which a paper compares two
    methods.

    The table needs no runs.
    """
    designed = pd.DataFrame(
        [test for test in HYPOTHESES if test.paper == paper and test.test != FRIEDMAN]
    )
    frame = _by_comparison(designed[["comparison", "measure", "h0", "h1", "test", "alternative"]])
    columns = [
        _COMPARISON,
        _MEASURE,
        Column("H0", lambda row: row["h0"], align="w"),
        Column("H1", lambda row: row["h1"], align="w"),
        Column("Wilcoxon test", lambda row: _SIDES[row["alternative"]], align="l"),
    ]
    return ours_beside_printed(frame, columns)


def matrix_table(
    tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None, *, paper: str, value: str
) -> Table:
    """Return a table of test statistics or of p-values, as `value` says. The table has a row per
    measure and a column per comparison.
    """
    tests, runs = _prepared(tests, runs, paper)
    pairs = sorted(
        tests.groupby(["comparison", "test"], sort=False).groups,
        key=lambda pair: pair[1] == FRIEDMAN,
    )
    rows = []
    for (protocol, measure), group in tests.groupby(["protocol", "measure"], sort=False):
        sizes = sorted({int(n) for n in group["n_datasets"].dropna()})
        row = {
            "protocol": protocol,
            "measure": measure,
            "sizes": "–".join(map(str, sizes[:1] + sizes[1:][-1:])),
        }
        of_pairs = group.set_index("comparison").to_dict("index")
        rows.append(row | {comparison: of_pairs.get(comparison, {}) for comparison, _ in pairs})
    columns = [_MEASURE, Column("data sets", lambda row: row["sizes"])]
    make = _statistic_columns if value == "statistic" else _p_columns
    columns += [column for pair in pairs for column in make(*pair)]
    return ours_beside_printed(
        pd.DataFrame(rows), columns, "protocol", *_frame(tests, runs, missing)
    )


def _statistic_columns(key: str, test: str) -> list[Column]:
    label = f"{'F' if test == FRIEDMAN else 'W'}: {comparison_label(key, test)}"

    def write(number: float) -> str:
        return (
            significant(number, 5)
            if test == FRIEDMAN
            else NOTHING
            if is_missing(number)
            else f"{number:g}"
        )

    return [
        Column(
            "ours",
            lambda row: write(row[key].get("statistic")),
            label,
            lambda row: _notes(row[key], False),
        ),
        Column("printed", lambda row: write(row[key].get("statistic_published")), label),
    ]


def _p_columns(key: str, test: str) -> list[Column]:
    label = comparison_label(key, test)
    doubled = Column("ours, doubled", lambda row: p_value(row[key].get("p_value_doubled")), label)
    return [
        Column(
            "ours",
            lambda row: p_value(row[key].get("p_value")),
            label,
            lambda row: _notes(row[key]),
        ),
        Column(WITHOUT_NOTE, lambda row: _without_stand_ins(row[key]), label),
        *([doubled] if test == FRIEDMAN else []),
        Column("printed", lambda row: words(row[key].get("p_printed")), label),
    ]


def conclusions_table(
    tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None, *, paper: str
) -> Table:
    """Return the table of the conclusions at three significance levels (frandi2013). The tests are
    those that compare two methods.
    """
    tests, runs = _prepared(tests, runs, paper)
    binary = tests[tests["test"] != FRIEDMAN]
    columns = [
        _COMPARISON,
        _MEASURE,
        _SIZE,
        *_P_VALUES,
        Column("ours, with its significance level", _conclusion, "conclusion", align="w"),
        Column("printed, at 1 %", lambda row: row["conclusion_published"], "conclusion", align="w"),
        _SAME,
    ]
    return ours_beside_printed(
        _by_comparison(binary), columns, "protocol", *_frame(binary, runs, missing)
    )


def hypotheses_table(
    tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing = None, *, paper: str
) -> Table:
    """Return the table of p-values and of conclusions at the 5 % significance level (nanculef2014).
    The table has a row per hypothesis.
    """
    tests, runs = _prepared(tests, runs, paper)
    columns = [
        _MEASURE,
        Column(_COMPARISON.name, _COMPARISON.text, align="w"),
        Column("alternative hypothesis", lambda row: words(row["h1"]), align="w"),
        _SIZE,
        *_P_VALUES,
        Column("ours", lambda row: _decision(row["conclusion"]), "conclusion at 5 %", align="w"),
        Column(
            "printed",
            lambda row: _decision(row["conclusion_published"]),
            "conclusion at 5 %",
            align="w",
        ),
        _SAME,
    ]
    return ours_beside_printed(tests, columns, "protocol", *_frame(tests, runs, missing))


def _prepared(
    tests: pd.DataFrame, runs: pd.DataFrame, paper: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tests of a paper and the runs of the benchmark.

    The tests are sorted by protocol, and each test is compared with the printed result.
    """
    rows = tests[tests["paper"] == paper]
    require(not rows.empty, "needs significance tests, and there are none")
    rows = rows_in_order(rows.drop(columns="artefact", errors="ignore"), ["protocol"])
    return rows.assign(agreement=agreement(rows)), experiment_runs(runs, BENCHMARK)


def _frame(tests: pd.DataFrame, runs: pd.DataFrame, missing: Missing) -> tuple:
    expected, present = load_printed("frandi2013_accuracy")["dataset"], runs["dataset"].dropna()
    return (
        lambda protocol: protocol_heading(runs, protocol),
        missing_sets(expected, present, missing),
        tests,
    )


def _by_comparison(tests: pd.DataFrame) -> pd.DataFrame:
    return rows_in_order(tests, ["comparison"], comparison=tests["comparison"].unique())


def comparison_label(comparison: str, test: str) -> str:
    """Return a comparison as text. For ``fw-cvm``, the text is "FW vs. CVM".

    For Friedman's test, the text is a list of methods.
    """
    return (", " if test == FRIEDMAN else " vs. ").join(map(method_label, comparison.split("-")))


def _conclusion(row: Mapping) -> str:
    if is_missing(row["p_value"]):
        return NOT_RUN
    if levels := [level for level in LEVELS if row[f"decision_{round(100 * level)}"]]:
        at_5 = row["conclusion"] not in (NOT_REJECTED, NOT_RUN)
        return f"{row['conclusion'] if at_5 else row['h1']} {_STARS[min(levels)]}"
    reverse = row["alternative"] != "two-sided" and row["p_value"] > 1 - min(LEVELS)
    return f"{NOT_REJECTED}; our results are in the opposite direction" if reverse else NOT_REJECTED


def _decision(conclusion: str | None) -> str:
    """Return a conclusion as H0 or H1. For a two-sided test, the faster or more accurate method
    follows in brackets.

    If there is no conclusion, return "not run" or a dash.
    """
    text = words(conclusion)
    if text in (NOTHING, NOT_RUN):
        return text
    return (
        "H0"
        if text == NOT_REJECTED
        else f"H1{text[text.rindex(' (') :] if text.endswith(')') else ''}"
    )


def _notes(row: Mapping, about_p: bool = True, about_paper: bool = True) -> Iterator[str]:
    """Yield the texts of the footnotes for a test.

    If `about_p` is false, footnotes about doubled p-values are left out. If `about_paper` is false,
    no footnote says that the paper has a different conclusion.
    """
    if about_paper and row.get("agreement") == "differs":
        yield DIFFERS_NOTE
    note = row.get("note")
    for remark in [] if is_missing(note) else str(note).split("; "):
        if remark and (about_p or "p_value_doubled" not in remark):
            yield remark.replace("p_value_doubled", 'the column "ours, doubled"')
    without = row.get("conclusion_without")
    if not is_missing(without) and without != row["conclusion"]:
        yield (
            f"Without stand-ins, on {row['n_without']:.0f} data sets, the conclusion is: {without}."
        )


def _without_stand_ins(row: Mapping) -> str:
    return "" if is_missing(row.get("p_without")) else p_value(row["p_without"])


def words(text: object) -> str:
    return NOTHING if is_missing(text) or not str(text) else str(text)


_COMPARISON = Column(
    "comparison", lambda row: comparison_label(row["comparison"], row["test"]), align="l"
)
_MEASURE = Column("measure", lambda row: MEASURES.get(row["measure"], row["measure"]), align="l")
_SIZE = Column("data sets", lambda row: whole(row["n_datasets"]))
_P_VALUES = (
    Column(
        "ours",
        lambda row: p_value(row["p_value"]),
        "p-value",
        lambda row: _notes(row, about_paper=False),
    ),
    Column(WITHOUT_NOTE, _without_stand_ins, "p-value"),
    Column("printed", lambda row: words(row["p_printed"]), "p-value"),
)
_SAME = Column(
    "same conclusion?",
    lambda row: {"agrees": "yes", "differs": "no"}.get(row["agreement"], NOTHING),
    bold=lambda row: row["agreement"] == "differs",
    align="l",
)
