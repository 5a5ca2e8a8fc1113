"""The HTML report of a run, and the gallery of its figures.

This package draws and trains nothing.
"""
