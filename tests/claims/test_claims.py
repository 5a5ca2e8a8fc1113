"""The claims of the papers on runs whose outcome is known: both ways, on the printed tables, and on nothing."""

import numpy as np
import pandas as pd
import pytest

from fwsvm import published
from fwsvm.claims.verdict import NOT_REPRODUCED, NOT_RUN, REPRODUCED, Evidence, within
from fwsvm.pipeline.claims import EVALUATORS, OF_THE_BENCHMARK, OUTCOMES, STUDY, evaluate_claims, load_claims, totals
from fwsvm.runs.table import SELECTIONS, conform, empty_runs
from fwsvm.studies.benchmark.significance import test_selections

CLAIMS = {claim.id: claim for claim in load_claims()}
SIZES = published.load("frandi2013_datasets").set_index("dataset")["train_size"]
WEB = tuple(f"w{i}a" for i in range(1, 9))
ADULT = tuple(f"a{i}a" for i in range(1, 8))
LARGE = ("shuttle", "ijcnn1", "usps-ext", "kdd99-10pc", "kdd99-full")
MEDIUM = ("letter", "pendigits", "usps", "reuters", "mnist")


def benchmark(table, measure="train_cpu_s", selection="sampled_text"):
    """Runs with one measure of each data set (row) and method (column); the other measures are constant."""
    rows = []
    for dataset, values in table.iterrows():
        for method, value in values.items():
            row = {"experiment": "benchmark", "dataset": dataset, "method": method, "stop_reason": "converged"}
            row |= {"selection": "sampled_libcvm" if method == "cvm" else selection, "task_size": int(SIZES[dataset])}
            row |= {"train_cpu_s": 1.0, "test_accuracy": 0.9, "support_vectors": 100, "repetition": 0}
            rows.append(row | {measure: value})
    return conform(pd.DataFrame(rows))


def table(datasets, **methods):
    """A column per method; numbers are the same for all data sets."""
    return pd.DataFrame(
        {name: np.broadcast_to(value, len(datasets)) for name, value in methods.items()}, list(datasets)
    )


def judge(claim_id, runs, details=None, selection="sampled_text"):
    tests = test_selections(runs) if (runs["experiment"] == "benchmark").any() else pd.DataFrame()
    return EVALUATORS[claim_id](CLAIMS[claim_id], Evidence(runs, tests, details or {}, selection))


def test_every_claim_has_an_evaluator_and_every_evaluator_a_claim():
    assert set(CLAIMS) == set(EVALUATORS) and len(CLAIMS) == 47
    assert all(claim.rule and claim.statement for claim in CLAIMS.values())


def test_nothing_was_run():
    found = evaluate_claims(empty_runs(), test_selections(empty_runs()))
    assert set(found["outcome"]) == {NOT_RUN}
    assert (found["ours"] == "").all() and found["reason"].str.len().gt(0).all()
    of_benchmark = [claim for claim in CLAIMS.values() if claim.paper in OF_THE_BENCHMARK]
    assert len(found) == 47 + 2 * len(of_benchmark) and found["headline"].sum() == 47
    assert set(found["selection"]) == {*SELECTIONS, STUDY}


def test_totals_count_the_rows():
    found = evaluate_claims(empty_runs(), test_selections(empty_runs()))
    found.loc[found.index[0], "outcome"] = REPRODUCED
    counted = totals(found).set_index(["paper", "selection"])
    assert counted.loc[("tsang2005", STUDY), REPRODUCED] == 1
    assert counted.loc[("all", "headline")].tolist() == [1, 0, 46]
    assert counted[list(OUTCOMES)].iloc[:-1].to_numpy().sum() == len(found)


def printed_runs():
    """The printed tables of frandi2013 as runs."""
    times, accuracies = (published.load_means(f"frandi2013_{name}") for name in ("time", "accuracy"))
    runs = benchmark(times)
    values = [accuracies.loc[row.dataset, row.method] / 100 for row in runs.itertuples()]
    return runs.assign(test_accuracy=values)


@pytest.mark.parametrize(
    ("claim_id", "outcome", "ours"),
    [
        ("frandi2013-fw-web", REPRODUCED, "12.6× to 107×"),
        ("frandi2013-mfw-adult", REPRODUCED, "up to 15.4×"),
        ("frandi2013-adult-cvm-wins", REPRODUCED, "2 of 7 sets"),
        ("frandi2013-kdd", REPRODUCED, "kdd99-10pc 102×, kdd99-full 25"),
        ("frandi2013-accuracy-loss", REPRODUCED, "FW"),
        ("frandi2013-time-significant", REPRODUCED, "p: fw-cvm 3.08e-06, mfw-cvm 5.53e-06"),
        ("frandi2013-fw-mfw-time", REPRODUCED, "p: fw-mfw 0.689"),
        ("frandi2013-accuracy-significant", REPRODUCED, "p: fw-cvm 4.98e-06, mfw-cvm 0.000358"),
        ("frandi2013-mfw-more-accurate", REPRODUCED, "p: fw-mfw"),
        ("frandi2013-cvm-wins", REPRODUCED, "pendigits, usps, shuttle"),
        ("nanculef2014-web-mfw-slower", REPRODUCED, "slower on 8 of 8"),
        ("nanculef2014-adult-mfw-faster", REPRODUCED, "faster on 7 of 7"),
    ],
)
def test_the_printed_tables_say_what_the_papers_say(claim_id, outcome, ours):
    verdict = judge(claim_id, printed_runs())
    assert (verdict.outcome, verdict.ours[: len(ours)]) == (outcome, ours)


def test_printed_medians_on_the_large_group_are_means():
    verdict = judge("nanculef2014-large-median", printed_runs())
    assert verdict.outcome == NOT_REPRODUCED and "2 of 4 methods" in verdict.reason
    assert verdict.numbers == pytest.approx((4.89, 27.3, 8.01, 15.0), rel=0.01)


SPEEDUPS = [
    ("frandi2013-kdd", LARGE[3:], {"fw": [1 / 102, 1 / 25]}, {"fw": [1 / 102, 1 / 5]}),
    ("frandi2013-fw-web", WEB, {"fw": 1 / np.linspace(12, 107, 8)}, {"fw": 1 / np.linspace(107, 12, 8)}),
    ("frandi2013-fw-web", WEB, {"fw": 1 / np.linspace(12, 107, 8)}, {"fw": 1 / np.linspace(3, 107, 8)}),
    ("frandi2013-mfw-web", WEB, {"mfw": 1 / np.linspace(2, 9, 8)}, {"mfw": 1 / np.linspace(2, 60, 8)}),
    ("frandi2013-mfw-adult", ADULT, {"mfw": 1 / np.linspace(2, 15, 7)}, {"mfw": 1 / np.linspace(0.9, 15, 7)}),
    ("frandi2013-adult-cvm-wins", ADULT, {"fw": [2, 2, *[0.5] * 5]}, {"fw": [2, 2, 2, *[0.5] * 4]}),
    ("nanculef2014-swap-w8a", ("w8a",), {"swap": 1 / 250}, {"swap": 1 / 20}),
    (
        "nanculef2014-swap-adult",
        ADULT,
        {"swap": 1 / 27, "mfw": 1 / 20, "swap2o": 1 / 15},
        {"swap": 1 / 2, "mfw": 1 / 20, "swap2o": 1 / 15},
    ),
    (
        "nanculef2014-adult-median",
        ADULT,
        {"swap": 1 / 15, "swap2o": 1 / 20, "fw": 1 / 1.5},
        {"swap": 1, "swap2o": 1 / 20, "fw": 1 / 1.5},
    ),
    (
        "nanculef2014-large-median",
        LARGE,
        {"fw": 1 / 27, "mfw": 1 / 15, "swap": 1 / 30, "swap2o": 1 / 30},
        {"fw": 1, "mfw": 1 / 15, "swap": 1 / 30, "swap2o": 1 / 30},
    ),
    (
        "nanculef2014-protein",
        ("protein",),
        {"fw": 1 / 20, "mfw": 1 / 120, "swap": 1 / 150, "swap2o": 1 / 350},
        {"fw": 1 / 20, "mfw": 1 / 12, "swap": 1 / 150, "swap2o": 1 / 350},
    ),
    ("nanculef2014-web-mfw-slower", WEB, {"fw": 1, "mfw": 2}, {"fw": 1, "mfw": [2] * 7 + [0.5]}),
    ("nanculef2014-adult-mfw-faster", ADULT, {"fw": 2, "mfw": 1}, {"fw": 2, "mfw": [1] * 6 + [3]}),
    (
        "nanculef2014-adult-tenfold",
        ADULT,
        {"mfw": 0.2, "swap": 0.05, "swap2o": 0.06},
        {"mfw": 0.055, "swap": 0.05, "swap2o": 0.06},
    ),
    (
        "nanculef2014-adult-tenfold",
        ADULT,
        {"mfw": 0.9, "swap": 0.05, "swap2o": 0.06},
        {"mfw": 0.9, "swap": 0.05, "swap2o": 0.2},
    ),
    ("nanculef2014-swap-mfw-large", LARGE, {"mfw": 2, "swap": [1, 1, 1, 1, 3]}, {"mfw": 2, "swap": [1, 1, 1, 3, 3]}),
]


@pytest.mark.parametrize(("claim_id", "datasets", "good", "bad"), SPEEDUPS)
def test_claims_about_times(claim_id, datasets, good, bad):
    assert judge(claim_id, benchmark(table(datasets, cvm=1.0, **good))).outcome == REPRODUCED
    assert judge(claim_id, benchmark(table(datasets, cvm=1.0, **bad))).outcome == NOT_REPRODUCED


ALL = (*WEB, *ADULT, *LARGE, *MEDIUM)
SPREAD = np.linspace(1, 2, len(ALL))
MIXED = np.where(np.arange(len(ALL)) % 2, 0.9, 1.1)
TESTS = [
    (
        "frandi2013-time-significant",
        {"cvm": SPREAD, "fw": SPREAD / 2, "mfw": SPREAD / 3},
        {"cvm": SPREAD, "fw": SPREAD / 2, "mfw": SPREAD * MIXED},
    ),
    ("frandi2013-fw-mfw-time", {"fw": SPREAD, "mfw": SPREAD * MIXED}, {"fw": SPREAD, "mfw": SPREAD * 2}),
    ("nanculef2014-swap-beats-mfw", {"swap": SPREAD, "mfw": 2 * SPREAD}, {"swap": 2 * SPREAD, "mfw": SPREAD}),
    ("nanculef2014-swap-beats-fw", {"swap": SPREAD, "fw": 2 * SPREAD}, {"swap": SPREAD * MIXED, "fw": SPREAD}),
    ("nanculef2014-swap2o-fw-time", {"swap2o": SPREAD * MIXED, "fw": SPREAD}, {"swap2o": SPREAD / 2, "fw": SPREAD}),
]
LESS, EVEN = SPREAD / 4 - 0.01, SPREAD / 4 + 0.01 * (MIXED - 1)
TESTS_OF_ACCURACY = [
    (
        "frandi2013-accuracy-significant",
        {"cvm": SPREAD / 4, "fw": LESS, "mfw": LESS},
        {"cvm": SPREAD / 4, "fw": LESS, "mfw": EVEN},
    ),
    ("frandi2013-mfw-more-accurate", {"fw": LESS, "mfw": SPREAD / 4}, {"fw": EVEN, "mfw": SPREAD / 4}),
    (
        "nanculef2014-same-accuracy",
        {"fw": SPREAD / 4, "mfw": EVEN, "swap": EVEN[::-1]},
        {"fw": SPREAD / 4, "mfw": EVEN, "swap": LESS},
    ),
    (
        "nanculef2014-swap2o-accuracy",
        {"swap2o": SPREAD / 4, "fw": LESS, "mfw": LESS},
        {"swap2o": SPREAD / 4, "fw": LESS, "mfw": EVEN},
    ),
    ("frandi2013-accuracy-loss", {"cvm": 0.9, "fw": 0.895, "mfw": 0.895}, {"cvm": 0.9, "fw": 0.895, "mfw": 0.85}),
    ("nanculef2014-accuracy-loss", {"cvm": 0.9, "swap": 0.899}, {"cvm": 0.9, "swap": 0.87}),
    ("nanculef2014-accuracy-loss", {"cvm": 0.9, "swap": 0.897}, {"cvm": 0.9, "swap": 0.894}),
]


@pytest.mark.parametrize(
    ("measure", "claim_id", "good", "bad"),
    [*(("train_cpu_s", *row) for row in TESTS), *(("test_accuracy", *row) for row in TESTS_OF_ACCURACY)],
)
def test_claims_by_tests_and_accuracies(measure, claim_id, good, bad):
    assert judge(claim_id, benchmark(table(ALL, **good), measure)).outcome == REPRODUCED
    assert judge(claim_id, benchmark(table(ALL, **bad), measure)).outcome == NOT_REPRODUCED


def test_too_few_data_sets_decide_nothing():
    runs = benchmark(table(("w1a", "a1a", "usps"), cvm=1.0, fw=0.1, mfw=0.2))
    for claim_id in ("frandi2013-time-significant", "frandi2013-fw-mfw-time"):
        verdict = judge(claim_id, runs)
        assert verdict.outcome == NOT_RUN and "cannot be significant" in verdict.reason


def test_claims_about_model_sizes():
    sizes = {"cvm": 300, "fw": 100, "mfw": 100, "swap": 120, "swap2o": 110}
    assert judge("nanculef2014-cvm-larger-web", benchmark(table(WEB, **sizes), "support_vectors")).outcome == REPRODUCED
    smaller = benchmark(table(WEB, **sizes | {"swap": 250}), "support_vectors")
    assert judge("nanculef2014-cvm-larger-web", smaller).outcome == NOT_REPRODUCED
    alike = benchmark(table(LARGE, **sizes | {"cvm": 150}), "support_vectors")
    assert judge("nanculef2014-sizes-similar", alike).outcome == REPRODUCED
    assert (
        judge("nanculef2014-sizes-similar", benchmark(table(LARGE, **sizes), "support_vectors")).outcome
        == NOT_REPRODUCED
    )
    adult = pd.DataFrame({name: (0.6 * SIZES[list(ADULT)]).astype(int) for name in ("cvm", "fw", "mfw")})
    assert judge("frandi2013-adult-sv-share", benchmark(adult, "support_vectors")).outcome == REPRODUCED
    fewer = adult.assign(fw=(adult["fw"] / 2).astype(int))
    verdict = judge("frandi2013-adult-sv-share", benchmark(fewer, "support_vectors"))
    assert verdict.outcome == NOT_REPRODUCED and "FW 30 %" in verdict.ours


def c_path(exponent):
    rows = [
        {
            "experiment": "c_path",
            "dataset": "shuttle",
            "method": method,
            "C": 2.0**k,
            "train_cpu_s": 2.0 ** (k * exponent),
            "selection": "sampled_libcvm" if method == "cvm" else "sampled_text",
            "stop_reason": "converged",
        }
        for method in ("cvm", "fw", "mfw")
        for k in range(6)
    ]
    return conform(pd.DataFrame(rows))


def test_faster_as_c_grows():
    verdict = judge("frandi2013-c-faster", c_path(-1))
    assert verdict.outcome == REPRODUCED and verdict.ours == "3 of 3 curves" and "1 of 4 data sets" in verdict.reason
    assert judge("frandi2013-c-faster", c_path(1)).outcome == NOT_REPRODUCED
    other = judge("frandi2013-c-faster", c_path(-1), selection="full")
    assert other.outcome == NOT_RUN and "sampled_text" in other.reason


def test_missing_sets_and_limits_are_said():
    runs = benchmark(table(("a1a", "a4a"), cvm=1.0, mfw=0.1))
    runs.loc[runs["method"] == "cvm", "stop_reason"] = "time_limit"
    verdict = judge("frandi2013-mfw-adult", runs)
    assert "2 of 7 data sets" in verdict.reason and "2 of 4 runs ended at a limit" in verdict.reason
    web = judge("frandi2013-fw-web", benchmark(table(("w1a", "w4a"), cvm=1.0, fw=0.1)))
    assert web.outcome == NOT_RUN and "w8a" in web.reason


def test_cvm_is_its_own_run_under_every_selection():
    runs = benchmark(table(("w8a",), cvm=250.0, swap=1.0), selection="full")
    assert judge("nanculef2014-swap-w8a", runs, selection="full").outcome == REPRODUCED
    assert judge("nanculef2014-swap-w8a", runs, selection="sampled_text").outcome == NOT_RUN


def test_limits_of_certified_cvm_are_not_those_of_cvm():
    runs = benchmark(table(("kdd99-10pc",), cvm=10.0, fw=1.0))
    certified = runs[runs["method"] == "cvm"].assign(selection="full", stop_reason="time_limit")
    for selection in ("sampled_text", "full"):
        both = pd.concat([runs.assign(selection=runs["selection"].replace("sampled_text", selection)), certified])
        assert "limit" not in judge("frandi2013-kdd", conform(both), selection=selection).reason


def test_within_a_factor_of_three():
    assert within(3.0, 9.0) and within(27.0, 9.0) and not within(2.9, 9.0) and not within(27.1, 9.0)
    assert not within(np.nan, 1.0)
