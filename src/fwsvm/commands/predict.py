"""The sub-command `fwsvm predict`, which predicts the labels of a data set with a saved model."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from fwsvm.commands.data import Files, counted, widened
from fwsvm.estimators.model_files import load_model, model_path
from fwsvm.inputs.errors import DataError, UserError, printable
from fwsvm.inputs.files import check_output, whole_file

if TYPE_CHECKING:
    import argparse


# If the support vectors with the new features have more than _MOST_DENSE values, or if the points
# to predict are sparse, `_widen` turns the support vectors into a sparse matrix.
_MOST_DENSE = 10_000_000
_MOST_LISTED = 10  # maximum number of labels that a message lists


def configure(parser: argparse.ArgumentParser, source: Files | None = None) -> None:
    """Add the options of `fwsvm predict` to its parser. `source` finds the data. The default is a
    `Files` object.
    """
    source = source or Files()
    parser.add_argument("model", metavar="MODEL", help="file written by `fwsvm train -o MODEL`")
    source.add_options(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the predicted labels, one per line"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.set_defaults(run=run, source=source)


def run(args: argparse.Namespace) -> None:
    """Predict the labels of the test points, or of all points if the data set has no test
    points.
    """
    _refuse_wrong_order(args.model, args.data)
    inputs = [args.model, model_path(args.model), *args.source.inputs(args)]
    check_output(args.output, inputs=inputs)
    if args.output is not None and os.path.realpath(args.output) == os.path.realpath(args.model):
        raise UserError(
            f"--output {args.output} is the name of the model; name another file to write"
        )
    model = load_model(args.model)
    data = args.source.load(args, features=model.n_features_in_)
    X, y = (data.X_train, data.y_train) if data.X_test is None else (data.X_test, data.y_test)
    if X.shape[1] > model.n_features_in_ and data.is_libsvm and model.kernel != "precomputed":
        new = X.shape[1] - model.n_features_in_
        one, several = "feature is treated as if it were", "features are treated as if they were"
        last = one if new == 1 else f"{new} {several}"
        print(
            f"note: {args.data} has {counted(X.shape[1], 'feature')}, but the model {args.model}"
            f" has only {model.n_features_in_}. The last {last} 0 in all training points",
            file=sys.stderr,
        )
        _widen(model, X)
    if X.shape[1] != model.n_features_in_:
        raise DataError(
            f"{args.data} has {counted(X.shape[1], 'feature')}, but the model {args.model} has"
            f" {model.n_features_in_}"
        )
    of_model = model._data
    if (
        of_model
        and of_model["name"] != args.data
        and not of_model["scaling"] == data.scaling == "none"
    ):
        theirs = (
            f"{printable(of_model['name'])} (the training data) has the scaling"
            f" {printable(of_model['scaling'])}"
        )
        of_both = f"{theirs}, and {args.data} has the scaling {data.scaling}"
        print(f"warning: features must be scaled as in training, but {of_both}", file=sys.stderr)
    try:
        predicted = model.predict(X)
    except ValueError as error:
        raise DataError(f"{args.data}: {error}") from error
    labels = "\n".join(printable(str(label)) for label in predicted.tolist()) + "\n"
    if args.output is not None:
        with whole_file(args.output) as temporary:
            temporary.write_bytes(labels.encode())
    unknown = ~np.isin(y, model.classes_)
    record = {
        "dataset": args.data,
        "points": len(y),
        "support_vectors": len(model.support_),
        "test_accuracy": float(np.mean(predicted == y)),
        "errors": int(np.sum(predicted != y)),
        "unknown_labels": int(np.sum(unknown)),
    }
    if args.json:
        print(
            json.dumps(
                record | ({"predictions": predicted.tolist()} if args.output is None else {})
            )
        )
        return
    if args.output is None:
        print(labels, end="")
    summary = (
        f"{args.data}: {counted(len(y), 'point')}, {100 * record['test_accuracy']:.2f} % correct"
    )
    if unknown.any():
        labels = f"labels that the model does not know ({_listed(np.unique(y[unknown]))})"
        summary += (
            f"; {record['unknown_labels']} points have {labels}; the model knows the labels"
            f" {_listed(model.classes_)}"
        )
    print(summary, file=sys.stderr if args.output is None else sys.stdout)


def _refuse_wrong_order(model: str, data: str) -> None:
    """Raise a UserError if `data` is a model file but `model` is not, or if `model` is a file of
    another kind.
    """
    if not Path(model).name:  # "." and "/" have no name
        raise UserError(f"{model} is a folder, not a model file")
    if _is_zip(model) or _is_zip(model_path(model)):
        return
    if Path(data).name and _is_zip(data if os.path.isfile(data) else model_path(data)):
        raise UserError(
            f"the first argument must be the model, and the second the data, but {data} is a model"
            f" and {model} is not; exchange the two arguments"
        )
    if os.path.isfile(model) and not model.endswith(".npz"):
        raise UserError(
            f"{model} is not a model file, and the first argument must be a file that"
            " `fwsvm train DATA -o MODEL` wrote"
        )


def _is_zip(path: str | Path) -> bool:
    """Test whether a path is a zip file, as model files are. A pipe is not opened."""
    return os.path.isfile(path) and zipfile.is_zipfile(path)


def _widen(model: Any, X: np.ndarray | sparse.csr_matrix) -> None:
    """Give the model as many features as X (n, d) has. The support vectors are 0 in the new
    features.
    """
    vectors, features = model.support_vectors_, X.shape[1]
    if sparse.issparse(X) or vectors.shape[0] * features > _MOST_DENSE:
        vectors = sparse.csr_matrix(vectors)
    model.support_vectors_, model.n_features_in_ = widened(vectors, features), features


def _listed(labels: np.ndarray) -> str:
    shown = ", ".join(repr(label) for label in labels[:_MOST_LISTED].tolist())
    return shown + (
        f" and {len(labels) - _MOST_LISTED} others" if len(labels) > _MOST_LISTED else ""
    )
