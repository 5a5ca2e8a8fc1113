"""Test model files. A saved model can be loaded again.

If a file is damaged, changed or not a model file, there is one clear error.
"""

import hashlib
import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC
from fwsvm.estimators import model_files as model_io
from fwsvm.estimators.model_files import load_model, save_model
from fwsvm.inputs.errors import DataError, UserError


def points(storage="dense"):
    X = np.random.default_rng(0).normal(size=(40, 4))
    return {"dense": X, "csr": sparse.csr_matrix(X * (X > 0)), "precomputed": X @ X.T}[storage]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Save a dense, a sparse and a precomputed model of three classes. Return a dict from the
    storage to the file.
    """
    folder, y = tmp_path_factory.mktemp("models"), np.arange(40) % 3
    kernels = {"dense": "rbf", "csr": "rbf", "precomputed": "precomputed"}
    return {
        storage: save_model(
            FrankWolfeSVC(kernel=kernel, random_state=0).fit(points(storage), y), folder / storage
        )
        for storage, kernel in kernels.items()
    }


def stored(path):
    with np.load(path) as content:
        arrays = dict(content)
    return json.loads(str(arrays.pop("header"))), arrays


def written(path, header, arrays, keep_checksum=False):
    """Write a model file with any content, and return its path.

    By default, the file has no checksum, like the files of earlier versions.
    """
    if isinstance(header, dict) and not keep_checksum:
        header = {key: value for key, value in header.items() if key != "checksum"}
    np.savez(path, header=np.array(json.dumps(header)), **arrays)
    return path


@pytest.mark.parametrize("storage", ["dense", "csr", "precomputed"])
def test_files_with_and_without_a_checksum(saved, storage, tmp_path):
    header, arrays = stored(saved[storage])
    assert len(header["checksum"]) == 64
    expected = load_model(saved[storage]).decision_function(points(storage))
    old = load_model(written(tmp_path / "old.npz", header, arrays))
    np.testing.assert_array_equal(old.decision_function(points(storage)), expected)


def test_float32_and_uncertified_models_come_back(tmp_path):
    X = points().astype(np.float32)
    y = np.where(X[:, 0] > 0, "yes", "no").astype(object)
    weights = {"yes": 2.0, "no": 1.0}
    model = FrankWolfeSVC(certify=False, C=np.inf, class_weight=weights, random_state=0).fit(X, y)
    loaded = load_model(save_model(model, tmp_path / "model"))
    assert (
        loaded.support_vectors_.dtype == np.float32 and np.isnan(loaded.gap_) and np.inf == loaded.C
    )
    assert loaded.class_weight == weights
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X).astype(str))


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble])
def test_labels_of_unusual_float_types_come_back_as_float64(tmp_path, dtype):
    y = (np.arange(40) % 3).astype(dtype)
    model = FrankWolfeSVC(random_state=0).fit(points(), y)
    found = load_model(save_model(model, tmp_path / "model"))
    assert found.classes_.dtype == np.float64
    assert np.array_equal(found.predict(points()), model.predict(points()))


def test_seed_weights_and_names_of_features_come_back(tmp_path):
    X = pd.DataFrame(points(), columns=["a", "b", "c", "d"])
    model = FrankWolfeSVC(random_state=5, class_weight="balanced").fit(X, np.arange(40) % 3)
    found = load_model(save_model(model, tmp_path / "model"))
    assert found.random_state == 5
    assert np.array_equal(found.class_weight_, model.class_weight_)
    assert found.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match="feature names"):
        found.predict(X[["b", "a", "c", "d"]])
    nameless = FrankWolfeSVC(random_state=None).fit(points(), np.arange(40) % 3)
    found = load_model(save_model(nameless, tmp_path / "nameless"))
    assert not hasattr(found, "feature_names_in_") and found.random_state == 0


def test_settings_of_a_subclass_come_back(tmp_path):
    class Linear(FrankWolfeSVC):
        def __init__(self, C=1.0):
            super().__init__(C=C, kernel="linear", random_state=None)

    model = Linear(C=2.0).fit(points(), np.arange(40) % 3)
    found = load_model(save_model(model, tmp_path / "model"))
    assert (found.kernel, found.C) == ("linear", 2.0)
    assert np.array_equal(found.predict(points()), model.predict(points()))


def test_a_file_with_too_many_names_of_features_has_none(tmp_path, monkeypatch):
    monkeypatch.setattr(model_io, "_LARGEST_HEADER", 20_000)
    X = pd.DataFrame(points(), columns=[f"{letter}{'-' * 1000}" for letter in "abcd"])
    found = load_model(save_model(FrankWolfeSVC().fit(X, np.arange(40) % 3), tmp_path / "model"))
    assert not hasattr(found, "feature_names_in_")


def test_other_objects_are_not_written(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(FrankWolfeSVC(), tmp_path / "model")
    with pytest.raises(UserError, match="FrankWolfeOneClass"):
        save_model(FrankWolfeOneClass().fit(points()), tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_refused(tmp_path):
    model = FrankWolfeSVC(random_state=0).fit(points(), np.arange(40) % 2)
    with pytest.raises(UserError, match="written"):
        save_model(model, tmp_path / "none" / "model")
    model.classes_ = np.array([None, 1.5], dtype=object)
    with pytest.raises(UserError, match="labels"):
        save_model(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", -3),
        ("C", 10**400),
        ("eps", "small"),
        ("gamma", 0.0),
        ("kernel", "sigmoid"),
        ("max_iter", 1.5),
        ("method", "newton"),
        ("sample_size", 7),
        ("class_weight", "heavy"),
        ("class_weight", {1: "a"}),
        ("decision_function_shape", "all"),
    ],
)
def test_a_parameter_that_was_set_to_a_wrong_value_is_not_written(tmp_path, name, value):
    model = FrankWolfeSVC().fit(points(), np.arange(40) % 2)
    model.set_params(**{name: value})
    with pytest.raises(UserError, match=rf"wrong parameter: .*{name}"):
        save_model(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_long_numbers_as_parameters_come_back_as_python_numbers(tmp_path):
    model = FrankWolfeSVC(C=np.longdouble(2), gamma=np.longdouble(0.5))
    found = load_model(save_model(model.fit(points(), np.arange(40) % 2), tmp_path / "model"))
    assert (found.C, found.gamma) == (2.0, 0.5)


@pytest.mark.parametrize(
    ("storage", "name", "change"),
    [
        ("dense", "dual_coef", lambda a: a[:, 1:]),
        ("dense", "vectors", lambda a: a[:, :2]),
        ("dense", "vectors", lambda a: 1e300 * a),
        ("dense", "classes", lambda a: np.arange(4)),
        ("csr", "vectors_indices", lambda a: a + 10**6),
        ("csr", "vectors_indptr", lambda a: a[:-1]),
    ],
)
def test_a_file_without_checksum_whose_arrays_do_not_fit(saved, tmp_path, storage, name, change):
    header, arrays = stored(saved[storage])
    arrays[name] = change(arrays[name])
    with pytest.raises(DataError, match=r"model\.npz"):
        load_model(written(tmp_path / "model.npz", header, arrays))
    with pytest.raises(DataError, match="format"):
        load_model(written(tmp_path / "later.npz", header | {"format": 2}, arrays))


def test_a_change_that_makes_another_model_is_noticed_by_the_checksum(saved, tmp_path):
    header, arrays = stored(saved["dense"])
    arrays["dual_coef"][0, 0] *= 1.5
    with pytest.raises(DataError, match="checksum"):
        load_model(written(tmp_path / "model.npz", header, arrays, keep_checksum=True))


def test_the_data_of_a_model_are_checked(saved, tmp_path):
    model = load_model(saved["dense"])
    assert load_model(save_model(model, tmp_path / "a", None))._data == {}
    header, arrays = stored(
        save_model(model, tmp_path / "a", {"name": "points.txt", "scaling": "none"})
    )
    assert load_model(tmp_path / "a")._data == header["data"]
    other = header | {"data": {"name": "points.txt", "scaling": "minmax"}}
    with pytest.raises(DataError, match="checksum"):
        load_model(written(tmp_path / "b.npz", other, arrays, keep_checksum=True))
    for data in ({"x": 1}, {"name": "a"}, {"name": 1, "scaling": "none"}, ["name"], "name", 3):
        with pytest.raises(DataError, match="must have the texts 'name' and 'scaling'"):
            load_model(written(tmp_path / "c.npz", header | {"data": data}, arrays))


def test_the_file_of_an_earlier_version(saved, tmp_path):
    """In a file of version 1.0.0, the checksum does not include `data`. `n_iter_` is one number,
    and the polynomial kernel has no constant.
    """
    header, arrays = stored(saved["dense"])
    del header["checksum"], header["parameters"]["coef0"], header["kernel"]["coef0"]
    header["data"], header["facts"]["n_iter_"] = {"name": "points.txt", "scaling": "none"}, 17
    hashed = {key: header[key] for key in ("facts", "format", "kernel", "parameters")}
    digest = hashlib.sha256(json.dumps(hashed, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
    header["checksum"] = digest.hexdigest()
    old = load_model(written(tmp_path / "old.npz", header, arrays, keep_checksum=True))
    expected = load_model(saved["dense"]).decision_function(points())
    np.testing.assert_array_equal(old.decision_function(points()), expected)
    assert (old.n_iter_.tolist(), old.coef0, old._data["scaling"]) == ([17], 0.0, "none")
    arrays["support"][0] += 1
    with pytest.raises(DataError, match="checksum"):
        load_model(written(tmp_path / "old.npz", header, arrays, keep_checksum=True))


@pytest.mark.parametrize(
    ("storage", "name", "change"),
    [
        ("dense", "vectors", lambda a: a + 0j),
        ("dense", "dual_coef", lambda a: a + 1j),
        ("dense", "support", np.float64),
        ("dense", "classes", lambda a: a[:, None]),
        ("dense", "classes", lambda a: a.astype("V8")),
        ("dense", "classes", lambda a: a.astype("M8[s]")),
        ("dense", "classes", lambda a: a[::-1]),
        ("dense", "support", lambda a: a[None]),
        ("dense", "support", lambda a: -a - 1),
        ("dense", "vectors", lambda a: a.astype([("x", "f8")])),
        ("dense", "vectors", lambda a: a[..., None]),
        ("dense", "dual_coef", lambda a: a * np.nan),
        ("dense", "dual_coef", np.float16),
        ("csr", "vectors_data", np.int64),
        ("csr", "vectors_indices", np.float64),
        ("csr", "vectors_data", lambda a: a[1:]),
        ("precomputed", "vectors", lambda a: np.zeros((10**6, 4))),
        ("dense", "further", lambda a: np.ones(3)),
    ],
)
def test_arrays_of_a_wrong_kind_are_refused_before_they_are_read(
    saved, tmp_path, monkeypatch, storage, name, change
):
    header, arrays = stored(saved[storage])
    arrays[name] = change(arrays.get(name))
    path, read = written(tmp_path / "model.npz", header, arrays), []
    monkeypatch.setattr(
        model_io,
        "_read",
        lambda archive, name, of=model_io._read: read.append(name) or of(archive, name),
    )
    with pytest.raises(DataError, match=r"model\.npz"):
        load_model(path)
    by_values = name in ("classes", "dual_coef", "support") and change(np.ones((2, 2))).shape == (
        2,
        2,
    )
    assert read == ["header"] or by_values


def test_sizes_bound_what_is_read(saved, tmp_path):
    header, arrays = stored(saved["dense"])
    arrays["vectors"] = np.zeros((len(arrays["support"]), 10**6))
    np.savez_compressed(tmp_path / "bomb.npz", header=np.array(json.dumps(header)), **arrays)
    del arrays["vectors"]
    tracemalloc.start()
    with pytest.raises(DataError, match="sizes"):
        load_model(tmp_path / "bomb.npz")
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


def test_loading_holds_the_arrays_once(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 50_000)).astype(np.float32)
    path = save_model(FrankWolfeSVC(kernel="linear").fit(X, np.arange(60) % 2), tmp_path / "model")
    tracemalloc.start()
    model = load_model(path)
    assert tracemalloc.get_traced_memory()[1] < 1.5 * model.support_vectors_.nbytes
    tracemalloc.stop()


def test_what_a_file_says_is_printed_without_control_characters(saved, tmp_path):
    header, arrays = stored(saved["dense"])
    for changed in (
        {"format": "\x1b[31m"},
        {"kernel": {"\x1b[31m": 1}},
        {"parameters": header["parameters"] | {"\x1b]0;": 1}},
        {"facts": header["facts"] | {"stop_reason_": 5}},
        {"parameters": header["parameters"] | {"kernel": "\x9b\u202e"}},
    ):
        with pytest.raises(DataError) as raised:
            load_model(written(tmp_path / "model.npz", header | changed, arrays))
        assert str(raised.value).isprintable()


def test_foreign_files(saved, tmp_path):
    np.save(tmp_path / "plain.npy", np.ones(3))
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    written(tmp_path / "list.npz", [1, 2], stored(saved["dense"])[1])
    for name in ("plain.npy", "other.npz", "list.npz"):
        with pytest.raises(DataError, match="not a model"):
            load_model(tmp_path / name)


def test_a_file_that_unpacks_to_far_more_than_a_model_is_not_unpacked(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "bomb.npz", header=np.zeros(20_000_000, np.uint8))
    monkeypatch.setattr(model_io, "_ALWAYS_ALLOWED", 10**6)
    monkeypatch.setattr(np, "load", None)
    with pytest.raises(DataError, match="20 MB"):
        load_model(tmp_path / "bomb.npz")


@pytest.mark.parametrize("other", ["_ALWAYS_ALLOWED", "largest_content"])
def test_a_file_may_unpack_to_the_larger_of_two_sizes(saved, monkeypatch, other):
    """A fixed number of bytes is always allowed. A larger number is allowed if the compressed file
    is large.
    """
    monkeypatch.setattr(model_io, other, 0 if other == "_ALWAYS_ALLOWED" else lambda size: 0)
    assert len(load_model(saved["dense"]).support_) > 0


def test_every_cut_and_flipped_byte_is_an_error_or_harmless(saved, tmp_path):
    content, X = saved["csr"].read_bytes(), points("csr")
    expected = load_model(saved["csr"]).decision_function(X)
    rng, path, refused = np.random.default_rng(0), tmp_path / "model.npz", 0
    for trial in range(150):
        damaged = bytearray(content)
        if trial % 5:
            damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        else:
            damaged = damaged[: rng.integers(len(content))]
        path.write_bytes(damaged)
        try:
            model = load_model(path)
        except DataError:
            refused += 1
        else:  # the damaged bit has no effect, for example if it is part of a date in the archive
            np.testing.assert_array_equal(model.decision_function(X), expected)
    assert refused > 75


def test_a_lack_of_memory_is_no_damaged_file(tmp_path, monkeypatch):
    path = tmp_path / "model.npz"
    save_model(FrankWolfeSVC().fit([[0.0], [1.0]], [0, 1]), path)

    def lacks(archive):
        raise MemoryError

    monkeypatch.setattr(model_io, "_rebuild", lacks)
    with pytest.raises(MemoryError):
        load_model(path)
