"""Functions that write and read models as .npz files. A file has plain arrays (no pickled code),
and a checksum that `load_model` checks.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from dataclasses import asdict
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from fwsvm.estimators.decisions import intercepts
from fwsvm.estimators.machine import require_known_shape
from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.estimators.weights import check_class_weight
from fwsvm.inputs.errors import DataError, UserError, printable
from fwsvm.inputs.files import largest_content, whole_file
from fwsvm.inputs.parameters import FOR_USERS, PARAMETERS, check_settings
from fwsvm.inputs.ranges import require_range
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.kinds import KINDS
from fwsvm.kernels.points import canonical_csr
from fwsvm.solvers.settings import Settings

if TYPE_CHECKING:
    import os

# FORMAT is the version of the file format. `save_model` writes the version to each file, and
# `load_model` refuses files of other versions.
FORMAT = 1
_FACTS = (
    "gap_",
    "relative_gap_",
    "objective_",
    "n_iter_",
    "stop_reason_",
    "gamma_",
    "n_features_in_",
)
# Facts that can be missing. Files of older versions lack both. A model has `feature_names_in_` only
# if the features of the training points had names.
_ARRAY_FACTS = ("class_weight_", "feature_names_in_")
_CHECKED_KEYS = ("data", "facts", "format", "kernel", "parameters")
_OLD_CHECKED_KEYS = _CHECKED_KEYS[1:]  # the checksum of version 1.0.0 does not include `data`
_SPARSE_PARTS = ("vectors_data", "vectors_indices", "vectors_indptr")
# _ARRAYS maps the name of each array to its allowed kinds of values (the letters that
# `numpy.dtype.kind` uses) and to its number of dimensions. The support vectors are stored either as
# `vectors` (dense) or as the three parts of a CSR matrix.
_ARRAYS = {
    "classes": ("biufUS", 1),
    "support": ("iu", 1),
    "dual_coef": ("f", 2),
    "vectors": ("f", 2),
    "vectors_data": ("f", 1),
    "vectors_indices": ("iu", 1),
    "vectors_indptr": ("iu", 1),
}
_LARGEST_HEADER = 50_000_000  # maximum size of the header in bytes
# The arrays of a file can have _ALWAYS_ALLOWED bytes, even if the compressed file is very small.
# Compression makes arrays of zeros a thousand times smaller, so a small file with a large content
# need not be an attack.
_ALWAYS_ALLOWED = 10**9


def model_path(path: str | os.PathLike[str]) -> Path:
    """Add the suffix .npz to the path if it is missing."""
    path = Path(path)
    return path if path.suffix == ".npz" else path.with_name(path.name + ".npz")


def save_model(
    model: Any, path: str | os.PathLike[str], data: dict[str, Any] | None = None
) -> Path:
    """Write a fitted FrankWolfeSVC to a file, and return the path (with .npz).

    The times and the solutions of the pairs (`pair_solutions_`) are not written. `random_state` is
    written only if it is an integer. Names of features are not written if they need more than
    25 MB. If a parameter is wrong or the model cannot be written, a UserError is raised, and no
    partial file remains. If the model is not fitted, a NotFittedError is raised.

    If the mapping `data` is given, it has two keys: `name`, the name of the training data, and
    `scaling`, the name of their scaling. `fwsvm predict` reads both.
    """
    if not isinstance(model, FrankWolfeSVC):
        raise UserError(
            f"a model file can only hold a FrankWolfeSVC, got {type(model).__name__}; use pickle"
        )
    check_is_fitted(model)
    _refuse_wrong_parameters(model)
    return _save(model, model_path(path), data)


def _refuse_wrong_parameters(model: Any) -> None:
    """Raise a UserError if a parameter of a fitted model was changed to a wrong value. `load_model`
    would refuse most such values.
    """
    try:
        _check_ranges(vars(model))
        Settings.of_estimator(vars(model))
        check_class_weight(model.class_weight)
        require_known_shape(model.decision_function_shape)
    except ValueError as error:
        raise UserError(f"the model has a wrong parameter: {error}") from error


def _check_ranges(parameters: dict[str, Any]) -> None:
    check_settings(parameters)
    if parameters["kernel"] not in (*KINDS, "precomputed"):
        raise ValueError(f"its kernel {parameters['kernel']!r} is unknown")


def _save(model: Any, path: Path, data: dict[str, Any] | None) -> Path:
    kernel = model._kernel
    parameters = {name: getattr(model, name) for name in FrankWolfeSVC._get_param_names()}
    if not isinstance(model.random_state, Integral):
        del parameters["random_state"]
    if model.sigma2 is not None:  # do not write both gamma and sigma2 (see `_rebuild`)
        parameters["gamma"] = None
    if isinstance(model.class_weight, dict):  # JSON has only texts as keys
        parameters["class_weight"] = [
            [np.asarray(k).item(), float(w)] for k, w in model.class_weight.items()
        ]
    facts = {name: getattr(model, name) for name in _FACTS} | {"n_iter_": model.n_iter_.tolist()}
    facts |= {name: getattr(model, name).tolist() for name in _ARRAY_FACTS if hasattr(model, name)}
    # NumPy stores 4 bytes per letter
    if 4 * len(json.dumps(facts, default=_plain_number)) > _LARGEST_HEADER / 2:
        facts.pop("feature_names_in_", None)
    header: dict[str, Any] = {
        "format": FORMAT,
        "parameters": parameters,
        "kernel": kernel and asdict(kernel),
        "facts": facts,
        "data": data,
    }
    classes, vectors = model.classes_, model.support_vectors_
    if classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes):
        classes = classes.astype(str)
    if classes.dtype.kind == "f" and classes.dtype.itemsize not in (4, 8):
        classes = classes.astype(np.float64)
    if classes.dtype.kind not in "biufUS" or not np.array_equal(classes, model.classes_):
        raise UserError("a model file can only hold class labels that are texts or 64-bit numbers")
    arrays = {"classes": classes, "support": model.support_, "dual_coef": model.dual_coef_}
    if sparse.issparse(vectors):
        arrays |= zip(_SPARSE_PARTS, (vectors.data, vectors.indices, vectors.indptr), strict=True)
    else:
        arrays["vectors"] = vectors
    header["checksum"] = _checksum(header, arrays, _CHECKED_KEYS)
    try:
        with whole_file(path) as temporary, open(temporary, "wb") as stream:
            np.savez_compressed(
                stream, header=np.array(json.dumps(header, default=_plain_number)), **arrays
            )
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read and return a model that `save_model` wrote. The model lacks the times and
    `pair_solutions_`.

    The suffix of `path` can be missing. If there are files with and without the suffix, the file
    with the suffix is read.

    If there is no such file, or if it is a folder, a device or a pipe, raise a UserError. If the
    content of the file is not a model, raise a DataError.
    """
    given, path = Path(path), model_path(path)
    if not path.is_file() and given.is_file():
        path = given
    if not path.is_file():
        if given.exists():
            raise UserError(f"{given} is a folder, a device or a pipe, not a model file")
        raise UserError(f"there is no model file {path}; `fwsvm train DATA -o {path}` writes one")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > max(largest_content(path.stat().st_size), _ALWAYS_ALLOWED):
                raise ValueError(
                    f"its decompressed size is {size / 1e6:,.0f} MB, which is more than a model"
                    " file of this compressed size can have"
                )
            return _rebuild(archive)
    except MemoryError:
        raise
    # zipfile, zlib, numpy and json raise many kinds of errors for damaged bytes
    except Exception as error:
        reason = (
            f"its entry {error} is missing"
            if isinstance(error, KeyError)
            else str(error) or type(error).__name__
        )
        wrong = (
            f"{path} is not a model written by `fwsvm train`: {printable(reason)}; train the model"
            " again"
        )
        raise DataError(wrong) from error


def _read(archive: Any, name: str) -> Any:
    with archive.open(f"{name}.npy") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _shape_and_type(archive: Any, name: str) -> Any:
    """Return the shape and the dtype of an array in the file, without reading its values."""
    member = next(
        (member for member in archive.infolist() if member.filename == f"{name}.npy"), None
    )
    if member is None:
        raise KeyError(name)
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        read = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(stream)
        if math.prod(shape) * dtype.itemsize != member.file_size - stream.tell():
            raise ValueError(f"the size of its array {name!r} is wrong")
    return shape, dtype


def _header(archive: Any) -> dict[str, Any]:
    """Return the header of the file, after a check of everything that can be checked without the
    arrays.
    """
    shape, dtype = _shape_and_type(archive, "header")
    if shape != () or dtype.kind != "U" or dtype.itemsize > _LARGEST_HEADER:
        raise ValueError("its header is not a text")
    header = json.loads(str(_read(archive, "header")))
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    if header["format"] != FORMAT:
        raise ValueError(f"its format is {header['format']!r}; this version reads format {FORMAT}")
    facts, data = header["facts"], header.get("data") or {}
    counts = np.atleast_1d(facts["n_iter_"])
    is_valid = (
        isinstance(facts["n_features_in_"], int)
        and facts["n_features_in_"] >= 1
        and counts.dtype.kind == "i"
    )
    if not is_valid or not isinstance(facts["stop_reason_"], str):
        raise ValueError(
            "its header has a wrong value of 'n_features_in_', 'n_iter_' or 'stop_reason_'"
        )
    names_text = isinstance(data, dict) and all(
        isinstance(data.get(key), str) for key in ("name", "scaling")
    )
    if data and not names_text:
        raise ValueError("the entry 'data' of its header must have the texts 'name' and 'scaling'")
    _check_ranges(header["parameters"])
    return header


def _checked_names(archive: Any, header: dict[str, Any], kernel: Kernel) -> Any:
    """Check the names, dtypes and shapes of the arrays without reading their values, and return the
    names.
    """
    vectors = ("vectors",) if "vectors.npy" in archive.namelist() else _SPARSE_PARTS
    names = ("classes", "support", "dual_coef", *vectors)
    if sorted(archive.namelist()) != sorted(f"{name}.npy" for name in ("header", *names)):
        raise ValueError(f"it must contain the arrays header, {', '.join(names)}, and no others")
    described = {name: _shape_and_type(archive, name) for name in names}
    for name, (shape, dtype) in described.items():
        kinds, dimensions = _ARRAYS[name]
        if (
            dtype.kind not in kinds
            or len(shape) != dimensions
            or (dtype.kind == "f" and dtype.itemsize not in (4, 8))
        ):
            raise ValueError(f"its array {name!r} has a wrong type or shape: {dtype} {shape}")
    (n_classes,), (size,) = described["classes"][0], described["support"][0]
    expected: dict[str, tuple[int, ...]] = {"dual_coef": (n_classes * (n_classes - 1) // 2, size)}
    if "vectors" in described:
        expected["vectors"] = (size, header["facts"]["n_features_in_"]) if kernel else (0, 0)
    else:
        expected |= {"vectors_indptr": (size + 1,), "vectors_indices": described["vectors_data"][0]}
    if n_classes < 2 or any(described[name][0] != shape for name, shape in expected.items()):
        raise ValueError("the sizes of its arrays do not match")
    return names


def _plain_number(value: Any) -> Any:
    """Turn a NumPy number into a Python number, for JSON. Raise a UserError for any other value."""
    if isinstance(value, np.longdouble):  # `item` would return the same NumPy number
        return float(value)
    if isinstance(value, np.generic):
        return value.item()
    raise UserError(f"the parameter value {value!r} cannot be written to a model file")


def _checksum(header: dict[str, Any], arrays: dict[str, np.ndarray], keys: Any) -> str:
    """Return the sha256 of the entries `keys` of the header, and of all arrays with their names,
    dtypes and shapes.
    """
    plain = {key: header[key] for key in keys}
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True, default=_plain_number).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _rebuild(archive: Any) -> Any:
    """Return the model that a file contains.

    Files of older versions can lack some parameters or the checksum, or can contain both
    sigma2="average" and gamma.
    """
    header = _header(archive)
    given = (
        {name: PARAMETERS[name].default for name in FOR_USERS}
        | {"gamma": None}
        | header["parameters"]
    )
    if given["gamma"] is not None and given.get("sigma2") == "average":
        given["sigma2"] = None
    model = FrankWolfeSVC(**given)
    model._kernel = header["kernel"] and Kernel(**header["kernel"])
    arrays = {name: _read(archive, name) for name in _checked_names(archive, header, model._kernel)}
    if "checksum" in header and header["checksum"] not in (
        _checksum(header, arrays, keys) for keys in (_CHECKED_KEYS, _OLD_CHECKED_KEYS)
    ):
        raise ValueError("its checksum is wrong: the file has changed")
    classes, support, coefficients = (arrays[name] for name in ("classes", "support", "dual_coef"))
    if not np.all(classes[:-1] < classes[1:]):
        raise ValueError("its classes are not in ascending order")
    if support.min(initial=0) < 0 or not np.isfinite(coefficients).all():
        raise ValueError("it has negative indices, or coefficients that are not finite")
    model._data = header.get("data") or {}
    if isinstance(model.class_weight, list):
        model.class_weight = dict(model.class_weight)
    for name in _FACTS:
        setattr(model, name, header["facts"][name])
    if "class_weight_" in header["facts"]:
        model.class_weight_ = np.asarray(header["facts"]["class_weight_"], dtype=np.float64)
    if "feature_names_in_" in header["facts"]:
        model.feature_names_in_ = np.asarray(header["facts"]["feature_names_in_"], dtype=object)
    # In files of older versions, `n_iter_` is one number, the sum over the pairs.
    model.n_iter_ = np.atleast_1d(model.n_iter_)
    model.classes_, model.support_, model.dual_coef_ = classes, support, coefficients
    model.intercept_ = intercepts(coefficients, len(classes))
    if "vectors" in arrays:
        vectors = np.ascontiguousarray(arrays["vectors"])
    else:
        shape = (len(support), model.n_features_in_)
        vectors = sparse.csr_matrix(tuple(arrays[part] for part in _SPARSE_PARTS), shape=shape)
        vectors = canonical_csr(vectors, "its vectors")
    require_range(vectors, "its array 'vectors'", "No saved model has such values")
    model.support_vectors_ = vectors
    return model
