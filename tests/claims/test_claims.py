"""The claims of the papers on runs whose outcome is known: both ways, on the printed tables, and on nothing."""

import numpy as np
import pandas as pd
import pytest
from flipped_claims import flipped

from fwsvm.claims.evaluation import STUDY, excluding, paper_verdict, totals
from fwsvm.claims.evidence import JUDGED_BY, Evidence, judged_protocol
from fwsvm.claims.rules import NOT_REPRODUCED, NOT_RUN, OUTCOMES, REPRODUCED, SAME_DIRECTION, TYPES
from fwsvm.pipeline.artefacts import ARTEFACTS
from fwsvm.pipeline.claims import evaluate_claims, load_claims
from fwsvm.runs.records import conform, empty_runs
from fwsvm.studies import published
from fwsvm.studies.benchmark.significance import test_protocols

CLAIMS = {claim.id: claim for claim in load_claims()}
SIZES = published.load("frandi2013_datasets").set_index("dataset")["train_size"]
WEB = tuple(f"w{i}a" for i in range(1, 9))
ADULT = tuple(f"a{i}a" for i in range(1, 8))
LARGE = ("shuttle", "ijcnn1", "usps-ext", "kdd99-10pc", "kdd99-full")
MEDIUM = ("letter", "pendigits", "usps", "reuters", "mnist")


def benchmark(table, measure="train_cpu_s", protocol="as_printed"):
    """Runs with one measure of each data set (row) and method (column); the other measures are constant."""
    rows = []
    for dataset, values in table.iterrows():
        for method, value in values.items():
            row = {"experiment": "benchmark", "dataset": dataset, "method": method, "stop_reason": "converged"}
            row |= {"protocol": "libcvm" if method == "cvm" else protocol, "task_size": int(SIZES[dataset])}
            row |= {"train_cpu_s": 1.0, "test_accuracy": 0.9, "support_vectors": 100, "repetition": 0}
            rows.append(row | {measure: value})
    return conform(pd.DataFrame(rows))


def table(datasets, **methods):
    """A column per method; numbers are the same for all data sets."""
    return pd.DataFrame(
        {name: np.broadcast_to(value, len(datasets)) for name, value in methods.items()}, list(datasets)
    )


def evidence_of(runs, details=None, protocol="as_printed"):
    tests = test_protocols(runs) if (runs["experiment"] == "benchmark").any() else pd.DataFrame()
    return Evidence(runs, tests, details, protocol)


def judge(claim_id, runs, details=None, protocol="as_printed"):
    return CLAIMS[claim_id].judge(evidence_of(runs, details, protocol))


def numbers(verdict):
    return tuple(float(number) for finding in verdict.findings for number in finding.numbers)


def assert_reproduced(claim_id, runs):
    """The claim is reproduced, and would not be if one of its thresholds had the other sign."""
    claim, evidence = CLAIMS[claim_id], evidence_of(runs)
    assert claim.judge(evidence).outcome == REPRODUCED
    for turned in flipped(claim):
        assert turned.judge(evidence).outcome not in (REPRODUCED, NOT_RUN), turned.rule


@pytest.fixture(scope="module")
def without_runs():
    """All claims where nothing was run; not to be changed."""
    return evaluate_claims(empty_runs(), test_protocols(empty_runs()))


@pytest.fixture(scope="module")
def printed():
    """The printed tables of frandi2013 as runs, and their tests."""
    times, accuracies = (published.load_means(f"frandi2013_{name}") for name in ("time", "accuracy"))
    runs = benchmark(times)
    values = [accuracies.loc[row.dataset, row.method] / 100 for row in runs.itertuples()]
    return evidence_of(runs.assign(test_accuracy=values))


def test_every_claim_has_rules_and_names_artefacts_that_there_are():
    assert len(CLAIMS) == 47
    for claim in CLAIMS.values():
        assert claim.rule and claim.statement and claim.artefacts, claim.id
        assert set(claim.artefacts) <= set(ARTEFACTS), claim.id
    assert {rule.type for claim in CLAIMS.values() for rule in claim.rules} == set(TYPES)


def test_nothing_was_run(without_runs):
    found = without_runs
    assert set(found["outcome"]) == {NOT_RUN}
    assert (found["ours"] == "").all() and found["reason"].str.len().gt(0).all()
    of_benchmark = [claim for claim in CLAIMS.values() if claim.paper in ("frandi2013", "nanculef2014")]
    assert all(claim.about_benchmark for claim in of_benchmark)
    assert len(found) == 47 and found["headline"].sum() == 47
    assert set(found["protocol"]) == {"as_printed", STUDY}


def test_totals_count_the_rows(without_runs):
    found = without_runs.copy()
    found.loc[found.index[0], "outcome"] = REPRODUCED
    counted = totals(found).set_index(["paper", "protocol"])
    assert counted.loc[("tsang2005", STUDY), REPRODUCED] == 1
    assert counted.loc[("all", "headline")].tolist() == [1, 0, 0, 46]
    assert counted[list(OUTCOMES)].iloc[:-1].to_numpy().sum() == len(found)


@pytest.mark.parametrize(
    ("claim_id", "outcome", "ours"),
    [
        ("frandi2013-fw-web", REPRODUCED, "correlation 0.98; w1a 12.6×, w8a 107×"),
        ("frandi2013-mfw-adult", REPRODUCED, "7 of 7; MFW 15.4×"),
        ("frandi2013-adult-cvm-wins", REPRODUCED, "a1a, a2a of 7"),
        ("frandi2013-kdd", REPRODUCED, "kdd99-10pc 102×, kdd99-full 25"),
        ("frandi2013-accuracy-loss", REPRODUCED, "FW"),
        ("frandi2013-time-significant", REPRODUCED, "p: FW and CVM 3.08e-06, MFW and CVM 5.53e-06"),
        ("frandi2013-fw-mfw-time", REPRODUCED, "p: FW and MFW 0.689"),
        ("frandi2013-accuracy-significant", REPRODUCED, "p: FW and CVM 4.98e-06, MFW and CVM 0.000358"),
        ("frandi2013-mfw-more-accurate", REPRODUCED, "p: FW and MFW"),
        ("frandi2013-cvm-wins", REPRODUCED, "pendigits, usps, shuttle of 11"),
        ("nanculef2014-web-mfw-slower", REPRODUCED, "8 of 8"),
        ("nanculef2014-adult-mfw-faster", REPRODUCED, "7 of 7"),
        ("nanculef2014-accuracy-loss", NOT_REPRODUCED, "FW 2.92 % (ijcnn1), MFW 1.86 % (shuttle); 5 of 16"),
    ],
)
def test_the_printed_tables_say_what_the_papers_say(printed, claim_id, outcome, ours):
    verdict = CLAIMS[claim_id].judge(printed)
    assert (verdict.outcome, verdict.ours[: len(ours)]) == (outcome, ours)


def test_printed_medians_on_the_large_group_are_means(printed):
    verdict = CLAIMS["nanculef2014-large-median"].judge(printed)
    assert verdict.outcome == SAME_DIRECTION and "2 of 4 methods" in verdict.reason
    assert numbers(verdict) == pytest.approx((4.89, 8.01, 27.3, 15.0), rel=0.01)


def test_claims_that_the_printed_tables_contradict_are_flagged(without_runs):
    """Computed by the claims' own rules on the printed tables; the printed FW loses 2.92 % on ijcnn1."""
    found = without_runs
    flags = found[found["headline"] & found["printed_inconsistent"]].set_index("id")["flags"]
    assert set(flags.index) == {
        "nanculef2014-swap-adult",
        "nanculef2014-large-median",
        "nanculef2014-accuracy-loss",
    }
    assert "FW 2.92 % (ijcnn1)" in flags["nanculef2014-accuracy-loss"]
    printed = published.load_means("frandi2013_accuracy").loc[list(WEB)]
    assert ((printed["cvm"] - printed["fw"]) / printed["cvm"] > 0.005).all()


def test_claims_that_exclude_each_other_are_found():
    """A one-sided p below 0.01 makes the two-sided p of the same pair less than 0.02, which is not above 0.1."""
    assert excluding(CLAIMS.values()) == {
        "frandi2013-mfw-more-accurate": ["nanculef2014-same-accuracy"],
        "nanculef2014-same-accuracy": ["frandi2013-mfw-more-accurate"],
    }


def test_the_tests_of_all_claims_are_one_family():
    """Holm's step-down by hand over the p-values of the claims of differences that these runs can decide."""
    runs = benchmark(table(ALL, cvm=SPREAD, fw=SPREAD * MIXED, mfw=SPREAD / 2))
    found = evaluate_claims(runs, test_protocols(runs)).query("headline").set_index("id")
    p_fw, p_mfw = numbers(judge("frandi2013-time-significant", runs))
    family = [p_fw, p_mfw, *numbers(judge("frandi2013-accuracy-significant", runs)),
              *numbers(judge("frandi2013-mfw-more-accurate", runs))]  # fmt: skip
    family = [p for p in family if p == p]
    stepped = np.maximum.accumulate(np.sort(family) * np.arange(len(family), 0, -1)).clip(max=1)
    adjusted = dict(zip(np.sort(family), stepped, strict=True))
    assert found.loc["frandi2013-time-significant", "p_holm"] == pytest.approx(max(adjusted[p_fw], adjusted[p_mfw]))
    assert found["p_holm"].notna().sum() < 8 and found.loc["frandi2013-kdd":"frandi2013-kdd", "p_holm"].isna().all()


def test_effects_have_intervals():
    runs = benchmark(table(ALL, cvm=1.0, fw=0.25, mfw=0.5))
    found = evaluate_claims(runs, test_protocols(runs)).query("headline").set_index("id")["effect"]
    assert found["frandi2013-time-significant"] == (
        "median time FW / CVM 0.25 (95 %: 0.25 to 0.25), MFW / CVM 0.5 (95 %: 0.5 to 0.5)"
    )
    assert found["frandi2013-mfw-adult"] == "median MFW 2× (95 %: 2× to 2×)"


def test_one_sentence_per_paper():
    runs = benchmark(table(("w8a",), cvm=250.0, swap=1.0))
    found = evaluate_claims(runs, test_protocols(runs))
    assert paper_verdict(found, "singh") == "singh: none of its 5 statements could be tried."
    sentence = paper_verdict(found, "nanculef2014")
    assert sentence.startswith("nanculef2014: 1 of 2 statements reproduced; 15 could not be tried.")


def test_the_first_protocol_with_runs_decides():
    runs = benchmark(table(("w8a",), cvm=250.0, swap=1.0), protocol=JUDGED_BY[0])
    found = evaluate_claims(runs, test_protocols(runs)).query("headline and paper == 'nanculef2014'")
    assert set(found["protocol"]) == {JUDGED_BY[0]}
    assert found.set_index("id").loc["nanculef2014-swap-w8a", "outcome"] == REPRODUCED


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
    assert_reproduced(claim_id, benchmark(table(datasets, cvm=1.0, **good)))
    assert judge(claim_id, benchmark(table(datasets, cvm=1.0, **bad))).outcome in (SAME_DIRECTION, NOT_REPRODUCED)


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
    assert_reproduced(claim_id, benchmark(table(ALL, **good), measure))
    assert judge(claim_id, benchmark(table(ALL, **bad), measure)).outcome in (SAME_DIRECTION, NOT_REPRODUCED)


def test_too_few_data_sets_decide_nothing():
    runs = benchmark(table(("w1a", "a1a", "usps"), cvm=1.0, fw=0.1, mfw=0.2))
    for claim_id in ("frandi2013-time-significant", "frandi2013-fw-mfw-time"):
        verdict = judge(claim_id, runs)
        assert verdict.outcome == NOT_RUN and "cannot be significant" in verdict.reason


def test_claims_about_model_sizes():
    sizes = {"cvm": 300, "fw": 100, "mfw": 100, "swap": 120, "swap2o": 110}
    assert_reproduced("nanculef2014-cvm-larger-web", benchmark(table(WEB, **sizes), "support_vectors"))
    smaller = benchmark(table(WEB, **sizes | {"swap": 250}), "support_vectors")
    assert judge("nanculef2014-cvm-larger-web", smaller).outcome == SAME_DIRECTION
    alike = benchmark(table(LARGE, **sizes | {"cvm": 150}), "support_vectors")
    assert_reproduced("nanculef2014-sizes-similar", alike)
    assert (
        judge("nanculef2014-sizes-similar", benchmark(table(LARGE, **sizes), "support_vectors")).outcome
        == NOT_REPRODUCED
    )
    adult = pd.DataFrame({name: (0.6 * SIZES[list(ADULT)]).astype(int) for name in ("cvm", "fw", "mfw")})
    assert_reproduced("frandi2013-adult-sv-share", benchmark(adult, "support_vectors"))
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
            "protocol": "libcvm" if method == "cvm" else "as_printed",
            "stop_reason": "converged",
        }
        for method in ("cvm", "fw", "mfw")
        for k in range(6)
    ]
    return conform(pd.DataFrame(rows))


def test_faster_as_c_grows():
    assert_reproduced("frandi2013-c-faster", c_path(-1))
    verdict = judge("frandi2013-c-faster", c_path(-1))
    assert verdict.outcome == REPRODUCED and verdict.ours == "3 of 3" and "1 of 4 data sets" in verdict.reason
    assert judge("frandi2013-c-faster", c_path(1)).outcome == NOT_REPRODUCED
    other = judge("frandi2013-c-faster", c_path(-1), protocol="all_points")
    assert other.outcome == NOT_RUN and "as_printed" in other.reason


def test_missing_sets_and_limits_are_said():
    runs = benchmark(table(("a1a", "a4a"), cvm=1.0, mfw=0.1))
    runs.loc[runs["method"] == "cvm", "stop_reason"] = "time_limit"
    verdict = judge("frandi2013-mfw-adult", runs)
    assert "2 of 7 data sets" in verdict.reason and "2 of 4 runs ended at a limit" in verdict.reason
    web = judge("frandi2013-fw-web", benchmark(table(("w1a", "w4a"), cvm=1.0, fw=0.1)))
    assert web.outcome == NOT_RUN and "w8a" in web.reason


def test_cvm_is_its_own_run_under_every_selection():
    runs = benchmark(table(("w8a",), cvm=250.0, swap=1.0), protocol="all_points")
    assert judge("nanculef2014-swap-w8a", runs, protocol="all_points").outcome == REPRODUCED
    assert judge("nanculef2014-swap-w8a", runs, protocol="as_printed").outcome == NOT_RUN


def test_limits_of_certified_cvm_are_not_those_of_cvm():
    runs = benchmark(table(("kdd99-10pc",), cvm=10.0, fw=1.0))
    certified = runs[runs["method"] == "cvm"].assign(protocol="all_points", stop_reason="time_limit")
    for protocol in ("as_printed", "all_points"):
        both = pd.concat([runs.assign(protocol=runs["protocol"].replace("as_printed", protocol)), certified])
        assert "limit" not in judge("frandi2013-kdd", conform(both), protocol=protocol).reason


def test_the_benchmark_decides_under_which_protocol_claims_are_judged():
    runs = benchmark(table(("a1a",), cvm=2.0, fw=1.0))
    paths = benchmark(table(("a1a",), fw=1.0), protocol=JUDGED_BY[0]).assign(experiment="c_path")
    assert judged_protocol(pd.concat([runs, paths])) == "as_printed"
    assert judged_protocol(pd.concat([runs, paths.assign(experiment="benchmark")])) == JUDGED_BY[0]


def test_times_at_limits_are_named_next_to_p_values():
    runs = benchmark(table(ADULT, cvm=4.0, fw=1.0, mfw=2.0))
    runs.loc[runs["method"] == "fw", "stop_reason"] = "time_limit"
    found = judge("frandi2013-time-significant", runs)
    assert found.outcome != REPRODUCED  # FW's times are below CVM's because its limit is
    assert "7 of 21 runs ended at a limit" in found.reason
