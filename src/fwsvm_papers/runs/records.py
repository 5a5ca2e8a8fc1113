"""The table of runs, which has one row per training run.

The training jobs make the rows. The pipeline collects the rows in this table, which the analysis
reads.
"""

import gzip
import hashlib
import io
import zlib
from pathlib import Path

import pandas as pd

from fwsvm.inputs.errors import DataError
from fwsvm_papers.result_files import (
    damaged_result,
    delimited_text,
    read_whole_json,
    write_atomically,
)

_SETTINGS = {
    "experiment": "string",
    "dataset": "string",
    "task_size": "Int64",
    "features": "Int64",
    "stand_in": "boolean",
    "method": "string",
    "protocol": "string",
    "selection": "string",
    "sample_size": "Int64",
    "patience": "Int64",
    "alternate": "boolean",
    "replacement": "boolean",
    "init": "string",
    "stop_rule": "string",
    "eps": "float64",
    "inner_tolerance": "float64",
    "inner_fixed": "boolean",
    "inner_steps": "Int64",
    "clipped_gain": "boolean",
    "kernel": "string",
    "gamma": "float64",
    "gamma_rule": "string",
    "degree": "Int64",
    "sigma2": "float64",
    "C": "float64",
    "C_rule": "string",
    "cache_mb": "float64",
    "column_dtype": "string",
    "kernel_path": "string",
    "repetition": "Int64",
    "partition": "Int64",
    "start_index": "Int64",
    "seed": "Int64",
}
_RESULTS = {
    "train_cpu_s": "float64",
    "train_wall_s": "float64",
    "certify_cpu_s": "float64",
    "compile_excluded": "boolean",
    "iterations": "Int64",
    "away_steps": "Int64",
    "drop_steps": "Int64",
    "kernel_evaluations": "Int64",
    "requested_evaluations": "Int64",
    "support_vectors": "Int64",
    "coreset_size": "Int64",
    "objective": "float64",
    "gap": "float64",
    "relative_gap": "float64",
    "stop_reason": "string",
    "test_accuracy": "float64",
    "peak_rss_mb": "float64",
    "calibration_s": "float64",
    "disturbed": "boolean",
    "timing": "string",
    "threads": "Int64",
}
_TYPES = _SETTINGS | _RESULTS

RUN_COLUMNS = tuple(_TYPES)  # the columns, in the order of the file
# two runs differ in at least one of these columns
SETTING_COLUMNS = (*_SETTINGS, "threads")
_FIRST = ("experiment", "dataset", "method", "protocol", "selection")
_SORT_COLUMNS = (*_FIRST, *(column for column in SETTING_COLUMNS if column not in _FIRST))


def empty_runs() -> pd.DataFrame:
    return conform(pd.DataFrame(columns=list(RUN_COLUMNS)))


def conform(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of runs with all of `RUN_COLUMNS` in their order, with the right type in each
    column, and with sorted rows. A column that `frame` lacks has only missing values.

    If a column is unknown, or if its values cannot have the right type, raise a DataError.
    """
    unknown = [str(column) for column in frame.columns if column not in _TYPES]
    if unknown:
        raise DataError(
            f"the table of runs has unknown columns ({', '.join(unknown)}); the known columns are"
            f" {', '.join(RUN_COLUMNS)}"
        )
    runs = frame.reindex(columns=list(RUN_COLUMNS))
    for column, kind in _TYPES.items():
        try:
            values = runs[column]
            if values.dtype == object:  # None, NaN and pandas.NA all mean a missing value
                values = values.where(values.notna(), None)
            runs[column] = values.astype(kind)
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"the table of runs, column {column}: {error}") from error
    return runs.sort_values(
        list(_SORT_COLUMNS), kind="stable", na_position="last", ignore_index=True
    )


def read_runs(path: str | Path) -> pd.DataFrame:
    """Read ``runs.tsv`` or ``runs.tsv.gz``.

    Floats are read as text, and then converted to numbers, since pandas 2 rounds some floats
    wrongly when it reads them as numbers.
    """
    types = {column: str if kind == "float64" else kind for column, kind in _TYPES.items()}
    frame = read_tsv(path, dtype=types, na_values=[""], keep_default_na=False)
    missing = [column for column in RUN_COLUMNS if column not in frame.columns]
    if missing:
        raise damaged_result(path, f"its first line lacks {', '.join(missing)}")
    try:
        return conform(frame)
    except DataError as error:
        raise damaged_result(path, str(error)) from error


def read_tsv(path: str | Path, **options: object) -> pd.DataFrame:
    """Read a tab-separated table of results.

    Raise a DataError if the last line is incomplete, since pandas would accept such a line. Also
    raise a DataError if the checksum differs from the one that was recorded when the table was
    written.
    """
    path = Path(path)
    content, recorded = path.read_bytes(), _recorded_sum(path)
    try:
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        if not content.endswith(b"\n"):
            raise EOFError("its last line is cut short" if content else "it is empty")
        if recorded not in (None, hashlib.sha256(content).hexdigest()):
            raise ValueError("its content was changed after it was written")
        return pd.read_csv(io.BytesIO(content), sep="\t", **options)
    except (EOFError, gzip.BadGzipFile, zlib.error, ValueError) as error:
        raise damaged_result(path, str(error)) from error


def _recorded_sum(path: Path) -> str | None:
    """Return the checksum of a table from the `provenance.json` beside it.

    Return None if there is no such file, or if the file has no checksum because an earlier version
    wrote it.
    """
    record = path.with_name("provenance.json")
    if not record.is_file():
        return None
    return read_whole_json(record).get("sha256", {}).get(path.name.removesuffix(".gz"))


def text_of_runs(frame: pd.DataFrame) -> bytes:
    """Return the table of runs as the bytes that `write_runs` writes to an uncompressed file. Equal
    tables give equal bytes.
    """
    return delimited_text(conform(frame), "\t").encode()


def write_runs(frame: pd.DataFrame, path: str | Path) -> None:
    """Write runs as tab-separated text, compressed if the name ends in ``.gz``."""
    content = text_of_runs(frame)
    write_atomically(
        path, gzip.compress(content, mtime=0) if Path(path).suffix == ".gz" else content
    )


def distinct_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the result of `conform` for a table of runs, or raise a DataError if a run occurs
    twice.
    """
    runs = conform(frame)
    twice = runs[runs.duplicated(list(SETTING_COLUMNS))]
    if len(twice):
        row = twice.iloc[0]
        which = ", ".join(
            f"{c}={row[c]}" for c in ("experiment", "dataset", "method", "protocol", "repetition")
        )
        raise DataError(
            f"tables of runs: {len(twice)} runs occur more than once; the first is {which}; give"
            " each table only once"
        )
    return runs
