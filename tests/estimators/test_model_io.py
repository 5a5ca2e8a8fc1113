"""Model files: what is written is read again; damaged, changed and foreign files are one clear error each."""

import json

import numpy as np
import pytest
from scipy import sparse

from fwsvm import FrankWolfeSVC
from fwsvm.base.errors import DataError, UserError
from fwsvm.estimators import model_files as model_io
from fwsvm.estimators.model_files import load_model, save_model


def points(storage="dense"):
    X = np.random.default_rng(0).normal(size=(40, 4))
    return {"dense": X, "csr": sparse.csr_matrix(X * (X > 0)), "precomputed": X @ X.T}[storage]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Files of a dense, a sparse and a precomputed model of three classes."""
    folder, y = tmp_path_factory.mktemp("models"), np.arange(40) % 3
    kernels = {"dense": "rbf", "csr": "rbf", "precomputed": "precomputed"}
    return {
        storage: save_model(FrankWolfeSVC(kernel=kernel, random_state=0).fit(points(storage), y), folder / storage)
        for storage, kernel in kernels.items()
    }


def stored(path):
    with np.load(path) as content:
        arrays = dict(content)
    return json.loads(str(arrays.pop("header"))), arrays


def written(path, header, arrays, keep_checksum=False):
    """A file with any content; without a checksum, as earlier versions wrote it."""
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
    assert loaded.support_vectors_.dtype == np.float32 and np.isnan(loaded.gap_) and np.inf == loaded.C
    assert loaded.class_weight == weights
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X).astype(str))


def test_what_cannot_be_written_is_refused(tmp_path):
    model = FrankWolfeSVC(random_state=0).fit(points(), np.arange(40) % 2)
    with pytest.raises(UserError, match="written"):
        save_model(model, tmp_path / "none" / "model")
    model.classes_ = np.array([None, 1.5], dtype=object)
    with pytest.raises(UserError, match="labels"):
        save_model(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def header_with(*keys, value):
    def change(header, arrays):
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return change


def array_with(name, change):
    def changed(header, arrays):
        arrays[name] = change(arrays[name])

    return changed


def at(place, value):
    return lambda array: np.where(np.arange(array.size).reshape(array.shape) == place, value, array)


DENSE = {
    "format": header_with("format", value=2),
    "extra": header_with("extra", value=1),
    "does not know|nu": header_with("parameters", "nu", value=1),
    "parameters|list": header_with("parameters", value=[]),
    "facts|NoneType": header_with("facts", value=None),
    "facts are": header_with("facts", "predict", value="no"),
    "objective": header_with("facts", "objective_", value=float("inf")),
    "shape": header_with("facts", "n_features_in_", value=5),
    "n_features": header_with("facts", "n_features_in_", value=0),
    "decision_function": header_with("parameters", "decision_function_shape", value="x"),
    "kernel is missing": header_with("kernel", value=None),
    "kernel is not": header_with("kernel", "gamma", value=9.0),
    "arrays": lambda header, arrays: arrays.pop("dual_coef"),
    "arrays are": lambda header, arrays: arrays.update(more=np.ones(2)),
    "two classes": array_with("classes", lambda a: a[:1]),
    "distinct": array_with("classes", lambda a: a[[0, 0, 1]]),
    "dual_coef": array_with("classes", lambda a: np.arange(4)),
    "finite": array_with("dual_coef", at(0, np.nan)),
    "type": array_with("dual_coef", lambda a: a.astype(int)),
    "dual_coef have": array_with("dual_coef", np.ravel),
    "ascending": array_with("support", at(0, -1)),
    "indices": array_with("support", lambda a: a.astype(float)),
    "vectors are": array_with("vectors", at(0, np.inf)),
    "vectors have": array_with("vectors", lambda a: a[:, :2]),
    "values": array_with("vectors", lambda a: 1e300 * a),
}
SPARSE = {
    "must be <": array_with("vectors_indices", at(2, 10**6)),
    "must be >= 0": array_with("vectors_indices", at(2, -1)),
    "non-decreasing": array_with("vectors_indptr", at(3, 40)),
    "fit": array_with("vectors_indptr", lambda a: a[:-1]),
    "indptr do not": array_with("vectors_data", lambda a: a[1:]),
    "finite": array_with("vectors_data", at(0, np.nan)),
    "integers": array_with("vectors_indices", lambda a: a.astype(float)),
}
CASES = [("dense", *case) for case in DENSE.items()] + [("csr", *case) for case in SPARSE.items()]
CASES.append(("precomputed", "outside", array_with("support", at(1, 40))))


@pytest.mark.parametrize(("storage", "word", "change"), CASES)
def test_a_changed_file_without_checksum(saved, tmp_path, storage, word, change):
    header, arrays = stored(saved[storage])
    if storage == "precomputed":
        arrays["support"] = arrays["support"][-2:]
        arrays["dual_coef"] = arrays["dual_coef"][:, -2:]
    change(header, arrays)
    with pytest.raises(DataError, match=rf"model\.npz.*({word}|header|parameters|facts)"):
        load_model(written(tmp_path / "model.npz", header, arrays))


def test_a_change_that_makes_another_model_is_noticed_by_the_checksum(saved, tmp_path):
    header, arrays = stored(saved["dense"])
    arrays["dual_coef"][0, 0] *= 1.5
    with pytest.raises(DataError, match="checksum"):
        load_model(written(tmp_path / "model.npz", header, arrays, keep_checksum=True))


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
        else:  # a bit of the archive that carries nothing, such as a date
            np.testing.assert_array_equal(model.decision_function(X), expected)
    assert refused > 75
