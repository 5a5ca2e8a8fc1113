"""Functions that read the catalogue of data sets, fetch their raw files, and turn these files into
prepared arrays. An entry of the catalogue describes one data set.
"""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "Prepared": "fwsvm_papers.datasets.storage",
    "load_catalogue": "fwsvm_papers.datasets.catalogue",
    "load_dataset": "fwsvm_papers.datasets.prepare",
    "open_prepared": "fwsvm_papers.datasets.storage",
    "read_csv": "fwsvm_papers.datasets.tables",
    "read_idx": "fwsvm_papers.datasets.idx_files",
    "read_libsvm": "fwsvm.inputs.data_files",
}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
