"""The significance tests of frandi2013 (tables 4 to 7) and nanculef2014 (table 2), on our results.

`hypotheses.csv` has the 8 tests of frandi2013 and the 18 of nanculef2014 in the papers' order, with what their files of
printed numbers do not have: notes, and p-values and conclusions that are printed in the text only.
"""

from dataclasses import dataclass
from importlib import resources

import pandas as pd

from fwsvm.statistics.tests import LEVELS, friedman_iman_davenport, wilcoxon_signed_rank
from fwsvm.studies import published

CONCLUSION_LEVEL = 0.05
"""The level of the conclusions in words: that of nanculef2014 table 2; frandi2013's hold at all `LEVELS`."""
NOT_REJECTED = "H0 not rejected"
NOT_RUN = "not run"
LABELS = {"cvm": "CVM", "fw": "FW", "mfw": "MFW", "swap": "SWAP", "swap2o": "SWAP-2o"}
COLUMNS = (
    *("paper", "artefact", "measure", "comparison", "test", "alternative", "h0", "h1"),
    *("n_datasets", "statistic", "p_value", "p_value_doubled", "p_smallest"),
    *("statistic_published", "p_published", "p_printed"),
    *("decision_1", "decision_5", "decision_10", "conclusion", "conclusion_published", "note"),
)
_ARTEFACTS = {"frandi2013": "frandi2013-table5", "nanculef2014": "nanculef2014-table2"}
_ADJECTIVES = {"time": ("fast", "faster"), "accuracy": ("accurate", "more accurate")}
_NOUNS = {"time": "running times", "accuracy": "accuracies"}


@dataclass(frozen=True)
class Hypothesis:
    """One test as a paper designed it.

    `comparison` joins methods by hyphens. The alternative of a Wilcoxon test says that the first method's values are
    "less" or "greater" than the second's, or just different ("two-sided"); it is empty for Friedman's.
    """

    paper: str
    measure: str
    comparison: str
    test: str
    alternative: str
    h1: str
    p_printed: str
    conclusion: str
    note: str

    @property
    def methods(self):
        """Methods compared, in the order of `comparison`."""
        return self.comparison.split("-")

    @property
    def h0(self):
        """The null hypothesis in words, as in frandi2013 table 4."""
        return f"{_listed(self.methods)} are equally {_ADJECTIVES[self.measure][0]}"


def _read():
    with resources.files(__package__).joinpath("hypotheses.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    return tuple(Hypothesis(**row) for row in table.to_dict("records"))


def _listed(methods):
    *others, last = [LABELS[method] for method in methods]
    return f"{', '.join(others)} and {last}"


HYPOTHESES = _read()


def evaluate(wide_time, wide_accuracy, wide_ended=None):
    """Run every test of `HYPOTHESES` on the data sets that have results, next to the printed outcome.

    The tables have a row per data set and a column per method: CPU seconds, accuracies, and whether a time is one at
    which training was stopped by a limit. Where the shorter of two times is such a bound their order is unknown, and
    counts as a tie in Wilcoxon's test; Friedman's ranks the times as they are. The `note` says on how many data sets.

    Returns one row per test, the columns `COLUMNS`. `p_value_doubled`, for Friedman's test only, follows the convention
    of frandi2013 table 6. `p_smallest` is the least p-value that this number of data sets can give; Friedman's test
    rejects only where it allows that, which the F approximation can undercut. `conclusion` is the decision at 5 % in
    words. A test with a missing method or fewer than two data sets is a row whose `note` says so.
    """
    tables = {"time": wide_time, "accuracy": wide_accuracy}
    for measure, table in tables.items():
        if table.index.has_duplicates:
            repeated = table.index[table.index.duplicated()][0]
            raise ValueError(f"wide_{measure}: data set {str(repeated)!r} occurs more than once")
    papers = dict.fromkeys(test.paper for test in HYPOTHESES)
    printed = pd.concat(published.load(f"{paper}_tests", as_printed=True).assign(paper=paper) for paper in papers)
    printed = printed.set_index(["paper", "measure", "comparison"]).fillna("")
    none = pd.DataFrame(False, wide_time.index, wide_time.columns)
    ended = {"time": none if wide_ended is None else wide_ended, "accuracy": none}
    rows = [_row(test, tables[test.measure], ended[test.measure], printed) for test in HYPOTHESES]
    decisions = dict.fromkeys(("decision_1", "decision_5", "decision_10"), "boolean")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(decisions)


def _row(test, table, ended, printed):
    names = ("paper", "measure", "comparison", "test", "alternative", "h0", "h1")
    row = {name: getattr(test, name) for name in names} | {"artefact": _ARTEFACTS[test.paper]}
    row |= _outcome(test, table, ended) | _published(test, printed)
    return row | {"note": "; ".join(filter(None, (row["outcome_note"], test.note)))}


def _published(test, printed):
    """The printed outcome; what the files of printed numbers lack is in `hypotheses.csv`."""
    key = (test.paper, test.measure, test.comparison)
    cells = printed.loc[key] if key in printed.index else {"p_value": test.p_printed, "statistic": ""}
    p_published = pd.to_numeric(cells["p_value"], errors="coerce")
    return {
        "statistic_published": pd.to_numeric(cells["statistic"], errors="coerce"),
        "p_published": p_published,
        "p_printed": cells["p_value"],
        "conclusion_published": test.conclusion or (test.h1 if p_published <= CONCLUSION_LEVEL else NOT_REJECTED),
    }


def _outcome(test, table, ended):
    """Our outcome: the test's numbers, decisions, conclusion and a note on how far they carry."""
    absent = [method for method in test.methods if method not in table or table[method].isna().all()]
    if absent:
        return _not_run(0, f"no {_NOUNS[test.measure]} of {' and '.join(LABELS[method] for method in absent)}")
    scores = table[test.methods].dropna().astype(float)
    n = len(scores)
    if n < 2:
        return _not_run(n, f"{n} data sets with results of {_listed(test.methods)}, needs at least 2")
    friedman, notes = test.test.startswith("friedman"), []
    bounds = ended.reindex(index=scores.index, columns=test.methods, fill_value=False).astype(bool)
    unknown = (bounds & scores.lt(scores.max(axis=1), axis=0)).any(axis=1) | bounds.all(axis=1)
    if unknown.any():
        how = "ranked as they are" if friedman else "counted as ties"
        count = f"{unknown.sum()} of {n} data sets"
        notes.append(f"the order of times is unknown on {count}, where runs ended at a limit: {how}")
        scores = scores if friedman else scores.mask(unknown, 0.0)
    try:
        result, if_rejected = (_friedman if friedman else _wilcoxon)(test, scores)
    except ValueError as error:
        raise ValueError(f"wide_{test.measure}: {test.comparison}: {error}") from error
    p_decisive = result.p_decisive if friedman else result.p_value
    if p_decisive > result.p_value:
        notes.append(f"p of the F approximation is below what {n} data sets support; decided by p_smallest")
    if result.p_smallest > CONCLUSION_LEVEL:
        smallest = f"smallest p {result.p_smallest:.3g}"
        notes.append(f"cannot be significant at 5 % with these n = {n} data sets ({smallest})")
    if n < len(table):
        notes.append(f"{len(table) - n} of {len(table)} data sets left out for missing values")
    return {
        "n_datasets": n,
        "statistic": result.f_statistic if friedman else result.statistic,
        "p_value": result.p_value,
        "p_smallest": result.p_smallest,
        **({"p_value_doubled": result.p_value_doubled} if friedman else {}),
        **{f"decision_{round(100 * level)}": p_decisive <= level for level in LEVELS},
        "conclusion": if_rejected if p_decisive <= CONCLUSION_LEVEL else NOT_REJECTED,
        "outcome_note": "; ".join(notes),
    }


def _not_run(n, why):
    return {"n_datasets": n, "conclusion": NOT_RUN, "outcome_note": f"{NOT_RUN}: {why}"}


def _wilcoxon(test, scores):
    """The result, and the conclusion if H0 is rejected: a two-sided test says which method is ahead."""
    first, second = test.methods
    result = wilcoxon_signed_rank(scores[first], scores[second], test.alternative)
    if test.alternative != "two-sided":
        return result, test.h1
    first_wins = (result.w_plus < result.w_minus) == (test.measure == "time")
    return result, f"{test.h1} ({LABELS[first if first_wins else second]} {_ADJECTIVES[test.measure][1]})"


def _friedman(test, scores):
    return friedman_iman_davenport(scores, lower_is_better=test.measure == "time"), test.h1
