"""Test features and settings that are extremely large or small.

They are used if floating-point numbers can represent the results. Otherwise, an error names them.
"""

import numpy as np
import pytest
from grids import parametrize_pairwise
from scipy import sparse

import fwsvm
from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, Kernel, KernelMatrix, KernelProblem
from fwsvm.estimators.machine import KernelMachine


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    X[:, 2] *= 3.0
    return X, X[:, 0] > 0.1 * rng.normal(size=60)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scale", [1e200, 1e300])
def test_features_whose_squares_overflow_are_refused_by_name(data, storage, scale):
    X, y = data
    huge = storage(X * scale)
    model = FrankWolfeSVC().fit(X, y)
    calls = [
        FrankWolfeSVC().fit,
        KernelMachine().fit,
        FrankWolfeOneClass().fit,
        lambda huge, y: model.predict(huge),
    ]
    for call in (
        *calls,
        lambda X, y: fwsvm.minimum_enclosing_ball(X),
        lambda X, y: KernelMatrix(X, Kernel()),
    ):
        with pytest.raises(ValueError, match="column 2"):
            call(huge, y)


@pytest.mark.filterwarnings("error")
def test_kernel_values_that_overflow_are_refused_by_name(data):
    X, y = data
    with pytest.raises(ValueError, match=r"k\(x, x\)"):
        FrankWolfeSVC(kernel="poly", gamma=1.0, degree=300).fit(10 * X, y)
    with pytest.raises(ValueError, match=r"k\(x, x\)"):
        FrankWolfeSVC(kernel="linear").fit(X * 1e15 / np.abs(X).max(), y)
    with pytest.raises(ValueError, match="C must"):
        KernelProblem(KernelMatrix(X, Kernel()), np.where(y, 1.0, -1.0), 1e-200)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scale", [1e-30, 1e-22, 1e22, 1e60])
@pytest.mark.parametrize("features", [4, 12])
def test_the_rbf_kernel_does_not_depend_on_the_scale_of_the_features(
    data, scale, features, storage
):
    """The squares of the features do not fit into float32, and neither does 1 / gamma."""
    X, y = data
    X = np.tile(X, features // 4)
    plain, scaled = (
        FrankWolfeSVC(C=10.0, random_state=0).fit(storage(X * factor), y) for factor in (1.0, scale)
    )
    assert (
        scaled.stop_reason_ == "converged" and scaled.pair_solutions_[0].column_dtype == "float64"
    )
    assert scaled.objective_ == pytest.approx(plain.objective_, abs=2 * plain.gap_ + 1e-6)
    np.testing.assert_array_equal(scaled.predict(X * scale), plain.predict(X))
    if scale > 1e30:
        with pytest.raises(ValueError, match="column_dtype"):
            FrankWolfeSVC(column_dtype="float32").fit(storage(X * scale), y)


@pytest.mark.parametrize("method", ["fw", "mfw", "swap", "swap2o", "cvm", "fcfw"])
@pytest.mark.parametrize("scale", [1.0, 1e10])
def test_methods_converge_with_kernel_values_of_any_size(data, method, scale):
    X, y = data
    model = FrankWolfeSVC(
        method, "linear", C=scale**-2, stop="relative", eps=1e-2, random_state=0, max_iter=10**5
    )
    model.fit(X * scale, y)
    solution = model.pair_solutions_[0]
    assert solution.weights.sum() == pytest.approx(1.0) and np.all(solution.weights > 0)
    assert model.stop_reason_ == "converged" and model.relative_gap_ <= 1e-2


@parametrize_pairwise(
    m=[3, 10, 49], storage=[np.asarray, sparse.csr_matrix], value=[0.1, 1.0 / 3.0, 1e5 + 0.1]
)
def test_rounding_of_equal_points_is_not_a_width(value, storage, m):
    """Because of rounding, the mean of m equal numbers can differ from these numbers in the last
    digit.
    """
    X = storage(np.full((m, 3), value) * [1.0, 7.0, 0.3])
    assert fwsvm.average_squared_distance(X) == 0.0
    assert FrankWolfeSVC(sigma2="average").fit(X, np.arange(m) % 2).gamma_ == 1.0
