"""The hashes of the experiments' code that a run of the pipeline goes by: computing them takes each job a second."""

import contextlib

from fwsvm.base.errors import DataError
from fwsvm.base.result_files import read_whole_json
from fwsvm.pipeline.job import write_json
from fwsvm.studies.registry import EXPERIMENTS


def keep_codes(results):
    """Leave them in `code.json` of the results when a run starts."""
    with contextlib.suppress(OSError):  # the first job says what is wrong with the folder
        write_json(_codes_now(), f"{results}/code.json")


def read_codes(results):
    """Experiment -> hash of its code, as left there, or else as it is now."""
    with contextlib.suppress(DataError):
        found = read_whole_json(f"{results}/code.json")
        if set(EXPERIMENTS) <= set(found):
            return found
    return _codes_now()


def _codes_now():
    return {name: experiment.code for name, experiment in EXPERIMENTS.items()}
