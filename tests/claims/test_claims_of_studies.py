"""The claims of tsang2005, singh and alaiz2018 on made-up runs of their studies whose outcome is known."""

import copy

import pandas as pd
import pytest
from flipped_claims import flipped

from fwsvm.claims.evidence import Evidence
from fwsvm.claims.rules import NOT_REPRODUCED, NOT_RUN, REPRODUCED, SAME_DIRECTION
from fwsvm.pipeline.claims import load_claims
from fwsvm.runs.records import conform
from fwsvm.studies.singh.claims import CLAIMS as CLAIMS_OF_SINGH
from fwsvm.studies.tsang2005.claims import CLAIMS as CLAIMS_OF_TSANG

CLAIMS = {claim.id: claim for claim in load_claims()}
SIZES = (1000, 10_000, 100_000, 300_000, 1_000_000)


def judge(claim_id, runs, details=None):
    return CLAIMS[claim_id].judge(Evidence(runs, details=details))


def assert_reproduced(claim_id, runs, details=None):
    """The claim is reproduced, and would not be if one of its thresholds had the other sign."""
    claim, evidence = CLAIMS[claim_id], Evidence(runs, details=details)
    assert claim.judge(evidence).outcome == REPRODUCED
    for turned in flipped(claim):
        assert turned.judge(evidence).outcome not in (REPRODUCED, NOT_RUN), turned.rule


def tsang(dataset="checkerboard-1m", slope=0.0, size_slope=0.0, libsvm=0.1, ratio=5.0, error=0.01, seconds=5.0, C=64):
    """CVM with time and size as powers of m, LIBSVM up to 100,000 points."""
    rows = []
    for m in SIZES:
        common = {
            "experiment": "tsang2005",
            "dataset": dataset,
            "task_size": m,
            "C": float(C),
            "gamma_rule": "1 / beta",
            "repetition": 0,
            "stop_reason": "converged",
        }
        growth, size = (m / 1e6) ** slope, round(1000 * (m / 1e6) ** size_slope)
        rows.append(
            common
            | {
                "method": "cvm",
                "protocol": "libcvm",
                "train_cpu_s": seconds * growth,
                "support_vectors": size,
                "coreset_size": size,
                "test_accuracy": 1 - error,
            }
        )
        for method in ("libsvm_l1", "libsvm_l2"):
            ended = m > 100_000
            rows.append(
                common
                | {
                    "method": method,
                    "protocol": "none",
                    "train_cpu_s": libsvm * seconds,
                    "support_vectors": int(ratio * size),
                    "test_accuracy": None if ended else 0.99,
                    "stop_reason": "time_limit" if ended else "converged",
                }
            )
    return conform(pd.DataFrame(rows))


@pytest.mark.parametrize(
    ("claim_id", "good", "bad"),
    [
        ("tsang2005-1m-seconds", {}, {"seconds": 20.0}),
        ("tsang2005-constant-time", {"slope": 0.1}, {"slope": 0.5}),
        ("tsang2005-constant-size", {"size_slope": 0.05}, {"size_slope": 0.3}),
        ("tsang2005-small-libsvm", {"libsvm": 0.1}, {"libsvm": 2.0}),
        ("tsang2005-fewer-svs", {"ratio": 2.5}, {"ratio": 1.5}),
        ("tsang2005-accuracy", {"error": 0.012}, {"error": 0.02}),
    ],
)
def test_checkerboard(claim_id, good, bad):
    assert_reproduced(claim_id, tsang(**good))
    assert judge(claim_id, tsang(**bad)).outcome in (SAME_DIRECTION, NOT_REPRODUCED)
    assert judge(claim_id, tsang(dataset="w1a")).outcome == NOT_RUN


def test_forest():
    assert judge("tsang2005-forest-plateau", tsang("covtype", slope=0.2)).outcome == REPRODUCED
    verdict = judge("tsang2005-forest-plateau", tsang("covtype", slope=0.5))
    assert verdict.outcome == NOT_REPRODUCED and verdict.ours == "slope 0.50"


def test_a_fast_setting_that_is_not_accurate_does_not_count():
    slow, fast = tsang(C=64, seconds=20.0), tsang(C=1, error=0.3, seconds=1.0)
    fast = fast[fast["method"] == "cvm"]
    both = conform(pd.concat([slow, fast]))
    verdict = judge("tsang2005-1m-seconds", both)
    assert verdict.outcome == NOT_REPRODUCED and verdict.findings[0].numbers == (20.0,)
    curve = judge("tsang2005-constant-time", conform(pd.concat([tsang(slope=0.5), fast])))
    assert curve.outcome == NOT_REPRODUCED and "slopes at 2 settings 0.00 to 0.50" in curve.reason


def test_sizes_at_which_no_libsvm_ended_do_not_count():
    runs = tsang()
    runs = runs[(runs["method"] == "cvm") | (runs["task_size"] > 100_000)]
    for claim_id in ("tsang2005-small-libsvm", "tsang2005-fewer-svs", "tsang2005-accuracy"):
        assert judge(claim_id, runs).outcome == NOT_RUN


DRAW = {
    "iterations": 40,
    "away_steps": 1,
    "first_away": 40,
    "last_away": 40,
    "train_accuracy": 1.0,
    "test_accuracy": 1.0,
    "listing": {"away_steps": 1, "first_away": 9, "steps": 9},
}


def circles(size=12, seconds=0.01, sizes=(240, 2400), **draw):
    names = ("two-circles", "two-circles-3000")
    rows = [
        {
            "experiment": "singh",
            "dataset": name,
            "task_size": m,
            "method": "mfw",
            "protocol": "all_points",
            "repetition": k,
            "coreset_size": size,
            "support_vectors": size * (1 if k == 0 else 6),
            "train_cpu_s": seconds,
        }
        for k, (name, m) in enumerate(zip(names, sizes, strict=True))
    ]
    draws = [copy.deepcopy(DRAW) | draw]
    details = [{"dataset": name, "m": m, "draws": draws} for name, m in zip(names, sizes, strict=True)]
    return conform(pd.DataFrame(rows)), {"singh": details}


@pytest.mark.parametrize(
    ("claim_id", "good", "bad"),
    [
        ("singh-core-300", {"size": 14}, {"size": 15}),
        ("singh-core-3000", {"size": 11}, {"size": 13}),
        ("singh-time", {"seconds": 0.015}, {"seconds": 0.017}),
        ("singh-away-last", {}, {"away_steps": 2}),
        ("singh-away-last", {}, {"last_away": 39}),
        ("singh-accuracy", {}, {"test_accuracy": 0.99}),
    ],
)
def test_circles(claim_id, good, bad):
    assert_reproduced(claim_id, *circles(**good))
    assert judge(claim_id, *circles(**bad)).outcome == NOT_REPRODUCED
    verdict = judge(claim_id, *circles(sizes=(96, 120)))
    assert verdict.outcome == NOT_RUN and "training points" in verdict.reason


def alaiz(svs=50, iterations=50, accuracy=0.9, fixed=0.9, fixed_svs=40, sets=8, start_accuracy=0.9, easy=10.0):
    """Runs of the three models on several sets, and from three starts; the SVM has 100 SVs and steps."""
    rows, details = [], []
    names = ["iris-setosa", "mushrooms", *(f"set{k}" for k in range(sets - 2))]
    for place, name in enumerate(names):
        shared = {
            "experiment": "alaiz2018",
            "dataset": name,
            "kernel": "rbf",
            "init": "random_point",
            "protocol": "all_points",
            "stop_reason": "converged",
        }
        for partition in range(6):
            wobble = 0.001 * (partition + place)
            for method, C, size, steps, right in (
                ("pfw", 1.0, 100, 100, 0.9),
                ("mfw_sparse", 2.0, svs, iterations, accuracy),
                ("mfw_sparse", 4.0, fixed_svs, iterations, fixed),
            ):
                rows.append(
                    shared
                    | {
                        "method": method,
                        "C": C,
                        "partition": partition,
                        "support_vectors": size,
                        "iterations": steps,
                        "test_accuracy": right + wobble,
                    }
                )
        for start in range(3):
            rows.append(
                shared
                | {
                    "method": "mfw_sparse",
                    "C": 2.0,
                    "partition": 0,
                    "start_index": start,
                    "init": "each_point",
                    "test_accuracy": start_accuracy if start else 0.9,
                    "support_vectors": 5,
                    "iterations": 5,
                }
            )
        overlap = easy if place < 2 else 60.0 + place
        details.append(
            {
                "dataset": name,
                "comparison": {"tuned": {"rbf": {"C": {"svm": 1.0, "mfw": 2.0, "mfw_fixed": 4.0}}}},
                "starts": {"points": 30, "overlap": dict.fromkeys(("mean", "min", "max"), overlap)},
            }
        )
    return conform(pd.DataFrame(rows)), {"alaiz2018": details}


def path(width):
    """The SVM is accurate for three values of C, M-FW for `width`."""
    rows = [
        {
            "experiment": "alaiz2018",
            "dataset": "ijcnn1",
            "kernel": "rbf",
            "init": "random_point",
            "protocol": "all_points",
            "method": method,
            "C": 2.0**k,
            "partition": 0,
            "test_accuracy": 0.95 if k < wide else 0.6,
            "support_vectors": 10,
            "iterations": 10,
            "stop_reason": "converged",
        }
        for method, wide in (("pfw", 3), ("mfw_sparse", width))
        for k in range(8)
    ]
    return conform(pd.DataFrame(rows)), {"alaiz2018": [{"dataset": "ijcnn1", "c_path": {}}]}


@pytest.mark.parametrize(
    ("claim_id", "good", "bad"),
    [
        ("alaiz2018-sparser", {}, {"svs": 120}),
        ("alaiz2018-sparser", {}, {"accuracy": 0.88}),
        ("alaiz2018-iterations", {}, {"iterations": 150}),
        ("alaiz2018-fixed-c", {}, {"fixed_svs": 60}),
        ("alaiz2018-fixed-c", {}, {"fixed_svs": 50}),
        ("alaiz2018-fixed-c", {}, {"fixed": 0.88}),
        ("alaiz2018-init", {}, {"easy": 95.0}),
        ("alaiz2018-init", {}, {"start_accuracy": 0.85}),
    ],
)
def test_sparse_machines(claim_id, good, bad):
    assert_reproduced(claim_id, *alaiz(**good))
    assert judge(claim_id, *alaiz(**bad)).outcome == NOT_REPRODUCED


def test_range_of_c():
    assert_reproduced("alaiz2018-stable-c", *path(6))
    assert judge("alaiz2018-stable-c", *path(3)).outcome == NOT_REPRODUCED
    assert judge("alaiz2018-stable-c", *path(0)).outcome == NOT_REPRODUCED  # never near the best
    assert judge("alaiz2018-stable-c", *alaiz()).outcome == NOT_RUN


def test_two_easy_sets_are_needed():
    runs, details = alaiz()
    details = {"alaiz2018": [entry for entry in details["alaiz2018"] if entry["dataset"] != "mushrooms"]}
    assert judge("alaiz2018-init", runs, details).outcome == NOT_RUN


def test_a_claim_is_quoted_with_its_outcome():
    runs = tsang(seconds=5.0)
    assert CLAIMS_OF_TSANG.quote("tsang2005-1m-seconds", runs) == (
        "CVM trains the checkerboard with 1e6 points in under 13 s: reproduced (5 s)."
    )
    assert "not reproduced (20 s)." in CLAIMS_OF_TSANG.quote("tsang2005-1m-seconds", tsang(seconds=20.0))
    assert CLAIMS_OF_TSANG.quote("tsang2005-forest-plateau", runs).endswith("about 1e5 points: not run.")
    small, details = circles()
    assert ": reproduced (12)." in CLAIMS_OF_SINGH.quote("singh-core-300", small, **details)
