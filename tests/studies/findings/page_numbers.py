"""Numbers in sentences of the documentation, computed from released files.

`SENTENCES` has an entry for each passage: the page, a regular expression that finds the passage,
and a function. The groups of the expression are the results in the passage, and the rest of the
expression has as few words as possible, so that the words around the results can change. A space
in the expression stands for any white space. The function asserts what the passage says without a
number, and returns the results in the order of the text. A comment in quotation marks quotes the
words that a line tests.
"""

import re

import numpy as np
import pandas as pd
from findings_support import ROOT, agrees, released
from median_intervals import interval, is_tie
from scipy.stats import f, friedmanchisquare, wilcoxon

SENTENCES = {}

N = r"(\d[\d,]*(?:\.\d+)?)"  # a result

LEVEL = 0.05  # significance level
XEON_FACTOR = 1.3  # the page counts the speed-ups that differ by more than this on two processors


def sentence(page, pattern):
    """Register a function as the one that computes the results in a passage of a page."""

    def register(function):
        SENTENCES[function.__name__] = (page, pattern, function)
        return function

    return register


def written_results(name, text=None):
    """Return the results in a passage, which must occur exactly once on its page or, if `text` is
    given, in this text.
    """
    page, pattern, _ = SENTENCES[name]
    text = (ROOT / page).read_text(encoding="utf-8") if text is None else text
    found = [match.groups() for match in re.finditer(pattern, " ".join(text.split()))]
    assert len(found) == 1, f"{name}: {len(found)} passages in {page}"
    return found[0]


def check_passage(name, text=None):
    """Compare the results in a passage of a page, or of another text, with the computed ones."""
    written = written_results(name, text)
    computed = [float(value) for value in SENTENCES[name][2]()]
    assert len(written) == len(computed), f"{name}: {written} written, {computed} computed"
    wrong = [pair for pair in zip(written, computed, strict=True) if not agrees(*pair)]
    assert not wrong, f"{name}: (written, computed) {wrong}"


def ladder(column):
    """Return a column of the ladder, with a row per data set and columns (rung, method)."""
    table = released("beyond-ladder-table")
    return table.pivot_table(index="dataset", columns=["rung", "method"], values=column)


def family():
    """Return the family of each data set: Web, Adult or others."""
    return released("beyond-ladder").groupby("dataset")["family"].first()


@sentence(
    "docs/protocol.md",
    rf"our speed-up of FW differs from the printed one by a factor of {N} .*? this factor is {N}\. "
    rf"For MFW, .*? fits a little better: .*? {N} with 1e-7, and {N} with ",
)
def factors_between_our_and_printed_speedups():
    speedup = ladder("speedup")

    def median_factor(rung, method):
        ratio = speedup[rung, method] / speedup["printed", method]
        return np.maximum(ratio, 1 / ratio).median()

    fw = [median_factor("as_run", "fw"), median_factor("inner", "fw")]
    mfw = [median_factor("as_run", "mfw"), median_factor("inner", "mfw")]
    assert mfw[1] < mfw[0]  # for MFW, 1e-3 fits better
    return [*fw, *mfw]


@sentence(
    "docs/results.md",
    rf"If only CVM has LibCVM's settings, FW is faster on {N} sets\..*? faster on all {N} "
    rf"sets of Web, on none of the {N} sets of Adult, and on {N} of the {N} others\. "
    rf"Its median speed-up is {N}\. The 95 % interval of this median is {N} to {N}, a tie\. "
    rf"SWAP-2o is faster on {N} sets, with a median speed-up of {N}\.",
)
def only_cvm_has_libcvms_settings():
    time = ladder("time")
    # FW with a patience of 1 sample, and CVM with LibCVM's inner tolerance and patience
    fw, swap2o = (time["patient", "cvm"] / time["as_run", name] for name in ("fw", "swap2o"))
    faster, sets = (fw > 1).groupby(family()).sum(), fw.groupby(family()).size()
    assert faster["Web"] == sets["Web"]  # "on all 8 sets of Web"
    assert faster["Adult"] == 0  # "on none of the 7 sets of Adult"
    assert is_tie(fw)
    counts = [sets["Web"], sets["Adult"], faster["others"], sets["others"]]
    of_fw = [fw.median(), *interval(fw)]
    of_swap2o = [(swap2o > 1).sum(), swap2o.median()]
    return [faster.sum(), *counts, *of_fw, *of_swap2o]


@sentence(
    "docs/index.md",
    rf"With LibCVM's inner tolerance, FW has {N} times CVM's speed in the median\. .*? a tie, "
    rf".*? the median is {N} on Web, and {N} on Adult\.",
)
def fw_with_libcvms_inner_tolerance():
    speedup = ladder("speedup")["inner", "fw"]
    assert is_tie(speedup)
    median = speedup.groupby(family()).median()
    return [speedup.median(), median["Web"], median["Adult"]]


@sentence(
    "docs/results.md",
    rf"CVM with LibCVM's inner tolerance is {N} times as fast as CVM with .*? "
    rf"{N} on Adult, {N} on Web and {N} on the other sets\..*? changes by at most {N} percentage",
)
def cvm_with_libcvms_inner_tolerance():
    time, accuracy = ladder("time"), ladder("accuracy")
    ratio = time["as_run", "cvm"] / time["inner", "cvm"]
    median = ratio.groupby(family()).median()
    change = (accuracy["as_run", "cvm"] - accuracy["inner", "cvm"]).abs()
    by_family = median[["Adult", "Web", "others"]]
    return [ratio.median(), *by_family, change.max()]


@sentence(
    "docs/results.md",
    rf"each series counts once.{{1,80}}, MFW is not significantly faster than CVM: p = {N}\.",
)
def series_test_in_seconds():
    table = released("summary").query("protocol == 'as_run'")
    time = table.pivot_table(index="dataset", columns="method", values="time")
    others = family() == "others"
    unit = family().mask(others, family().index)  # Web and Adult count as one data set each
    series = time.groupby(unit).mean()
    p = wilcoxon(series["mfw"], series["cvm"], alternative="less").pvalue
    assert p > LEVEL
    return [p]


def p_of_test(test, values):
    """Return the p-value of a test on values with a row per data set and a column per method."""
    methods = test["comparison"].split("-")
    columns = [values[method] for method in methods]
    if test["test"] == "wilcoxon":
        return wilcoxon(*columns, alternative=test["alternative"]).pvalue
    sets, degrees = len(values), len(methods) - 1
    chi2 = friedmanchisquare(*columns).statistic
    statistic = (sets - 1) * chi2 / (sets * degrees - chi2)  # Iman and Davenport
    return f.sf(statistic, degrees, degrees * (sets - 1))


def tests_of_nanculef2014(protocol, stand_ins):
    """Return the number of tests, and the number of tests that lead to the printed conclusion. The
    argument `stand_ins` says whether the tests use stand-in data sets.
    """
    tests = pd.read_csv(ROOT / "results/released/tests.tsv", sep="\t")
    tests = tests[(tests["paper"] == "nanculef2014") & (tests["protocol"] == protocol)]
    column = "conclusion" if stand_ins else "conclusion_without"
    same = tests[column] == tests["conclusion_published"]

    # the same decisions from accuracies and times
    table = released("summary")
    table = table[(table["protocol"] == protocol) & (stand_ins | ~table["stand_in"])]
    for test, decided in zip(tests.to_dict("records"), tests[column], strict=True):
        values = table.pivot_table(index="dataset", columns="method", values=test["measure"])
        p = p_of_test(test, values)
        assert (p <= LEVEL) == (decided != "H0 not rejected")
    return len(tests), same.sum()


@sentence(
    "docs/results.md",
    rf"{N} of the {N} tests of nanculef2014 lead to the printed conclusion without the stand-ins "
    rf"\({N} with them\)\. With the settings of the papers' text, "
    rf"only {N} .{{0,60}}\({N} with them\)",
)
def conclusions_without_stand_ins():
    number, inferred = tests_of_nanculef2014("as_run", stand_ins=False)
    _, inferred_with = tests_of_nanculef2014("as_run", stand_ins=True)
    _, text = tests_of_nanculef2014("as_printed", stand_ins=False)
    _, text_with = tests_of_nanculef2014("as_printed", stand_ins=True)
    return [inferred, number, inferred_with, text, text_with]


def on_xeon():
    """Return the speed-ups on the other processor and those of the release, and whether both are on
    the same side of 1.
    """
    other = pd.read_csv(ROOT / "docs/benchmarks/other-cpu.csv")
    keys = ["dataset", "rung", "method"]
    speedup = released("beyond-ladder-table").set_index(keys)["speedup"]
    here = speedup.loc[pd.MultiIndex.from_frame(other[keys])]
    assert np.allclose(other["speedup_released"], here, rtol=1e-3)
    same_side = (other["speedup"] > 1) == (other["speedup_released"] > 1)
    return other.assign(same_side=same_side)


@sentence(
    "docs/results.md",
    rf"Of the {N} speed-ups over CVM, {N} are on the same side of 1 as in the release\. "
    rf"So for these {N} .*? But in {N} of the {N}\b.{{0,60}} differ by more than a factor of {N}\.",
)
def speedups_on_two_processors():
    other = on_xeon()
    same = other["same_side"]
    assert same[other["method"] == "fw"].all()
    ratio = other["speedup"] / other["speedup_released"]
    far = np.maximum(ratio, 1 / ratio) > XEON_FACTOR
    counts = [len(other), same.sum(), same.sum()]
    return [*counts, far.sum(), len(other), XEON_FACTOR]


EXCEPTION = rf"\* [^*]*?is faster than CVM only [^*]*?\({N}, and {N} in the release\)\. "


@sentence("docs/results.md", r"the eight \w+[^*]*?: " + 8 * EXCEPTION + r"\* \*\*")
def exceptions_on_the_other_processor():
    other = on_xeon()
    rows = other[~other["same_side"]]
    rungs = ["as_run", "patient", "gap 0.01", "gap 0.001"]  # in the order of the page
    rows = rows.sort_values("rung", key=lambda rung: rung.map(rungs.index), kind="stable")
    return rows[["speedup", "speedup_released"]].to_numpy().ravel()


@sentence(
    "docs/limits.md",
    rf"We measured {N} speed-ups on three sets again, .*? "
    rf"The faster method changes in only {N}\.",
)
def exceptions_on_the_page_of_limits():
    other = on_xeon()
    assert other["dataset"].nunique() == 3  # "on three sets"
    return [len(other), (~other["same_side"]).sum()]
