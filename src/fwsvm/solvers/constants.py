"""Codes and records of the compiled loops; they are enumerations and fields, so that a mix-up does not compile."""

from enum import IntEnum

import numpy as np

# The eps with which cooling begins.
FIRST_STAGE = 0.1
# With float32 columns the gradient is exact to about 1e-7 of the largest diagonal entry of Q; a smaller gap is noise.
FLOAT32_GAP = 2e-7


class Step(IntEnum):
    """Kinds of steps; their names in lower case are in the trace's column `step`."""

    TOWARD = 0
    AWAY = 1
    SWAP = 2


class StopRule(IntEnum):
    """Stopping rules; their names in lower case are the values of the setting `stop`."""

    MEB = 0
    GAP = 1
    RELATIVE = 2


class Reason(IntEnum):
    """Why a compiled loop returned to Python."""

    CONVERGED = 0
    NO_VIOLATION = 1
    PAUSED = 2
    NEEDS_COLUMN = 3


# R, max Q_ii, the gap over the points seen last, the last step's length, the eps that judges samples.
_REALS = ("objective", "largest_diagonal", "gap_seen", "step_length", "stage")
# Counters, the vertices found by the last pass, a missing column and a pending vertex, a flag.
_COUNTS = (
    "active_size", "fw_vertex", "away_vertex", "iterations", "away_steps", "drop_steps", "swap_steps", "last_step",
    "missing", "pending", "empty_samples", "samples", "requested", "clipped_gain",
)  # fmt: skip
REALS, COUNTS = np.dtype([(name, "f8") for name in _REALS]), np.dtype([(name, "i8") for name in _COUNTS])
