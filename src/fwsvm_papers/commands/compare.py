"""The command `fwsvm compare`, which applies rank tests to a table with a row per data set and a
column per algorithm.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from fwsvm.inputs.errors import DataError
from fwsvm.inputs.files import read_text
from fwsvm_papers.statistics.compare import compare_table, format_comparison

if TYPE_CHECKING:
    import argparse

_SEPARATORS = "\t;,"
# Cells with one of these texts, in upper or lower case, are missing values.
_MISSING = {"", "na", "n/a", "nan", "null", "none", "-"}
EPILOG = """\
TABLE has a header line. The first column has the names of the data sets. The other columns are
algorithms. For example:

    dataset,cvm,fw,mfw
    a1a,6.26,12.5,0.712
    a2a,16,19.3,1.46

The separators can be commas, semicolons or tabs. Missing values are empty cells and the texts NA,
N/A, NaN, null, none and -. Rows with missing values are left out, and the output names these rows.
In tables of means and deviations, columns whose names end in _std are left out, and the column
cvm_mean is shown as cvm. The option --columns accepts the long and the short name, for example
--columns cvm_mean,fw_mean,mfw_mean.

The conclusions in words use two-sided p-values with Holm's correction for the number of pairs."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("table", metavar="TABLE", help="CSV or TSV file")
    parser.add_argument(
        "--lower-is-better",
        action="store_true",
        help="smaller values are better, for example in tables of times, errors or sizes",
    )
    parser.add_argument(
        "--columns", metavar="A,B,C", help="compare only these columns, in this order"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    try:
        frame = read_table(
            args.table, args.columns.split(",") if args.columns is not None else None
        )
        result = compare_table(frame, lower_is_better=args.lower_is_better)
    except ValueError as error:
        raise DataError(f"{args.table}: {str(error).removeprefix('frame: ')}") from error
    print(json.dumps(result, indent=2, allow_nan=False) if args.json else format_comparison(result))


def read_table(path: str | Path, columns: list[str] | None = None) -> pd.DataFrame:
    """Read a table of results, and return it as a data frame.

    The index has the names of the rows. Missing values are NaN. The suffix `_mean` of column names
    is removed, unless the table also has a column with the shorter name. If `columns` is given,
    only these columns are returned, in the order of `columns`. Otherwise, all columns are returned
    except those whose names end in `_std`. If the table is not valid, raise a ValueError.
    """
    (first, *names), *rows = _rows(path)
    if "" in names:
        raise ValueError(f"column {names.index('') + 2} has no name in the header")
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"column {repeated!r} occurs more than once in the header")
    short = {name: name.removesuffix("_mean") for name in names}
    short |= {name: name for name in names if short[name] != name and short[name] in names}
    if columns is None:
        _refuse_numbers_as_names(names)
        chosen = [name for name in names if not name.endswith("_std")]
    else:
        known = {short[name]: name for name in names} | {name: name for name in names}
        asked = [column.strip() for column in columns]
        if unknown := [column for column in asked if column not in known]:
            raise ValueError(
                f"there is no column {unknown[0]!r}; the columns are {', '.join(names)}"
            )
        chosen = [known[column] for column in asked]
    values = [[_number(row, name, row[1 + names.index(name)]) for name in chosen] for row in rows]
    index = pd.Index([row[0] for row in rows], name=first)
    return pd.DataFrame(values, index=index, columns=[short[name] for name in chosen], dtype=float)


def _refuse_numbers_as_names(names: list[str]) -> None:
    """Raise a ValueError if all column names are numbers.

    If all names are numbers, the header is probably missing, and the first line is a row of the
    table.
    """
    known = [name for name in names if name.lower() not in _MISSING]
    if known and all(map(_is_number, known)):
        shown = ", ".join(known[:3]) + ", ..." * (len(known) > 3)
        raise ValueError(
            f"the first line has numbers ({shown}) instead of column names. Add a header line. If"
            " these numbers are the names, list them with --columns"
        )


def _rows(path: str | Path) -> list[list[str]]:
    """Return the header and the rows of a table as lists of texts. All lists have the same length.

    Cells to the right of the last column name are omitted if they are empty, since some programs
    end each line with a separator.
    """
    try:
        text = read_text(path, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError("the file is not UTF-8 text") from error
    separator = max(_SEPARATORS, key=lambda candidate: len(_first_row(text, candidate)))
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    try:
        rows = [[cell.strip() for cell in cells] for cells in reader]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from error
    rows = [row for row in rows if any(row)]
    width = _filled(rows[0]) if rows else 0
    if len(rows) < 2 or width < 2:
        raise ValueError(
            "the table needs a header line, a column of row names and at least one row of numbers"
        )
    for row in rows:
        cells = max(_filled(row), min(len(row), width))
        if cells != width:
            raise ValueError(f"row {row[0]!r} has {cells} cells, but the header has {width}")
    if any(len(row) > width for row in rows):
        print(
            f"{path}: the empty cells after the last column ({rows[0][width - 1]!r}) were ignored",
            file=sys.stderr,
        )
    return [row[:width] for row in rows]


def _first_row(text: str, separator: str) -> list[str]:
    """Return the cells of the first row that is not empty. If there is no such row, or if the text
    cannot be split, return an empty list.
    """
    try:
        return next(filter(any, csv.reader(io.StringIO(text), delimiter=separator)), [])
    except csv.Error:
        return []


def _filled(row: list[str]) -> int:
    """Return the number of cells in a row. Empty cells at the end of the row are not counted."""
    return max((place for place, cell in enumerate(row, start=1) if cell), default=0)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(row: list[str], column: str, cell: str) -> float:
    try:
        number = math.nan if cell.lower() in _MISSING else float(cell)
    except ValueError:
        number = math.inf
    if math.isinf(number):
        raise ValueError(f"row {row[0]!r}, column {column!r}: {cell!r} is not a finite number")
    return number
