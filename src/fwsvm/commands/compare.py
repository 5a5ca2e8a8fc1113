"""`fwsvm compare TABLE`: rank tests on a wide table, rows data sets, columns algorithms."""

import argparse
import csv
import io
import json
import math
from pathlib import Path

import pandas as pd

from fwsvm.base.errors import DataError
from fwsvm.statistics.compare import compare_table, format_comparison

MISSING = {"", "na", "n/a", "nan", "null", "none", "-"}
"""Cells (in lower case) that stand for a missing value."""

EPILOG = """\
TABLE has a header line; its first column names the rows (data sets), every other column is an algorithm:

    dataset,cvm,fw,mfw
    a1a,6.26,12.5,0.712
    a2a,16,19.3,1.46

Separators may be commas, semicolons or tabs. Empty cells and NA are missing values; rows with one are left
out and named. In tables of means and deviations the columns *_std are left out and cvm_mean is shown as cvm;
--columns takes either name, e.g. --columns cvm_mean,fw_mean,mfw_mean.

The conclusions in words use two-sided p-values corrected for the number of pairs (Holm)."""


def configure(parser):
    """Declare the arguments of the command on an `argparse.ArgumentParser`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("table", metavar="TABLE", help="CSV or TSV file")
    parser.add_argument("--lower-is-better", action="store_true", help="small values are good (times, errors, sizes)")
    parser.add_argument("--columns", metavar="A,B,C", help="compare these columns only, in this order")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def run(args):
    """Read the table, test, print. Returns 0; a table that cannot be used is a `DataError`."""
    frame = read_table(args.table, args.columns.split(",") if args.columns is not None else None)
    try:
        result = compare_table(frame, lower_is_better=args.lower_is_better)
    except ValueError as error:
        raise DataError(f"{args.table}: {str(error).removeprefix('frame: ')}") from error
    print(json.dumps(result, indent=2, allow_nan=False) if args.json else format_comparison(result))
    return 0


def read_table(path, columns=None):
    """Read a wide table of numbers.

    Parameters
    ----------
    path : str or Path
        Text file with a header line, separated by commas, semicolons or tabs; its first column names the
        rows.
    columns : list of str, optional
        Columns to keep, by their name in the file or without its `_mean`; all but `*_std` by default.

    Returns
    -------
    pandas.DataFrame
        float64, indexed by row name, missing cells NaN, column names without `_mean`.

    Raises
    ------
    DataError
        Names file, row and column: unreadable file, missing header, line of the wrong length, unknown or
        repeated column, cell that is no finite number.
    """
    header, rows = _read_rows(path)
    names = header[1:]
    positions = _select(path, names, columns)
    values = [[_number(path, row[0], names[at], row[1 + at]) for at in positions] for row in rows]
    index = pd.Index([row[0] for row in rows], name=header[0])
    shown = [_short(names[at], names) for at in positions]
    return pd.DataFrame(values, index=index, columns=shown, dtype=float)


def _read_rows(path):
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is not a text file in UTF-8") from error
    first_line = text.partition("\n")[0]
    separator = max("\t;,", key=first_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows = []
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if any(cells):
                rows.append(cells)
            if any(cells) and len(cells) != len(rows[0]):
                where = f"{path}: line {reader.line_num}"
                raise DataError(f"{where}: {len(cells)} cells, but the header has {len(rows[0])}")
    except csv.Error as error:
        raise DataError(f"{path}: line {reader.line_num}: {error}") from error
    if len(rows) < 2 or len(rows[0]) < 2:
        raise DataError(f"{path}: needs a header line, a column of row names and at least one row of numbers")
    return rows[0], rows[1:]


def _short(name, names):
    """`cvm_mean` -> `cvm`, unless the table has a column of that name as well."""
    short = name.removesuffix("_mean")
    return name if short in names else short


def _select(path, names, columns):
    """Positions of the columns to compare: those asked for, or all that are no standard deviations."""
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise DataError(f"{path}: column {repeated!r} occurs more than once in the header")
    if columns is None:
        return [at for at, name in enumerate(names) if not name.endswith("_std")]
    known = {_short(name, names): at for at, name in enumerate(names)}
    known |= {name: at for at, name in enumerate(names)}
    wanted = [column.strip() for column in columns]
    for column in wanted:
        if column not in known:
            raise DataError(f"{path}: no column {column!r}; the table has {', '.join(names)}")
    return [known[column] for column in wanted]


def _number(path, row, column, cell):
    if cell.lower() in MISSING:
        return math.nan
    try:
        number = float(cell)
    except ValueError:
        number = math.inf
    if not math.isfinite(number):
        raise DataError(
            f"{path}: row {row!r}, column {column!r}: {cell!r} is not a finite number"
            " (leave the cell empty if the value is missing; choose columns with --columns)"
        )
    return number
