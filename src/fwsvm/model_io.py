"""Trained models on disk: one .npz of plain arrays (no pickled code)."""

import json
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from fwsvm.errors import DataError, UserError
from fwsvm.estimator import FrankWolfeSVC
from fwsvm.files import whole_file
from fwsvm.kernels import Kernel

FORMAT = 1
_FACTS = ("gap_", "relative_gap_", "objective_", "n_iter_", "stop_reason_", "gamma_", "n_features_in_")


def save_model(model, path):
    """Write a fitted FrankWolfeSVC, whole or not at all; returns the path (with .npz).

    Parameters
    ----------
    model : FrankWolfeSVC
    path : str or path

    Returns
    -------
    Path
    """
    path = Path(path)
    path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
    kernel = model._kernel
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
    if sparse.issparse(vectors):
        stored = {f"vectors_{part}": getattr(vectors, part) for part in ("data", "indices", "indptr")}
    else:
        stored = {"vectors": vectors}
    with whole_file(path) as temporary, open(temporary, "wb") as stream:
        np.savez_compressed(
            stream,
            header=np.array(json.dumps(header)),
            classes=model.classes_,
            support=model.support_,
            dual_coef=model.dual_coef_,
            **stored,
        )
    return path


def load_model(path):
    """Read a model written by `save_model`.

    Raises
    ------
    UserError
        The file does not exist.
    DataError
        It is not a model of this program.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"no model file {path}; `fwsvm train DATA -o {path}` writes one")
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = dict(stored)
        header = json.loads(str(arrays["header"]))
        if header["format"] != FORMAT:
            raise DataError(f"{path}: model format {header['format']}; this version reads format {FORMAT}")
        return _rebuild(header, arrays)
    except (zipfile.BadZipFile, ValueError, KeyError, OSError, EOFError) as error:
        if isinstance(error, UserError):
            raise
        raise DataError(f"{path}: not a model written by `fwsvm train` ({error})") from error


def _rebuild(header, arrays):
    model = FrankWolfeSVC(**header["parameters"])
    if isinstance(model.class_weight, list):
        model.class_weight = dict(model.class_weight)
    for name, value in header["facts"].items():
        setattr(model, name, value)
    model._kernel = header["kernel"] and Kernel(**header["kernel"])
    model.classes_, model.support_, model.dual_coef_ = arrays["classes"], arrays["support"], arrays["dual_coef"]
    model.intercept_ = model.dual_coef_.sum(axis=1)
    if "vectors" in arrays:
        model.support_vectors_ = arrays["vectors"]
    else:
        parts = (arrays["vectors_data"], arrays["vectors_indices"], arrays["vectors_indptr"])
        model.support_vectors_ = sparse.csr_matrix(parts, shape=(len(model.support_), model.n_features_in_))
    return model
