"""What the Snakefile imports: configuration, plan, jobs, progress, budget, release."""
