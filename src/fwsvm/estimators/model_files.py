"""Write and read models as .npz files of plain arrays (no pickled code), with a checksum that `load_model` checks."""

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from fwsvm.base.errors import DataError, UserError
from fwsvm.base.files import largest_content, whole_file
from fwsvm.base.parameters import FOR_USERS, PARAMETERS, check_settings
from fwsvm.base.ranges import require_range
from fwsvm.estimators.one_versus_one import class_pairs
from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.points import canonical_csr

FORMAT = 1
_FACTS = ("gap_", "relative_gap_", "objective_", "n_iter_", "stop_reason_", "gamma_", "n_features_in_")
_KEYS = ("facts", "format", "kernel", "parameters")
_SPARSE_PARTS = ("vectors_data", "vectors_indices", "vectors_indptr")
# Even a tiny file may unpack to this number of bytes, because zeros are compressed a thousandfold.
_ALWAYS_ALLOWED = 10**9


def model_path(path):
    """Add the suffix .npz to the path if it is missing."""
    path = Path(path)
    return path if path.suffix == ".npz" else path.with_name(path.name + ".npz")


def save_model(model, path, data=None):
    """Write a fitted FrankWolfeSVC, completely or not at all, and return the path (with .npz).

    `data` has the name of the training data and their `scaling`, for `fwsvm predict`.
    """
    path, kernel = model_path(path), model._kernel
    parameters = {key: value for key, value in model.get_params().items() if key != "random_state"}
    if model.sigma2 is not None:  # a new file never has both sigma2 and gamma (see `_rebuild`)
        parameters["gamma"] = None
    if isinstance(model.class_weight, dict):  # in JSON, keys must be text
        parameters["class_weight"] = [[np.asarray(k).item(), float(w)] for k, w in model.class_weight.items()]
    header = {
        "format": FORMAT,
        "parameters": parameters,
        "kernel": kernel and {"name": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree},
        "facts": {name: getattr(model, name) for name in _FACTS},
        "data": data,
    }
    classes, vectors = model.classes_, model.support_vectors_
    if classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes):
        classes = classes.astype(str)
    if classes.dtype.kind not in "biufUS":
        raise UserError("a model file can only hold class labels that are numbers or text")
    arrays = {"classes": classes, "support": model.support_, "dual_coef": model.dual_coef_}
    if sparse.issparse(vectors):
        arrays |= zip(_SPARSE_PARTS, (vectors.data, vectors.indices, vectors.indptr), strict=True)
    else:
        arrays["vectors"] = vectors
    header["checksum"] = _checksum(header, arrays)
    try:
        with whole_file(path) as temporary, open(temporary, "wb") as stream:
            np.savez_compressed(stream, header=np.array(json.dumps(header, default=_plain_number)), **arrays)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def load_model(path):
    """Read a model written by `save_model` (the suffix may be missing); raise a `DataError` for any other file."""
    given, path = Path(path), Path(path) if Path(path).is_file() else model_path(path)
    if not path.is_file():
        if given.exists():
            raise UserError(f"{given} is a folder, a device or a pipe, not a model file")
        raise UserError(f"there is no model file {path}; `fwsvm train DATA -o {path}` writes one")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > max(largest_content(path.stat().st_size), _ALWAYS_ALLOWED):
            raise ValueError(f"it unpacks to {size / 1e6:,.0f} MB, more than a model file of its size can contain")
        with np.load(path, allow_pickle=False) as stored:
            arrays = dict(stored)
        return _rebuild(json.loads(str(arrays.pop("header"))), arrays)
    except Exception as error:  # zipfile, zlib, numpy and json raise many kinds of errors for damaged bytes
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise DataError(f"{path} is not a model written by `fwsvm train`: {reason}; train the model again") from error


def _plain_number(value):
    """Turn a NumPy number into a Python number, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise UserError(f"the parameter value {value!r} cannot be written to a model file")


def _checksum(header, arrays):
    """Hash the header (without its checksum) and every array with its name, type and shape."""
    plain = {key: header[key] for key in _KEYS}
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True, default=_plain_number).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _rebuild(header, arrays):
    """Rebuild the model. Old files may lack parameters or the checksum, or have both sigma2="average" and gamma."""
    if header["format"] != FORMAT:
        raise ValueError(f"its format is {header['format']!r}; this version reads format {FORMAT}")
    if "checksum" in header and header["checksum"] != _checksum(header, arrays):
        raise ValueError("its checksum is wrong: the file has changed")
    given = {name: PARAMETERS[name].default for name in FOR_USERS} | {"gamma": None} | header["parameters"]
    if given["gamma"] is not None and given.get("sigma2") == "average":
        given["sigma2"] = None
    model = FrankWolfeSVC(**given)
    model._data = header.get("data") or {}
    check_settings(header["parameters"])
    if isinstance(model.class_weight, list):
        model.class_weight = dict(model.class_weight)
    for name in _FACTS:
        setattr(model, name, header["facts"][name])
    model._kernel = header["kernel"] and Kernel(**header["kernel"])
    model.classes_, model.support_, model.dual_coef_ = arrays["classes"], arrays["support"], arrays["dual_coef"]
    model.intercept_ = model.dual_coef_.sum(axis=1)
    shape = (len(model.support_), model.n_features_in_) if model._kernel else (0, 0)
    if "vectors" in arrays:
        vectors = np.ascontiguousarray(arrays["vectors"])
    else:
        vectors = sparse.csr_matrix(tuple(arrays[part] for part in _SPARSE_PARTS), shape=shape)
        vectors = canonical_csr(vectors, "its vectors")
    pairs = len(class_pairs(len(model.classes_)))
    if vectors.shape != shape or model.dual_coef_.shape != (pairs, len(model.support_)):
        raise ValueError("the sizes of its arrays do not match")
    require_range(vectors, "its array 'vectors'", "No saved model has such values")
    model.support_vectors_ = vectors
    return model
