"""Describe data sets as entries of a catalogue, and turn their raw files into prepared arrays."""

import importlib

_PUBLIC = {
    "Prepared": "storage",
    "load_catalogue": "catalogue",
    "load_dataset": "prepare",
    "open_prepared": "storage",
    "read_csv": "tables",
    "read_idx": "formats",
    "read_libsvm": "formats",
}

__all__ = list(_PUBLIC)


def __getattr__(name):
    if name in _PUBLIC:
        return getattr(importlib.import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
