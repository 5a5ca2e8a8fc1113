"""Define the sub-commands of `fwsvm` that work on files.

Each has a function for its options and one that runs it.
"""
