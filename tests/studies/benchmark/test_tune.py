"""Test tuning: the validation part, the choice of C, and data that must not be used."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwsvm.inputs.errors import DataError
from fwsvm_papers.runs.jobs import tuned_under
from fwsvm_papers.studies.benchmark import tune as module
from fwsvm_papers.studies.benchmark.tune import split_validation, tune

SETTINGS = {
    "method": "cvm",
    "selection": "sampled_libcvm",
    "width_factor": 0.5,
    "ties": "smallest",
    "C_exponents": [4, 0, 2],
    "validation_fraction": 0.3,
    "time_limit": 1e9,
    "init": "random_meb",
    "stop": "meb",
    "eps": 1e-6,
    "inner_tolerance": 1e-3,
    "cache_mb": 20,
    "max_iterations": 20000,
    "kernel": "rbf",
    "seed": 5,
}


@pytest.fixture
def set_accuracies(monkeypatch):
    """Return a function that sets a validation accuracy for every C, so that nothing is trained."""

    def replace(**accuracies):
        def validate(X, y, name, sigma2, parts, settings, seed):
            return [
                outcome(2.0**k, accuracies[f"C{2.0**k:g}"]) for k in sorted(settings["C_exponents"])
            ]

        monkeypatch.setattr(module, "_validate", validate)

    return replace


def outcome(C, accuracy):
    return {"C": C, "validation_accuracy": accuracy, "train_cpu_s": 0.0, "stop_reason": "converged"}


def without_times(result):
    grid = [
        {key: value for key, value in row.items() if key != "train_cpu_s"} for row in result["grid"]
    ]
    return result | {"grid": grid}


def test_result_of_each_data_set_does_not_depend_on_its_test_part(prepared):
    result = tune(prepared, SETTINGS)
    meta = prepared.meta
    assert result["dataset"] == meta["name"]
    assert result["sigma2"] == meta["average_squared_distance"]
    assert result["gamma"] == pytest.approx(0.5 / result["sigma2"])
    assert [row["C"] for row in result["grid"]] == [1.0, 4.0, 16.0]
    assert result["validation_points"] == round(0.3 * meta["m"])
    best = max(row["validation_accuracy"] for row in result["grid"])
    assert result["C"] == next(
        row["C"] for row in result["grid"] if row["validation_accuracy"] == best
    )
    assert best >= 1 / meta["K"]
    nothing = {
        "X_test": np.full_like(prepared.X_test, np.nan),
        "y_test": np.full_like(prepared.y_test, -1),
    }
    assert without_times(tune(dataclasses.replace(prepared, **nothing), SETTINGS)) == without_times(
        result
    )


def test_validation_points_are_not_trained_on(prepared, monkeypatch):
    seen = []

    def validate(X, y, name, sigma2, parts, *_):
        seen.extend(parts)
        return [outcome(1.0, 1.0)]

    monkeypatch.setattr(module, "_validate", validate)
    tune(prepared, SETTINGS | {"validation_parts": 2})
    for training, validation in seen:
        assert sorted([*training, *validation]) == list(range(prepared.meta["m"]))
        assert len(validation) == round(0.3 * prepared.meta["m"])
    assert len(seen) == 2 and set(seen[0][1]) != set(seen[1][1])


def test_accuracy_is_the_mean_over_the_parts(prepared_sets):
    prepared = prepared_sets["three"]
    alone = tune(prepared, SETTINGS)["grid"]
    both = tune(prepared, SETTINGS | {"validation_parts": 2})
    twice = [2 * row["validation_accuracy"] for row in both["grid"]]
    others = np.array(twice) - [row["validation_accuracy"] for row in alone]
    counts = others * round(0.3 * prepared.meta["m"])
    assert counts == pytest.approx(np.round(counts)) and np.all(
        (others >= 0) & (others <= 1 + 1e-12)
    )
    assert both["validation_points"] == 2 * round(0.3 * prepared.meta["m"])


@pytest.mark.parametrize(
    ("accuracies", "chosen", "at_edge", "near"),
    [
        ({"C1": 0.5, "C4": 0.9, "C16": 0.9}, 4.0, False, "4, 16"),
        ({"C1": 0.9, "C4": 0.9, "C16": 0.9}, 1.0, True, "1, 4, 16"),
        ({"C1": 0.5, "C4": 0.6, "C16": 0.7}, 16.0, True, "16"),
        # the accuracy of C = 4 is within a standard error of the best
        ({"C1": 0.5, "C4": 0.89, "C16": 0.9}, 16.0, True, "4, 16"),
    ],
)
def test_smallest_of_the_best_is_chosen(
    prepared_sets, set_accuracies, accuracies, chosen, at_edge, near
):
    set_accuracies(**accuracies)
    result = tune(prepared_sets["two"], SETTINGS)
    assert (result["C"], result["at_grid_edge"]) == (chosen, at_edge)
    assert result["C_within_standard_error"] == list(map(float, near.split(", ")))
    assert result["C_rule"].endswith(f"; {near} within a standard error")


def test_width_given_by_the_catalogue(prepared_sets):
    prepared = prepared_sets["two"]
    result = tune(dataclasses.replace(prepared, meta=prepared.meta | {"sigma2": 2.0}), SETTINGS)
    assert (result["sigma2"], result["gamma"]) == (2.0, 0.25) and "2.0" in result["gamma_rule"]


def test_polynomial_kernel_has_a_width_of_its_own(prepared):
    settings = {
        key: value
        for key, value in SETTINGS.items()
        if key not in ("inner_tolerance", "width_factor")
    }
    result = tune(prepared, settings | {"kernel": "poly", "method": "fw", "eps": 1e-3})
    assert (result["kernel"], result["method"]) == ("poly", "fw")
    assert result["gamma"] == pytest.approx(1 / prepared.meta["average_squared_distance"])
    assert result["gamma_rule"] == "1/sigma2, sigma2 = average squared distance"
    assert max(row["validation_accuracy"] for row in result["grid"]) > 0.5


def test_too_few_points_for_a_validation_part(prepared_sets):
    prepared = prepared_sets["two"]
    rows = [np.flatnonzero(prepared.y_train == code)[0] for code in (0, 1)]
    two_points = dataclasses.replace(
        prepared, X_train=prepared.X_train[rows], y_train=prepared.y_train[rows]
    )
    with pytest.raises(DataError, match="too few"):
        tune(two_points, SETTINGS)


@given(
    y=st.lists(st.integers(0, 4), min_size=2, max_size=60).map(np.array),
    fraction=st.floats(0.01, 0.99),
    seed=st.integers(0, 2**31),
)
def test_split_is_a_partition_that_keeps_every_class(y, fraction, seed):
    training, validation = split_validation(y, fraction, np.random.default_rng(seed))
    assert np.array_equal(np.sort(np.concatenate([training, validation])), np.arange(len(y)))
    assert set(y[training]) == set(y)
    assert len(validation) <= max(1, round(fraction * len(y)))
    assert np.all(np.diff(training) > 0) and np.all(np.diff(validation) > 0)


def test_protocols_have_rules_of_their_own(prepared_sets, set_accuracies):
    set_accuracies(C1=0.5, C4=0.75, C16=0.75)
    rules = {
        "wide": {"width_factor": 2, "ties": "largest"},
        "tied": {"width_factor": 0.5, "ties": "largest"},
        "given": {"width_factor": 2, "ties": "largest", "C": 3},
    }
    prepared = prepared_sets["two"]
    result = tune(prepared, SETTINGS | {"protocols": rules})
    beta = prepared.meta["average_squared_distance"]
    found = {name: (part["gamma"] * beta, part["C"]) for name, part in result["protocols"].items()}
    assert (result["gamma"] * beta, result["C"]) == (pytest.approx(0.5), 4)
    assert found == {
        "wide": (pytest.approx(2), 16),
        "tied": (pytest.approx(0.5), 16),
        "given": (pytest.approx(2), 3),
    }
    assert result["protocols"]["wide"]["gamma_rule"] == "2/beta, beta = average squared distance"
    assert "largest" in result["protocols"]["wide"]["C_rule"]
    assert (result["protocols"]["given"]["C_rule"], result["protocols"]["given"]["grid"]) == (
        "one for the series",
        [],
    )
    assert tuned_under(result, "wide")["C"] == 16
    assert tuned_under(result, "any other")["C"] == 4
