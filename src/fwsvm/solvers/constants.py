"""Codes shared by the compiled loops and the Python around them."""

# Kinds of steps (trace column `step`).
TOWARD, AWAY, SWAP = 0, 1, 2
STEP_NAMES = ("toward", "away", "swap")

# Stopping rules.
MEB, GAP, RELATIVE = 0, 1, 2
STOP_RULES = {"meb": MEB, "gap": GAP, "relative": RELATIVE}

# The eps with which cooling begins.
FIRST_STAGE = 0.1

# Why a compiled loop returned to Python.
CONVERGED, NO_VIOLATION, PAUSED, NEEDS_COLUMN = 0, 1, 2, 3

# Positions in the vector of real numbers of a state.
OBJECTIVE, LARGEST_DIAGONAL, GAP_SEEN, STEP_LENGTH, STAGE = 0, 1, 2, 3, 4
N_REALS = 5

# Positions in the vector of counters of a state.
ACTIVE_SIZE, TOWARD_VERTEX, AWAY_VERTEX, ITERATIONS = 0, 1, 2, 3
AWAY_STEPS, DROP_STEPS, SWAP_STEPS, LAST_STEP = 4, 5, 6, 7
MISSING, PENDING, EMPTY_SAMPLES, SAMPLES = 8, 9, 10, 11
REQUESTED, CLIPPED_GAIN = 12, 13
N_COUNTERS = 14
