"""Judge the claims about the benchmark by runs with a known outcome.

Some runs support the claims, and others contradict them. The claims are also judged by the printed
tables, and without any runs.
"""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from fwsvm_papers.claims.benchmark import (
    kernel_comparison,
    leads,
    p_values,
    printed_evidence,
    ratio,
    ratio_of_medians,
    relative_leads,
    spread,
    versus,
)
from fwsvm_papers.claims.claim import (
    EASY_SECONDS,
    NOT_CONTRADICTED,
    NOT_REPRODUCED,
    NOT_RUN,
    OUTCOMES,
    REPRODUCED,
    SAME_DIRECTION,
    STUDY,
)
from fwsvm_papers.claims.evaluation import PAPERS, evaluate_claims, paper_verdict, totals
from fwsvm_papers.claims.evidence import JUDGED_BY, Evidence, judged_protocol
from fwsvm_papers.claims.judging import bound, grows, lowest, near, share
from fwsvm_papers.pipeline.artefacts import ARTEFACTS
from fwsvm_papers.reporting.text import listing
from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.runs.records import conform, empty_runs
from fwsvm_papers.studies import cost
from fwsvm_papers.studies.benchmark.groups import Group
from fwsvm_papers.studies.benchmark.significance import test_protocols
from fwsvm_papers.studies.registry import load_printed

CLAIMS = {claim.id: claim for claims in PAPERS.values() for claim in claims}
SIZES = load_printed("frandi2013_datasets").set_index("dataset")["train_size"]
WEB = tuple(f"w{i}a" for i in range(1, 9))
ADULT = tuple(f"a{i}a" for i in range(1, 8))
LARGE = ("shuttle", "ijcnn1", "usps-ext", "kdd99-10pc", "kdd99-full")
MEDIUM = ("letter", "pendigits", "usps", "reuters", "mnist")
ALL = (*WEB, *ADULT, *LARGE, *MEDIUM)


def benchmark(datasets, measure="train_cpu_s", protocol="as_printed", **methods):
    """Return a table of runs in which one measure of each method has given values.

    The values are one number for all data sets, or one number per data set. All other measures are
    constant.
    """
    rows = []
    for method, values in methods.items():
        for dataset, value in zip(datasets, np.broadcast_to(values, len(datasets)), strict=True):
            row = {
                "experiment": "benchmark",
                "dataset": dataset,
                "method": method,
                "stop_reason": "converged",
            }
            row |= {"protocol": protocol, "task_size": int(SIZES[dataset])}
            row |= {
                "train_cpu_s": 1.0,
                "test_accuracy": 0.9,
                "support_vectors": 100,
                "repetition": 0,
            }
            rows.append(row | {measure: value})
    return conform(pd.DataFrame(rows))


def judge(claim_id, runs, protocol="as_printed", tested=True):
    """Judge a claim by runs. If `tested` is false, there are no significance tests of the runs."""
    tested = tested and (runs["experiment"] == "benchmark").any()
    tests = test_protocols(runs) if tested else pd.DataFrame()
    return CLAIMS[claim_id].judge(Evidence(runs, tests, protocol=protocol))


def assert_decides(claim_id, good, bad, tested=True):
    assert judge(claim_id, good, tested=tested).outcome == REPRODUCED
    assert judge(claim_id, bad, tested=tested).outcome in (
        NOT_CONTRADICTED,
        SAME_DIRECTION,
        NOT_REPRODUCED,
    )


@pytest.fixture(scope="module")
def without_runs():
    """Return the claims as judged without any runs. Tests must not change the table."""
    return evaluate_claims(empty_runs(), test_protocols(empty_runs()))


def test_every_claim_has_a_threshold_and_names_artefacts_that_there_are(without_runs):
    assert len(CLAIMS) == sum(map(len, PAPERS.values())) == 124
    for claim in CLAIMS.values():
        assert claim.artefacts and set(claim.artefacts.split()) <= set(ARTEFACTS), claim.id
    assert without_runs["threshold"].str.len().gt(0).all()


def test_nothing_was_run(without_runs):
    found = without_runs
    assert set(found["outcome"]) == {NOT_RUN} and len(found) == found["headline"].sum() == len(
        CLAIMS
    )
    assert (found["ours"] == "").all() and found["reason"].str.len().gt(0).all()
    of_benchmark = found["paper"].isin(["frandi2013", "nanculef2014"])
    assert set(found.loc[of_benchmark, "protocol"]) == {"as_printed"}
    assert set(found.loc[~of_benchmark, "protocol"]) == {STUDY}
    counted = totals(found.assign(outcome=[REPRODUCED, *found["outcome"][1:]])).set_index(
        ["paper", "protocol"]
    )
    assert counted.loc[("tsang2005", STUDY), REPRODUCED] == 1
    assert counted.loc[("all", "headline"), list(OUTCOMES)].tolist() == [
        1,
        0,
        0,
        0,
        len(CLAIMS) - 1,
    ]


@pytest.mark.parametrize(
    ("claim_id", "outcome", "ours"),
    [
        (
            "frandi2013-fw-web",
            SAME_DIRECTION,
            "(1) rank correlation with the number of points 0.98; (2) w1a 12.6×, w8a 107×",
        ),
        (
            "frandi2013-mfw-adult",
            REPRODUCED,
            "(1) true on 7 of 7 data sets; (2) largest: MFW 15.4×",
        ),
        ("frandi2013-adult-cvm-wins", REPRODUCED, "below 1× on 2 of 7 data sets: a1a and a2a"),
        ("frandi2013-kdd", REPRODUCED, "kdd99-10pc 102×, kdd99-full 25"),
        ("frandi2013-accuracy-loss", REPRODUCED, "true on"),
        (
            "frandi2013-time-significant",
            REPRODUCED,
            "p = 3.08e-06 (FW and CVM), 5.53e-06 (MFW and CVM)",
        ),
        ("frandi2013-fw-mfw-time", NOT_CONTRADICTED, "p = 0.689"),
        (
            "frandi2013-accuracy-significant",
            REPRODUCED,
            "p = 4.98e-06 (FW and CVM), 0.000358 (MFW and CVM)",
        ),
        ("frandi2013-mfw-more-accurate", REPRODUCED, "p = "),
        ("frandi2013-adult-fw-accuracy", REPRODUCED, "true on 4 of 7 data sets"),
        (
            "frandi2013-poly-comparable",
            NOT_REPRODUCED,
            "(1) true on 2 of 10 data sets with FW and 1 with MFW;"
            " (2) true on 9 of 10 data sets with FW and 7 with MFW",
        ),
        ("frandi2013-cvm-wins", REPRODUCED, "below 1× on 3 of 11 data sets: pendigits, usps"),
        ("nanculef2014-web-mfw-slower", REPRODUCED, "true on 8 of 8 data sets"),
        ("nanculef2014-adult-mfw-faster", REPRODUCED, "true on 7 of 7 data sets"),
        ("nanculef2014-large-median", SAME_DIRECTION, "median: FW 4.89×, MFW 8.01×"),
        (
            "nanculef2014-accuracy-loss",
            NOT_REPRODUCED,
            "(1) FW 2.92 % (ijcnn1), MFW 1.86 % (shuttle); (2) true in 5 of 16 cases",
        ),
    ],
)
def test_the_printed_tables_agree_with_the_text(claim_id, outcome, ours):
    printed = printed_evidence()
    verdict = CLAIMS[claim_id].judge(Evidence(printed.runs, test_protocols(printed.runs)))
    assert (verdict.outcome, verdict.ours[: len(ours)]) == (outcome, ours)


def test_claims_that_the_printed_tables_contradict_are_flagged(without_runs):
    flags = without_runs[without_runs["printed_inconsistent"]].set_index("id")["flags"]
    contradicted = {
        "swap-adult",
        "large-median",
        "accuracy-loss",
        "adult-over-fw",
        "poly-comparable",
    }
    of_frandi = {f"frandi2013-{name}" for name in ("fw-web", "mfw-web", "poly-comparable")}
    expected = {f"nanculef2014-{name}" for name in contradicted} | of_frandi
    assert set(flags.index) == expected
    # 11 and 14 are 15.5 / 1.45 and 20.5 / 1.45
    assert "the speed-ups over FW are then about 11 and 14" in flags["nanculef2014-adult-over-fw"]
    assert "2 of 10 data sets with FW and 1 with MFW" in flags["frandi2013-poly-comparable"]
    assert "FW 2.92 % (ijcnn1)" in flags["nanculef2014-accuracy-loss"]


SPREAD = np.linspace(1, 2, len(ALL))
MIXED = np.where(np.arange(len(ALL)) % 2, 0.9, 1.1)


def test_the_tests_of_all_claims_are_one_family():
    """The test computes Holm's correction itself, for the p-values of all claims about significant
    differences that these runs can decide.
    """
    runs = benchmark(
        ALL, cvm=SPREAD, fw=SPREAD * np.where(np.arange(len(ALL)) < 18, 0.8, 1.3), mfw=SPREAD / 2
    )
    rows = runs["dataset"].map(ALL.index)
    lower = {
        "cvm": 0.0,
        "fw": 0.01 + 0.001 * rows,
        "mfw": np.where(rows < 19, 0.002 + 0.001 * rows, -0.03),
    }
    for method, values in lower.items():
        runs["test_accuracy"] = runs["test_accuracy"].mask(runs["method"] == method, 0.9 - values)
    found = evaluate_claims(runs, test_protocols(runs)).query("headline").set_index("id")
    evidence = Evidence(runs, test_protocols(runs), protocol="as_printed")
    p_of = {
        name: claim.judge(evidence).p_values
        for name, claim in CLAIMS.items()
        if claim.every_protocol
    }
    p_of = {name: p_values for name, p_values in p_of.items() if p_values}
    assert set(p_of) == {f"frandi2013-{name}-significant" for name in ("time", "accuracy")} | {
        "frandi2013-mfw-more-accurate",
        "frandi2013-multiple-test",
    }
    family = np.sort([p for p_values in p_of.values() for p in p_values])
    stepped = np.maximum.accumulate(family * np.arange(len(family), 0, -1)).clip(max=1)
    adjusted = dict(zip(family, stepped, strict=True))
    expected = {name: max(adjusted[p] for p in p_values) for name, p_values in p_of.items()}
    assert found["p_holm"].dropna().to_dict() == pytest.approx(expected)
    assert any(expected[name] > 1.5 * max(p_values) for name, p_values in p_of.items())


def test_speed_is_judged_a_second_time_by_requested_kernel_values():
    runs = benchmark(ADULT, cvm=30.0, mfw=2.0)
    runs["requested_evaluations"] = runs["method"].map({"cvm": 100, "mfw": 200}).astype("Int64")
    found = evaluate_claims(runs, test_protocols(runs)).query("headline").set_index("id")
    row = found.loc["frandi2013-mfw-adult"]
    assert (row["outcome"], row["ours"]) == (
        REPRODUCED,
        "(1) true on 7 of 7 data sets; (2) largest: MFW 15×",
    )
    assert row["outcome_requested"] == NOT_REPRODUCED and row["ours_requested"].startswith(
        "(1) true on 0 of 7 data sets; (2) largest: MFW 0.5×"
    )
    assert found.loc["frandi2013-adult-sv-share", "outcome_requested"] == ""


def test_the_names_of_three_speed_ups_are_permuted_in_print():
    runs = benchmark(ADULT, cvm=20.0, swap=1.0, mfw=20 / 15, swap2o=20 / 27)
    found = evaluate_claims(runs, test_protocols(runs)).query("headline").set_index("id")
    assert "SWAP 20, MFW 15 and SWAP-2o 27" in found.loc["nanculef2014-swap-adult", "flags"]


def test_only_data_sets_of_the_papers_count():
    of_papers = benchmark(ADULT, cvm=4.0, fw=1.0, mfw=2.0)
    own = benchmark(ADULT, cvm=1.0, fw=8.0, mfw=9.0, swap=7.0)
    own["dataset"] = "own-" + own["dataset"]
    details = {"alaiz2018": [{"dataset": "own-a1a"}], "singh": [{"dataset": "own", "m": 300}]}
    alone = evaluate_claims(own, test_protocols(own), details)
    assert set(alone["outcome"]) == set(alone["outcome_requested"]) - {""} == {NOT_RUN}
    both = pd.concat([own, of_papers], ignore_index=True)
    assert_frame_equal(
        evaluate_claims(both, test_protocols(both), details),
        evaluate_claims(of_papers, test_protocols(of_papers)),
    )


def test_effects_have_intervals():
    runs = benchmark(ALL, cvm=1.0, fw=0.25, mfw=0.5)
    found = evaluate_claims(runs, test_protocols(runs)).query("headline").set_index("id")["effect"]
    assert (
        found["frandi2013-time-significant"]
        == "median ratio of times FW / CVM 0.25 (95 %: 0.25 to 0.25), MFW / CVM 0.5"
        " (95 %: 0.5 to 0.5)"
    )
    assert found["frandi2013-mfw-adult"] == "median MFW 2× (95 %: 2× to 2×)"


@pytest.mark.parametrize("protocol", JUDGED_BY)
def test_one_sentence_per_paper_under_the_protocol_that_decides(protocol):
    runs = benchmark(("w8a",), cvm=250.0, swap=1.0, protocol=protocol)
    found = evaluate_claims(runs, test_protocols(runs))
    assert paper_verdict(found, "singh") == "singh: none of its 10 statements could be tested."
    assert paper_verdict(found, "nanculef2014").startswith(
        "nanculef2014: 2 of 71 statements are reproduced ("
    )
    decisive = found.query("headline and paper == 'nanculef2014'")
    assert set(decisive["protocol"]) == {protocol}
    assert decisive.set_index("id").loc["nanculef2014-swap-w8a", "outcome"] == REPRODUCED


F, N = "frandi2013", "nanculef2014"
ON_ADULT = {"swap": 1 / 27, "mfw": 1 / 20, "swap2o": 1 / 15}
MEDIANS = {"swap": 1 / 15, "swap2o": 1 / 20, "fw": 1 / 1.5}
ON_LARGE = {"fw": 1 / 27, "mfw": 1 / 15, "swap": 1 / 30, "swap2o": 1 / 30}
ON_PROTEIN = {"fw": 1 / 20, "mfw": 1 / 120, "swap": 1 / 150, "swap2o": 1 / 350}
FOUR = {"fw": 3, "mfw": 2, "swap": 1, "swap2o": 1}
SINGLE = (*MEDIUM, *LARGE)
ON_SINGLE = [1.9 if name == "usps-ext" else 0.1 for name in SINGLE]
TENFOLD = {"mfw": 0.9, "swap": 0.05, "swap2o": 0.06}
TENTH = {"fw": 1, "mfw": 0.5, "swap": 0.1, "swap2o": 0.5}
EVENLY = {"fw": 1.2, "mfw": 1, "swap": 1.2, "swap2o": 0.9}
HELPED, FAILED = (*ADULT, "shuttle", "protein"), (*WEB, "usps-ext", "kdd99-10pc")
HELP = {"fw": 1, "mfw": [0.5] * 7 + [0.8] * 2, "swap": [0.5] * 7 + [0.9] * 2}
FAIL = {"mfw": 1, "fw": [0.5] * 8 + [0.8] * 2, "swap": [0.5] * 8 + [0.8] * 2}
GROWING = {names: SIZES[list(names)].to_numpy() / 1000 for names in (WEB, SINGLE)}
COMPETE = {"fw": 1, "mfw": 2, "swap": 1.4, "swap2o": 1.4}
AWAY = {"fw": 1, "mfw": 0.6, "swap": 0.6, "swap2o": [0.6] * 6 + [0.7]}
TIGHT = {"fw": 1, "mfw": 1} | dict.fromkeys(("swap", "swap2o"), [1.4] * 3 + [0.5] * 7)
OUTPERFORM = {"fw": 1, "mfw": 1} | dict.fromkeys(("swap", "swap2o"), [0.9] * 5 + [0.5] * 5)
ROBUST = {"fw": 1, "swap": 1}
SPEEDUPS = [
    (f"{F}-kdd", LARGE[3:], {"fw": [1 / 102, 1 / 25]}, {"fw": [1 / 102, 1 / 5]}),
    (f"{F}-fw-web", WEB, {"fw": 1 / np.linspace(12, 107, 8)}, {"fw": 1 / np.linspace(107, 12, 8)}),
    (f"{F}-fw-web", WEB, {"fw": 1 / np.linspace(12, 107, 8)}, {"fw": 1 / np.linspace(3, 107, 8)}),
    (f"{F}-mfw-web", WEB, {"mfw": 1 / np.linspace(2, 9, 8)}, {"mfw": 1 / np.linspace(2, 60, 8)}),
    (
        f"{F}-mfw-adult",
        ADULT,
        {"mfw": 1 / np.linspace(2, 15, 7)},
        {"mfw": 1 / np.linspace(0.9, 15, 7)},
    ),
    (f"{F}-adult-cvm-wins", ADULT, {"fw": [2, 2, *[0.5] * 5]}, {"fw": [2, 0.5, 2, *[0.5] * 4]}),
    (f"{F}-adult-cvm-wins", ADULT, {"fw": [2, 2, *[0.5] * 5]}, {"fw": [2, 2, 2, *[0.5] * 4]}),
    (f"{N}-swap-w8a", ("w8a",), {"swap": 1 / 250}, {"swap": 1 / 20}),
    (f"{N}-swap-adult", ADULT, ON_ADULT, ON_ADULT | {"swap": 1 / 2}),
    (
        f"{N}-adult-over-fw",
        ADULT,
        {"fw": 15, "swap": 1, "swap2o": 0.75},
        {"fw": 15, "swap": 4, "swap2o": 0.75},
    ),
    (f"{N}-adult-median", ADULT, MEDIANS, MEDIANS | {"swap": 1}),
    (f"{N}-large-median", LARGE, ON_LARGE, ON_LARGE | {"fw": 1}),
    (f"{N}-protein", ("protein",), ON_PROTEIN, ON_PROTEIN | {"mfw": 1 / 12}),
    (f"{N}-web-mfw-slower", WEB, {"fw": 1, "mfw": 2}, {"fw": 1, "mfw": [2] * 7 + [0.5]}),
    (f"{N}-adult-mfw-faster", ADULT, {"fw": 2, "mfw": 1}, {"fw": 2, "mfw": [1] * 6 + [3]}),
    (f"{N}-adult-tenfold", ADULT, TENFOLD, TENFOLD | {"mfw": 0.055}),
    (f"{N}-adult-tenfold", ADULT, TENFOLD, TENFOLD | {"swap2o": 0.2}),
    (f"{N}-web-faster", WEB, {"fw": 0.9, "swap": 0.5}, {"fw": 0.9, "swap": [0.5] * 7 + [1.1]}),
    (
        f"{N}-web-mfw-slowest",
        WEB,
        FOUR | {"mfw": [4] * 6 + [1] * 2},
        FOUR | {"mfw": [4] * 5 + [1] * 3},
    ),
    (
        f"{N}-web-swap2o-slower",
        WEB,
        {"swap": 1, "swap2o": [2] * 6 + [0.5] * 2},
        {"swap": 1, "swap2o": 0.9},
    ),
    (f"{N}-adult-faster-than-fw", ADULT, FOUR, FOUR | {"swap2o": [1] * 6 + [4]}),
    (f"{N}-adult-fw-largest", ADULT, {"fw": [1] * 5 + [1 / 3.6, 1]}, {"fw": [1] * 6 + [1 / 3.6]}),
    (f"{N}-adult-fw-largest", ADULT, {"fw": [1] * 5 + [1 / 3.6, 1]}, {"fw": [1] * 5 + [1 / 30, 1]}),
    (f"{N}-faster", (*MEDIUM, *LARGE), {"fw": [0.5] * 6 + [2] * 4}, {"fw": [0.5] * 5 + [2] * 5}),
    (
        f"{N}-swap-tenfold",
        WEB,
        {"mfw": 1, "swap": [0.1] * 5 + [1] * 3},
        {"mfw": 1, "swap": [0.1] * 4 + [1] * 4},
    ),
    (f"{N}-swap-over-mfw", (*ADULT, *WEB), FOUR, FOUR | {"swap": [1] * 14 + [3]}),
    (
        f"{N}-swap2o-over-mfw",
        ALL,
        FOUR | {"swap2o": [3] * 2 + [1] * 23},
        FOUR | {"swap2o": [3] * 3 + [1] * 22},
    ),
    (
        f"{F}-usps-ext",
        SINGLE,
        {"fw": 1 / 3, "mfw": ON_SINGLE},
        {"fw": 1 / 3, "mfw": ON_SINGLE[::-1]},
    ),
    (
        f"{N}-swap-mfw-large",
        LARGE,
        {"mfw": 2, "swap": [1, 1, 1, 1, 3]},
        {"mfw": 2, "swap": [1, 1, 1, 3, 3]},
    ),
    (f"{N}-medium-same-order", MEDIUM, TENTH | {"swap": 0.11}, TENTH),
    (f"{N}-medium-fastest", MEDIUM, EVENLY, EVENLY | {"mfw": [1, 1, 1.3, 1.3, 1.3]}),
    (f"{N}-medium-fastest", MEDIUM, EVENLY, EVENLY | {"swap": 1.6}),
    (f"{N}-medium-swap-slower", MEDIUM, EVENLY, EVENLY | {"swap": [0.9] * 2 + [1.2] * 3}),
    (f"{N}-medium-swap-slower", MEDIUM, EVENLY, EVENLY | {"swap": 1.6}),
    (f"{N}-medium-swap2o-faster", MEDIUM, EVENLY, EVENLY | {"swap2o": [1.1] * 2 + [0.9] * 3}),
    (f"{N}-medium-swap2o-faster", MEDIUM, EVENLY, EVENLY | {"swap2o": 0.6}),
    (
        f"{N}-shuttle-over-fw",
        ("shuttle",),
        {"fw": 15, "swap": 1, "swap2o": 0.75},
        {"fw": 15, "swap": 4, "swap2o": 0.75},
    ),
    (f"{N}-away-steps-help", HELPED, HELP, HELP | {"mfw": 0.7}),
    (f"{N}-away-steps-help", HELPED, HELP, HELP | {"swap": [0.5] * 6 + [0.7] * 3}),
    (f"{N}-away-steps-help", HELPED, HELP, HELP | {"mfw": [0.5] * 6 + [0.3] * 3}),
    (f"{N}-away-steps-fail", FAILED, FAIL, FAIL | {"fw": [0.5] * 7 + [0.7] * 3}),
    (f"{N}-away-steps-fail", FAILED, FAIL, FAIL | {"fw": [0.5] * 7 + [0.3] * 3}),
    (f"{N}-web-scaling", WEB, {"swap": 1 / GROWING[WEB]}, {"swap": GROWING[WEB]}),
    (f"{N}-scaling", SINGLE, {"fw": 1 / GROWING[SINGLE]}, {"fw": GROWING[SINGLE]}),
    (f"{N}-web-competitive", WEB, COMPETE, COMPETE | {"swap2o": [1.4] * 5 + [1.6] * 3}),
    (f"{N}-web-competitive", WEB, COMPETE, COMPETE | {"mfw": [2] * 5 + [1.3] * 3}),
    (f"{N}-adult-tend-faster", ADULT, {"fw": [2] * 3 + [0.5] * 4}, {"fw": [2] * 4 + [0.5] * 3}),
    (f"{N}-adult-tend-faster", ADULT, {"fw": [2] * 3 + [0.5] * 4}, {"fw": [0.5] * 6 + [2]}),
    (
        f"{N}-adult-fw-smaller",
        (*ADULT, *WEB),
        {"fw": [1] * 7 + [1 / 1.6] * 8},
        {"fw": [1] * 7 + [1 / 1.4] * 8},
    ),
    (
        f"{N}-adult-order-over-fw",
        ADULT,
        {"fw": 1, "swap": [0.1] * 4 + [1] * 3, "swap2o": 0.1},
        {"fw": 1, "swap": [0.1] * 3 + [1] * 4, "swap2o": 0.1},
    ),
    (f"{N}-adult-away-steps", ADULT, AWAY, AWAY | {"swap2o": [0.6] * 5 + [0.7] * 2}),
    (f"{N}-adult-away-steps", ADULT, AWAY, AWAY | {"fw": 0.8}),
    (
        f"{N}-large-over-medium",
        SINGLE,
        {"fw": [1] * 5 + [1 / 1.6] * 5},
        {"fw": [1] * 5 + [1 / 1.4] * 5},
    ),
    (f"{N}-tight-leads", SINGLE, TIGHT, TIGHT | {"swap": [1.6] * 3 + [0.5] * 7}),
    (f"{N}-tight-leads", SINGLE, TIGHT, TIGHT | {"swap": [1.4] * 3 + [0.9] * 7}),
    (f"{N}-large-swaps-faster", SINGLE, OUTPERFORM, OUTPERFORM | {"swap": [0.9] * 8 + [1.1] * 2}),
    (f"{N}-large-swaps-faster", SINGLE, OUTPERFORM, OUTPERFORM | {"swap": [0.4] * 5 + [0.5] * 5}),
    (
        f"{N}-swap2o-slower",
        ALL,
        {"swap": 1, "swap2o": [2] * 13 + [0.5] * 12},
        {"swap": 1, "swap2o": [2] * 12 + [0.5] * 13},
    ),
    (
        f"{N}-mfw-leads",
        WEB,
        {"mfw": 1, "swap": [1.9] * 2 + [0.5] * 6},
        {"mfw": 1, "swap": [2.1] * 2 + [0.5] * 6},
    ),
    (
        f"{N}-swap2o-robustness",
        (*HELPED, *FAILED),
        ROBUST | {"swap2o": [0.9] * 7 + [1.1] * 12},
        ROBUST | {"swap2o": [0.9] * 6 + [1.1] * 13},
    ),
    (
        f"{N}-swap2o-robustness",
        (*HELPED, *FAILED),
        ROBUST | {"swap2o": [0.9] * 9 + [1.1] * 8 + [0.9] * 2},
        ROBUST | {"swap2o": [0.9] * 9 + [1.1] * 7 + [0.9] * 3},
    ),
    (
        f"{F}-cvm-leads",
        SINGLE,
        {"fw": [0.5] * 6 + [1.4] * 3 + [1.6], "mfw": 0.5},
        {"fw": [0.5] * 6 + [1.4] * 2 + [1.6] * 2, "mfw": 0.5},
    ),
    (
        f"{F}-adult-faster",
        ADULT,
        {"fw": [2] * 2 + [0.5] * 5, "mfw": 0.5},
        {"fw": [2] * 3 + [0.5] * 4, "mfw": 0.5},
    ),
]


@pytest.mark.parametrize(("claim_id", "datasets", "good", "bad"), SPEEDUPS)
def test_claims_about_times(claim_id, datasets, good, bad):
    runs = (benchmark(datasets, cvm=1.0, **values) for values in (good, bad))
    assert_decides(claim_id, *runs, tested=False)


CVM = SPREAD / 4
LESS, EVEN = CVM - 0.01, CVM + 0.01 * (MIXED - 1)
FASTER = {"cvm": SPREAD, "fw": SPREAD / 2, "mfw": SPREAD / 3}
TESTS = [
    (f"{F}-time-significant", FASTER, FASTER | {"mfw": SPREAD * MIXED}),
    (f"{F}-fw-mfw-time", {"fw": SPREAD, "mfw": SPREAD * MIXED}, {"fw": SPREAD, "mfw": SPREAD * 2}),
    (
        f"{N}-swap-beats-mfw",
        {"swap": SPREAD, "mfw": 2 * SPREAD},
        {"swap": 2 * SPREAD, "mfw": SPREAD},
    ),
    (
        f"{N}-swap2o-beats-mfw",
        {"swap2o": SPREAD, "mfw": 2 * SPREAD},
        {"swap2o": SPREAD * MIXED, "mfw": SPREAD},
    ),
    (
        f"{N}-faster-than-cvm",
        {"cvm": 2 * SPREAD, "swap": SPREAD, "swap2o": SPREAD},
        {"cvm": 2 * SPREAD, "swap": SPREAD, "swap2o": 2 * SPREAD * MIXED},
    ),
    (
        f"{N}-swap-beats-fw",
        {"swap": SPREAD, "fw": 2 * SPREAD},
        {"swap": SPREAD * MIXED, "fw": SPREAD},
    ),
    *(
        (
            f"{N}-{name}",
            {one: SPREAD * MIXED, other: SPREAD},
            {one: SPREAD / 2, other: SPREAD},
        )
        for name, one, other in (
            ("fw-mfw-time", "fw", "mfw"),
            ("swap2o-swap-time", "swap2o", "swap"),
        )
    ),
    (
        f"{N}-swap2o-fw-time",
        {"swap2o": SPREAD * MIXED, "fw": SPREAD},
        {"swap2o": SPREAD / 2, "fw": SPREAD},
    ),
    (
        f"{N}-swap2o-fw-time",
        {"swap2o": SPREAD * MIXED, "fw": SPREAD},
        {"swap2o": SPREAD * MIXED**9, "fw": SPREAD},
    ),
]
HALF = np.where(np.arange(len(ALL)) % 2, 0.01, -0.01)
FEW = np.where(np.arange(len(ALL)) == 9, 0.01, -0.01)  # greater on only one Adult data set
BEHIND = {"fw": CVM - 0.02, "mfw": CVM, "swap": CVM - 0.01, "swap2o": CVM + 0.01}
ORDERS = {
    "web-swap-over-fw": (BEHIND, BEHIND | {"fw": CVM}),
    "web-mfw-over-swap": (BEHIND, BEHIND | {"mfw": CVM - 0.01 + HALF}),
    "web-swap2o-best": (BEHIND, BEHIND | {"mfw": CVM + 0.01 + HALF}),
    # in the first case, FW is as accurate as SWAP, and still counts as the least accurate
    "web-fw-least": (BEHIND | {"fw": CVM - 0.01}, BEHIND | {"fw": CVM - 0.005}),
    "fw-least": (BEHIND | {"fw": CVM - 0.01}, BEHIND | {"fw": CVM - 0.005}),
    "adult-as-accurate": (
        {"cvm": CVM, "fw": CVM, "mfw": CVM},
        {"cvm": CVM, "fw": CVM, "mfw": CVM - 0.001},
    ),
    "adult-swap-over-fw": ({"swap": CVM, "fw": CVM}, {"swap": CVM, "fw": CVM + FEW}),
    "adult-swap-over-mfw": ({"swap": CVM, "mfw": CVM + FEW}, {"swap": CVM, "mfw": CVM + HALF}),
    "web-less-accurate": ({"cvm": CVM, "swap": LESS}, {"cvm": CVM, "swap": CVM + HALF}),
    "cvm-ahead": ({"cvm": CVM, "swap": LESS}, {"cvm": CVM, "swap": CVM + HALF}),
    "adult-cvm-behind": ({"cvm": CVM, "fw": CVM + 0.0002}, {"cvm": CVM, "fw": CVM}),
    "adult-swap2o-mfw": (
        {"swap2o": CVM, "mfw": CVM + 0.0049},
        {"swap2o": CVM, "mfw": CVM + 0.0051},
    ),
    "swaps-closest": (BEHIND | {"mfw": CVM - 0.02}, BEHIND),
}
TESTS_OF_ACCURACY = [
    (
        f"{F}-accuracy-significant",
        {"cvm": CVM, "fw": LESS, "mfw": LESS},
        {"cvm": CVM, "fw": LESS, "mfw": EVEN},
    ),
    (f"{F}-mfw-more-accurate", {"fw": LESS, "mfw": CVM}, {"fw": EVEN, "mfw": CVM}),
    (
        f"{N}-same-accuracy",
        {"fw": CVM, "mfw": EVEN, "swap": 2 * CVM - EVEN},
        {"fw": CVM, "mfw": EVEN, "swap": LESS},
    ),
    (
        f"{N}-swap2o-accuracy",
        {"swap2o": CVM, "fw": LESS, "mfw": LESS, "swap": LESS},
        {"swap2o": CVM, "fw": LESS, "mfw": LESS, "swap": EVEN},
    ),
    *((f"{N}-{name}", *outcomes) for name, outcomes in ORDERS.items()),
    (
        f"{N}-cvm-more-accurate",
        {"cvm": CVM, "swap": LESS, "swap2o": LESS},
        {"cvm": CVM, "swap": LESS, "swap2o": EVEN},
    ),
    (
        f"{F}-adult-mfw-accuracy",
        {"cvm": CVM, "mfw": CVM - 0.0049},
        {"cvm": CVM, "mfw": CVM - 0.0051},
    ),
    (
        f"{F}-characters",
        {"cvm": CVM, "fw": CVM, "mfw": CVM + 0.0099},
        {"cvm": CVM, "fw": CVM - 0.0051, "mfw": CVM + 0.0051},
    ),
    (
        f"{F}-accuracy-loss",
        {"cvm": 0.9, "fw": 0.895, "mfw": 0.895},
        {"cvm": 0.9, "fw": 0.895, "mfw": 0.85},
    ),
    *(
        (f"{N}-swap-accuracy", {"fw": LESS, "mfw": CVM + 0.0049, "swap": CVM}, bad)
        for bad in (
            {"fw": LESS, "mfw": CVM + 0.0051, "swap": CVM},
            {"fw": CVM, "mfw": CVM + 0.0049, "swap": CVM},
        )
    ),
    (f"{N}-accuracy-loss", {"cvm": 0.9, "swap": 0.899}, {"cvm": 0.9, "swap": 0.87}),
    (f"{N}-accuracy-loss", {"cvm": 0.9, "swap": 0.897}, {"cvm": 0.9, "swap": 0.894}),
]


@pytest.mark.parametrize(
    ("measure", "claim_id", "good", "bad"),
    [
        *(("train_cpu_s", *row) for row in TESTS),
        *(("test_accuracy", *row) for row in TESTS_OF_ACCURACY),
    ],
)
def test_claims_by_tests_and_accuracies(measure, claim_id, good, bad):
    assert_decides(claim_id, *(benchmark(ALL, measure, **values) for values in (good, bad)))


@pytest.mark.parametrize("paper", [F, N])
@pytest.mark.parametrize(
    ("seconds", "loss", "outcome"),
    [(2.0, 0.01, REPRODUCED), (1.0, 0.01, NOT_REPRODUCED), (2.0, 0.0, NOT_REPRODUCED)],
)
def test_all_methods_together_must_differ_in_time_and_in_accuracy(paper, seconds, loss, outcome):
    methods = ("cvm", "fw", "mfw", "swap", "swap2o")
    runs = benchmark(ALL, **{name: seconds**-place for place, name in enumerate(methods)})
    runs["test_accuracy"] -= loss * runs["method"].map(methods.index)
    verdict = judge(f"{paper}-multiple-test", runs)
    assert verdict.outcome == outcome and "Friedman" in verdict.threshold


@pytest.mark.parametrize(
    ("fw", "seconds", "outcome"),
    [(0.89, 0.5, REPRODUCED), (0.9, 0.5, NOT_REPRODUCED), (0.89, 1.5, NOT_REPRODUCED)],
)
def test_cvm_is_more_accurate_but_slower(fw, seconds, outcome):
    sets = ("ijcnn1", "reuters", "kdd99-10pc")
    runs = benchmark(sets, cvm=1.0, fw=0.5, mfw=seconds)
    runs["test_accuracy"] = runs["method"].map({"cvm": 0.9, "fw": fw, "mfw": 0.89})
    assert judge(f"{F}-cvm-more-accurate", runs).outcome == outcome


@pytest.mark.parametrize(
    ("seconds", "fw", "outcome"),
    [
        ([0.5] * 13 + [2.0] * 12, [0.89] * 13 + [0.91] * 12, REPRODUCED),
        ([0.5] * 12 + [2.0] * 13, [0.89] * 13 + [0.91] * 12, NOT_REPRODUCED),
        ([0.5] * 13 + [2.0] * 12, [0.89] * 12 + [0.91] * 13, NOT_REPRODUCED),
    ],
)
def test_most_of_the_time_faster_and_less_accurate(seconds, fw, outcome):
    runs = benchmark(ALL, cvm=1.0, fw=seconds, mfw=0.5)
    of_fw = runs["dataset"].map(dict(zip(ALL, fw, strict=True)))
    accuracy = runs["method"].map({"cvm": 0.9, "mfw": 0.89})
    runs["test_accuracy"] = accuracy.where(runs["method"] != "fw", of_fw)
    assert judge(f"{F}-faster-less-accurate", runs).outcome == outcome


@pytest.mark.parametrize(
    ("claim_id", "sets", "most", "seconds"),
    [
        (f"{F}-adult-faster", ADULT, 0.01, 1.0),
        (f"{F}-protein-and-kdd", ("protein", "kdd99-full"), 0.005, 1 / 1.5),
    ],
)
def test_faster_with_the_same_accuracy(claim_id, sets, most, seconds):
    def outcome(loss, fw):
        runs = benchmark(sets, cvm=1.0, fw=fw, mfw=0.1)
        runs.loc[runs["method"] == "mfw", "test_accuracy"] -= loss
        return judge(claim_id, runs).outcome

    assert outcome(most - 1e-4, seconds - 0.01) == REPRODUCED
    assert outcome(most + 1e-4, seconds - 0.01) == NOT_REPRODUCED
    assert outcome(most - 1e-4, seconds + 0.01) in (SAME_DIRECTION, NOT_REPRODUCED)


def test_leads_count_only_where_a_method_is_faster():
    """SWAP is faster than MFW by a factor of 2 on six data sets, and slower by a factor of 1.25 on
    two. SWAP-2o is always faster than MFW.
    """
    runs = benchmark(WEB, mfw=1.0, swap=[0.5] * 6 + [1.25] * 2, swap2o=0.5)
    evidence = Evidence(runs, protocol="as_printed")
    assert leads(evidence, ["mfw"], ["swap"]).values.tolist() == pytest.approx([1.25, 1.25])
    relative = relative_leads(evidence, ["swap", "swap2o"], ["mfw"])
    assert relative.values.to_dict() == pytest.approx({("SWAP", ""): 1.6})
    only_slower = leads(evidence, ["mfw"], ["swap2o"])
    assert only_slower.values.empty and "no runs in which MFW is faster" in only_slower.absent


SECONDS = {"fw": 2.0, "swap": 3.0, "mfw": 5.0}


def with_limits(late):
    """Return runs on w1a with the times in `SECONDS`. The runs of the methods in `late` ended at
    the limit.
    """
    runs = benchmark(("w1a",), **SECONDS)
    runs.loc[runs["method"].isin(late), "stop_reason"] = "time_limit"
    return runs


def assert_bound_is_that_of_the_range(sample, ratio, late, seconds):
    """Check the bound of a ratio against all values that the ratio can have.

    The runs in `late` ended at a limit, so that their true times can be longer. The ratio is
    computed for many such times.
    """
    beyond = (1.0, 1.2, 1.6, 2.0, 2.6, 1e9)
    choices = [
        [at * factor for factor in (beyond if name in late else (1.0,))]
        for name, at in seconds.items()
    ]
    ratios = [ratio(*times) for times in product(*choices)]
    observed = ratio(*seconds.values())
    above, below = max(ratios) > observed, min(ratios) < observed
    if above and below:
        assert sample.values.isna().tolist() == [True]
        assert sample.bounds.tolist() == [Bound.UNKNOWN] and sample.basis.startswith("1 ")
        assert share(sample, "<", 2).reason.startswith("limits hide the answer; ")
        return
    assert sample.values.tolist() == pytest.approx([observed])
    expected = Bound.AT_LEAST if above else Bound.AT_MOST if below else Bound.EXACT
    assert sample.bounds.tolist() == [expected]


@pytest.mark.parametrize("late", ["", "fw", "swap", "mfw", "fw swap", "fw mfw", "swap mfw"])
def test_extremes_of_times_have_the_bounds_that_limits_leave(late):
    late = late.split()
    evidence = Evidence(with_limits(late), protocol="as_printed")
    for ours, theirs, of_others, quotient in (
        (["mfw"], ["fw", "swap"], max, lambda fw, swap, mfw: mfw / max(fw, swap)),
        (["mfw"], ["fw", "swap"], min, lambda fw, swap, mfw: mfw / min(fw, swap)),
        (["fw", "swap"], ["mfw"], max, lambda fw, swap, mfw: max(fw, swap) / mfw),
    ):
        found = versus(evidence, ours, theirs, ("w1a",), "time", of_others)
        assert_bound_is_that_of_the_range(found, quotient, late, SECONDS)
    found = spread(evidence, list(SECONDS), ("w1a",), "time")
    assert_bound_is_that_of_the_range(found, lambda *times: max(times) / min(times), late, SECONDS)
    sizes = spread(evidence, list(SECONDS), ("w1a",), "support_vectors")
    accuracies = versus(evidence, ["mfw"], ["fw"], ("w1a",), "accuracy")
    assert [*sizes.bounds, *accuracies.bounds] == [Bound.EXACT] * 2


@pytest.mark.parametrize("late", ["", "poly", "gaussian", "poly gaussian"])
@pytest.mark.parametrize("poly", [1.0, 6.0])
def test_times_with_two_kernels_have_the_bounds_that_limits_leave(poly, late):
    late, seconds = late.split(), {"poly": poly, "gaussian": 2.0}
    runs = [benchmark(("w1a",), fw=taken) for taken in seconds.values()]
    runs[0] = runs[0].assign(experiment="poly")
    for kernel, of_kernel in zip(seconds, runs, strict=True):
        of_kernel["stop_reason"] = "time_limit" if kernel in late else "converged"
    evidence = Evidence(pd.concat(runs), protocol="as_printed")
    factors, distances = kernel_comparison(evidence, ["fw"])
    assert_bound_is_that_of_the_range(
        factors, lambda *times: max(times) / min(times), late, seconds
    )
    assert distances.bounds.tolist() == [Bound.EXACT] and distances.basis == "1 data set"


def test_the_median_of_extremes_says_that_it_is_a_bound():
    """MFW takes 2 seconds and FW takes 1 second on all eight data sets. On five of them, MFW ended
    at the limit.
    """
    runs = benchmark(WEB, fw=1.0, mfw=2.0)
    late = (runs["method"] == "mfw") & runs["dataset"].isin(WEB[:5])
    runs.loc[late, "stop_reason"] = "time_limit"
    evidence = Evidence(runs, protocol="as_printed")
    for sample in (
        versus(evidence, ["mfw"], ["fw"], WEB, "time"),
        spread(evidence, ["mfw", "fw"], WEB, "time"),
    ):
        assert sample.effect_words() == "median ≥ 2× (95 %: 2× to infinity)"


def test_growth_needs_three_different_speed_ups():
    few = benchmark(WEB[:2], cvm=1.0, fw=[1.0, 0.5])
    for runs in (few, benchmark(WEB, cvm=1.0, fw=0.5)):
        verdict = judge(f"{N}-web-scaling", runs)
        assert verdict.outcome == NOT_RUN and "fewer than three" in verdict.reason


def test_too_few_data_sets_decide_nothing():
    runs = benchmark(("w1a", "a1a", "usps"), cvm=1.0, fw=0.1, mfw=0.2)
    for claim_id in ("frandi2013-time-significant", "frandi2013-fw-mfw-time"):
        verdict = judge(claim_id, runs)
        assert verdict.outcome == NOT_RUN and "significant" in verdict.reason


def test_claims_about_model_sizes():
    def of(datasets, **more):
        return benchmark(datasets, size, **sizes | more)

    size, sizes = "support_vectors", {"cvm": 300, "fw": 100, "mfw": 100, "swap": 120, "swap2o": 110}
    assert_decides(f"{N}-cvm-larger-web", of(WEB), of(WEB, swap=250))
    assert_decides(f"{N}-adult-sizes", of(ADULT, cvm=149), of(ADULT, cvm=151))
    web = SIZES[list(WEB)].to_numpy()
    good, bad = (benchmark(WEB, size, cvm=(web**power).astype(int)) for power in (0.95, 0.85))
    assert_decides(f"{N}-web-cvm-share", good, bad)
    assert judge(f"{N}-web-cvm-share", bad).outcome == NOT_REPRODUCED  # the share becomes smaller
    sizes |= {"mfw": 130, "swap2o": 130}
    assert_decides(f"{N}-web-smaller", of(WEB), of(WEB, swap2o=115))
    most = (0.6 * SIZES[list(ADULT)]).astype(int).to_numpy()
    good, bad = (benchmark(ADULT, size, cvm=most, fw=most // part, mfw=most) for part in (1, 2))
    assert_decides("frandi2013-adult-sv-share", good, bad)


@pytest.mark.parametrize(
    ("swap2o", "outcome"),
    [
        (100 + np.array([1, -1, 2, -2, 3, -3, 1, -1, 2]), REPRODUCED),
        # no method is always larger, but the sizes are far apart
        (np.array([100, 95, 300, 30, 104, 99, 20, 400, 103]), NOT_CONTRADICTED),
        (np.arange(111, 120), NOT_REPRODUCED),  # always larger, although by less than 25 %
        (np.full(9, 400), NOT_REPRODUCED),
    ],
)
def test_sizes_are_similar_only_if_no_test_and_no_distance_tells_them_apart(swap2o, outcome):
    size, sets = "support_vectors", (*MEDIUM, *LARGE[:4])
    runs = benchmark(
        sets, size, fw=100 + np.arange(9) % 3, mfw=100 + np.arange(1, 10) % 3, swap2o=swap2o
    )
    assert judge(f"{N}-sizes-similar", runs).outcome == outcome


def test_more_accurate_on_adult_needs_more_than_half_of_the_sets():
    def of(better):
        values = {"cvm": 0.8, "fw": [0.81] * better + [0.8] * (7 - better)}
        return benchmark(ADULT, "test_accuracy", **values)

    assert_decides("frandi2013-adult-fw-accuracy", of(4), of(3))


@pytest.mark.parametrize(
    ("factor", "shift", "outcome"),
    [
        (2.9, 0.009, REPRODUCED),
        (1 / 2.9, -0.009, REPRODUCED),
        (3.1, 0, NOT_REPRODUCED),
        (1, 0.011, NOT_REPRODUCED),
    ],
)
def test_the_polynomial_kernel_is_compared_with_the_gaussian_on_the_same_sets(
    factor, shift, outcome
):
    gaussian = benchmark(WEB, fw=2.0, mfw=5.0)
    poly = benchmark(WEB[:5], fw=2.0 * factor, mfw=5.0 * factor).assign(experiment="poly")
    poly["test_accuracy"] += shift
    for paper in (F, N):
        verdict = judge(f"{paper}-poly-comparable", pd.concat([gaussian, poly]))
        assert verdict.outcome == outcome and "5 data sets" in verdict.reason
        assert judge(f"{paper}-poly-comparable", gaussian).outcome == NOT_RUN


def c_path(exponent, **factors):
    rows = [
        {
            "experiment": "c_path",
            "dataset": "shuttle",
            "method": method,
            "C": 2.0**k,
            "train_cpu_s": factors.get(method, 1.0) * 2.0 ** (k * exponent),
            "stop_reason": "converged",
            "protocol": "as_printed",
        }
        for method in ("cvm", "fw", "mfw")
        for k in range(6)
    ]
    return conform(pd.DataFrame(rows))


def test_every_algorithm_becomes_faster():
    runs, other = c_path(-1), c_path(1)
    mixed = pd.concat([runs[runs["method"] != "mfw"], other[other["method"] == "mfw"]])
    # only two of the three methods
    assert judge("frandi2013-c-faster", mixed).outcome == SAME_DIRECTION


def test_faster_than_cvm_at_every_c():
    assert_decides("frandi2013-c-cvm", c_path(0, fw=0.5, mfw=0.9), c_path(0, fw=0.5, mfw=1.1))
    at_one_c = c_path(0, fw=0.5, mfw=0.9)
    slower = (at_one_c["method"] == "mfw") & (at_one_c["C"] == 4)
    at_one_c.loc[slower, "train_cpu_s"] = 1.1
    # faster in most cases, but not at every value of C
    verdict = judge("frandi2013-c-cvm", at_one_c)
    assert verdict.outcome == SAME_DIRECTION and (
        verdict.ours
        == "(1) true in 6 of 6 cases with FW and 5 with MFW; (2) true in 11 of 12 cases"
    )


@pytest.mark.parametrize(
    ("ended", "mfw", "cases"),
    [("cvm", 0.9, 6), ("mfw", 0.9, 5), ("cvm", 1.1, 5), ("mfw", 1.1, 6), ("cvm mfw", 0.9, 5)],
)
def test_a_limit_may_hide_which_is_faster_at_a_c(ended, mfw, cases):
    runs = c_path(0, fw=0.5, mfw=mfw)
    runs.loc[runs["method"].isin(ended.split()) & (runs["C"] == 1), "stop_reason"] = "time_limit"
    verdict = judge("frandi2013-c-cvm", runs)
    total = f" of {cases} cases" if cases != 6 else ""
    assert f" and {cases if mfw < 1 else 0}{total} with MFW;" in verdict.ours
    assert ("limits hide the answer in 1 other case" in verdict.ours) == (cases == 5)


def test_a_median_at_a_c_uses_data_sets_with_an_unknown_order():
    """MFW is faster on shuttle and slower on reuters. At one C, the order on shuttle is unknown, so
    the median may be on both sides of 1.
    """
    runs = c_path(0, fw=0.5, mfw=0.5)
    late = runs["method"].isin(["cvm", "mfw"]) & (runs["C"] == 1)
    runs.loc[late, "stop_reason"] = "time_limit"
    other = c_path(0, fw=0.5, mfw=1.6).assign(dataset="reuters")
    evidence = Evidence(pd.concat([runs, other]), protocol="as_printed")
    _, of_medians = CLAIMS["frandi2013-c-cvm"].verdicts(evidence)
    assert of_medians.outcome == REPRODUCED
    assert of_medians.ours.startswith("true in 11 of 11 cases; limits hide the answer in 1 other")


def test_faster_as_c_grows():
    assert_decides("frandi2013-c-faster", c_path(-1), c_path(1))
    verdict = judge("frandi2013-c-faster", c_path(-1))
    assert verdict.ours == "true in 3 of 3 cases" and "1 of 4 data sets" in verdict.reason
    other = judge("frandi2013-c-faster", c_path(-1), protocol="all_points")
    assert other.outcome == NOT_RUN and "as_printed" in other.reason


def test_counts_and_medians_of_speedups_know_their_bounds():
    """FW ends at the limit on w1a, and CVM on w2a. On w1a, FW seems faster only because of its
    limit, and on w2a, CVM does.
    """
    sets = ("w1a", "w2a", "w3a", "w4a")
    runs = benchmark(sets, cvm=4.0, fw=2.0, swap=1.0)
    slow = runs["dataset"] == "w2a"
    runs.loc[slow & (runs["method"] == "cvm"), "train_cpu_s"] = 1.0
    late = (runs["dataset"] == "w1a") & (runs["method"] == "fw")
    late |= slow & (runs["method"] == "cvm")
    runs.loc[late, "stop_reason"] = "time_limit"
    evidence = Evidence(runs, protocol="as_printed")
    speedups = ratio(evidence, ["fw"], sets)
    verdict = share(speedups, ">", 1)
    assert verdict.outcome == REPRODUCED
    assert verdict.ours == "true on 2 of 2 data sets; limits hide the answer in 2 other cases"
    assert leads(evidence, ["fw"], ["cvm"], sets).values.tolist() == [2.0, 2.0]
    # SWAP's lead over FW on w1a is at least 2, and no other lead is larger
    assert leads(evidence, ["swap"], ["fw"], sets).bounds.tolist().count(Bound.AT_LEAST) == 1
    one, other = (Group(name, (name,)) for name in ("w1a", "w3a"))
    of_medians = ratio_of_medians(evidence, ["fw"], one, other)
    assert of_medians.bounds.tolist() == [Bound.AT_MOST]
    turned = ratio_of_medians(evidence, ["fw"], other, one)
    assert turned.bounds.tolist() == [Bound.AT_LEAST]
    unknown = ratio_of_medians(evidence, ["fw"], one, Group("w2a", ("w2a",)))
    assert unknown.bounds.tolist() == [Bound.AT_MOST]
    opposite = ratio_of_medians(evidence, ["fw"], Group("w2a", ("w2a",)), other)
    assert opposite.bounds.tolist() == [Bound.AT_LEAST]


def with_unknown_speedups(sets, speedups):
    """Return evidence in which FW has these speed-ups over CVM. Where the speed-up is None, FW and
    CVM ended at the limit.
    """
    runs = benchmark(sets, cvm=12.0, fw=[12.0 / (speedup or 1.0) for speedup in speedups])
    unknown = [name for name, speedup in zip(sets, speedups, strict=True) if speedup is None]
    runs.loc[runs["dataset"].isin(unknown), "stop_reason"] = "time_limit"
    return Evidence(runs, protocol="as_printed")


def test_an_unknown_speed_up_counts_as_infinite():
    evidence = with_unknown_speedups(WEB[:4], [2.0, 10.0, None, 2.0])
    found = ratio(evidence, ["fw"], WEB[:3])
    assert found.bounds.tolist() == [Bound.EXACT, Bound.EXACT, Bound.UNKNOWN]
    assert found.basis.startswith("3 data sets") and found.sizes == [
        float(SIZES[name]) for name in WEB[:3]
    ]
    # The true median lies between 2 and 10.
    for limit, outcome in ((5, NOT_RUN), (10.5, SAME_DIRECTION), (2, REPRODUCED)):
        verdict = bound(found, ">=", limit)
        assert verdict.outcome == outcome
        if outcome != NOT_RUN:
            assert verdict.ours == "≤ 10× (1 of 3 values unknown)"
    assert bound(found, ">=", 5, "max").ours == "≥ 10× (1 of 3 values unknown)"
    assert near(found, 1, "max").outcome == NOT_REPRODUCED
    assert near(found, 10, "max").outcome == near(found, 10, "median").outcome == NOT_RUN
    assert lowest(found, ["w1a"]).reason.startswith("limits hide the answer; ")
    assert lowest(found, ["w2a"]).outcome == NOT_REPRODUCED
    one, other = Group("one", WEB[:3]), Group("other", ("w4a",))
    of_medians = ratio_of_medians(evidence, ["fw"], one, other)
    assert (of_medians.values.tolist(), of_medians.bounds.tolist()) == ([5.0], [Bound.AT_MOST])
    # A fit leaves the unknown speed-up out.
    assert grows(found).reason.startswith("the fit needs 3 sizes, but the runs have only 2")
    assert grows(found).ours == "w1a 2×, w2a 10×, w3a unknown"


@pytest.mark.parametrize(
    ("speedups", "words"),
    [
        ([2.0] * 6 + [None] * 2, "median FW 2× (95 %: 0× to infinity)"),
        ([2.0] * 4 + [None] * 4, "median FW unknown (95 %: 0× to infinity)"),
    ],
)
def test_the_interval_of_a_median_covers_unknown_speed_ups(speedups, words):
    speedup = ratio(with_unknown_speedups(WEB, speedups), ["fw"], WEB)
    assert bound(speedup, "<", 5).samples[0].effect_words() == words


def test_a_quotient_that_limits_hide_is_not_missing():
    evidence = with_unknown_speedups(WEB[:3], [2.0, None, None])
    one, other, third, absent = (Group(name, (name,)) for name in ("w1a", "w2a", "w3a", "w5a"))
    for groups in ((one, other), (other, one), (other, third)):
        verdict = share(ratio_of_medians(evidence, ["fw"], *groups), ">", 1)
        assert verdict.outcome == NOT_RUN
        assert verdict.reason.startswith("limits hide the answer; ")
    for groups in ((other, absent), (absent, one)):
        verdict = share(ratio_of_medians(evidence, ["fw"], *groups), ">", 1)
        assert verdict.reason == "no results of CVM and FW on w5a"


def test_leads_that_limits_hide_are_not_missing():
    """FW is faster than MFW by a factor of at least 2 on w1a. MFW is faster by a factor of at least
    4 on w2a. So it is unknown which lead is larger.
    """
    runs = benchmark(WEB[:3], fw=[1.0, 4.0, 1.0], mfw=[2.0, 1.0, 1.0])
    late = {"w1a": "mfw", "w2a": "fw"}
    runs.loc[runs["dataset"].map(late) == runs["method"], "stop_reason"] = "time_limit"
    found = relative_leads(Evidence(runs, protocol="as_printed"), ["fw"], ["mfw"])
    assert share(found, ">", 1).reason.startswith("limits hide the answer; ")
    # If both ended at the limit everywhere, no lead is known.
    runs["stop_reason"] = "time_limit"
    evidence = Evidence(runs, protocol="as_printed")
    for sample in (
        leads(evidence, ["fw"], ["mfw"]),
        relative_leads(evidence, ["fw"], ["mfw"]),
    ):
        assert share(sample, ">", 1).reason.startswith("limits hide the answer; 3 of ")


def test_only_one_sided_tests_have_a_direction():
    tests = test_protocols(benchmark(ADULT, cvm=4.0, fw=1.0, mfw=2.0))
    evidence = Evidence(benchmark(ADULT, cvm=4.0, fw=1.0, mfw=2.0), tests, protocol="as_printed")
    for pair, neutral in (("fw-cvm", 0.5), ("fw-mfw", None), ("cvm-fw-mfw", None)):
        assert p_values(evidence, "frandi2013", "time", pair).neutral == neutral


def test_missing_sets_and_limits_are_named():
    runs = benchmark(("a1a", "a4a"), cvm=1.0, mfw=0.1)
    runs.loc[runs["method"] == "cvm", "stop_reason"] = "time_limit"
    reason = judge("frandi2013-mfw-adult", runs).reason
    assert "2 of 7 data sets" in reason and "2 of 4 runs ended at a limit" in reason
    web = judge("frandi2013-fw-web", benchmark(("w1a", "w4a"), cvm=1.0, fw=0.1))
    assert web.outcome == NOT_RUN and "w8a" in web.reason
    runs = benchmark(ADULT, cvm=4.0, fw=1.0, mfw=2.0)
    runs.loc[runs["method"] == "fw", "stop_reason"] = "time_limit"
    found = judge("frandi2013-time-significant", runs)
    # FW's times are shorter than CVM's only because FW has a shorter time limit
    assert found.outcome != REPRODUCED
    assert "7 of 21 runs ended at a limit" in found.reason


def test_the_benchmark_decides_under_which_protocol_claims_are_judged():
    runs = benchmark(("a1a",), cvm=2.0, fw=1.0)
    paths = benchmark(("a1a",), fw=1.0, protocol=JUDGED_BY[0]).assign(experiment="c_path")
    assert judged_protocol(pd.concat([runs, paths])) == "as_printed"
    assert judged_protocol(pd.concat([runs, paths.assign(experiment="benchmark")])) == JUDGED_BY[0]


def test_protocols_of_other_experiments_give_no_verdicts():
    """CVM runs under `libcvm` in the experiment gamma, but not in the benchmark."""
    runs = benchmark(("a1a",), cvm=2.0, fw=1.0)
    width = benchmark(("a1a",), cvm=2.0, protocol="libcvm").assign(experiment="gamma")
    poly = benchmark(("w1a",), fw=2.0, protocol="all_points").assign(experiment="poly")
    found = evaluate_claims(pd.concat([runs, width, poly]), pd.DataFrame())
    assert set(found["protocol"]) == {"as_printed", "all_points", STUDY}


def test_the_sentence_about_a_paper_counts_its_rows():
    rows = [
        # (outcome, flags, whether the paper's own tables contradict it, outcome by kernel values)
        (REPRODUCED, EASY_SECONDS, False, NOT_REPRODUCED),
        (REPRODUCED, "", True, REPRODUCED),
        (REPRODUCED, "", False, ""),
        (SAME_DIRECTION, "", True, REPRODUCED),
        (NOT_REPRODUCED, EASY_SECONDS, True, ""),
        (NOT_REPRODUCED, "", False, ""),
        (NOT_CONTRADICTED, "", True, ""),
        (NOT_RUN, "", True, ""),
    ]
    columns = ["outcome", "flags", "printed_inconsistent", "outcome_requested"]
    table = pd.DataFrame(rows, columns=columns).assign(paper="it", headline=True)
    others = [table.assign(paper="another"), table.assign(headline=False)]
    assert (
        paper_verdict(pd.concat([table, *others], ignore_index=True), "it")
        == "it: 3 of 8 statements are reproduced (3 by requested kernel values). 1 more"
        " statement has the same direction, 2 are not reproduced, 1 is not contradicted and 1 could"
        " not be tested. 1 of the 3 reproduced statements has a bound in seconds that is easy to"
        " meet today. The paper's own tables contradict 2 of the statements that do not have the"
        " verdict 'reproduced'."
    )
    untimed = table.loc[2:2]
    assert paper_verdict(untimed, "it") == "it: 1 of 1 statements is reproduced."
    assert paper_verdict(table.loc[[7, 7]], "it") == "it: none of its 2 statements could be tested."


def test_claims_about_the_benchmark_are_judged_a_third_time_by_the_authors_program(without_runs):
    """The test reads the file of the authors' program itself and computes the expected values.

    Claims whose data sets are not in the file have no third verdict, and neither have claims about
    significance tests.
    """
    table = pd.read_csv(Path(cost.__file__).parent / "printed/authors_code.csv")
    seconds = table.pivot_table(index="dataset", columns="method", values="train_cpu_s")
    speedups = (seconds["cvm"] / seconds["mfw"]).dropna()
    found = without_runs.set_index("id")
    adult = speedups[speedups.index.intersection(ADULT)]
    expected = (
        f"(1) true on {(adult > 1).sum()} of {len(adult)} data sets; (2) largest: MFW"
        f" {adult.max():.3g}× [{len(adult)} of 7 data sets]"
    )
    assert adult.between(1, 15).all() and 15 / adult.max() < 3
    row = found.loc["frandi2013-mfw-adult"]
    assert (row["outcome"], row["outcome_authors"], row["ours_authors"]) == (
        NOT_RUN,
        REPRODUCED,
        expected,
    )
    slower = [name for name in ADULT if (seconds["cvm"] < seconds["fw"]).get(name)]
    assert (
        f" data sets: {listing(slower)} [" in found.loc["frandi2013-adult-cvm-wins", "ours_authors"]
    )
    web = found.loc["frandi2013-mfw-web"]
    assert web["outcome_authors"] == NOT_RUN and web["ours_authors"].startswith(
        f"(1) w1a {speedups['w1a']:.3g}×, w4a {speedups['w4a']:.3g}× ["
    )
    for name in (
        "frandi2013-kdd",
        "frandi2013-time-significant",
        "nanculef2014-protein",
        "singh-time",
    ):
        assert (found.loc[name, "outcome_authors"], found.loc[name, "ours_authors"]) == (
            "",
            "",
        ), name


def test_the_third_verdict_stands_once():
    runs = [benchmark(("w8a",), protocol=name, cvm=250.0, swap=1.0) for name in JUDGED_BY]
    found = evaluate_claims(pd.concat(runs), pd.DataFrame())
    rows = found[found["id"] == "nanculef2014-adult-over-fw"]
    assert rows["outcome_authors"].tolist() == [
        REPRODUCED if first else "" for first in rows["headline"]
    ]
    assert len(rows) > 1
