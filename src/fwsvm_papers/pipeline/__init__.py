"""Functions for the Snakefile: configurations, jobs, data, results, costs and releases."""
