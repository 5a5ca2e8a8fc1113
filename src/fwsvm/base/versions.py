"""Versions of the software that made a result."""

import platform
from importlib import metadata


def versions(*packages):
    """Version of Python, and of each package; None for one that is not installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    return found
