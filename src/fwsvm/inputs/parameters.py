"""The definitions of all settings of a training run.

Checks, options, schemas and docstrings use these definitions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.inputs.allowed_values import (
    NOT_NEGATIVE,
    POSITIVE,
    Range,
    is_integer,
    one_of,
    positive,
)
from fwsvm.inputs.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STOP_RULES = ("meb", "gap", "relative")
SELECTION_NAMES = ("full", "sampled_text", "sampled_libcvm")
INITIALISATIONS = ("random_meb", "farthest_pair", "closest_opposite_pair", "random_point")
COLUMN_DTYPES = ("auto", "float32", "float64")
_DEFAULT_STEPS = 10_000_000
_LARGEST_MB = 1e9  # upper limit of memory settings in MB (more than any machine has)


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


_PENALTY = positive("a positive finite number or infinity", np.inf)
# The schema is empty, because a configuration can give a different time limit for each method.
_SECONDS = replace(positive("a positive number", np.inf, metavar="S"), schema={}).or_none()
_MEGABYTES = positive(
    f"a positive number of MB, at most {_LARGEST_MB:g}", _LARGEST_MB, "MB > 0", "N"
)
_COUNT = Range(
    "an integer from 1 to 2^63 - 1",
    "int",
    lambda value: is_integer(value) and 1 <= value < 1 << 63,
    {"type": "integer", "minimum": 1, "description": "an integer >= 1"},
    {"type": int, "metavar": "N"},
)
_STEPS = replace(_COUNT, words=f"{_COUNT.words} (leave it out for the default, {_DEFAULT_STEPS:,})")
LARGEST_DEGREE = 1000  # the time for a kernel value is proportional to the degree
_DEGREE = Range(
    f"an integer from 1 to {LARGEST_DEGREE}",
    "int",
    lambda value: is_integer(value) and 1 <= value <= LARGEST_DEGREE,
    {"type": "integer", "minimum": 1, "maximum": LARGEST_DEGREE},
    {"type": int, "metavar": "N"},
)
_FLAG = Range(
    "True or False", "bool", lambda value: isinstance(value, bool | np.bool_), {"type": "boolean"}
)
_METHOD = Range(
    "the name of a method (it is the first argument; give numbers by name, as in C=10)",
    "str",
    lambda value: isinstance(value, str),
)
OTHER_KERNELS = "for another kernel, give its values with kernel='precomputed'"
_KERNEL = Range(
    f"the name of a kernel ({OTHER_KERNELS})", "str", lambda value: isinstance(value, str)
)
_VARIANCE = replace(
    POSITIVE,
    words="'average', a positive number or None",
    kind='None, "average" or float',
    schema={},
    option={"type": _number_or_text, "metavar": "average|X"},
    holds=lambda value: (
        value == "average" if isinstance(value, str) else value is None or POSITIVE.holds(value)
    ),
)
_GAMMA = replace(
    POSITIVE,
    words="a positive number of at most 1e300, 'scale', 'auto' or None",
    kind='None, float, "scale" or "auto"',
    option={"type": _number_or_text, "metavar": "scale|auto|X"},
    holds=lambda value: (
        value in ("scale", "auto", None) if isinstance(value, str | None) else POSITIVE.holds(value)
    ),
)
_THREADS = Range(
    "an integer (not 0)", "int", lambda value: is_integer(value) and value != 0
).or_none()
_VERBOSITY = Range(
    "0, 1 or 2", "{0, 1, 2}", lambda value: isinstance(value, Integral) and 0 <= int(value) <= 2
)
_SELECTION = one_of(
    SELECTION_NAMES,
    "fwsvm.solvers.settings.Selection",
    lambda value: type(value).__name__ == "Selection",
)
_NAMED_START = one_of(INITIALISATIONS, "int", lambda value: is_integer(value) and value >= 0)
_START = replace(_NAMED_START, words=f"{_NAMED_START.words} or the index of a point")


@dataclass(frozen=True)
class Parameter:
    """The description of one setting.

    In `PARAMETERS`, `name` is the name that the setting has in `fwsvm.solve`, or in the estimators
    if `solve` does not have the setting. The function `parameter` returns a description with the
    name that was asked for.
    """

    name: str
    default: Any
    range: Range
    meaning: str  # the meaning in the command line's help and in the docstrings
    notes: str = ""  # further sentences for docstrings
    methods: tuple[str, ...] = ()  # the methods that use this setting; empty if all methods use it

    def check(self, value: object) -> None:
        """Raise a ValueError that names the setting if the value is out of range."""
        if not self.range.contains(value):
            raise ValueError(f"{self.name} must be {self.range.words}, got {shown(value)}")


_OF_SELECTION = (
    'None means the default for the chosen `selection`. With selection="full", only None is'
    " allowed."
)
_OF_SOLVE = (
    Parameter(
        "method",
        "swap",
        _METHOD,
        "name of the training method",
        '"auto" begins with "swap2o". If "swap2o" is slow, "auto" changes to a low-rank'
        ' approximation, to working sets, or to "fcfw" (if C is very large, or if working sets'
        ' cannot be used). "mfw_sparse" (alaiz2018) chooses a subsample, trains on its points only,'
        ' and tests the stopping rule on these points. Use it with init="random_point", as in the'
        ' paper. "mfw_sparse" and "fcfw" need selection="full".',
    ),
    Parameter(
        "selection",
        "full",
        _SELECTION,
        "search for the Frank-Wolfe vertex (the point of the next step) among all points or in"
        " random samples",
        '"sampled_text" draws samples as the papers describe. "sampled_libcvm" draws them as LibCVM'
        " does.",
    ),
    Parameter("sample_size", None, _COUNT.or_none(), "number of points per sample", _OF_SELECTION),
    Parameter(
        "patience",
        None,
        _COUNT.or_none(),
        "end training after this number of consecutive samples in which all points satisfy the"
        " stopping rule",
        _OF_SELECTION,
    ),
    Parameter(
        "alternate_classes",
        None,
        _FLAG.or_none(),
        "draw random points from the two classes in turn",
        _OF_SELECTION,
    ),
    Parameter(
        "init",
        "random_meb",
        _START,
        "initial solution",
        '"random_meb" is the solution over 20 random points. "farthest_pair" has two points that'
        ' are far apart. "closest_opposite_pair" has the two points of opposite classes whose'
        ' kernel value is the largest. "random_point" has one random point. An integer is the index'
        " of the only point, and is not allowed with more than two classes.",
    ),
    Parameter(
        "stop",
        "meb",
        one_of(STOP_RULES),
        "stopping rule",
        'Training ends when the duality gap is at most a limit. With "meb", the limit is (2 eps +'
        " eps^2)(D - R), where R is the objective and D = max Q_ii. (frandi2013 Alg. 2 has Q_11"
        " instead of the maximum. The two are equal if k(x, x) is the same for all x.) With sample"
        ' weights, D is `KernelProblem.largest_diagonal` instead. With "gap", the limit is eps'
        ' (nanculef2014 eq. 8). With "relative", the limit is eps |R|.',
    ),
    Parameter("eps", 1e-6, POSITIVE, "tolerance of the stopping rule"),
    Parameter(
        "inner_tolerance",
        1e-3,
        POSITIVE,
        "initial tolerance for the quadratic program (QP) over the coreset (CVM only; LibCVM uses"
        " 1e-3)",
        methods=("cvm",),
    ),
    Parameter(
        "inner_fixed",
        False,
        _FLAG,
        "keep the inner tolerance unless training needs a smaller tolerance to stop (CVM only)",
        "If False, the inner tolerance is halved when the coreset has grown but no pair of points"
        " violates this tolerance.",
        methods=("cvm",),
    ),
    Parameter(
        "inner_steps",
        None,
        _COUNT.or_none(),
        "largest number of steps for one QP (None: no limit; CVM only)",
        methods=("cvm",),
    ),
    Parameter(
        "clipped_gain",
        False,
        _FLAG,
        "compare how much the two kinds of steps decrease the objective if their lengths are"
        " clipped to their bounds (SWAP and SWAP-2o only)",
        "If False, steps of unclipped lengths are compared (nanculef2014 eq. 27, 28).",
        methods=("swap", "swap2o"),
    ),
    Parameter(
        "cache_mb",
        200.0,
        _MEGABYTES,
        "memory in MB (1e6 bytes) for kernel columns, copied data and the certificate",
        "If a copy of the data needs more than half of this memory, the total memory exceeds"
        " `cache_mb`. Work arrays take up to 20 MB more. The attribute `support_vectors_` of an"
        " estimator is a copy of the support vectors, whose memory is not counted.",
    ),
    Parameter(
        "column_dtype",
        "auto",
        one_of(COLUMN_DTYPES),
        "precision of kernel columns",
        '"auto" begins with float32 if float32 is precise enough, and changes to float64 when the'
        " target gap requires float64.",
    ),
    Parameter(
        "threads",
        1,
        _COUNT,
        "number of threads; results depend on it only if a time limit ends training",
        "The threads share four kinds of work: kernel columns and steps over at least 2048 points,"
        " the matrix products of FCFW and of working sets, low-rank approximations, and the"
        " certificate. Steps over a coreset use one thread.",
    ),
    Parameter(
        "max_iterations", _DEFAULT_STEPS, _STEPS, "largest number of steps per binary problem"
    ),
    Parameter(
        "time_limit",
        None,
        _SECONDS,
        "largest number of CPU seconds for training, without the certificate (None: no limit)",
        "All class pairs of an estimator share the limit. The certificate of each pair gets the"
        " pair's share again, but at least 1 s. If the certificate needs more time, it is left out,"
        ' the gaps are NaN, and "time_limit" replaces the stop reason "converged".',
    ),
    Parameter(
        "certify",
        True,
        _FLAG,
        "after training, compute the objective and the gap again in float64 from all points",
        "If this gap does not meet the stopping rule, training continues (but not if samples are"
        " drawn). With `certify=False`, the gaps are NaN, and the objective comes from the updates"
        " during training.",
    ),
)

_OF_ESTIMATORS = (
    Parameter(
        "kernel",
        "rbf",
        _KERNEL,
        "kernel function",
        '"rbf" is exp(-gamma |x - z|^2), "poly" is (gamma x\'z + coef0)^degree, and "linear" is'
        ' x\'z. With "precomputed", `fit` takes the kernel values K of the training points, with'
        " the shape (m, m), and `predict` takes the values between new and training points, with"
        " the shape (n, m). Values that are not float32 are converted to float64. K must be"
        " symmetric up to rounding: K_ij and K_ji can differ by at most 1e-5 (float32) or 1e-8"
        " (float64) of the largest |K_ij|. Training uses (K + K') / 2.",
    ),
    Parameter(
        "sigma2",
        None,
        _VARIANCE,
        "squared kernel width, as another way to give gamma: gamma is 1/(2 sigma2), or 1/sigma2 for"
        " poly",
        '"average" is the average squared distance between training points (frandi2013 sec. 5.2.1,'
        " 5.8).",
    ),
    Parameter(
        "gamma",
        "scale",
        _GAMMA,
        "gamma of the kernel; give gamma or sigma2, not both",
        '"scale" and "auto" mean the same as in scikit-learn\'s `SVC`. A point with weight w counts'
        ' as w copies. None means sigma2="average".',
    ),
    Parameter("degree", 2, _DEGREE, f"degree of the polynomial, at most {LARGEST_DEGREE}"),
    Parameter("coef0", 0.0, NOT_NEGATIVE, "constant term of the polynomial, at least 0"),
    Parameter(
        "C", 1.0, _PENALTY, "penalty on the squared slacks", "Infinity gives the hard margin."
    ),
    Parameter(
        "n_jobs",
        None,
        _THREADS,
        "number of threads (None means 1, and -1 means one per processor)",
        "Threads train different pairs of classes at the same time, each with a share of"
        " `cache_mb`. With two classes, the threads share the work of each step, and the model does"
        " not depend on their number, unless a time limit ends training. With more classes, less"
        " memory per thread can change rounding errors.",
    ),
    Parameter(
        "verbose",
        0,
        _VERBOSITY,
        "amount of progress output",
        "1 prints up to one line a second during training, and 2 prints up to ten lines a second."
        " Both also print a line at the end of every binary problem.",
    ),
)

PARAMETERS = {each.name: each for each in (*_OF_SOLVE, *_OF_ESTIMATORS)}
# Defaults of the estimators and of `fwsvm train`. `fwsvm.solve` has the defaults of the papers
# instead. The reason for eps = 0.01 is a measurement on 60 random problems
# (docs/benchmarks/grid.csv). The reference is the test accuracy at a relative gap of 0.001. At a
# gap of 0.01, the accuracy is at most 0.03 percentage points below the reference. At a gap of 0.1,
# the accuracy is up to 0.17 percentage points below the reference.
FOR_USERS = {"method": "auto", "stop": "relative", "eps": 1e-2}
NAMES_IN_ESTIMATORS = {"max_iterations": "max_iter"}  # the name max_iter is that of scikit-learn


@cache
def parameter(name: str) -> Parameter | None:
    """Return the setting with this name in `fwsvm.solve` or in an estimator.

    Return None for an unknown name.
    """
    name_in_solve = {theirs: ours for ours, theirs in NAMES_IN_ESTIMATORS.items()}.get(name, name)
    return replace(PARAMETERS[name_in_solve], name=name) if name_in_solve in PARAMETERS else None


def check_settings(settings: Mapping[str, Any]) -> None:
    """Check a mapping from names of settings to values. Ignore names that are not settings.

    Raise a ValueError that names the first setting whose value is out of range.
    """
    for name, value in settings.items():
        if found := parameter(name):
            found.check(value)


def of_method(method: str, names: Iterable[str] | None = None) -> list[str]:
    """List the settings among `names` that a method uses.

    If `names` is None, list the settings that this method uses but not all methods use.
    """
    if names is None:
        return [name for name, each in PARAMETERS.items() if method in each.methods]
    return [
        name for name in names if not PARAMETERS[name].methods or method in PARAMETERS[name].methods
    ]


def definitions() -> dict[str, dict[str, Any]]:
    """Return a dict that maps the name of each setting to the JSON schema of its range, for checks
    of configurations. Settings without a schema are left out.
    """
    return {name: each.range.schema for name, each in PARAMETERS.items() if each.range.schema}
