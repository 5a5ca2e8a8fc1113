"""Test the errors and warnings of FrankWolfeSVC."""

import datetime
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC

from fwsvm import (
    FrankWolfeOneClass,
    FrankWolfeSVC,
    Kernel,
    KernelMatrix,
    KernelProblem,
    MatrixProblem,
    fit_c_path,
    minimum_enclosing_ball,
    solve,
    weighted_svm,
)
from fwsvm.estimators.machine import KernelMachine
from fwsvm.inputs.ranges import require_numbers
from fwsvm.kernels.functions import average_squared_distance
from fwsvm.solvers.settings import Settings
from fwsvm_papers.baselines import fit_baseline

PAPERS = {"method": "swap", "stop": "meb", "eps": 1e-6, "gamma": None, "random_state": 0}
BAD = {
    "C": [0.0, -1.0, np.nan, "large", np.eye(100), [1.0] * 1000, "x" * 10**5],
    "gamma": [0.0, -0.5, "broad", [1.0]],
    "sigma2": [0.0, -2.0, "scale"],
    "kernel": ["sigmoid", ["rbf"]],
    "degree": [0],
    "method": ["newton"],
    "selection": ["some"],
    "coef0": [-1.0, np.inf, "x"],
    "stop": ["never", ["meb"]],
    "eps": [0.0, "small", np.inf],
    "cache_mb": [0.0, np.inf, 1e15, "much"],
    "max_iter": [0, 1.5, 1e30, 10**30],
    "random_state": [-1, 2**40, "x", 1.5, np.random.default_rng(0)],
    "time_limit": ["short"],
    "n_jobs": ["x", 0],
    "verbose": [3, "yes"],
    "sample_size": ["x", 10],
    "patience": [1.5],
    "alternate_classes": ["no"],
    "decision_function_shape": ["all", np.eye(9)],
    "contamination": [0.0, 0.6, "some", True, np.eye(9)],
    "class_weight": [np.eye(9), {1: "a"}, {1: -1.0}, "heavy", 2.0],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD.items() for value in values]
)
def test_bad_parameters_are_named(binary, name, value):
    X, y = binary
    if name != "contamination":
        with pytest.raises(ValueError, match=name) as error:
            FrankWolfeSVC(**{name: value}).fit(X, y)
        assert len(str(error.value)) < 300
    if name not in ("n_jobs", "decision_function_shape", "class_weight"):
        with pytest.raises(ValueError, match=name):
            FrankWolfeOneClass(**{name: value}).fit(X)


@pytest.mark.parametrize(
    ("parameters", "gap", "message"),
    [
        ({"C": 1e12}, 1.0, "stop='relative'"),
        ({"eps": 2.0}, 1.0, "stop='relative'"),
        ({"kernel": "poly", "degree": 20}, 1.0, "gap"),
        ({"method": "mfw_sparse"}, 1.0, "init='random_point'"),
        ({"selection": "sampled_text", "C": 1e3}, 0.1, "selection='full'"),
        ({"max_iter": 3}, 0.1, "max_iter"),
    ],
)
def test_a_poor_certificate_warns_whatever_the_reason(iris, parameters, gap, message):
    with pytest.warns(ConvergenceWarning, match=message):
        assert FrankWolfeSVC(**{**PAPERS, **parameters}).fit(*iris).relative_gap_ > gap


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
def test_parameters_can_be_numbers_of_numpy(binary, kind):
    model = FrankWolfeSVC(C=kind(2), gamma=kind(0.5), eps=kind(0.0078125), random_state=0).fit(
        *binary
    )
    assert (
        model.gap_
        == FrankWolfeSVC(C=2.0, gamma=0.5, eps=0.0078125, random_state=0).fit(*binary).gap_
    )
    assert Kernel("rbf", kind(0.5)).arguments[1] == 0.5


@pytest.mark.filterwarnings("error")
def test_predictions_that_overflow_are_refused(binary):
    X, y = binary
    far = np.full((1, X.shape[1]), 1e100)
    models = [one(kernel="poly", degree=4).fit(X, y) for one in (FrankWolfeSVC, FrankWolfeOneClass)]
    for call in [call for model in models for call in (model.predict, model.decision_function)]:
        with pytest.raises(ValueError, match="overflow"):
            call(far)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, csr_matrix])
def test_infinite_numbers_of_both_signs_are_one_error_without_a_warning(binary, dtype, store):
    X, y = binary
    wrong = np.array(X, dtype=dtype)
    wrong[:2, 0] = np.inf, -np.inf
    weights = np.ones(len(y))
    weights[:2] = np.inf, -np.inf
    wrong, models = store(wrong), [FrankWolfeSVC().fit(X, y), FrankWolfeOneClass().fit(X)]
    calls = [lambda: FrankWolfeSVC().fit(wrong, y), lambda: FrankWolfeOneClass().fit(wrong)]
    calls += [partial(model.predict, wrong) for model in models]
    calls += [
        lambda: minimum_enclosing_ball(wrong),
        lambda: FrankWolfeSVC().fit(X, y, sample_weight=weights),
    ]
    calls += [lambda: fit_baseline("rsvm", wrong, np.where(y == y[0], 1, -1))]
    for call in calls:
        with pytest.raises(ValueError, match="contains infinity"):
            call()


def test_arguments_of_a_path_are_named(binary):
    for arguments in (
        (SVC(), *binary, [1]),
        (FrankWolfeSVC, *binary, [1]),
        (FrankWolfeSVC(), *binary, 3),
    ):
        with pytest.raises(
            TypeError, match="C_values must be" if arguments[-1] == 3 else "estimator must be"
        ):
            fit_c_path(*arguments)


@pytest.mark.parametrize("wrong", [None, "2", -1.0, float("nan")])
def test_every_C_of_a_path_is_checked_before_training(binary, wrong, capsys):
    with pytest.raises(ValueError, match="C must be"):
        fit_c_path(FrankWolfeSVC(verbose=1), *binary, [1.0, wrong])
    assert capsys.readouterr().out == ""


def test_parameters_that_a_subclass_sets_are_used(binary):
    class Limited(FrankWolfeSVC):
        def __init__(self, C=1.0):
            super().__init__(C=C, method="fw", max_iter=7, eps=1e-9)

    class LimitedOneClass(FrankWolfeOneClass):
        def __init__(self, C=1.0):
            super().__init__(C=C, method="fw", max_iter=3, eps=1e-9)

    for model, steps in ((Limited(C=2.0), 7), (LimitedOneClass(), 3)):
        with pytest.warns(ConvergenceWarning, match="iteration_limit"):
            model.fit(*binary)
        assert np.sum(model.n_iter_) == steps and model.stop_reason_ == "iteration_limit"


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([np.str_("no"), np.str_("yes")] * 30, dtype="str"),
        np.array([np.str_("no"), np.str_("yes")] * 30, dtype=object),
        np.array([np.str_("no"), "yes"] * 30, dtype=object),
    ],
)
def test_texts_of_numpy_are_labels(labels):
    X = np.random.default_rng(0).normal(size=(60, 3))
    assert set(FrankWolfeSVC().fit(X, labels).predict(X)) <= {"no", "yes"}


@pytest.mark.filterwarnings("error")
def test_labels_of_float16_do_not_warn():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.arange(60, dtype=np.float16) % 2
    assert FrankWolfeSVC().fit(X, y).classes_.tolist() == [0.0, 1.0]


def test_an_index_as_the_start_needs_two_classes(iris):
    X, y = iris
    with pytest.raises(ValueError, match=r"init=3 .* two classes"):
        FrankWolfeSVC(init=3).fit(X, y)
    two = y > 0
    assert FrankWolfeSVC(init=99, method="fw").fit(X[two], y[two]).stop_reason_ == "converged"
    # the third class takes no part
    assert FrankWolfeSVC(init=3).fit(X, y, sample_weight=(y < 2) * 1.0).gap_ >= 0


def test_the_advice_about_an_infinite_gap_is_not_more_steps():
    X = np.random.default_rng(0).normal(size=(60, 3)) * 1e9
    y = np.arange(60) % 2
    model = FrankWolfeSVC(kernel="linear", max_iter=50, C=1e9)
    with pytest.warns(ConvergenceWarning, match="scale the features") as found:
        model.fit(X, y)
    assert model.relative_gap_ == np.inf
    assert "max_iter" not in str(found[0].message)


def test_an_indefinite_matrix_is_named_even_if_the_gap_is_infinite():
    K = np.array([[-1.0, 1.5, -5.0], [1.5, -1.0, -5.0], [-5.0, -5.0, 5.0]])
    model = FrankWolfeSVC(kernel="precomputed", method="fw", init=0, C=np.inf)
    with pytest.warns(ConvergenceWarning, match="not positive semidefinite, so"):
        model.fit(K, [1, 1, 0])


def test_a_class_of_tiny_weight_is_not_dropped_silently():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    weights = np.array([1e6, 1.0, 1e-320])[y]
    with pytest.raises(ValueError, match="too large for float64"):
        FrankWolfeSVC(class_weight="balanced").fit(X, y, weights)


def test_a_width_that_is_too_small_is_named(binary):
    with pytest.raises(ValueError, match="sigma2 must be at least 1e-300"):
        FrankWolfeSVC(sigma2=1e-301, gamma="scale").fit(*binary)


def test_parameters_are_named_as_the_estimator_names_them(binary):
    with pytest.raises(ValueError, match=r"combined with alternate_classes$"):
        FrankWolfeSVC(alternate_classes=True).fit(*binary)


@pytest.mark.filterwarnings("error")
def test_sums_of_huge_weights_do_not_overflow(binary):
    X, y = binary
    shares = FrankWolfeSVC(class_weight="balanced").fit(X, y).class_weight_
    huge = FrankWolfeSVC(class_weight="balanced", C=1e-307).fit(X, y, np.full(len(y), 1e307))
    assert np.allclose(huge.class_weight_, shares, rtol=1e-12)
    plain = FrankWolfeOneClass(contamination=0.2).fit(X)
    heavy = FrankWolfeOneClass(contamination=0.2, C=1e-307).fit(
        X, sample_weight=np.full(len(y), 1e307)
    )
    assert np.isclose(np.mean(heavy.predict(X) < 0), np.mean(plain.predict(X) < 0), atol=0.02)


@pytest.mark.filterwarnings("error")
def test_ordinary_data_do_not_warn(binary, iris):
    """With the default settings, training ends at relative gaps of at most 0.01. An estimator warns
    only if a relative gap exceeds 0.1.
    """
    for X, y in (binary, iris, load_breast_cancer(return_X_y=True)):
        for C in (1.0, 100.0):
            FrankWolfeSVC(C=C, random_state=0).fit(X, y)
        FrankWolfeSVC(method="mfw_sparse", init="random_point", random_state=0).fit(X, y)
        FrankWolfeOneClass(random_state=0).fit(X)
    # there is no warning here, although the relative gap is large
    assert KernelMachine(Settings(eps=2.0), random_state=0).fit(X, y).relative_gap_ > 0.1


@pytest.mark.parametrize("dtype", ["string", "Int64", "boolean", object])
def test_missing_labels_of_pandas_are_named(dtype):
    values = {"string": ["a", "b"], "Int64": [1, 0], "boolean": [True, False], object: ["a", "b"]}[
        dtype
    ]
    y = pd.Series([*values * 3, pd.NA], dtype=dtype)
    with pytest.raises(ValueError, match=r"y has missing values \(pandas.NA\)|y contains NaN"):
        FrankWolfeSVC().fit(np.eye(7), y)
    assert FrankWolfeSVC().fit(np.eye(7)[:6], y[:6]).predict(np.eye(7)[:1]) == values[0]


def doors(X, y):
    """Return six calls with the points X. The first three train. The next two need an array of
    numbers, and the last one predicts.
    """
    model = FrankWolfeSVC().fit(np.eye(len(y), np.shape(X)[1]), y)
    calls = [
        lambda: FrankWolfeSVC().fit(X, y),
        lambda: FrankWolfeOneClass().fit(X),
        lambda: minimum_enclosing_ball(X),
    ]
    calls += [
        lambda: KernelMatrix(X, Kernel()),
        lambda: average_squared_distance(X),
        lambda: model.predict(X),
    ]
    return calls


@pytest.mark.parametrize("size", [1e-145, 1e-160, 1e-200, 1e-310])
@pytest.mark.parametrize("store", [np.asarray, csr_matrix])
def test_points_whose_squares_underflow_are_not_trained_on(binary, store, size):
    X, y = binary
    X = X / np.abs(X).max()
    tiny, small = store(X * size), store(X * 1e-120)
    for call in doors(tiny, y)[:4]:
        what = (
            r"(X|points) has only values of at most .* too small for float64\. Scale the features"
        )
        with pytest.raises(ValueError, match=what):
            call()
    model = FrankWolfeSVC().fit(X, y)
    assert FrankWolfeSVC().fit(small, y).score(small, y) == pytest.approx(
        model.score(X, y), abs=0.02
    )
    origin = model.decision_function(np.zeros((1, X.shape[1])))
    np.testing.assert_allclose(model.decision_function(tiny), np.full(len(y), origin), rtol=1e-12)


# float64 represents multiples of 2048 between 2^63 and 2^64
EXACT = [2**60 + 2048 * k for k in range(30)]
INEXACT = [value + (k == 7) for k, value in enumerate(EXACT)]


def in_two_parts(values):
    """Return a sparse column whose entries are sums of two entries."""
    rows, zeros = np.arange(30), np.zeros(60, int)
    parts = np.concatenate([np.array(values) - 3, np.full(30, 3)])
    return coo_array((parts, (np.tile(rows, 2), zeros)), shape=(30, 1))


HOLDERS = {
    "int64": lambda values: np.array(values)[:, None],
    "negative": lambda values: -np.array(values)[:, None],
    "uint64": lambda values: (np.array(values, np.uint64) + np.uint64(2**63))[:, None],
    "Fortran order": lambda values: np.asfortranarray(np.column_stack([values, values])),
    "objects": lambda values: np.array(values, object)[:, None],
    "above uint64": lambda values: [[value + 2**70 * (value % 2)] for value in values],
    "list with floats": lambda values: [[value, 0.5] for value in values],
    "tuple of arrays": lambda values: tuple(np.array([value]) for value in values),
    "Int64": lambda values: pd.DataFrame(
        {"time": pd.array(values, dtype="Int64"), "size": np.ones(30, np.float32)}
    ),
    "categories": lambda values: pd.DataFrame({"time": pd.Categorical(values)}),
    "sparse": lambda values: csr_matrix(np.array(values)[:, None]),
    "sparse in two parts": in_two_parts,
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("kind", HOLDERS)
def test_integers_that_float64_cannot_represent_are_not_trained_on(kind):
    y, exact, inexact = np.arange(30) % 2, HOLDERS[kind](EXACT), HOLDERS[kind](INEXACT)
    model = FrankWolfeSVC().fit(exact, y)
    model.predict(inexact)
    FrankWolfeOneClass().fit(exact)
    assert minimum_enclosing_ball(exact).radius >= 1024 * 29
    column = "'time'" if isinstance(exact, pd.DataFrame) else "0"
    calls = doors(inexact, y)[:3]
    for call in [*calls, lambda: fit_c_path(FrankWolfeSVC(), inexact, y, [1.0])]:
        what = rf"(X|points) has the value .*1.* \(column {column}, row 7, .*Subtract an offset"
        with pytest.raises(ValueError, match=what):
            call()


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63) + 1, 2**64 - 1, 2**53 + 1, -(2**53) - 1])
def test_integers_next_to_the_largest_ones(value):
    dtype = np.uint64 if value > 0 else np.int64
    for rows in ([[0], [value]], [[0.0], [value]], np.array([[0], [value]], dtype)):
        with pytest.raises(ValueError, match=f"X has the value {value} .*column 0, row 1"):
            FrankWolfeSVC().fit(rows, [0, 1])
    FrankWolfeSVC().fit([[0], [value + 1 if value > 0 else value - 1]], [0, 1])


@pytest.mark.filterwarnings("error")
def test_other_numbers_mean_the_nearest_float64_number():
    y = np.arange(30) % 2
    for X in (np.full((30, 1), np.longdouble(1) / 3), [[Fraction(1, 3)]] * 30):
        assert FrankWolfeSVC().fit(X, y).support_vectors_[0, 0] == 1 / 3


@pytest.mark.parametrize("estimator", [FrankWolfeSVC, FrankWolfeOneClass])
def test_integer_kernel_values_and_weights_that_change_are_refused(estimator):
    K, y = np.diag(np.full(30, 2**54)), np.arange(30) % 2
    model = estimator(kernel="precomputed").fit(K, y)
    K[3, 3] += 1
    with pytest.raises(ValueError, match=rf"X has the value {2**54 + 1} \(column 3, row 3"):
        model.fit(K, y)
    X = np.arange(30.0)[:, None]
    for value, others in ((2**53 + 1, 1), (2**53 + 1, 0.5), (2**64 - 1, 1), (10**400, 1)):
        weights = [value if k == 4 else others for k in range(30)]
        for given in (weights, np.array(weights, object), pd.Series(weights, dtype=object)):
            with pytest.raises(ValueError, match=r"sample_weight has the value .* \(index 4, "):
                estimator().fit(X, y, sample_weight=given)
    estimator().fit(X, y, sample_weight=np.full(30, 2**60))


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize(
    "value",
    [10**309, -(10**400), 10**5000, Fraction(10**400)],
    ids=["e309", "minus", "e5000", "fraction"],
)
def test_integers_that_are_too_large_for_float64(value):
    y, rows = np.arange(30) % 2, [[1, value]] * 30
    frame = pd.DataFrame({"size": np.ones(30), "it": pd.Series([value] * 30, dtype=object)})
    for points, column in (
        (rows, "1"),
        ([[0.5, value]] * 30, "1"),
        (np.array(rows, object), "1"),
        (frame, "'it'"),
    ):
        for place, call in enumerate(doors(points, y)):
            named = "X must be" if place in (3, 4) else f"column {column}: a number is too large"
            with pytest.raises(ValueError, match=named):
                call()


@pytest.mark.parametrize("name", ["C", "eps", "gamma", "max_iter", "random_state"])
def test_a_number_with_too_many_digits_is_not_shown(binary, name):
    with pytest.raises(ValueError, match=f"{name} must be .*, got int with too many digits"):
        FrankWolfeSVC(**{name: -(10**5000)}).fit(*binary)


def memory(pages):
    return {"SC_PAGE_SIZE": 1000, "SC_PHYS_PAGES": pages}.get


def test_sparse_points_with_more_columns_than_memory(monkeypatch):
    y = [0, 1] * 2
    wide = csr_matrix((np.arange(1.0, 5.0), ([0, 1, 2, 3], [0, 70_000, 3, 99_999])))
    for pages in (1600, -1):
        monkeypatch.setattr("os.sysconf", memory(pages))
        FrankWolfeSVC().fit(wide, y)
    monkeypatch.setattr("os.sysconf", memory(1599))
    for call in doors(wide, y)[:3]:
        with pytest.raises(ValueError, match=r"has 100,000 columns, .* \(0\.0 GB\)"):
            call()
    FrankWolfeSVC().fit(wide.toarray(), y)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("estimator", [FrankWolfeSVC, FrankWolfeOneClass])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_after_a_refused_fit_the_model_is_the_earlier_one(binary, estimator, kernel):
    X, y = binary
    X, y = (X @ X.T, y) if kernel == "precomputed" else (X, y)
    model = estimator(kernel=kernel).fit(pd.DataFrame(X).rename(columns=str), y)
    before, expected = dict(vars(model)), model.decision_function(X)
    missing, lopsided = np.eye(9), np.ones((7, 8))
    missing[2, 2] = np.nan
    calls = [lambda: model.fit(missing, np.arange(9) % 2)]
    calls += [lambda: model.fit(np.eye(5), np.arange(5) % 2, sample_weight=-np.ones(5))]
    if kernel == "precomputed":
        calls += [lambda: model.fit(lopsided, np.arange(7) % 2)]
        calls += [lambda: model.fit(np.triu(np.ones((6, 6))), np.arange(6) % 2)]
    if estimator is FrankWolfeSVC:
        calls += [lambda: model.fit(np.eye(300), np.ones(300))]
    for call in calls:
        with pytest.raises(ValueError):
            call()
        assert vars(model) == before
    with pytest.raises(ValueError, match="features"):
        model.predict(np.ones((2, 9)))
    np.testing.assert_array_equal(model.decision_function(X), expected)
    wrong = {"C": -3.0} if estimator is FrankWolfeSVC else {"contamination": 7}
    with pytest.raises(ValueError):
        model.set_params(**wrong).fit(np.eye(90), np.arange(90) % 2)
    assert model.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("estimator", [FrankWolfeSVC, FrankWolfeOneClass])
def test_after_a_refused_first_fit_there_is_no_model(estimator):
    model = estimator(kernel="precomputed")
    with pytest.raises(ValueError, match=r"\(m, m\)"):
        model.fit(np.ones((2, 3)), [0, 1])
    with pytest.raises(NotFittedError):
        model.predict(np.ones((2, 3)))


WHEN = pd.date_range("2020-01-01", periods=30)
COLUMNS = {
    "date": WHEN,
    "missing date": WHEN.where(np.arange(30) != 3),
    "zone": WHEN.tz_localize("UTC"),
    "duration": WHEN - WHEN[0],
    "object": np.array([datetime.date(2020, 1, 1)] * 30, dtype=object),
    "word": ["a", "b"] * 15,
    "category": pd.Categorical(["a", "b"] * 15),
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_without_numbers_is_named(kind):
    frame, y = pd.DataFrame({"size": np.arange(30.0), "it": COLUMNS[kind]}), np.arange(30) % 2
    values = frame[["it"]].to_numpy()
    for points, column in (
        (frame, "'it'"),
        (frame.to_numpy(), "1"),
        (values, "0"),
        (list(values), "0"),
    ):
        for place, call in enumerate(doors(points, y)):
            named = "X must be" if place in (3, 4) else f"column {column}:"
            with pytest.raises((TypeError, ValueError), match=named):
                call()


class Frame:
    """A data frame without `iloc`, like those of polars."""

    def __init__(self, frame):
        self.frame, self.shape, self.columns = frame, frame.shape, list(frame)

    def __getitem__(self, name):
        return self.frame[name].to_numpy()

    def __array__(self, dtype=None, copy=None):
        return np.column_stack([self[name].astype(np.float64) for name in self.frame])


class Table(Frame):
    """A table whose attribute `columns` has the values, like those of pyarrow."""

    def __init__(self, frame):
        super().__init__(frame)
        self.column_names, self.columns = self.columns, [frame[name] for name in frame]


@pytest.mark.parametrize("library", [Frame, Table])
@pytest.mark.parametrize("kind", ["date", "missing date", "duration", "word"])
def test_a_column_without_numbers_is_named_in_frames_of_other_libraries(library, kind):
    frame, y = pd.DataFrame({"size": np.arange(30.0), "it": COLUMNS[kind]}), np.arange(30) % 2
    for estimator in (FrankWolfeSVC(), FrankWolfeOneClass()):
        with pytest.raises(ValueError, match="X, column 'it':"):
            estimator.fit(library(frame), y)
    points = require_numbers(library(frame[["size"]]), "X")
    assert np.asarray(points).tolist() == frame[["size"]].to_numpy().tolist()


def test_masked_entries_are_not_read_as_numbers(binary):
    X, y = binary
    for call in doors(np.ma.masked_array(X, mask=X < 0.1), y):
        with pytest.raises(ValueError, match=r"(X|points) has masked entries"):
            call()
    first = np.arange(len(y)) == 0
    with pytest.raises(ValueError, match="sample_weight has masked"):
        FrankWolfeSVC().fit(X, y, sample_weight=np.ma.masked_array(np.ones(len(y)), mask=first))
    with pytest.raises(ValueError, match="y has masked"):
        FrankWolfeSVC().fit(X, np.ma.masked_array(y, mask=first))
    with pytest.raises(ValueError, match="Q has masked"):
        MatrixProblem(np.ma.masked_array(np.eye(3), mask=np.eye(3)))
    with pytest.raises(ValueError, match="Q has masked"):
        weighted_svm(np.ma.masked_array(np.eye(3), mask=np.eye(3)), np.ones(3))
    some = np.ma.masked_array(np.ones(len(y)), mask=first)
    matrix = KernelMatrix(X, Kernel("rbf", 1.0))
    for call in (
        lambda: average_squared_distance(X, some),
        lambda: weighted_svm(np.eye(len(y)), some),
        lambda: KernelProblem(matrix, np.ones(len(y)), weights=some),
    ):
        with pytest.raises(ValueError, match="weights has masked"):
            call()
    with pytest.raises(ValueError, match="labels has masked"):
        KernelProblem(matrix, some)
    assert (
        FrankWolfeSVC().fit(np.ma.masked_array(X), y).objective_
        == FrankWolfeSVC().fit(X, y).objective_
    )


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, None], r"y has missing values \(None"),
        (["a", None], r"y has missing values \(None"),
        (np.array(["2020", "NaT"], "M8[D]"), r"y has missing values \(NaT"),
        (np.array([1, 2], object), r"objects \(int\), .* y.astype"),
        (np.array(["a", 2], object), r"objects \(int, str\)"),
    ],
)
def test_labels_that_are_no_classes(labels, message):
    with pytest.raises(ValueError, match=message):
        FrankWolfeSVC().fit(np.eye(2), labels)


@pytest.mark.parametrize("columns", [2**32 + 1, 2**41])
def test_more_columns_than_indices_can_count(columns):
    X = coo_array(([1.0, 2.0], ([0, 1], [columns - 1, 5])), shape=(2, columns)).tocsr()
    for call in (lambda: FrankWolfeSVC().fit(X, [0, 1]), lambda: KernelMatrix(X, Kernel())):
        with pytest.raises(
            ValueError, match=f"X has {columns:,} columns, but at most 4,294,967,296"
        ):
            call()


@pytest.mark.parametrize(
    ("Q", "message"),
    [
        (csr_array(np.eye(3)), r"csr_array of shape \(3, 3\): use Q.toarray"),
        (np.array([["a"]]), "real numbers"),
        (np.array([[None]]), "real numbers"),
        (1j * np.eye(2), "real numbers"),
        (np.eye(2).astype("m8[s]"), "real numbers"),
    ],
)
def test_matrices_that_are_no_array_of_numbers(Q, message):
    with pytest.raises(ValueError, match=message):
        MatrixProblem(Q)


@pytest.mark.parametrize(
    "name", ["settings", "callback", "columns", "trace", "random_state", "eps"]
)
def test_a_message_describes_an_array_by_its_shape(name):
    with pytest.raises(
        (TypeError, ValueError), match=rf"{name} must be .*, got ndarray of shape \(2000, 50\)"
    ):
        solve(MatrixProblem(np.eye(3)), **{name: np.ones((2000, 50))})
