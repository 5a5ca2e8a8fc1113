"""Functions for the scripts of the workflow. They write log files, print short error messages, and
open prepared data.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm.inputs.errors import DataError, UserError, for_terminal, print_all_letters
from fwsvm_papers.datasets.storage import open_prepared, prepared_files

if TYPE_CHECKING:
    from fwsvm_papers.datasets.storage import Prepared

_LOG = logging.getLogger(__name__)

# The error numbers mean: disk full, quota exceeded, read-only file system, access denied.
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES}


@contextlib.contextmanager
def logging_to(log_path: str | Path) -> Iterator[None]:
    """Return a context in which messages are written to the file `log_path`. Warnings and errors
    are also printed.

    An error in the context ends the script. A traceback is printed, except for a UserError, an
    error of the disk (`_DISK`), or an interruption by the user.
    """
    print_all_letters()
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    handlers[0].setLevel(logging.WARNING)
    # One stage of the pipeline compiles all code, so messages about compilation are not printed.
    # They are only in the log file.
    handlers[0].addFilter(lambda record: record.name != "fwsvm.machine_code.code_cache")
    with contextlib.suppress(OSError):  # if the log file cannot be opened, errors are still printed
        Path(log_path).parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(log_path, mode="w"))
    # If the disk is full, lines of the log can be missing. No traceback is printed in this case.
    logging.raiseExceptions = False
    logging.basicConfig(
        level=logging.WARNING,
        format="%(asctime)s %(message)s",
        datefmt="%H:%M:%S",
        handlers=handlers,
    )
    for package in ("fwsvm", "fwsvm_papers"):
        logging.getLogger(package).setLevel(logging.INFO)
    try:
        yield
    except UserError as error:
        logging.error("error: %s", for_terminal(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _DISK:
            where = f"{error.filename}: " if error.filename else ""
            logging.error(
                "error: %s%s. The finished results are saved; the next run continues with them",
                where,
                error.strerror,
            )
        else:
            logging.exception("failed")
        sys.exit(1)


def open_or_prepare(config: dict, dataset: str, folder: str | Path) -> Prepared:
    """Open the prepared data of a data set, and return them.

    If a file is missing or damaged, prepare the data set again. New files that replace old ones get
    the dates of the old ones, so that Snakemake does not repeat jobs that used the data.
    """
    try:
        return open_prepared(folder)
    except DataError as error:
        _LOG.warning("%s is prepared again: %s", dataset, error)
    # These imports are slow, and they are needed only if a prepared file is missing or damaged,
    # which is rare. So they are not at the top.
    from fwsvm_papers.datasets.catalogue import load_catalogue
    from fwsvm_papers.datasets.prepare import prepare

    times = {path: path.stat().st_mtime_ns for path in prepared_files(folder) if path.exists()}
    catalogue, subset = load_catalogue(config["catalogue"]), config.get("subset") or None
    raw_dir, mirror = f"{config['data_dir']}/raw", config["mirror"]
    opened = prepare(catalogue[dataset], catalogue, raw_dir, Path(folder), mirror, subset)
    for path, moment in times.items():
        os.utime(path, ns=(moment, moment))
    return opened
