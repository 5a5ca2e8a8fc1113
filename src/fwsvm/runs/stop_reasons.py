"""Values of the column `stop_reason`. A separate module, so that training does not import pandas."""

STOP_REASONS = ("converged", "no_violation_in_samples", "time_limit", "iteration_limit")
LIMIT_REASONS = ("time_limit", "iteration_limit")
ENDED_REASONS = (*LIMIT_REASONS, "memory_limit")
"""Also those of the trainers with a memory limit."""
