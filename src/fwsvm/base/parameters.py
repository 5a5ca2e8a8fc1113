"""The settings of a training run, each stated once: name, default, range, meaning.

`fwsvm.solve`, the estimators, the command line and the schema of configurations take their checks, options, definitions
and the texts of their docstrings from here. Signatures stay explicit; a test compares their defaults.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np

STOP_RULES = ("meb", "gap", "relative")
SELECTIONS = ("full", "sampled_text", "sampled_libcvm")
INITIALISATIONS = ("random_meb", "farthest_pair", "closest_opposite_pair", "random_point")
COLUMN_DTYPES = ("auto", "float32", "float64")
# No machine has more; an array of the size would be refused without naming the parameter.
_LARGEST_MB = 1e9
_LARGEST_NUMBER = np.finfo(float).max


@dataclass(frozen=True)
class Range:
    """The values that a setting may take.

    Attributes
    ----------
    words : str
        What the value "must be", in messages.
    kind : str
        The type, in docstrings.
    holds : callable
        Whether a value is in the range.
    schema : dict
        JSON schema of the range, for configurations.
    option : dict
        Keyword arguments of `argparse.ArgumentParser.add_argument`.
    """

    words: str
    kind: str
    holds: Callable
    schema: dict = field(default_factory=dict)
    option: dict = field(default_factory=dict)

    def or_none(self):
        """The same range, and None."""
        return replace(self, words=f"{self.words} or None", holds=lambda value: value is None or self.holds(value))


def one_of(names, also=None, also_holds=lambda value: False):
    """The range of a name, and of values of another type `also`."""
    kind = "{" + ", ".join(f'"{name}"' for name in names) + "}" + (f" or {also}" if also else "")
    return Range(
        f"one of {', '.join(names)}", kind,
        lambda value: value in names if isinstance(value, str) else also_holds(value),
        {"enum": list(names)}, {"choices": names},
    )  # fmt: skip


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool) and not np.isnan(value)


def _is_integer(value):
    return isinstance(value, Integral) and not isinstance(value, bool)


def _positive(words="a positive finite number", largest=_LARGEST_NUMBER, schema="a number > 0", metavar="X"):
    return Range(
        words, "float", lambda value: _is_number(value) and 0 < value <= largest,
        {"type": "number", "exclusiveMinimum": 0, "description": schema}, {"type": float, "metavar": metavar},
    )  # fmt: skip


_NUMBER = _positive()
_PENALTY = _positive("a positive finite number or infinity", np.inf)
# A configuration has time limits by method.
_SECONDS = replace(_positive("a positive number", np.inf, metavar="S"), schema={}).or_none()
_MEGABYTES = _positive(f"a positive finite number of at most {_LARGEST_MB:g} MB", _LARGEST_MB, "MB > 0", "N")
_COUNT = Range(
    "an integer >= 1", "int", lambda value: _is_integer(value) and value >= 1,
    {"type": "integer", "minimum": 1, "description": "an integer >= 1"}, {"type": int, "metavar": "N"},
)  # fmt: skip
_FLAG = Range("True or False", "bool", lambda value: isinstance(value, bool | np.bool_), {"type": "boolean"})
_TEXT = Range("a string", "str", lambda value: isinstance(value, str))
_VARIANCE = replace(
    _NUMBER, words="'average' or a positive number", kind='"average" or float', schema={},
    option={"metavar": "average|X"},
    holds=lambda value: value == "average" if isinstance(value, str) else _NUMBER.holds(value),
)  # fmt: skip
_GAMMA = replace(
    _NUMBER, words="a positive finite number, 'scale' or 'auto'", kind='None, float, "scale" or "auto"',
    holds=lambda value: value in ("scale", "auto") if isinstance(value, str) else value is None or _NUMBER.holds(value),
)  # fmt: skip
_THREADS = Range("an integer other than 0", "int", lambda value: _is_integer(value) and value != 0).or_none()
_VERBOSITY = Range("0, 1 or 2", "{0, 1, 2}", lambda value: isinstance(value, Integral) and 0 <= value <= 2)
_SELECTION = one_of(SELECTIONS, "fwsvm.solvers.settings.Selection", is_dataclass)
_START = one_of(INITIALISATIONS, "int", lambda value: _is_integer(value) and value >= 0)


@dataclass(frozen=True)
class Parameter:
    """One setting.

    Attributes
    ----------
    name : str
        In `fwsvm.solve`.
    default : object
    range : Range
    meaning : str
        For the command line's help and the docstrings.
    notes : str
        What docstrings add.
    methods : tuple of str
        The methods that have it; empty for all.
    """

    name: str
    default: Any
    range: Range
    meaning: str
    notes: str = ""
    methods: tuple = ()

    def check(self, value):
        """Raise a ValueError that names the setting if the value is out of range."""
        if not self.range.holds(value):
            raise ValueError(f"{self.name} must be {self.range.words}, got {value!r}")


_OF_SOLVE = (
    Parameter(
        "method", "swap", _TEXT, "a method of `fwsvm.solvers.methods`",
        '"fcfw" is for speed at many points, a large C or a small gap; "auto" takes the steps of "swap2o", and goes on '
        'with "fcfw" where few do not suffice, C >= 1, and the points are 4096 or more and not very sparse. '
        '"mfw_sparse" (alaiz2018) trains on a subsample of its own choice, to which the stopping rule then applies; it '
        'wants init="random_point" and selects from all points.',
    ),
    Parameter(
        "selection", "full", _SELECTION, "toward vertex over all points, or over random samples",
        "Samples are as the papers describe them, or as LibCVM takes them.",
    ),
    Parameter("sample_size", None, _COUNT.or_none(), "points per sample", "None: as the selection has it."),
    Parameter(
        "patience", None, _COUNT.or_none(), "samples without a violation before training ends",
        "None: as the selection has it.",
    ),
    Parameter("alternate_classes", None, _FLAG.or_none(), "classes alternate in a sample", "None: as for the others."),
    Parameter("init", "random_meb", _START, "start",
        "The problem solved over 20 random points (frandi2013), the farthest pair (tsang2005), the closest pair of "
        "opposite classes (singh), one random point, or the one with this index.",
    ),
    Parameter(
        "stop", "meb", one_of(STOP_RULES), "stopping rule",
        "gap <= (2 eps + eps^2)(D - R), D = max Q_ii (frandi2013; with weights see `fwsvm.problems.dual`); gap <= eps "
        "(nanculef2014 eq. 8); gap <= eps |R|, whose eps means the same on every problem.",
    ),
    Parameter("eps", 1e-6, _NUMBER, "tolerance of the stopping rule"),
    Parameter(
        "inner_tolerance", 1e-3, _NUMBER, "first tolerance for the QP on the coreset (CVM only; LibCVM: 1e-3)",
        methods=("cvm",),
    ),
    Parameter(
        "inner_fixed", False, _FLAG, "whether that tolerance stays as it is (CVM only)",
        "A QP then also ends at a step shorter than eps^2; otherwise the tolerance is halved where a coreset that has "
        "grown shows no violating pair.", methods=("cvm",),
    ),
    Parameter("inner_steps", None, _COUNT.or_none(), "the most steps on one QP (CVM only)", methods=("cvm",)),
    Parameter(
        "clipped_gain", False, _FLAG, "whether steps are chosen by their decrease within their bound (SWAP, SWAP-2o)",
        "As printed (nanculef2014 Alg. 4) they are chosen by that of the unclipped step.", methods=("swap", "swap2o"),
    ),
    Parameter(
        "cache_mb", 200.0, _MEGABYTES, "memory in MB (1e6 bytes) for kernel columns, copies of the data, certificate",
        "A copy of the data that is larger than half of it comes on top (docs/solver.md says when there is one).",
    ),
    Parameter(
        "column_dtype", "auto", one_of(COLUMN_DTYPES), "precision of kernel columns",
        '"auto" takes float32 and changes to float64 when the target gap asks for it.',
    ),
    Parameter(
        "threads", 1, _COUNT, "threads of \"fcfw\" and of the certificate, whose results do not depend on their number",
        "The others train on one.",
    ),
    Parameter("max_iterations", 10_000_000, _COUNT, "steps per binary problem"),
    Parameter(
        "time_limit", None, _SECONDS, "CPU seconds of training, without the certificate",
        "Of an estimator, for all pairs of classes together, each of which is trained for a moment in any case. What "
        "is under way when they are used up is ended: an iteration, or the start on 20 points. The certificate comes "
        "after it and may take as long again, or a second; one that would take longer is left out: the stop reason is "
        '"time_limit" and the gaps are NaN, as with `certify=False`.',
    ),
    Parameter(
        "certify", True, _FLAG, "whether objective and gap are recomputed in float64 over all points after training",
        "Training goes on where the rule is not met by them; it costs one kernel value for every point and every "
        "support vector. With False the gaps are NaN, the objective is as the recursions of training kept it, and "
        '"converged" means that the rule was met by them.',
    ),
)  # fmt: skip

_OF_ESTIMATORS = (
    Parameter(
        "kernel", "rbf", _TEXT, "kernel function",
        "exp(-gamma |x - z|^2), (gamma x'z)^degree, x'z; or `fit` takes the (m, m) kernel values of the training "
        "points and `predict` the (n, m) values against them, float32 or float64. The former must be symmetric up to "
        "rounding (1e-5 of the largest value in float32, 1e-8 in float64); the mean of both triangles is used.",
    ),
    Parameter(
        "sigma2", "average", _VARIANCE, "kernel width: gamma = 1/(2 sigma2), and 1/sigma2 for poly",
        '"average" is the average squared distance of the training points (frandi2013 sec. 5.2.1, 5.8), each counted '
        "with its weight.",
    ),
    Parameter(
        "gamma", None, _GAMMA, "gamma itself, instead of sigma2",
        'A number is used as it is; "scale" is 1 / (n_features X.var()) and "auto" 1 / n_features, as in '
        "scikit-learn's `SVC`. `sigma2` must then keep its default.",
    ),
    Parameter("degree", 2, _COUNT, "degree of the polynomial"),
    Parameter("C", 1.0, _PENALTY, "penalty of the squared slacks", "Infinity is the hard margin."),
    Parameter(
        "n_jobs", None, _THREADS, "threads (-1: one per processor)",
        "They train different pairs of classes side by side, each with its part of `cache_mb`; with two classes they "
        'share the certificate, and training by "fcfw"; and they share the points of a prediction. Neither the model '
        "nor a prediction depends on their number unless a time limit strikes.",
    ),
    Parameter(
        "verbose", 0, _VERBOSITY, "lines of progress",
        "1 prints a line at the end of every binary problem and within one every second, 2 up to ten a second.",
    ),
)  # fmt: skip

PARAMETERS = {each.name: each for each in (*_OF_SOLVE, *_OF_ESTIMATORS)}
"""Name -> `Parameter`."""

NAMES_IN_ESTIMATORS = {"max_iterations": "max_iter"}  # as in scikit-learn


@cache
def parameter(name):
    """The setting that `fwsvm.solve` or an estimator calls by this name, under this name; None for other names."""
    name_in_solve = {theirs: ours for ours, theirs in NAMES_IN_ESTIMATORS.items()}.get(name, name)
    return replace(PARAMETERS[name_in_solve], name=name) if name_in_solve in PARAMETERS else None


def check_settings(settings):
    """Raise a ValueError that names the first of these settings (a dict) that is out of its range."""
    for name, value in settings.items():
        if found := parameter(name):
            found.check(value)


def of_method(method, names=None):
    """Those of these settings that a method has; without names, the settings that are for it and not for all."""
    if names is None:
        return [name for name, each in PARAMETERS.items() if method in each.methods]
    return [name for name in names if not PARAMETERS[name].methods or method in PARAMETERS[name].methods]


def definitions():
    """For the schema of configurations: name of a setting -> JSON schema of its range."""
    return {name: each.range.schema for name, each in PARAMETERS.items() if each.range.schema}
