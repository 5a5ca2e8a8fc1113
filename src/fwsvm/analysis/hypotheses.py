"""The significance tests of frandi2013 (tables 4 to 7) and nanculef2014 (table 2), over the data sets at hand."""

import math
from dataclasses import dataclass, field

import pandas as pd

from fwsvm import published
from fwsvm.analysis.statistics import friedman_iman_davenport, wilcoxon_signed_rank

LEVELS = (0.01, 0.05, 0.10)
"""Significance levels of the conclusions: frandi2013 table 7."""
CONCLUSION_LEVEL = 0.05
"""The level at which a conclusion is put in words: nanculef2014 table 2; frandi2013's agree at all levels."""
NOT_REJECTED = "H0 not rejected"
LABELS = {"cvm": "CVM", "fw": "FW", "mfw": "MFW", "swap": "SWAP", "swap2o": "SWAP-2o"}
COLUMNS = (
    "paper artefact measure comparison test alternative h0 h1 n_datasets statistic p_value p_value_doubled"
    " p_smallest statistic_published p_published p_printed decision_1 decision_5 decision_10 conclusion"
    " conclusion_published note"
).split()

_ADJECTIVES = {"time": ("fast", "faster"), "accuracy": ("accurate", "more accurate")}
_NOUNS = {"time": "running times", "accuracy": "accuracies"}
_UNREPLAYABLE = "printed W and p cannot be replayed from the rounded table 2"
_DOUBLED = "printed p is twice the upper tail of F: compare p_value_doubled"
_CONTRADICTS = "frandi2013 table 6 and nanculef2014 table 2 print different p for this pair"


@dataclass(frozen=True)
class Hypothesis:
    """One test as a paper designed it.

    `comparison` joins the methods by hyphens; the alternative of a Wilcoxon test is that the first method's
    values are "less" or "greater" than the second's, or just different ("two-sided"). `p_printed` and
    `conclusion_published` are given here only where the files of `fwsvm.published` do not have them.
    """

    paper: str
    artefact: str
    measure: str
    comparison: str
    test: str = "wilcoxon"
    alternative: str = "two-sided"
    h1: str = ""
    p_printed: str = ""
    conclusion_published: str = ""
    note: str = ""
    methods: tuple = field(init=False)
    h0: str = field(init=False)

    def __post_init__(self):
        methods = tuple(self.comparison.split("-"))
        object.__setattr__(self, "methods", methods)
        object.__setattr__(self, "h0", _null_hypothesis(self.measure, methods))
        if not self.h1:
            object.__setattr__(self, "h1", _alternative_hypothesis(self.measure, methods, self.alternative))


def _null_hypothesis(measure, methods):
    *others, last = [LABELS[method] for method in methods]
    return f"{', '.join(others)} and {last} are equally {_ADJECTIVES[measure][0]}"


def _alternative_hypothesis(measure, methods, alternative):
    labels = [LABELS[method] for method in methods]
    if alternative == "less" or alternative == "greater":
        first_wins = (alternative == "less") == (measure == "time")
        winner, loser = labels if first_wins else labels[::-1]
        return f"{winner} is {_ADJECTIVES[measure][1]} than {loser}"
    return f"the {_NOUNS[measure]} of {', '.join(labels[:-1])} and {labels[-1]} differ"
