"""Test cross-validation over the kernel width and C. It is compared with scikit-learn's loop.
Further tests are about ties, ends of the grid, and data that must not be used.
"""

import dataclasses

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.inputs.errors import DataError
from fwsvm_papers.studies.benchmark import tune as module
from fwsvm_papers.studies.benchmark.tune import cross_validate, tune

SETTINGS = {
    "method": "cvm",
    "selection": "full",
    "time_limit": 1e9,
    "init": "farthest_pair",
    "stop": "relative",
    "eps": 1e-4,
    "inner_tolerance": 1e-6,
    "cache_mb": 20,
    "max_iterations": 10**6,
    "kernel": "rbf",
    "seed": 5,
    "ties": "smallest",
    "C_exponents": [0],
    "validation_fraction": 0.3,
    "cross_validation": {
        "folds": 4,
        "cv_grid_variable": "gamma",
        "width_exponents": [1, -3],
        "C_exponents": [4, 0],
        "time_limit": 1e9,
    },
}


def changed(**changes):
    return SETTINGS | {"cross_validation": SETTINGS["cross_validation"] | changes}


@pytest.fixture(scope="module")
def found(prepared_sets):
    """Return the results with `SETTINGS` on each data set without its test part. Tests must not
    change them.
    """
    return {
        name: cross_validate(without_test_part(given), SETTINGS, seed=3)
        for name, given in prepared_sets.items()
    }


def without_test_part(prepared):
    nothing = {
        "X_test": np.full_like(prepared.X_test, np.nan),
        "y_test": np.full_like(prepared.y_test, -1),
    }
    return dataclasses.replace(prepared, **nothing)


@pytest.fixture
def set_accuracies(monkeypatch):
    """Return a function that sets an accuracy for every width and C, so that nothing is trained."""

    def replace(accuracies):
        def of_one_width(X, y, gamma, Cs, folds, *_):
            points, tried = sum(len(validation) for _, validation in folds), len(folds)
            hits = [round(points * accuracies.get((gamma, C), 0.0)) for C in Cs]
            return [
                {"C": C, "hits": hit, "points": points, "folds": tried}
                for C, hit in zip(Cs, hits, strict=True)
            ]

        monkeypatch.setattr(module, "_of_one_width", of_one_width)

    return replace


def test_accuracies_are_those_of_scikit_learns_loop(prepared, found):
    result = found[prepared.meta["name"]]
    pairs = [(0.125, 1.0), (0.125, 16.0), (2.0, 1.0), (2.0, 16.0)]
    assert [(row["gamma"], row["C"]) for row in result["grid"]] == pairs
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    X, y = np.asarray(prepared.X_train), np.asarray(prepared.y_train)
    for row in result["grid"]:
        model = FrankWolfeSVC(
            "cvm",
            gamma=row["gamma"],
            C=row["C"],
            init="farthest_pair",
            stop="relative",
            eps=1e-4,
            inner_tolerance=1e-6,
        )
        scores = cross_val_score(model, X, y, cv=folds)
        sizes = [len(validation) for _, validation in folds.split(X, y)]
        assert row["accuracy"] == pytest.approx(np.average(scores, weights=sizes), abs=2.5 / len(y))
        assert row["fits_at_limit"] == 0
    best = max(row["accuracy"] for row in result["grid"])
    assert (result["gamma"], result["C"], best) in [
        (row["gamma"], row["C"], row["accuracy"]) for row in result["grid"]
    ]


def test_pairs_that_are_far_behind_leave_after_the_first_folds(prepared, found):
    whole = found[prepared.meta["name"]]
    screened = cross_validate(prepared, changed(screening={"folds": 1, "margin": 0.0}), seed=3)
    everyone = cross_validate(prepared, changed(screening={"folds": 2, "margin": 1.0}), seed=3)
    first = {(row["gamma"], row["C"]): row["folds"] for row in screened["grid"]}
    assert set(first.values()) == {1, 4}
    # a pair that left after the first folds cannot be chosen
    assert first[screened["gamma"], screened["C"]] == 4

    def shown(result):
        return [(row["gamma"], row["C"], row["accuracy"], row["folds"]) for row in result["grid"]]

    assert shown(everyone) == shown(whole)
    kept = [row for row in shown(screened) if row[3] == 4]
    assert set(kept) < set(shown(whole))


def test_grid_of_sigma2_is_the_grid_of_its_gammas(prepared_sets, found):
    by_gamma = found["two"]
    inverse = changed(cv_grid_variable="sigma2", width_exponents=[-2, 2])
    by_sigma2 = cross_validate(prepared_sets["two"], inverse, seed=3)
    assert [row["sigma2"] for row in by_sigma2["grid"]] == [0.25, 0.25, 4.0, 4.0]
    accuracies = {(0.5 / row["sigma2"], row["C"]): row["accuracy"] for row in by_sigma2["grid"]}
    assert accuracies == {(row["gamma"], row["C"]): row["accuracy"] for row in by_gamma["grid"]}
    assert (by_sigma2["gamma"], by_sigma2["C"]) == (by_gamma["gamma"], by_gamma["C"])


@pytest.mark.parametrize(
    ("ties", "best", "chosen", "edges"),
    [
        ("smallest", {(1.0, 4.0): 0.9, (1.0, 16.0): 0.9, (2.0, 4.0): 0.9}, (1.0, 4.0), []),
        ("smallest", {(0.5, 4.0): 0.9, (2.0, 1.0): 0.9}, (2.0, 1.0), ["gamma", "C"]),
        ("smallest", {(0.5, 4.0): 0.9}, (0.5, 4.0), ["gamma"]),
        ("largest", {(1.0, 4.0): 0.9, (1.0, 16.0): 0.9, (2.0, 16.0): 0.9}, (1.0, 16.0), ["C"]),
    ],
)
def test_C_by_the_rule_then_widest_kernel_and_edges(
    prepared_sets, set_accuracies, ties, best, chosen, edges
):
    set_accuracies(best)
    grid = changed(width_exponents=[-1, 0, 1], C_exponents=[0, 2, 4])
    result = cross_validate(prepared_sets["two"], grid | {"ties": ties}, seed=3)
    assert (result["gamma"], result["C"]) == chosen
    assert (result["grid_edges"], result["at_grid_edge"]) == (edges, bool(edges))
    assert ("edge" in result["gamma_rule"]) == bool(edges)


def test_protocol_with_a_width_of_its_own_is_not_cross_validated(prepared_sets, set_accuracies):
    set_accuracies({(2.0, 16.0): 0.9})
    rules = {"wide": {"width_factor": 2, "ties": "largest"}}
    result = tune(prepared_sets["two"], SETTINGS | {"protocols": rules})
    beta = prepared_sets["two"].meta["average_squared_distance"]
    assert (result["gamma"], result["C"]) == (2.0, 16.0)
    assert (result["protocols"]["wide"]["gamma"], result["protocols"]["wide"]["C"]) == (
        pytest.approx(2 / beta),
        1.0,
    )


def test_too_few_points_of_a_class(prepared_sets):
    with pytest.raises(DataError, match="too few"):
        cross_validate(prepared_sets["three"], changed(folds=99), seed=3)
