"""Connect the package with the Snakefile: configuration, jobs, data, results, costs and release."""
