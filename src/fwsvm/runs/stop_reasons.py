"""Why runs end, as the column `stop_reason` has it. A module of its own, which training imports without the tables."""

STOP_REASONS = ("converged", "no_violation_in_samples", "time_limit", "iteration_limit")
LIMIT_REASONS = ("time_limit", "iteration_limit")
ENDED_REASONS = (*LIMIT_REASONS, "memory_limit")
"""Of runs that exceeded what they were allowed, those of the trainers with a limit of memory among them."""
