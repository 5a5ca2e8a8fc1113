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
    return sparse.csr_matrix(X * (X > 0)) if storage == "csr" else X


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Files of a dense, a sparse and a precomputed model of three classes."""
    folder, y = tmp_path_factory.mktemp("models"), np.arange(40) % 3
    files = {}
    for storage in ("dense", "csr"):
        model = FrankWolfeSVC(random_state=0).fit(points(storage), y)
        files[storage] = save_model(model, folder / storage)
    K = points() @ points().T
    files["precomputed"] = save_model(FrankWolfeSVC(kernel="precomputed", random_state=0).fit(K, y), folder / "given")
    return files


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
    X = points() @ points().T if storage == "precomputed" else points(storage)
    header, arrays = stored(saved[storage])
    assert len(header["checksum"]) == 64
    expected = load_model(saved[storage]).decision_function(X)
    old = load_model(written(tmp_path / "old.npz", header, arrays))
    np.testing.assert_array_equal(old.decision_function(X), expected)


def test_float32_and_uncertified_models_come_back(tmp_path):
    X = points().astype(np.float32)
    y = np.where(X[:, 0] > 0, "yes", "no").astype(object)
    model = FrankWolfeSVC(certify=False, C=np.inf, random_state=0).fit(X, y)
    loaded = load_model(save_model(model, tmp_path / "model"))
    assert loaded.support_vectors_.dtype == np.float32 and np.isnan(loaded.gap_) and np.inf == loaded.C
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X).astype(str))


def test_labels_that_need_pickle_are_refused_before_writing(tmp_path):
    model = FrankWolfeSVC(random_state=0).fit(points(), np.arange(40) % 2)
    model.classes_ = np.array([None, 1.5], dtype=object)
    with pytest.raises(UserError, match="numbers or text"):
        save_model(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_model_that_cannot_be_written(tmp_path):
    model = FrankWolfeSVC(random_state=0).fit(points(), np.arange(40) % 2)
    with pytest.raises(UserError, match="cannot be written"):
        save_model(model, tmp_path / "none" / "model")


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
    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


DENSE = {
    "format": (header_with("format", value=2), "format is 2"),
    "unknown key": (header_with("extra", value=1), "header"),
    "unknown parameter": (header_with("parameters", "nu", value=1), "does not know: nu"),
    "parameters": (header_with("parameters", value=[]), "parameters are not a table"),
    "facts": (header_with("facts", value=None), "facts are not a table"),
    "predict overridden": (header_with("facts", "predict", value="no"), "facts are not"),
    "objective": (header_with("facts", "objective_", value="1"), "objective_ is '1'"),
    "infinite objective": (header_with("facts", "objective_", value=float("inf")), "objective_ is inf"),
    "features": (header_with("facts", "n_features_in_", value=5), "shape"),
    "no features": (header_with("facts", "n_features_in_", value=0), "n_features_in_ is 0"),
    "features as text": (header_with("facts", "n_features_in_", value="4"), "n_features_in_ is '4'"),
    "shape": (header_with("parameters", "decision_function_shape", value="x"), "decision_function_shape is 'x'"),
    "kernel": (header_with("kernel", value=None), "kernel is missing"),
    "kernel as list": (header_with("kernel", value=["rbf", 1.0, 2]), "kernel is not that of its parameters"),
    "another width": (header_with("kernel", "gamma", value=9.0), "kernel is not that of its parameters"),
    "array missing": (lambda header, arrays: arrays.pop("dual_coef"), "its arrays are"),
    "array unknown": (lambda header, arrays: arrays.update(more=np.ones(2)), "its arrays are"),
    "one class": (array_with("classes", lambda a: a[:1]), "fewer than two classes"),
    "equal classes": (array_with("classes", lambda a: a[[0, 0, 1]]), "not distinct"),
    "four classes": (array_with("classes", lambda a: np.arange(4)), "dual_coef have the shape"),
    "NaN coefficient": (array_with("dual_coef", at((0, 0), np.nan)), "dual_coef are not finite"),
    "coefficients as integers": (array_with("dual_coef", lambda a: a.astype(int)), "dual_coef have the type int64"),
    "coefficients too short": (array_with("dual_coef", lambda a: a[:, 1:]), "dual_coef have the shape"),
    "flat coefficients": (array_with("dual_coef", np.ravel), "dual_coef have the shape"),
    "negative support": (array_with("support", at(0, -1)), "not ascending from 0"),
    "support as floats": (array_with("support", lambda a: a.astype(float)), "support is not a list of indices"),
    "infinite vectors": (array_with("vectors", at((0, 0), np.inf)), "vectors are not finite"),
    "narrow vectors": (array_with("vectors", lambda a: a[:, :2]), "vectors have the shape"),
    "complex vectors": (array_with("vectors", lambda a: a + 1j), "vectors have the type complex128"),
}
SPARSE = {
    "column outside": (array_with("vectors_indices", at(2, 4)), "column index 4 is outside 0 .. 3"),
    "column far outside": (array_with("vectors_indices", at(2, 10**6)), "column index 1000000 is outside"),
    "negative column": (array_with("vectors_indices", at(2, -1)), "column index -1 is outside"),
    "decreasing": (array_with("vectors_indptr", at(3, 40)), "indptr must not decrease"),
    "short indptr": (array_with("vectors_indptr", lambda a: a[:-1]), "vectors_indptr do not belong"),
    "lost value": (array_with("vectors_data", lambda a: a[1:]), "do not end with the values"),
    "NaN value": (array_with("vectors_data", at(0, np.nan)), "vectors_data are not finite"),
    "indices as floats": (array_with("vectors_indices", lambda a: a.astype(float)), "not a list of integers"),
}
GIVEN = {"support outside": (array_with("support", at(-1, 40)), "outside the kernel matrix")}
CASES = [
    pytest.param(storage, *case, id=name)
    for storage, cases in (("dense", DENSE), ("csr", SPARSE), ("precomputed", GIVEN))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("storage", "change", "message"), CASES)
def test_a_changed_file_without_checksum(saved, tmp_path, storage, change, message):
    header, arrays = stored(saved[storage])
    change(header, arrays)
    with pytest.raises(DataError, match=message) as raised:
        load_model(written(tmp_path / "model.npz", header, arrays))
    assert "model.npz" in str(raised.value)


def test_a_change_that_makes_another_model_is_noticed_by_the_checksum(saved, tmp_path):
    header, arrays = stored(saved["dense"])
    arrays["dual_coef"][0, 0] *= 1.5
    with pytest.raises(DataError, match="checksum is wrong"):
        load_model(written(tmp_path / "model.npz", header, arrays, keep_checksum=True))


@pytest.mark.parametrize("header", [[1, 2], "text", 3, None, {}])
def test_a_header_that_is_no_header(saved, tmp_path, header):
    with pytest.raises(DataError, match="header"):
        load_model(written(tmp_path / "model.npz", header, stored(saved["dense"])[1]))


def test_a_plain_array_and_an_archive_without_header(tmp_path):
    np.save(tmp_path / "plain.npy", np.ones(3))
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    for name in ("plain.npy", "other.npz"):
        with pytest.raises(DataError, match="not a model") as raised:
            load_model(tmp_path / name)
        assert "pickle" not in str(raised.value)
    with pytest.raises(DataError, match=r"no \.npz archive"):
        load_model(tmp_path / "plain.npy")


def test_a_file_that_unpacks_to_far_more_than_a_model_is_not_unpacked(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "bomb.npz", header=np.zeros(20_000_000, np.uint8))
    monkeypatch.setattr(model_io, "_ALWAYS_ALLOWED", 10**6)
    monkeypatch.setattr(np, "load", None)
    with pytest.raises(DataError, match="20 MB"):
        load_model(tmp_path / "bomb.npz")


def test_support_vectors_whose_squares_overflow(saved, tmp_path):
    header, arrays = stored(saved["dense"])
    with pytest.raises(DataError, match=r"its array vectors has values up to .*e\+300"):
        load_model(written(tmp_path / "model.npz", header, arrays | {"vectors": arrays["vectors"] * 1e300}))


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
