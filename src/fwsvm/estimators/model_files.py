"""Trained models on disk: one .npz of plain arrays (no pickled code), with a checksum, checked when it is read."""

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from fwsvm.base.errors import DataError, UserError
from fwsvm.base.files import largest_content, whole_file
from fwsvm.base.ranges import require_range
from fwsvm.estimators.one_versus_one import class_pairs
from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.points import canonical_csr

FORMAT = 1
_FACTS = ("gap_", "relative_gap_", "objective_", "n_iter_", "stop_reason_", "gamma_", "n_features_in_")
_KEYS = {"format", "parameters", "kernel", "facts"}
_SPARSE_PARTS = ("vectors_data", "vectors_indices", "vectors_indptr")
_LABEL_KINDS = "biufUS"
# Bytes to which any model may unpack: dense support vectors of nearly nothing but zeros shrink a thousandfold.
_ALWAYS_ALLOWED = 10**9


def model_path(path):
    """Where `save_model` writes: the path, with .npz."""
    path = Path(path)
    return path if path.suffix == ".npz" else path.with_name(path.name + ".npz")


def save_model(model, path):
    """Write a fitted FrankWolfeSVC, whole or not at all; returns the path (with .npz)."""
    path, kernel = model_path(path), model._kernel
    parameters = {key: value for key, value in model.get_params().items() if key != "random_state"}
    if isinstance(model.class_weight, dict):  # JSON has text keys only
        parameters["class_weight"] = [[np.asarray(k).item(), float(w)] for k, w in model.class_weight.items()]
    header = {
        "format": FORMAT,
        "parameters": parameters,
        "kernel": kernel and {"name": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree},
        "facts": {name: getattr(model, name) for name in _FACTS},
    }
    vectors = model.support_vectors_
    arrays = {"classes": _plain_labels(model.classes_), "support": model.support_, "dual_coef": model.dual_coef_}
    if sparse.issparse(vectors):
        arrays |= zip(_SPARSE_PARTS, (vectors.data, vectors.indices, vectors.indptr), strict=True)
    else:
        arrays["vectors"] = vectors
    header["checksum"] = _checksum(header, arrays)
    try:
        with whole_file(path) as temporary, open(temporary, "wb") as stream:
            np.savez_compressed(stream, header=np.array(json.dumps(header, default=_plain_number)), **arrays)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def load_model(path):
    """Read a model written by `save_model`; a `DataError` says what is wrong with another file."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no model file {path}; `fwsvm train DATA -o {path}` writes one")
    try:
        if not zipfile.is_zipfile(path):
            raise ValueError("no .npz archive, or cut off")
        _check_size(path)
        with np.load(path, allow_pickle=False) as stored:
            arrays = dict(stored)
        header = json.loads(str(arrays.pop("header")))
        return _rebuild(header, arrays)
    except Exception as error:  # damaged bytes make zipfile, zlib, numpy and json raise nearly anything
        reason = str(error) or type(error).__name__
        raise DataError(f"{path}: not a model written by `fwsvm train`: {reason}; train it again") from error


def _check_size(path):
    """Refuse what unpacks to far more than a model does."""
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > max(largest_content(path.stat().st_size), _ALWAYS_ALLOWED):
        raise ValueError(f"it unpacks to {size / 1e6:,.0f} MB, more than a model of its size does")


def _plain_labels(classes):
    """Class labels as an array that needs no pickled objects."""
    if classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes):
        classes = classes.astype(str)
    if classes.dtype.kind not in _LABEL_KINDS:
        raise UserError("only class labels that are numbers or text can be written to a model file")
    return classes


def _plain_number(value):
    """NumPy's numbers among the parameters, as JSON needs them."""
    if isinstance(value, np.generic):
        return value.item()
    raise UserError(f"the parameter value {value!r} cannot be written to a model file")


def _checksum(header, arrays):
    """sha256 of the header (without a checksum) and of every array with its name, type and shape."""
    plain = {key: header[key] for key in sorted(_KEYS)}
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True, default=_plain_number).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _require(condition, message):
    if not condition:
        raise ValueError(message)


def _rebuild(header, arrays):
    """The model; files of earlier versions have no checksum, so that every part is checked."""
    _require(isinstance(header, dict) and _KEYS <= set(header) <= _KEYS | {"checksum"}, "its header is not one")
    _require(header["format"] == FORMAT, f"its format is {header['format']!r}; this version reads format {FORMAT}")
    if "checksum" in header:
        _require(header["checksum"] == _checksum(header, arrays), "its checksum is wrong, the file was changed")
    model = FrankWolfeSVC(**header["parameters"])
    if isinstance(model.class_weight, list):
        model.class_weight = dict(model.class_weight)
    shape = model.decision_function_shape
    _require(shape in ("ovr", "ovo"), f"its decision_function_shape is {shape!r}")
    facts = header["facts"]
    _require(set(facts) == set(_FACTS), f"its facts are not {', '.join(_FACTS)}")
    for name, value in facts.items():
        _require(_is_fact(name, value), f"its {name} is {value!r}")
        setattr(model, name, value)
    described = header["kernel"]
    _require((described is None) == (model.kernel == "precomputed"), "its kernel is missing")
    model._kernel = described and Kernel(**described)
    if described:
        same = (described["name"], described["gamma"]) == (model.kernel, model.gamma_)
        _require(same, "its kernel is not that of its parameters")
    _set_arrays(model, arrays)
    return model


def _is_fact(name, value):
    if name == "stop_reason_":
        return isinstance(value, str)
    if name in ("n_iter_", "n_features_in_"):
        return type(value) is int and value >= (name == "n_features_in_")
    if name == "gamma_" and value is None:
        return True
    return type(value) in (int, float) and (np.isfinite(value) or "gap" in name)  # NaN: the model was not certified


def _set_arrays(model, arrays):
    parts = ("vectors",) if "vectors" in arrays else _SPARSE_PARTS
    expected = {"classes", "support", "dual_coef", *parts}
    _require(set(arrays) == expected, f"its arrays are {', '.join(sorted(arrays))}, not {', '.join(sorted(expected))}")
    classes, support, dual_coef = arrays["classes"], arrays["support"], arrays["dual_coef"]
    _require(classes.ndim == 1 and classes.dtype.kind in _LABEL_KINDS, "its classes are not a list of labels")
    _require(len(classes) >= 2, "it has fewer than two classes")
    _require(np.array_equal(np.unique(classes), classes), "its classes are not distinct and ascending")
    is_list = support.ndim == 1 and support.dtype == np.int64 and len(support) > 0
    _require(is_list, "its support is not a list of indices")
    _require(support[0] >= 0 and np.all(np.diff(support) > 0), "its support indices are not ascending from 0")
    _check_floats(dual_coef, (len(class_pairs(len(classes))), len(support)), "dual_coef")
    shape = len(support), model.n_features_in_
    if model._kernel is None:
        vectors = np.empty((0, 0))
        _require(arrays["vectors"].shape == (0, 0), "a precomputed kernel has no support vectors")
        _require(support[-1] < shape[1], "a support index is outside the kernel matrix")
    elif parts == ("vectors",):
        vectors = np.ascontiguousarray(arrays["vectors"])
        _check_floats(vectors, shape, "vectors")
    else:
        vectors = _csr(*(arrays[part] for part in _SPARSE_PARTS), shape)
    require_range(vectors, "its array vectors", "They are not scaled features")
    model.classes_, model.support_, model.dual_coef_ = classes, support, dual_coef
    model.intercept_ = dual_coef.sum(axis=1)
    model.support_vectors_ = vectors


def _csr(data, indices, indptr, shape):
    """A CSR matrix; `canonical_csr` has better messages than scipy's constructor."""
    _check_floats(data, (data.size,), "vectors_data")
    for array in (indices, indptr):
        _require(array.ndim == 1 and array.dtype in (np.int32, np.int64), "its indices are not lists of integers")
    fits = len(indptr) == shape[0] + 1 and len(data) == len(indices) == indptr[-1]
    _require(fits, "its vectors_indptr do not fit the support and the values")
    X = sparse.csr_matrix(shape, dtype=data.dtype)
    X.data, X.indices, X.indptr = data, indices, indptr
    return canonical_csr(X, "its vectors")


def _check_floats(array, shape, name):
    _require(array.dtype in (np.float32, np.float64), f"its {name} have the type {array.dtype}")
    _require(array.shape == shape, f"its {name} have the shape {array.shape}, not {shape}")
    _require(np.isfinite(array).all(), f"its {name} are not finite")
