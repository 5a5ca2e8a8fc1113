"""MiniBooNE: electron neutrinos against muon neutrinos, 50 measurements each (UCI).

The file has no labels: its first line says how many events of the signal (electron neutrinos) come first, and how
many of the background (muon neutrinos) follow.

Recipe
  class     +1 signal, -1 background
  values    as they are; -999, which stands for what could not be measured, becomes the smallest measured value of
            its feature over all events, since it would otherwise decide the scaling

What alaiz2018 did with those values, and which points it trained on, is not known.
"""

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.datasets.builders.base import Built
from fwsvm.datasets.csv_format import read_numbers
from fwsvm.datasets.formats import open_content

_UNMEASURED = -999.0


def build(train):
    """All events of ``MiniBooNE_PID.txt``: dense, with labels -1 and +1, in one part."""
    with open_content(train) as stream:
        head = stream.readline(1000).split()
    if len(head) != 2 or not all(word.isdigit() for word in head):
        raise DataError(f"{train}, line 1: there must be two numbers, those of signal and background events")
    signal, background = map(int, head)
    X = read_numbers(train, skip=1)
    if len(X) != signal + background:
        raise DataError(f"{train}: line 1 says {signal} + {background} events; there are {len(X)}")
    unmeasured = X == _UNMEASURED
    for column in np.flatnonzero(unmeasured.any(axis=0)):
        measured = X[~unmeasured[:, column], column]
        X[unmeasured[:, column], column] = measured.min() if len(measured) else 0.0
    facts = {"events_with_unmeasured_values": int(unmeasured.any(axis=1).sum())}
    return Built(X, np.where(np.arange(len(X)) < signal, 1, -1), facts=facts)
