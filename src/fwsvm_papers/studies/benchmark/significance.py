"""The significance tests of frandi2013 (tables 4 to 7) and nanculef2014 (table 2), applied to our
results.

`hypotheses.csv` lists the tests in the order of the papers. The file also has facts about the tests
that are not in the files of the folder `printed`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.text import listing
from fwsvm_papers.runs.table import of_method, protocols_of, stand_ins, summarise, wide
from fwsvm_papers.statistics.tests import LEVELS, friedman_iman_davenport, wilcoxon_signed_rank
from fwsvm_papers.studies.registry import load_printed

CONCLUSION_LEVEL = 0.05
"""Significance level of the conclusions, as in nanculef2014 table 2.

The paper frandi2013 draws a conclusion at each of the `LEVELS`.
"""
REGIONS = {"time": float(np.log(1.25)), "support_vectors": float(np.log(1.25)), "accuracy": 0.5}
"""Maps a measure to the largest difference at which the results of two methods are practically
equal. For accuracies, the difference is in percentage points. For times and numbers of support
vectors, it is a difference of logarithms.
"""
NOT_REJECTED = "H0 not rejected"
NOT_RUN = "not run"
LABELS = {"cvm": "CVM", "fw": "FW", "mfw": "MFW", "swap": "SWAP", "swap2o": "SWAP-2o"}
WITHOUT = {"n_datasets": "n_without", "p_value": "p_without", "conclusion": "conclusion_without"}
"""Maps a column to another column, which has the result of the same test without stand-ins."""
COLUMNS = (
    *("paper", "artefact", "measure", "comparison", "test", "alternative", "h0", "h1"),
    *("n_datasets", "statistic", "p_value", "p_value_doubled", "p_smallest"),
    *("statistic_published", "p_published", "p_printed"),
    *("decision_1", "decision_5", "decision_10", "conclusion", "conclusion_published", "note"),
)
_ARTEFACTS = {"frandi2013": "frandi2013-table5", "nanculef2014": "nanculef2014-table2"}
_ADJECTIVES = {"time": ("fast", "faster"), "accuracy": ("accurate", "more accurate")}
_NOUNS = {"time": "running times", "accuracy": "accuracies"}


def labels(methods: Iterable[str]) -> str:
    return listing(LABELS[method] for method in methods)


_TABLE = pd.read_csv(Path(__file__).with_name("hypotheses.csv"), dtype=str, keep_default_na=False)
_TABLE["h0"] = [
    f"{labels(comparison.split('-'))} are equally {_ADJECTIVES[measure][0]}"
    for comparison, measure in _TABLE[["comparison", "measure"]].to_numpy()
]
HYPOTHESES = tuple(_TABLE.itertuples(index=False))
"""The significance tests of the papers.

`comparison` has the names of the methods, joined with hyphens. The `alternative` of a Wilcoxon test
is its hypothesis H1. With "less" or "greater", the values of the first method are less or greater
than the values of the second method. With "two-sided", the values of the two methods differ.
Friedman's test has an empty `alternative`.
"""
Hypothesis = Any  # one row of `HYPOTHESES`, a named tuple whose fields are the columns of the file


def evaluate(
    wide_time: pd.DataFrame, wide_accuracy: pd.DataFrame, wide_ended: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the results of every test in `HYPOTHESES` on the data sets that have results, next to
    the outcomes in the papers.

    Each of the three tables has a row per data set and a column per method. The first has CPU
    seconds, the second has accuracies, and the third says whether training ended at a limit.

    The time of a run that ended at a limit is a lower bound. If the smaller of two recorded times
    is a lower bound, it is unknown which method is faster. In this case, Wilcoxon's test counts a
    tie, and Friedman's test ranks the recorded times.

    `p_value_doubled` follows the convention of frandi2013 table 6. `p_smallest` is the smallest
    p-value that is possible with this number of data sets or, for Wilcoxon's test, with this number
    of non-zero differences. If the F approximation gives a smaller p-value for Friedman's test, the
    decisions and the conclusion are drawn from `p_smallest`.
    """
    tables = {"time": wide_time, "accuracy": wide_accuracy}
    papers = dict.fromkeys(test.paper for test in HYPOTHESES)
    printed = pd.concat(
        load_printed(f"{paper}_tests", as_printed=True).assign(paper=paper) for paper in papers
    )
    printed = printed.set_index(["paper", "measure", "comparison"]).fillna("")
    none = pd.DataFrame(False, wide_time.index, wide_time.columns)
    ended = {"time": none if wide_ended is None else wide_ended, "accuracy": none}
    rows = []
    for test in HYPOTHESES:
        row = test._asdict() | {"artefact": _ARTEFACTS[test.paper]}
        row |= _outcome(test, tables[test.measure], ended[test.measure]) | _published(test, printed)
        rows.append(row | {"note": "; ".join(filter(None, (row["outcome_note"], test.note)))})
    decisions = dict.fromkeys(("decision_1", "decision_5", "decision_10"), "boolean")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(decisions)


def _published(test: Hypothesis, printed: pd.DataFrame) -> dict:
    key = (test.paper, test.measure, test.comparison)
    found = (
        printed.loc[key] if key in printed.index else {"p_value": test.p_printed, "statistic": ""}
    )
    p_published = pd.to_numeric(found["p_value"], errors="coerce")
    return {
        "statistic_published": pd.to_numeric(found["statistic"], errors="coerce"),
        "p_published": p_published,
        "p_printed": found["p_value"],
        "conclusion_published": (
            test.conclusion or (test.h1 if p_published <= CONCLUSION_LEVEL else NOT_REJECTED)
        ),
    }


def decide(test: Hypothesis, scores: np.ndarray, bounds: np.ndarray) -> tuple:
    """Run a test on `scores` (data sets, methods).

    `bounds` is true where a score is a lower bound. Lower bounds are treated as in `evaluate`.

    Return the result of the test, the p-value from which the conclusion is drawn, and a mask of the
    data sets on which the order of the times is unknown.
    """
    unknown = (bounds & (scores < scores.max(axis=1, keepdims=True))).any(axis=1) | bounds.all(
        axis=1
    )
    if test.test.startswith("friedman"):
        result = friedman_iman_davenport(scores, lower_is_better=test.measure == "time")
        return result, result.p_decisive, unknown
    first, second = np.where(unknown[:, None], 0.0, scores).T
    result = wilcoxon_signed_rank(first, second, test.alternative)
    return result, result.p_value, unknown


def _outcome(test: Hypothesis, table: pd.DataFrame, ended: pd.DataFrame) -> dict:
    methods = test.comparison.split("-")
    if absent := [
        method for method in methods if method not in table or table[method].isna().all()
    ]:
        return _not_run(
            0, f"no {_NOUNS[test.measure]} of {' and '.join(LABELS[method] for method in absent)}"
        )
    scores = table[methods].dropna().astype(float)
    n = len(scores)
    if n < 2:
        return _not_run(
            n, f"needs at least 2 data sets with results of {labels(methods)}, but has {n}"
        )
    friedman, notes = test.test.startswith("friedman"), []
    bounds = ended.reindex(index=scores.index, columns=methods, fill_value=False).astype(bool)
    result, p_decisive, unknown = decide(test, scores.to_numpy(), bounds.to_numpy())
    if unknown.any():
        how = "the times are ranked as they are" if friedman else "counted as ties"
        count = f"{unknown.sum()} of {n} data sets"
        notes.append(
            f"runs ended at a limit, so the order of the times is unknown on {count} ({how})"
        )
    smallest = f"the smallest possible p ({result.p_smallest:.3g})"
    if p_decisive > result.p_value:
        notes.append(
            f"the F approximation's p is smaller than {n} data sets allow, so {smallest} is used"
        )
    if result.p_smallest > CONCLUSION_LEVEL:
        notes.append(f"cannot be significant at 5 %: {smallest} is larger")
    if n < len(table):
        notes.append(
            f"leaves out {len(table) - n} of {len(table)} data sets, because a method has no result"
            " there"
        )
    return {
        "n_datasets": n,
        "statistic": result.f_statistic if friedman else result.statistic,
        "p_value": result.p_value,
        "p_smallest": result.p_smallest,
        **({"p_value_doubled": result.p_value_doubled} if friedman else {}),
        **{f"decision_{round(100 * level)}": p_decisive <= level for level in LEVELS},
        "conclusion": (
            _if_rejected(test, result) if p_decisive <= CONCLUSION_LEVEL else NOT_REJECTED
        ),
        "outcome_note": "; ".join(notes),
    }


def _not_run(n: int, why: str) -> dict:
    return {"n_datasets": n, "conclusion": NOT_RUN, "outcome_note": f"{NOT_RUN}: {why}"}


def _if_rejected(test: Hypothesis, result: Any) -> str:
    """Return the alternative hypothesis as text. If the test is two-sided, the text also names the
    method that is faster or more accurate.
    """
    if test.alternative != "two-sided":
        return test.h1
    first_wins = (result.w_plus < result.w_minus) == (test.measure == "time")
    ahead = test.comparison.split("-")[0 if first_wins else 1]
    return f"{test.h1} ({LABELS[ahead]} {_ADJECTIVES[test.measure][1]})"


def test_protocols(runs: pd.DataFrame, cost: str = "train_cpu_s") -> pd.DataFrame:
    """Evaluate all hypotheses under every protocol, with and without stand-ins. Return a table with
    a row per test and protocol.

    `cost` is the column that is used as time.
    """
    runs = runs[runs["experiment"] == "benchmark"]
    summary, tables, replaced = summarise(runs), [], stand_ins(runs)
    for protocol in protocols_of(runs):
        measures = [
            wide(summary, name, protocol, tuple(LABELS)) for name in (cost, "test_accuracy")
        ]
        limits = {method: of_method(summary, protocol, method)["at_limit"] > 0 for method in LABELS}
        measures.append(pd.DataFrame(limits).fillna(False).astype(bool))
        table = evaluate(*measures).assign(**dict.fromkeys(WITHOUT.values()))
        if replaced:
            others = evaluate(
                *(measure.drop(index=replaced, errors="ignore") for measure in measures)
            )
            table = table.assign(**{name: others[column] for column, name in WITHOUT.items()})
        table.insert(0, "protocol", protocol)
        tables.append(table)
    empty = pd.DataFrame(columns=["protocol", *COLUMNS, *WITHOUT.values()])
    return pd.concat(tables, ignore_index=True) if tables else empty


vars(test_protocols)["__test__"] = False  # pytest must not collect this function as a test


def agreement(tests: pd.DataFrame) -> pd.Series:
    """Compare our conclusion at the 5 % significance level with that of the paper, for each test.

    Each result is "agrees", "differs" or "cannot tell". "cannot tell" means that the test was not
    run, or that there are too few data sets for a significant result.
    """
    cannot = tests["p_value"].isna() | tests["conclusion_published"].isna()
    cannot |= (tests["p_smallest"] > CONCLUSION_LEVEL).fillna(False)
    rejected = tests["decision_5"].fillna(False).astype(bool)
    same = rejected == (tests["conclusion_published"] != NOT_REJECTED)
    return pd.Series("differs", tests.index).mask(same, "agrees").mask(cannot, "cannot tell")
