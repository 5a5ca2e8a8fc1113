"""Rank tests and estimates of effect sizes that compare the columns of any table of results."""
