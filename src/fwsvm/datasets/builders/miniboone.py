"""MiniBooNE: electron neutrinos against muon neutrinos, 50 measurements each (UCI).

The file has no labels: its first line says how many events of the signal (electron neutrinos) come first, and how
many of the background (muon neutrinos) follow.

Recipe
  class     +1 signal, -1 background
  values    as they are; -999, which stands for what could not be measured, becomes the least measured value of
            its feature over all events, since it would otherwise decide the scaling

What alaiz2018 did with those values, and which points it trained on, is not known.
"""

import io

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.datasets.builders.base import Built
from fwsvm.datasets.csv_cells import number, records
from fwsvm.datasets.csv_columns import WHITESPACE
from fwsvm.datasets.formats import read_content

_UNMEASURED = -999.0


def build(train):
    """All events of the file.

    Parameters
    ----------
    train : path
        ``MiniBooNE_PID.txt``.

    Returns
    -------
    Built
        Dense, with labels -1 and +1; all points in one part.

    Raises
    ------
    DataError
        The file cannot be used; the message names the line.
    """
    content = read_content(train)
    end = content.find(b"\n") + 1
    head = content[:end].split()
    if len(head) != 2 or not all(word.isdigit() for word in head):
        raise DataError(f"{train}, line 1: two numbers are wanted, those of signal and background events")
    signal, background = map(int, head)
    X = _numbers(content[end:], train)
    if len(X) != signal + background:
        raise DataError(f"{train}: line 1 promises {signal} + {background} events; there are {len(X)}")
    unmeasured = X == _UNMEASURED
    for column in np.flatnonzero(unmeasured.any(axis=0)):
        measured = X[~unmeasured[:, column], column]
        X[unmeasured[:, column], column] = measured.min() if len(measured) else 0.0
    facts = {"events_with_unmeasured_values": int(unmeasured.any(axis=1).sum())}
    return Built(X, np.where(np.arange(len(X)) < signal, 1, -1), facts=facts)


def _numbers(content, where):
    try:
        if content.strip():
            X = np.loadtxt(io.BytesIO(content), ndmin=2, comments=None, encoding="latin-1")
            if np.isfinite(X).all():
                return X
    except ValueError:
        pass  # the search for what is wrong says more than numpy does
    raise _complaint(content, where)


def _complaint(content, where):
    """What is wrong, looked for line by line."""
    width = None
    for line, cells in records(content, WHITESPACE, where):
        width = width or len(cells)
        if len(cells) != width:
            return DataError(f"{where}, line {line + 1}: {len(cells)} columns; there should be {width}")
        for column, text in enumerate(cells, start=1):
            try:
                number(text)
            except ValueError as error:
                return DataError(f"{where}, line {line + 1}, column {column}: {error}")
    return DataError(f"{where}: there is no event in it, or a line of it cannot be read")
