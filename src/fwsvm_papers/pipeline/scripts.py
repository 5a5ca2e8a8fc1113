"""Provide what all workflow scripts need: the log file, short error messages, and functions that
write results.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from fwsvm.inputs.errors import UserError, for_terminal, print_all_letters
from fwsvm_papers.result_files import with_checksum, write_atomically

# error numbers: disk full, quota exceeded, read-only file system, access denied
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES}


@contextlib.contextmanager
def logging_to(log_path: str | Path) -> Iterator[None]:
    """Log to `log_path`, and also print warnings and errors.

    An error ends the script. If it is a UserError, no traceback is printed.
    """
    print_all_letters()
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    handlers[0].setLevel(logging.WARNING)
    # one stage of the pipeline compiles all code, so scripts do not announce compilation
    handlers[0].addFilter(lambda record: record.name != "fwsvm.machine_code.code_cache")
    with contextlib.suppress(OSError):  # if the log file cannot be opened, errors are still printed
        Path(log_path).parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(log_path, mode="w"))
    # if the disk is full, lines of the log may be lost, but no traceback about this is printed
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
                "error: %s%s; finished results are kept for the next run", where, error.strerror
            )
        else:
            logging.exception("failed")
        sys.exit(1)


def write_json(content: object, path: str | Path) -> None:
    """Write a JSON file completely or not at all.

    A mapping gets a checksum, which `read_whole_json` checks.
    """
    content = with_checksum(content) if isinstance(content, dict) else content
    write_atomically(path, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())


def write_tables(tables: Mapping[str, bytes], record: dict, record_path: str | Path) -> None:
    """Write tables (a mapping from paths to bytes).

    Also write the JSON file `record_path`, with `record` and the checksums of the tables.
    """
    sums = {
        Path(path).name: hashlib.sha256(content).hexdigest() for path, content in tables.items()
    }
    write_json(record | {"sha256": sums}, record_path)
    for path, content in tables.items():
        write_atomically(path, content)
