"""The HTML report of a run, and the gallery of its figures.

This package does not train, and it does not draw figures. It reads the files of a finished run.
"""
