"""The run record: measuring, the table of runs, summaries of it."""
