"""The settings of a training run, and their checks.

`fwsvm.solve`, the estimators and the pipeline make `Settings`, and the solvers read them.
"""

from __future__ import annotations

import copy
import importlib
from dataclasses import InitVar, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.inputs.parameters import NAMES_IN_ESTIMATORS, check_settings
from fwsvm.kernels.points import FLOAT32_RANGE
from fwsvm.solvers.method import Method
from fwsvm.solvers.methods import ALL_NAMES
from fwsvm.solvers.state import FLOAT32_GAP, StopRule
from fwsvm.solvers.steps import target_gap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fwsvm.problems.dual import SimplexProblem

# Files that this module imports by name. `fwsvm_papers.code_hash` reads this pattern, and includes
# the files in the hash of the code.
USES_FILES = "solvers/methods/*.py"


def _registered(name: str) -> Method:
    module = importlib.import_module(f"fwsvm.solvers.methods.{name}")
    method = getattr(module, "METHOD", None)
    if not isinstance(method, Method) or method.name != name:
        raise TypeError(
            f"{module.__name__} must declare METHOD: fwsvm.solvers.method.Method(name={name!r},"
            " ...)"
        )
    return method


METHODS = {name: _registered(name) for name in ALL_NAMES}
"""The methods by name. Each value is a `Method`."""


@dataclass(frozen=True)
class Selection:
    """The way in which the Frank-Wolfe vertex i* is found (frandi2013 sec. 5.2.3)."""

    name: str
    sampled: bool  # if False, each step searches all m points and so also computes the gap
    sample_size: int = 0
    # Training ends after this number of consecutive samples without a violation. If eps does not
    # have its final value yet (see `cooling`), eps is halved instead.
    patience: int = 0
    alternate: bool = False  # whether the classes alternate in samples
    replacement: bool = False
    # Whether sampled points that are already in the coreset are rejected. If samples are drawn with
    # replacement, another point is drawn instead. Otherwise, the sample becomes smaller. Only CVM
    # uses this field. None means yes.
    reject_members: bool | None = None
    # Whether eps starts at 0.1 and is halved until it reaches the eps of the settings. For CVM,
    # this is always the case. For other methods, None means no, and eps changes only if samples are
    # drawn.
    cooling: bool | None = None
    # Whether the classes alternate in the random start. None means that the value of `alternate` is
    # used.
    start_alternates: bool | None = None

    def __post_init__(self) -> None:
        if self.sampled and self.sample_size < 1:
            raise ValueError(
                f"selection {self.name!r}: sample_size must be at least 1, got {self.sample_size}"
            )


SELECTIONS = {
    "full": Selection("full", False),
    "sampled_text": Selection("sampled_text", True, 59, 1, alternate=False, replacement=False),
    "sampled_libcvm": Selection("sampled_libcvm", True, 60, 7, alternate=True, replacement=True),
}


@dataclass(frozen=True)
class Settings:
    """All settings of `fwsvm.solve`.

    `fwsvm.inputs.parameters` describes the meaning and the range of each setting.

    `selection` is a `Selection` or the name of a preset. Values of `sample_size`, `patience` and
    `alternate_classes` that are not None replace those of the selection.
    """

    method: str = "swap"
    selection: Selection = SELECTIONS["full"]
    init: str | int = "random_meb"
    stop: str = "meb"
    eps: float = 1e-6
    inner_tolerance: float = 1e-3
    inner_fixed: bool = False
    inner_steps: int | None = None
    clipped_gain: bool = False
    cache_mb: float = 200.0
    column_dtype: str = "auto"
    max_iterations: int = 10_000_000
    time_limit: Any = None  # CPU seconds; None is stored as infinity
    certify: bool = True
    threads: int = 1
    sample_size: InitVar[int | None] = None
    patience: InitVar[int | None] = None
    alternate_classes: InitVar[bool | None] = None

    def __post_init__(
        self, sample_size: int | None, patience: int | None, alternate_classes: bool | None
    ) -> None:
        changes = {
            "sample_size": sample_size,
            "patience": patience,
            "alternate_classes": alternate_classes,
        }
        check_settings(vars(self) | changes)
        for name in (
            "eps",
            "inner_tolerance",
            "cache_mb",
            "time_limit",
        ):  # compiled loops need the type float for these settings
            value = getattr(self, name)
            object.__setattr__(self, name, np.inf if value is None else float(value))
        object.__setattr__(self, "selection", _selection(self.selection, changes))
        # "auto" begins with SWAP-2o, and runs only SWAP-2o if samples are drawn
        name = "swap2o" if self.method == "auto" else self.method
        if name not in METHODS:
            raise ValueError(
                f"method must be one of {', '.join(('auto', *METHODS))}, got {self.method!r}"
            )
        method, selection = METHODS[name], self.selection
        if selection.sampled and not method.samples:
            raise ValueError(f"method={self.method!r} needs all points: selection must be 'full'")
        if selection.reject_members and not method.solves_coreset:
            raise ValueError(
                "reject_members can only be set for method 'cvm', because method"
                f" {self.method!r} has no coreset"
            )
        if selection.cooling is False and method.solves_coreset:
            raise ValueError(
                f"cooling cannot be False: method {self.method!r} always starts at a"
                " larger eps than the eps of the settings"
            )

    @classmethod
    def of_estimator(cls, parameters: Mapping[str, Any]) -> Settings:
        """Make settings from a dict of an estimator's parameters.

        Ignore parameters that are not settings.
        """
        names = {name: NAMES_IN_ESTIMATORS.get(name, name) for name in SETTING_NAMES}
        return cls(**{ours: parameters[name] for ours, name in names.items() if name in parameters})

    def starting_within(self, kept: np.ndarray) -> Settings:
        """Return the settings for training only on the points `kept`: ascending int64 indices (n,).

        If `init` is the index of a point, the new `init` is the position of this point in `kept`.
        If this point is not in `kept`, raise a ValueError.
        """
        if isinstance(self.init, str):
            return self
        place = int(np.searchsorted(kept, self.init))
        if place == len(kept) or kept[place] != self.init:
            raise ValueError(f"init={self.init} is not the index of a point with a weight > 0")
        return replace(self, init=place)

    def with_limit(self, seconds: float) -> Settings:
        """Return a copy whose time limit is `seconds`.

        The settings are not checked again, because a check takes 0.04 ms and the limit changes for
        every pair of classes.
        """
        other = copy.copy(self)
        object.__setattr__(other, "time_limit", seconds)
        return other

    @property
    def rule(self) -> int:
        """Return the stopping rule as a plain int.

        With an IntEnum, each call of a compiled function would take 0.1 ms longer than with an int.
        """
        return int(StopRule[self.stop.upper()])


SETTING_NAMES = (
    *(each.name for each in fields(Settings)),
    "sample_size",
    "patience",
    "alternate_classes",
)


def _selection(selection: Selection | str, changes: dict[str, Any]) -> Selection:
    """Return a selection in which the `changes` that are not None replace the original values.
    `selection` is a `Selection` or the name of a preset.
    """
    chosen = selection if isinstance(selection, Selection) else SELECTIONS[selection]
    changes = {name: value for name, value in changes.items() if value is not None}
    if changes and not chosen.sampled:
        raise ValueError(
            f"selection='full' draws no samples, so it cannot be combined with {', '.join(changes)}"
        )
    if "alternate_classes" in changes:
        changes["alternate"] = changes.pop("alternate_classes")
    return replace(chosen, **changes) if changes else chosen


def column_dtype(problem: SimplexProblem, settings: Settings) -> type[np.floating]:
    """Return the dtype of the columns at the start of training.

    The dtype is float32, unless the settings request float64, the values are outside the range of
    float32, or float32 is not precise enough for the stopping rule. With the relative rule, it
    becomes known only during training whether float32 is precise enough. With samples or without a
    certificate, this would be too late. In these cases, `column_dtype="auto"` gives float64. FCFW
    does not use this dtype: its values are float64 unless the settings request float32.

    Raise a ValueError if the settings request float32 but float32 cannot be used.
    """
    largest = problem.largest_diagonal
    if settings.column_dtype == "float64":
        return np.float64
    in_range = 1.0 / FLOAT32_RANGE <= largest <= FLOAT32_RANGE
    if not (in_range and problem.fits_float32):
        if settings.column_dtype == "float32":
            entries = f"the columns of Q, because the largest entry is {largest:.3g}"
            what = "the squared distances between points" if in_range else entries
            raise ValueError(
                f"column_dtype='float32' cannot represent {what}; scale the features, or use"
                " column_dtype='float64'"
            )
        return np.float64
    ends_unseen = settings.selection.sampled or not settings.certify
    if ends_unseen and settings.stop == "relative" and settings.column_dtype == "auto":
        return np.float64  # the gap is only known when it is too late to change the precision
    absolute = target_gap(settings.rule, settings.eps, largest, 0.0)
    attainable = FLOAT32_GAP * largest
    if settings.stop != "relative" and absolute < attainable:
        if settings.column_dtype == "float32":
            raise ValueError(
                f"with column_dtype='float32', a gap of {absolute:.2g} (eps={settings.eps:g})"
                f" cannot be reached; the smallest possible gap is about {attainable:.2g}. Use a"
                " larger eps or column_dtype='float64'"
            )
        return np.float64
    return np.float32
