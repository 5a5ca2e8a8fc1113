"""`fwsvm predict`: predict the labels of a data set with a saved model."""

import json
import sys

import numpy as np

from fwsvm.base.errors import DataError, UserError
from fwsvm.commands.data import add_data_options, check_output, load_data
from fwsvm.estimators.model_files import load_model


def configure(parser):
    """Add the options."""
    parser.add_argument("model", metavar="MODEL", help="file written by `fwsvm train -o MODEL`")
    add_data_options(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write one predicted label per line")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def run(args):
    """Predict the test points of a catalogue data set (all points if it has none), or all points of a file."""
    check_output(args.output)
    model = load_model(args.model)
    data = load_data(args, features=model.n_features_in_)
    X, y = (data.X_train, data.y_train) if data.X_test is None else (data.X_test, data.y_test)
    if X.shape[1] != model.n_features_in_:
        raise DataError(f"{data.name} has {X.shape[1]} features; the model {args.model} wants {model.n_features_in_}")
    try:
        predicted = model.predict(X)
    except ValueError as error:
        raise DataError(f"{data.name}: {error}") from error
    if args.output is not None:
        _write_labels(args.output, predicted)
    known = np.isin(y, model.classes_)
    record = {
        "dataset": data.name,
        "points": len(y),
        "support_vectors": len(model.support_),
        "test_accuracy": float(np.mean(predicted == y)),
        "errors": int(np.sum(predicted != y)),
        "unknown_labels": int(np.sum(~known)),
    }
    if args.json:
        print(json.dumps({**record, "predictions": predicted.tolist()} if args.output is None else record))
        return 0
    if args.output is None:
        print("\n".join(map(str, predicted.tolist())))
    note = f" ({record['unknown_labels']} labels the model does not know)" if record["unknown_labels"] else ""
    summary = f"{data.name}: {record['points']} points, {100 * record['test_accuracy']:.2f} % right{note}"
    print(summary, file=sys.stderr if args.output is None else sys.stdout)
    return 0


def _write_labels(path, labels):
    from fwsvm.base.files import whole_file

    try:
        with whole_file(path) as temporary:
            temporary.write_text("\n".join(map(str, labels.tolist())) + "\n")
    except OSError as error:
        raise UserError(f"--output {path}: cannot be written: {error.strerror or error}") from error
