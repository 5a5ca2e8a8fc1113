"""Provide what the Snakefile needs: configuration, jobs, data, results, costs and releases."""
