"""Test and rank the columns of any table of results."""
