"""The sub-command `fwsvm train`, which trains a model on a LIBSVM file, prints a summary, and saves
the model if `-o` is given.
"""

from __future__ import annotations

import functools
import json
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fwsvm.commands.data import Files, counted
from fwsvm.estimators.model_files import model_path, save_model
from fwsvm.estimators.record import model_columns
from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.inputs.errors import UserError
from fwsvm.inputs.files import check_output
from fwsvm.inputs.parameter_texts import add_options
from fwsvm.inputs.parameters import (
    FOR_USERS,
    NAMES_IN_ESTIMATORS,
    PARAMETERS,
    check_settings,
    of_method,
)
from fwsvm.kernels.kinds import KINDS
from fwsvm.solvers.methods import ALL_NAMES
from fwsvm.solvers.settings import Settings

if TYPE_CHECKING:
    import argparse

    from fwsvm.commands.data import Data

_OF_KERNEL = ("kernel", "degree", "coef0")
_OF_SHAPE = ("sigma2", "gamma", "degree", "coef0")
_SOLVE_OPTIONS = (
    "init",
    "selection",
    "sample_size",
    "patience",
    "stop",
    "eps",
    "inner_tolerance",
    "cache_mb",
    "column_dtype",
    "time_limit",
    "max_iterations",
)
# _OPTIONS maps the names in the estimator's messages to the options of `fwsvm train`.
_OPTIONS = {
    NAMES_IN_ESTIMATORS.get(name, name): f"--{name.replace('_', '-')}"
    for name in ("method", "C", "kernel", *_OF_SHAPE, *_SOLVE_OPTIONS)
} | {"alternate_classes": "--alternate"}
# In messages, these names are often ordinary words, as in "kernel matrix". Therefore they are
# replaced by options only if a value follows, as in kernel='rbf', or before "must".
_WORDS = ("method", "kernel", "init", "selection", "stop")
_NAME_AND_VALUE = re.compile(rf"(?<![\w'-])({'|'.join(_OPTIONS)})=('?)([^\s,;:()']+)\2")
_NAME = re.compile(
    rf"(?<![\w'-])(?:({'|'.join(_WORDS)})(?= must )|({'|'.join(_OPTIONS.keys() - _WORDS)})\b)"
)
_OR_NONE = re.compile(r"(?:, ([^,]+))? or None(?=, got )")


def configure(parser: argparse.ArgumentParser, source: Files | None = None) -> None:
    """Add the options of `fwsvm train` to its parser. `source` adds the options that name the data,
    and reads the data. The default is a `Files` object.
    """
    source = source or Files()
    source.add_options(parser)
    add_options(parser, "method", "C", method=("auto", *ALL_NAMES))
    width = parser.add_mutually_exclusive_group()
    add_options(width, "sigma2", "gamma")
    add_options(parser, *_OF_KERNEL, *_SOLVE_OPTIONS, kernel=tuple(KINDS))
    parser.add_argument(
        "--alternate",
        action="store_const",
        const=True,
        help="draw random points from the classes in turn",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed for the random choice of initial points and samples; default: %(default)s",
    )
    omitted = (
        "do not compute the certified gap and the training accuracy (each of them takes a pass over"
        " all training points)"
    )
    parser.add_argument("--no-certify", action="store_true", help=omitted)
    parser.add_argument("-o", "--output", metavar="MODEL", help="file for the model (.npz)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.set_defaults(run=run, source=source)


def run(args: argparse.Namespace) -> None:
    is_named = args.output and Path(args.output).name  # "." and "/" have no name
    for path in (model_path(args.output) if is_named else None, args.output):
        check_output(path, inputs=args.source.inputs(args))
    _refuse_unused(args)
    if isinstance(args.sigma2, str) and args.sigma2 != "average":
        raise UserError(f"--sigma2 must be 'average' or a number, got {args.sigma2!r}")
    if not 0 <= args.seed < 1 << 32:
        raise UserError(f"--seed must be an integer from 0 to 2^32 - 1, got {args.seed}")
    model = FrankWolfeSVC(
        sigma2=args.sigma2,
        alternate_classes=args.alternate,
        max_iter=args.max_iterations,
        certify=not args.no_certify,
        random_state=args.seed,
        **{
            name: getattr(args, name)
            for name in (*_OF_KERNEL, "method", "gamma", "C", *_SOLVE_OPTIONS[:-1])
        },
    )
    try:  # check the options before the data are read, which can take a long time
        check_settings(vars(model))
        Settings.of_estimator(vars(model))
    except ValueError as error:
        raise UserError(_with_options(str(error))) from error
    data = args.source.load(args)
    notes: list[str] = []
    classes = len(np.unique(data.y_train))
    if not args.json:  # print before training, which can take a long time
        m, features = data.X_train.shape
        print(
            f"{args.data}: {counted(m, 'point')}, {counted(features, 'feature')},"
            f" {counted(classes, 'class')}{_pairs(classes)}",
            flush=True,
        )
    try:
        with warnings.catch_warnings(action="ignore"):
            _load_compiled_code(model, data)
        with warnings.catch_warnings(action="always"):
            warnings.showwarning = functools.partial(_note, notes, args.json)
            model.fit(data.X_train, data.y_train)
    except ValueError as error:
        raise UserError(f"{args.data}: {_with_options(str(error))}") from error
    record = describe_fit(model, data, args)
    if args.output is not None:
        record["model"] = str(
            save_model(model, args.output, {"name": args.data, "scaling": data.scaling})
        )
    if args.json:  # JSON has no infinite numbers, so they are written as strings
        plain = {
            name: str(value) if value in (np.inf, -np.inf) else value
            for name, value in record.items()
        }
        print(json.dumps(plain, allow_nan=False))
    else:
        print(_as_text(record, notes))


def _refuse_unused(args: argparse.Namespace) -> None:
    """Raise a UserError if an option differs from its default but the chosen kernel or method does
    not use this option.
    """
    used = {"linear": (), "rbf": ("sigma2", "gamma")}.get(args.kernel, _OF_SHAPE)
    groups = {
        f"--kernel {args.kernel}": [name for name in _OF_SHAPE if name not in used],
        f"--method {args.method}": set(_SOLVE_OPTIONS).difference(
            of_method(args.method, _SOLVE_OPTIONS)
        ),
    }
    for choice, names in groups.items():
        for name in names:
            if getattr(args, name) != FOR_USERS.get(name, PARAMETERS[name].default):
                raise UserError(
                    f"--{name.replace('_', '-')} has no effect with {choice}; leave it out"
                )


def _with_options(text: str) -> str:
    """Return a message of the estimator with the names and values of this command's options
    instead of Python's.
    """
    text = _NAME_AND_VALUE.sub(lambda found: f"{_OPTIONS[found[1]]} {found[3]}", text)
    text = _NAME.sub(lambda found: _OPTIONS[found[0]], text)
    return _OR_NONE.sub(lambda found: f" or {found[1]}" if found[1] else "", text)


def _pairs(classes: int) -> str:
    return f", {classes * (classes - 1) // 2:,} pairs of classes" if classes > 2 else ""


def _note(
    notes: list[str], is_json: bool, message: Warning | str, category: type[Warning], *_: object
) -> None:
    """Handle a warning during training. A ConvergenceWarning is added to `notes`, which the text
    summary shows later (with --json, no summary is printed). Any other warning is printed at once.
    """
    if issubclass(category, ConvergenceWarning):
        notes.append(_with_options(str(message)))
    else:
        text = _with_options(str(message))
        print(f"note          {text}", file=sys.stderr if is_json else sys.stdout, flush=True)


def _load_compiled_code(model: FrankWolfeSVC, data: Data) -> None:
    """Train briefly on some points of at most three classes, so that the reported time does not
    include compilation.
    """
    y = np.asarray(data.y_train)
    labels = np.unique(y)
    if len(labels) < 2:
        return
    few = FrankWolfeSVC(**{**model.get_params(), "max_iter": 300, "time_limit": 2.0})
    # a fit on three classes compiles functions that a fit on two classes does not use
    for n_classes, per_class in ((2, 1200), (3, 40)):
        rows = np.sort(
            np.concatenate([np.flatnonzero(y == label)[:per_class] for label in labels[:n_classes]])
        )
        few.fit(data.X_train[rows], y[rows])


def describe_fit(model: FrankWolfeSVC, data: Data, args: argparse.Namespace) -> dict[str, Any]:
    """Return a dict that describes a fitted model.

    Most keys are also columns of the table of runs (runs.tsv). NaN values are replaced by None.
    """
    gamma = None if model.kernel == "linear" else model.gamma_
    record = {
        "dataset": args.data,
        "task_size": int(data.X_train.shape[0]),
        "features": int(data.X_train.shape[1]),
        "classes": len(model.classes_),
        "inner_tolerance": None,
        **model_columns(model, model.pair_solutions_),
        "gamma": gamma,
        "sigma2": gamma and (1.0 / gamma if model.kernel == "poly" else 0.5 / gamma),
        **({"coef0": model.coef0} if model.kernel == "poly" else {}),
        "seed": args.seed,
        "train_cpu_s": model.fit_cpu_s_,
        "train_wall_s": model.fit_wall_s_,
        "gap": model.gap_,
        "relative_gap": model.relative_gap_,
        "train_accuracy": float(model.score(data.X_train, data.y_train)) if model.certify else None,
        "test_accuracy": (
            None if data.X_test is None else float(model.score(data.X_test, data.y_test))
        ),
    }
    return {name: None if value != value else value for name, value in record.items()}  # NaN != NaN


def _as_text(record: dict[str, Any], notes: list[str]) -> str:
    over = (
        "the largest over all pairs of classes"
        if record["classes"] > 2
        else "computed over all training points"
    )
    shares = ((record["train_accuracy"], "training"), (record["test_accuracy"], "test"))
    accuracies = [
        f"{100 * share:.2f} % on the {part} points" for share, part in shares if share is not None
    ]
    width = "" if record["gamma"] is None else f", gamma = {record['gamma']:.6g}"
    gap = (
        "{gap:.3g} ({relative_gap:.2g} times the objective), "
        if record["gap"] is not None
        else "not certified"
    )
    lines = [
        "trained       {method}, {selection} selection, C = {C:g}, {kernel} kernel".format(**record)
        + width,
        f"time          {record['train_cpu_s']:.3f} s CPU, one thread"
        f" (certificate: {record['certify_cpu_s']:.3f} s)",
        "steps         {iterations} ({away_steps} away steps, {drop_steps} drop steps)".format(
            **record
        ),
        f"model         {record['support_vectors']} support vectors",
        f"ended         {record['stop_reason'].replace('_', ' ')}",
        f"duality gap   {gap.format(**record)}" + (over if record["gap"] is not None else ""),
        f"accuracy      {', '.join(accuracies)}" if accuracies else None,
        *(f"note          {note}" for note in notes),
        f"saved         {record['model']}" if "model" in record else None,
    ]
    return "\n".join(line for line in lines if line is not None)
