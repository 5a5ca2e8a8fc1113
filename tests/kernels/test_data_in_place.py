"""Test that training makes at most one copy of the data, and does not copy float32 points to
float64.
"""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from fwsvm import FrankWolfeSVC, Kernel, KernelMatrix, average_squared_distance
from fwsvm.kernels import points as points_module
from fwsvm.kernels import sums
from fwsvm.kernels.class_blocks import ClassBlocks
from fwsvm.kernels.points import Points


@pytest.fixture
def float32_points(monkeypatch):
    """Return 800 points of 2000 features, and their labels.

    The points have 6.4 MB, and a float64 copy would have 12.8 MB. The solver's blocks have at most
    1 MB, so that they do not affect the result.
    """
    monkeypatch.setattr(points_module, "_BLOCK_BYTES", 1 << 20)
    monkeypatch.setattr(sums, "_CHUNK_BYTES", 1 << 20)
    monkeypatch.setattr(sums, "_X_TILE_BYTES", 1 << 18)
    X = np.random.default_rng(0).normal(size=(800, 2000)).astype(np.float32)
    return X, (X[:, 0] > 0).astype(int)


@given(n=st.integers(1, 3000), d=st.integers(0, 1 << 20))
def test_row_blocks_are_as_large_as_allowed(n, d):
    starts = [block.start for block in points_module.row_blocks(n, d)]
    step = starts[1] if len(starts) > 1 else n
    assert starts == list(range(0, n, step))
    assert step == 1 or 8 * d * step <= points_module._BLOCK_BYTES
    assert step == n or 8 * d * (step + 1) > points_module._BLOCK_BYTES


def test_squared_norms_of_sparse_points_do_not_depend_on_the_blocks(monkeypatch):
    monkeypatch.setattr(points_module, "_BLOCK_BYTES", 1 << 10)
    X = sparse.random(100, 40, 0.1, format="csr", random_state=0)
    np.testing.assert_allclose(Points(X).squared_norms, (X.toarray() ** 2).sum(axis=1))


def peak_mb(call):
    """Return the largest memory, in MB, that was allocated during `call`."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def fit(X, y, **settings):
    settings = {
        "stop": "meb",
        "max_iter": 3,
        "certify": False,
        "gamma": 1e-3,
        "cache_mb": 1.0,
        "random_state": 0,
    } | settings
    model = FrankWolfeSVC(**settings)
    with pytest.warns(UserWarning, match="stopped early"):
        return model.fit(X, y)


def test_a_sampled_run_makes_no_copy_of_the_data(float32_points):
    X, y = float32_points
    settings = {"selection": "sampled_text", "sample_size": 5, "init": 0, "method": "fw"}
    fit(X[:100], y[:100], **settings)
    for points in (X, X.astype(np.float64)):
        used = peak_mb(lambda points=points: fit(points, y, **settings))
        assert used < 0.8 * X.nbytes / 1e6


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "how", [{"selection": "sampled_text", "sample_size": 5, "method": "fw"}, {"method": "fcfw"}]
)
def test_few_dense_copies_of_wide_sparse_points(how):
    columns = np.random.default_rng(0).integers(400_000, size=22_000)
    X = sparse.csr_matrix(
        (np.ones(22_000), columns, np.arange(0, 22_001, 20)), shape=(1100, 400_000)
    )
    model = FrankWolfeSVC(cache_mb=100.0, max_iter=3, random_state=0, **how)
    # 64 dense points would fill 200 MB
    assert peak_mb(lambda: model.fit(X, np.arange(1100) % 2)) < 160


def test_full_selection_on_float32_points_makes_one_float32_copy(float32_points):
    X, y = float32_points
    fit(X[:100], y[:100])
    # a float32 copy with the features first is allowed, but not a float64 copy
    assert peak_mb(lambda: fit(X, y)) < 1.7 * X.nbytes / 1e6


def test_predictions_and_kernel_matrices_make_none(float32_points):
    X, y = float32_points
    model = fit(X[:100], y[:100])
    assert model.support_vectors_.dtype == np.float32
    assert peak_mb(lambda: model.predict(X)) < 0.8 * X.nbytes / 1e6
    assert peak_mb(lambda: average_squared_distance(X)) < 0.4 * X.nbytes / 1e6
    assert peak_mb(lambda: KernelMatrix(X, Kernel("rbf", 1e-3)).diagonal()) < 0.4 * X.nbytes / 1e6


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
@pytest.mark.parametrize("classes", [2, 3])
def test_float32_points_give_the_model_of_their_float64_copy(kernel, classes):
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(150, 9)) + 3).astype(np.float32)
    y = rng.integers(classes, size=150) + (X[:, 0] > 3)
    y = np.minimum(y, classes - 1)
    settings = {"kernel": kernel, "C": 2.0, "stop": "relative", "eps": 1e-6, "random_state": 0}
    narrow, wide = (
        FrankWolfeSVC(**settings).fit(points, y) for points in (X, X.astype(np.float64))
    )
    assert narrow.gamma_ == pytest.approx(wide.gamma_, rel=1e-12)
    assert narrow.objective_ == pytest.approx(wide.objective_, rel=3e-6)
    np.testing.assert_allclose(narrow.decision_function(X), wide.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_read_only_points_are_neither_copied_nor_declared_read_only(dtype, storage):
    X = storage(np.arange(12, dtype=dtype).reshape(4, 3) + 1)
    for array in (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,):
        array.flags.writeable = False
    points = Points(X)
    kept = (
        points.rows[1:] if points.is_sparse else (points.X, points.dense_rows(slice(1, 3), dtype))
    )
    assert all(array.flags.writeable for array in kept)
    if points.is_sparse:
        assert np.shares_memory(kept[0], X.indices) and np.shares_memory(kept[1], X.data) == (
            dtype == np.float64
        )
    else:
        assert all(np.shares_memory(array, X) for array in kept)


# with the scale 1e4, distances are computed from differences
@pytest.mark.parametrize("scale", [10.0, 1e4])
@pytest.mark.parametrize("sizes", [(500, 500), (600, 60)])
def test_blocks_of_classes_take_the_memory_that_is_planned_for_them(sizes, scale):
    """These kernel values are computed in float64, which takes the most memory."""
    X = scale * np.random.default_rng(0).normal(size=(sum(sizes), 4))
    members = np.split(np.arange(len(X)), sizes[:1])

    def compute():
        ClassBlocks(Points(X), members, Kernel("rbf", 1.0)).pair(0, 1)

    compute()  # the first call compiles
    planned_mb = ClassBlocks.megabytes(np.array(sizes), 4)
    assert 0.9 * planned_mb < peak_mb(compute) <= planned_mb
