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


@pytest.mark.parametrize(
    ("storage", "name", "change"),
    [
        ("dense", "dual_coef", lambda a: a[:, 1:]), ("dense", "vectors", lambda a: a[:, :2]),
        ("dense", "vectors", lambda a: 1e300 * a), ("dense", "classes", lambda a: np.arange(4)),
        ("csr", "vectors_indices", lambda a: a + 10**6), ("csr", "vectors_indptr", lambda a: a[:-1]),
    ],
)  # fmt: skip
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
