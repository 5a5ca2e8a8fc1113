"""Describe and check what users give: settings, values, labels and files.

Errors that users can correct.
"""
