"""The significance tests of frandi2013 (tables 4 to 7) and nanculef2014 (table 2), on the results at hand."""

from dataclasses import dataclass

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

_ADJECTIVES = {"time": ("fast", "faster"), "accuracy": ("accurate", "more accurate")}
_NOUNS = {"time": "running times", "accuracy": "accuracies"}

_ROUNDED = "printed W and p cannot be replayed from the rounded table 2"
_ROUNDED_F = "printed F cannot be replayed from the rounded table 2"
_DOUBLED = "printed p is twice the upper tail of F: compare p_value_doubled"
_CONTRADICTED = "the other paper prints another p for this pair (1.23e-03 one-sided, 0.1118 two-sided)"
_LOST = "printed p lost; published conclusion from the text"


@dataclass(frozen=True)
class Hypothesis:
    """One test as a paper designed it.

    `comparison` joins methods by hyphens. The alternative of a Wilcoxon test says that the first method's
    values are "less" or "greater" than the second's, or just different ("two-sided"); it is empty for
    Friedman's. `h1_printed`, `p_printed` and `conclusion_published` are given only where they follow neither
    from the alternative nor from the files of `fwsvm.studies.published`.
    """

    paper: str
    artefact: str
    measure: str
    comparison: str
    test: str
    alternative: str
    note: str = ""
    h1_printed: str = ""
    p_printed: str = ""
    conclusion_published: str = ""

    @property
    def methods(self):
        """Methods compared, in the order of `comparison`."""
        return self.comparison.split("-")

    @property
    def h0(self):
        """The null hypothesis in words, as in frandi2013 table 4."""
        return f"{_listed(self.methods)} are equally {_ADJECTIVES[self.measure][0]}"

    @property
    def h1(self):
        """The alternative hypothesis in words, as in frandi2013 table 4."""
        if self.h1_printed:
            return self.h1_printed
        if self.alternative in ("less", "greater"):
            first_wins = (self.alternative == "less") == (self.measure == "time")
            winner, loser = self.methods if first_wins else reversed(self.methods)
            return f"{LABELS[winner]} is {_ADJECTIVES[self.measure][1]} than {LABELS[loser]}"
        return f"the {_NOUNS[self.measure]} of {_listed(self.methods)} differ"


def _frandi2013(*test, **details):
    return Hypothesis("frandi2013", "frandi2013-table5", *test, **details)


def _nanculef2014(*test, **details):
    return Hypothesis("nanculef2014", "nanculef2014-table2", *test, **details)


HYPOTHESES = (
    _frandi2013("time", "fw-cvm", "wilcoxon", "less"),
    _frandi2013("time", "mfw-cvm", "wilcoxon", "less"),
    _frandi2013("time", "fw-mfw", "wilcoxon", "two-sided"),
    _frandi2013("time", "cvm-fw-mfw", "friedman-iman-davenport", "", _DOUBLED),
    _frandi2013("accuracy", "fw-cvm", "wilcoxon", "less"),
    _frandi2013("accuracy", "mfw-cvm", "wilcoxon", "less", _ROUNDED),
    _frandi2013(
        *("accuracy", "fw-mfw", "wilcoxon", "less", f"{_ROUNDED}; {_CONTRADICTED}"),
        h1_printed="FW is less accurate than MFW",
    ),
    _frandi2013("accuracy", "cvm-fw-mfw", "friedman-iman-davenport", "", f"{_ROUNDED_F}; {_DOUBLED}"),
    _nanculef2014("time", "swap-fw", "wilcoxon", "less"),
    _nanculef2014("time", "swap-mfw", "wilcoxon", "less"),
    _nanculef2014("time", "swap-cvm", "wilcoxon", "less"),
    _nanculef2014("time", "fw-mfw", "wilcoxon", "two-sided"),
    _nanculef2014("time", "swap2o-fw", "wilcoxon", "two-sided"),
    _nanculef2014("time", "swap2o-mfw", "wilcoxon", "less"),
    _nanculef2014("time", "swap2o-cvm", "wilcoxon", "less"),
    _nanculef2014("time", "swap2o-swap", "wilcoxon", "two-sided", _LOST, conclusion_published=NOT_REJECTED),
    _nanculef2014(
        *("time", "cvm-fw-mfw-swap-swap2o", "friedman-iman-davenport", ""),
        p_printed="< 0.001",
        conclusion_published="the running times of CVM, FW, MFW, SWAP and SWAP-2o differ",
    ),
    _nanculef2014("accuracy", "swap-fw", "wilcoxon", "two-sided"),
    _nanculef2014("accuracy", "swap-mfw", "wilcoxon", "two-sided"),
    _nanculef2014("accuracy", "swap-cvm", "wilcoxon", "less"),
    _nanculef2014("accuracy", "fw-mfw", "wilcoxon", "two-sided", _CONTRADICTED),
    _nanculef2014("accuracy", "swap2o-fw", "wilcoxon", "greater"),
    _nanculef2014("accuracy", "swap2o-mfw", "wilcoxon", "greater"),
    _nanculef2014("accuracy", "swap2o-cvm", "wilcoxon", "less"),
    _nanculef2014(
        *("accuracy", "swap2o-swap", "wilcoxon", "greater", _LOST),
        conclusion_published="SWAP-2o is more accurate than SWAP",
    ),
    _nanculef2014(
        *("accuracy", "cvm-fw-mfw-swap-swap2o", "friedman-iman-davenport", ""),
        p_printed="< 0.001",
        conclusion_published="the accuracies of CVM, FW, MFW, SWAP and SWAP-2o differ",
    ),
)
"""The 8 tests of frandi2013 and the 18 of nanculef2014, in the order of the papers."""


def evaluate(wide_time, wide_accuracy, wide_ended=None):
    """Run every test of `HYPOTHESES` on the data sets that have results, beside the printed outcome.

    Parameters
    ----------
    wide_time, wide_accuracy : pandas.DataFrame
        Indexed by data set, one column per method ("cvm", "fw", "mfw", "swap", "swap2o"; others are ignored,
        absent ones allowed); CPU seconds and accuracies (percent or fraction), NaN where a run is missing.
    wide_ended : pandas.DataFrame, optional
        Of the same shape, booleans: whether a time is one at which training was ended by a limit. Where the shorter of
        two times is such a bound their order is unknown, and counts as a tie in Wilcoxon's test; Friedman's ranks the
        times as they are. The `note` says on how many data sets.

    Returns
    -------
    pandas.DataFrame
        One row per test, the columns `COLUMNS`. `n_datasets` counts the data sets with a value for every
        method of the test; `statistic` is W or F; `p_value_doubled`, for Friedman's test only, follows the
        convention of frandi2013 table 6; `p_smallest` is the least p-value that so many (differing) data sets
        can give; `p_printed` is the p-value as it stands in the paper, `p_published` the number.
        `decision_1`, `decision_5`, `decision_10` tell whether H0 is rejected at 1, 5, 10 %, for Friedman's
        test only where `p_smallest` allows it, which the F approximation can undercut; `conclusion` puts the
        decision at 5 % into words. A test with a missing method or fewer than two usable data sets is a row
        with missing values whose `note` says so.

    Raises
    ------
    ValueError
        Names the argument: a data set occurs twice, or an infinite value.

    References
    ----------
    frandi2013 tables 4 to 7; nanculef2014 table 2 and sec. 6.
    """
    tables = {"time": wide_time, "accuracy": wide_accuracy}
    for measure, table in tables.items():
        if table.index.has_duplicates:
            repeated = table.index[table.index.duplicated()][0]
            raise ValueError(f"wide_{measure}: data set {str(repeated)!r} occurs more than once")
    printed = _printed_tests()
    none = pd.DataFrame(False, wide_time.index, wide_time.columns)
    ended = {"time": none if wide_ended is None else wide_ended, "accuracy": none}
    rows = [_row(test, tables[test.measure], ended[test.measure], printed) for test in HYPOTHESES]
    decisions = dict.fromkeys(("decision_1", "decision_5", "decision_10"), "boolean")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(decisions)


def _printed_tests():
    papers = dict.fromkeys(test.paper for test in HYPOTHESES)
    tables = [published.load(f"{paper}_tests", as_printed=True).assign(paper=paper) for paper in papers]
    return pd.concat(tables).set_index(["paper", "measure", "comparison"]).fillna("")


def _listed(methods):
    *others, last = [LABELS[method] for method in methods]
    return f"{', '.join(others)} and {last}"


def _row(test, table, ended, printed):
    names = ("paper", "artefact", "measure", "comparison", "test", "alternative", "h0", "h1")
    row = {name: getattr(test, name) for name in names} | _outcome(test, table, ended) | _published(test, printed)
    return row | {"note": "; ".join(filter(None, (row["outcome_note"], test.note)))}


def _published(test, printed):
    """The printed outcome; tests missing in the published files keep what `Hypothesis` says itself."""
    key = (test.paper, test.measure, test.comparison)
    cells = printed.loc[key] if key in printed.index else {"p_value": test.p_printed, "statistic": ""}
    p_published = pd.to_numeric(cells["p_value"], errors="coerce")
    return {
        "statistic_published": pd.to_numeric(cells["statistic"], errors="coerce"),
        "p_published": p_published,
        "p_printed": cells["p_value"],
        "conclusion_published": test.conclusion_published
        or (test.h1 if p_published <= CONCLUSION_LEVEL else NOT_REJECTED),
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
    if unknown.any() and not friedman:
        scores = scores.mask(unknown, 0.0)
    if unknown.any():
        how = "ranked as they are" if friedman else "counted as ties"
        count = f"{unknown.sum()} of {n} data sets"
        notes.append(f"the order of times is unknown on {count}, where runs ended at a limit: {how}")
    run = _friedman if friedman else _wilcoxon
    try:
        numbers, p_decisive, if_rejected = run(test, scores)
    except ValueError as error:
        raise ValueError(f"wide_{test.measure}: {test.comparison}: {error}") from error
    if p_decisive > numbers["p_value"]:
        notes.append(f"p of the F approximation is below what {n} data sets support; decided by p_smallest")
    if numbers["p_smallest"] > CONCLUSION_LEVEL:
        smallest = f"smallest p {numbers['p_smallest']:.3g}"
        notes.append(f"cannot be significant at 5 % with these n = {n} data sets ({smallest})")
    if n < len(table):
        notes.append(f"{len(table) - n} of {len(table)} data sets left out for missing values")
    return {
        "n_datasets": n,
        **numbers,
        **{f"decision_{round(100 * level)}": p_decisive <= level for level in LEVELS},
        "conclusion": if_rejected if p_decisive <= CONCLUSION_LEVEL else NOT_REJECTED,
        "outcome_note": "; ".join(notes),
    }


def _not_run(n, why):
    return {"n_datasets": n, "conclusion": NOT_RUN, "outcome_note": f"{NOT_RUN}: {why}"}


def _wilcoxon(test, scores):
    first, second = test.methods
    result = wilcoxon_signed_rank(scores[first], scores[second], test.alternative)
    if_rejected = test.h1
    if test.alternative == "two-sided":
        first_wins = (result.w_plus < result.w_minus) == (test.measure == "time")
        if_rejected += f" ({LABELS[first if first_wins else second]} {_ADJECTIVES[test.measure][1]})"
    numbers = {"statistic": result.statistic, "p_value": result.p_value, "p_smallest": result.p_smallest}
    return numbers, result.p_value, if_rejected


def _friedman(test, scores):
    result = friedman_iman_davenport(scores, lower_is_better=test.measure == "time")
    numbers = {
        "statistic": result.f_statistic,
        "p_value": result.p_value,
        "p_value_doubled": result.p_value_doubled,
        "p_smallest": result.p_smallest,
    }
    return numbers, result.p_decisive, test.h1
