"""The runs table, one row per training run: the contract between training and analysis."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fwsvm.base.errors import DataError
from fwsvm.base.result_files import damaged_result, delimited_text, write_atomically
from fwsvm.runs.protocols import OF_SELECTION

STRING, INTEGER, REAL, BOOLEAN = "str", "Int64", "float64", "boolean"

_SETTINGS = {
    "experiment": STRING,
    "dataset": STRING,
    "task_size": INTEGER,
    "features": INTEGER,
    "stand_in": BOOLEAN,
    "method": STRING,
    "protocol": STRING,
    "selection": STRING,
    "sample_size": INTEGER,
    "patience": INTEGER,
    "alternate": BOOLEAN,
    "replacement": BOOLEAN,
    "init": STRING,
    "stop_rule": STRING,
    "eps": REAL,
    "inner_tolerance": REAL,
    "inner_fixed": BOOLEAN,
    "inner_steps": INTEGER,
    "clipped_gain": BOOLEAN,
    "kernel": STRING,
    "gamma": REAL,
    "gamma_rule": STRING,
    "degree": INTEGER,
    "sigma2": REAL,
    "C": REAL,
    "C_rule": STRING,
    "cache_mb": REAL,
    "column_dtype": STRING,
    "kernel_path": STRING,
    "repetition": INTEGER,
    "partition": INTEGER,
    "start_index": INTEGER,
    "seed": INTEGER,
}
_RESULTS = {
    "train_cpu_s": REAL,
    "train_wall_s": REAL,
    "certify_cpu_s": REAL,
    "compile_excluded": BOOLEAN,
    "iterations": INTEGER,
    "away_steps": INTEGER,
    "drop_steps": INTEGER,
    "kernel_evaluations": INTEGER,
    "requested_evaluations": INTEGER,
    "support_vectors": INTEGER,
    "coreset_size": INTEGER,
    "objective": REAL,
    "gap": REAL,
    "relative_gap": REAL,
    "stop_reason": STRING,
    "test_accuracy": REAL,
    "peak_rss_mb": REAL,
    "calibration_s": REAL,
    "disturbed": BOOLEAN,
    "timing": STRING,
    "threads": INTEGER,
}
_TYPES = _SETTINGS | _RESULTS
_LATER = ("stand_in", "replacement", "inner_fixed", "inner_steps", "clipped_gain", "C_rule", "requested_evaluations")

RUN_COLUMNS = tuple(_TYPES)
"""Columns of a runs table, in file order: what was asked for first, then what came out."""

SETTING_COLUMNS = tuple(_SETTINGS)
"""The columns that say what was asked for; together they identify a run."""

_FIRST = ("experiment", "dataset", "method", "protocol", "selection")
_SORT_COLUMNS = (*_FIRST, *(column for column in SETTING_COLUMNS if column not in _FIRST))


def empty_runs() -> pd.DataFrame:
    """Return a runs table without rows."""
    return conform(pd.DataFrame({column: [] for column in RUN_COLUMNS}))


def conform(frame: pd.DataFrame) -> pd.DataFrame:
    """Bring a table of runs into the one order of columns and rows, with the types of the contract.

    Columns that do not apply to any of the runs may be left out and come back empty.

    Parameters
    ----------
    frame : DataFrame
        One row per run.

    Returns
    -------
    DataFrame
        Columns ``RUN_COLUMNS``; sorted by experiment, data set, method, protocol, then the other settings.

    Raises
    ------
    DataError
        If a column is not in the contract, or a value is not of its column's type.
    """
    unknown = [str(column) for column in frame.columns if column not in _TYPES]
    if unknown:
        raise DataError(f"runs table: unknown columns {', '.join(unknown)}; known are {', '.join(RUN_COLUMNS)}")
    columns = {}
    for column, kind in _TYPES.items():
        values = frame[column] if column in frame.columns else pd.Series([None] * len(frame), index=frame.index)
        columns[column] = _typed(values, kind, column)
    runs = pd.DataFrame(columns, columns=list(RUN_COLUMNS))
    return runs.sort_values(list(_SORT_COLUMNS), kind="stable", na_position="last", ignore_index=True)


def _typed(values: pd.Series, kind: str, column: str) -> pd.Series:
    if values.dtype == (pd.StringDtype() if kind == STRING else kind):  # "string" would also match pandas' str
        return values
    try:
        if kind == STRING:
            return values.astype(object).where(values.notna(), None).astype("string")
        if kind == REAL:
            return values.astype(object).where(values.notna(), np.nan).astype(float)
        if kind == BOOLEAN:
            words = {"True": True, "False": False, True: True, False: False}
            known = values.dropna()
            bad = [value for value in known if value not in words]
            if bad:
                raise ValueError(f"{bad[0]!r} is neither True nor False")
            return pd.Series([words[v] if pd.notna(v) else None for v in values], values.index, dtype="boolean")
        return pd.Series([_integer(v) if pd.notna(v) else None for v in values], values.index, dtype="Int64")
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"runs table, column {column}: {error}") from error


def _integer(value) -> int:
    number = int(value)
    if not isinstance(value, str) and number != value:
        raise ValueError(f"{value!r} is not a whole number")
    return number


def read_runs(path: str | os.PathLike) -> pd.DataFrame:
    """Read a runs table written by `write_runs`.

    Parameters
    ----------
    path : path-like
        ``runs.tsv`` or ``runs.tsv.gz``.

    Returns
    -------
    DataFrame
        Columns ``RUN_COLUMNS``; empty cells are missing values; floats come back bit for bit. A table that was written
        before protocols had names gets them from its selections (`with_protocols`).

    Raises
    ------
    DataError
        If the file is empty or cut short, a column is missing or unknown, or a value is not of its column's type; the
        message says what to do.
    """
    frame = read_tsv(path, dtype=str, na_values=[""], keep_default_na=False)
    frame = with_protocols(frame)
    missing = [column for column in RUN_COLUMNS if column not in frame.columns]
    if missing:
        named = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise damaged_result(path, f"its first line has no column {named}")
    try:
        return conform(frame)
    except DataError as error:
        raise damaged_result(path, str(error)) from error


def with_protocols(frame: pd.DataFrame) -> pd.DataFrame:
    """Give a table from before protocols had names the columns that it lacks.

    Parameters
    ----------
    frame : DataFrame
        Runs, or significance tests; one with a column ``protocol``, or without a column ``selection``, stays as it is.

    Returns
    -------
    DataFrame
        With ``protocol`` by `fwsvm.runs.protocols.OF_SELECTION`. Of runs, settings that were the same for all then, and
        what was not recorded, are empty; of tests, ``selection`` is gone.
    """
    if "protocol" in frame or "selection" not in frame:
        return frame
    protocols = frame["selection"].map(OF_SELECTION)
    if "experiment" not in frame:
        return frame.assign(selection=protocols).rename(columns={"selection": "protocol"})
    return frame.assign(protocol=protocols, **{column: None for column in _LATER if column not in frame})


def read_tsv(path: str | os.PathLike, **options) -> pd.DataFrame:
    """Read a table of results, tab-separated, with the options of `pandas.read_csv`.

    Raises
    ------
    DataError
        If the file is empty, or its last line is cut short (pandas would fill it up in silence).
    """
    path = Path(path)
    damage = (EOFError, OSError, zlib.error, pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError)
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if not content.endswith(b"\n"):
            raise EOFError("its last line is cut short" if content else "it is empty")
        return pd.read_csv(io.BytesIO(content), sep="\t", **options)
    except damage as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        raise damaged_result(path, str(error)) from error


def write_runs(frame: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a runs table so that the file is either whole or not there.

    Equal tables give equal bytes, compressed or not, whatever the order of their rows.

    Parameters
    ----------
    frame : DataFrame
        One row per run; brought into order by `conform`.
    path : path-like
        Tab-separated text; compressed when the name ends in ``.gz``. Missing folders are made.
    """
    content = delimited_text(conform(frame), "\t").encode()
    if Path(path).suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    write_atomically(path, content)


def collect(paths: Iterable[str | os.PathLike], rows: Iterable[int | None] | None = None) -> pd.DataFrame:
    """Put many runs tables into one.

    Parameters
    ----------
    paths : iterable of path-like
        Files of `write_runs`.
    rows : iterable of int or None, optional
        How many rows each file was written with (None: not known), to notice one that lost whole lines.

    Returns
    -------
    DataFrame
        All rows, in the order of `conform`.

    Raises
    ------
    DataError
        If a file is damaged, or two rows have the same settings, so that one run would be counted twice.
    """
    paths = list(paths)
    tables = [read_runs(path) for path in paths]
    for path, table, expected in zip(paths, tables, rows or [None] * len(paths), strict=True):
        if expected not in (None, len(table)):
            raise damaged_result(path, f"it has {len(table)} rows, not {expected} as when it was written")
    runs = conform(pd.concat(tables, ignore_index=True)) if tables else empty_runs()
    twice = runs[runs.duplicated(list(SETTING_COLUMNS))]
    if len(twice):
        row = twice.iloc[0]
        which = ", ".join(f"{c}={row[c]}" for c in ("experiment", "dataset", "method", "protocol", "repetition"))
        raise DataError(f"runs tables: {len(twice)} runs occur twice, the first being {which}; pass each file once")
    return runs


def ordered(values: Iterable[str], first: Sequence[str]) -> list[str]:
    """Return the distinct `values`: those named in `first` in that order, then the others by name."""
    present = set(values)
    return [value for value in first if value in present] + sorted(present - set(first))
