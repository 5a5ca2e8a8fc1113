"""Functions that the Snakefile needs, for configurations, jobs, data, results, costs and releases."""
