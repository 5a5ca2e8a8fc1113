"""Settings of a training run, checked in one place."""

from dataclasses import dataclass, replace

import numpy as np

from fwsvm.base.parameters import PARAMETERS, check_settings
from fwsvm.solvers.constants import StopRule
from fwsvm.solvers.methods.registry import METHODS

# float32 columns make s exact to about 1e-7 of the largest diagonal entry of Q; a smaller gap would be noise.
FLOAT32_GAP = 2e-7
# Where method="auto" may be "fcfw": from so many points on, up to such a ridge 1/C, and on sparse data from so many
# stored features per point on: with fewer, columns over all points are cheap next to equations of the support vectors.
MANY_POINTS, LARGEST_RIDGE, MANY_STORED = 4096, 1.0, 32


@dataclass(frozen=True)
class Selection:
    """How the toward vertex i* is found (frandi2013 sec. 5.2.3).

    Attributes
    ----------
    name : str
    sampled : bool
        False: over all m points, the gap is certified for free.
    sample_size : int
        Points per sample.
    patience : int
        Samples in a row without a violation before training ends.
    alternate : bool
        Whether the classes alternate in a sample (and in the random start).
    replacement : bool
        Whether a sample is drawn with replacement.
    reject_members : bool or None
        Whether points of the coreset are drawn again. None: by CVM, which has them solved already; of the other methods
        the active points stay eligible (frandi2013 Alg. 2), or none could ever gain weight again.
    cooling : bool or None
        Whether samples are judged by an eps that starts at 0.1 and is halved down to its target. None: by CVM.
    start_alternates : bool or None
        Whether the classes alternate in the random start. None: where they do in the samples.
    """

    name: str
    sampled: bool
    sample_size: int = 0
    patience: int = 0
    alternate: bool = False
    replacement: bool = False
    reject_members: bool | None = None
    cooling: bool | None = None
    start_alternates: bool | None = None


SELECTIONS = {
    "full": Selection("full", False),
    "sampled_text": Selection("sampled_text", True, 59, 1, alternate=False, replacement=False),
    "sampled_libcvm": Selection("sampled_libcvm", True, 60, 7, alternate=True, replacement=True),
}


def resolve_selection(selection, sample_size=None, patience=None, alternate_classes=None):
    """A preset by name or a `Selection`, with single settings overridden where they are not None.

    Raises
    ------
    ValueError
        For an unknown preset, a size or patience below 1, or sampling settings given with full selection.
    """
    PARAMETERS["selection"].check(selection)
    preset = selection if isinstance(selection, Selection) else SELECTIONS[selection]
    check_settings({"sample_size": sample_size, "patience": patience, "alternate_classes": alternate_classes})
    given = {"sample_size": sample_size, "patience": patience, "alternate": alternate_classes}
    given = {key: value for key, value in given.items() if value is not None}
    if given and not preset.sampled:
        raise ValueError(f"{', '.join(given)}: only with a sampled selection, not with selection='full'")
    return replace(preset, **given)


def automatic_method(problem, selection):
    """The method that `method="auto"` stands for: "fcfw", begun by SWAP-2o, or "swap2o" where that would not pay."""
    points = points_of(problem)
    has_cheap_columns = points is not None and points.is_sparse and points.stored_per_point < MANY_STORED
    fits = 0.0 < np.max(problem.ridge) <= LARGEST_RIDGE and not has_cheap_columns and not selection.sampled
    return "fcfw" if fits and problem.size >= MANY_POINTS else "swap2o"


def points_of(problem):
    """The `Points` of a problem; None where only its matrix is known."""
    return getattr(getattr(problem, "matrix", None), "points", None)


@dataclass(frozen=True)
class Settings:
    """All settings of a run; see `fwsvm.solve` for their meaning."""

    method: str
    selection: Selection
    init: str
    stop: str
    eps: float
    inner_tolerance: float
    cache_mb: float
    column_dtype: str
    max_iterations: int
    time_limit: float | None
    certify: bool = True
    inner_fixed: bool = False
    inner_steps: int | None = None
    clipped_gain: bool = False
    threads: int = 1
    automatic: bool = False

    def __post_init__(self):
        check_settings(vars(self))
        for name in ("eps", "inner_tolerance", "cache_mb", "time_limit"):  # of one type, for the compiled loops
            value = getattr(self, name)
            object.__setattr__(self, name, np.inf if value is None else float(value))
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(('auto', *METHODS))}, got {self.method!r}")
        if not METHODS[self.method].samples and self.selection.sampled:
            raise ValueError(f"method={self.method!r} looks at all points: selection must be 'full'")
        solves_coreset = METHODS[self.method].solves_coreset
        if self.selection.reject_members and not solves_coreset:
            raise ValueError(f"reject_members: {self.method!r} has no coreset whose points could be drawn again")
        if self.selection.cooling is False and solves_coreset:
            raise ValueError(f"cooling: method {self.method!r} always starts at a larger eps; leave it out")

    @property
    def rule(self):
        """Code of the stopping rule; a plain int, since to find an enumeration's type costs a compiled call 0.1 ms."""
        return int(StopRule[self.stop.upper()])
