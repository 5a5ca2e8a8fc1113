"""Functions that measure runs, and that read, write and summarise the table of runs.

This file names the stop reasons that the summaries count, and those that mean that a run ended at a
limit.
"""

STOP_REASONS = ("converged", "no_violation_in_samples", "time_limit", "iteration_limit")
LIMIT_REASONS = ("time_limit", "iteration_limit")
ENDED_REASONS = (*LIMIT_REASONS, "memory_limit")  # only the baselines have a memory limit
