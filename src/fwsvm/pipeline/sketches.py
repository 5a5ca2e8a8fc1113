"""What the papers' sketches show, from small runs of the solvers."""

import importlib

from fwsvm.base.code_hash import code_hash
from fwsvm.studies.registry import STUDIES

_MODULES = [study.SKETCHES for study in STUDIES.values() if hasattr(study, "SKETCHES")]


def compute():
    """All sketches: name -> its numbers, JSON-ready."""
    return {name: part for module in _MODULES for name, part in importlib.import_module(module).compute().items()}


def code():
    """Hash of the code behind them."""
    return code_hash("pipeline.sketches", *(module.removeprefix("fwsvm.") for module in _MODULES))
