"""Measure runs; read, write and summarise the table of runs.

This file lists the stop reasons of runs that the tables count.
"""

STOP_REASONS = ("converged", "no_violation_in_samples", "time_limit", "iteration_limit")
LIMIT_REASONS = ("time_limit", "iteration_limit")
ENDED_REASONS = (*LIMIT_REASONS, "memory_limit")  # only the baselines have a memory limit
