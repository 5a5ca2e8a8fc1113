"""Open the prepared data of a job. If they are damaged, prepare them again."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm.inputs.errors import DataError
from fwsvm_papers.datasets.storage import open_prepared, prepared_files

if TYPE_CHECKING:
    from fwsvm_papers.datasets.storage import Prepared

_LOG = logging.getLogger(__name__)


def open_or_prepare(config: dict, dataset: str, folder: str | Path) -> Prepared:
    """Open prepared data.

    If a file is damaged, prepare all files again, with the same content and file dates.
    """
    try:
        return open_prepared(folder)
    except DataError as error:
        _LOG.warning("%s is prepared again: %s", dataset, error)
    # imported here because damage is rare and these imports are slow
    from fwsvm_papers.datasets.catalogue import load_catalogue
    from fwsvm_papers.datasets.prepare import prepare
    from fwsvm_papers.pipeline.config import Configuration

    times = {path: path.stat().st_mtime_ns for path in prepared_files(folder) if path.exists()}
    own = Configuration(config, load_catalogue(config["catalogue"]))
    raw_dir, mirror = f"{config['data_dir']}/raw", config["mirror"]
    opened = prepare(
        own.catalogue[dataset], own.catalogue, raw_dir, Path(folder), mirror, own.subset
    )
    for path, moment in times.items():
        os.utime(path, ns=(moment, moment))
    return opened
