"""Significance tests and rankings of any table of results."""
