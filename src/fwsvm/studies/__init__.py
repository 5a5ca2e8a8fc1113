"""One folder per study: its jobs, its numbers, its artefacts, its claims."""
