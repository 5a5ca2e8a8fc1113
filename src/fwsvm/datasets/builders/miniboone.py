"""MiniBooNE: electron neutrinos against muon neutrinos, 50 measurements each (UCI).

The first line of the file says how many events of the signal (electron neutrinos, class +1) come first, and how many
of the background (muon neutrinos, class -1) follow. The value -999 means "not measured". It becomes the smallest
measured value of its feature, since it would otherwise decide the scaling. What alaiz2018 did with these values, and
which points it trained on, is not known.
"""

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.datasets.formats import open_content
from fwsvm.datasets.storage import Built

_UNMEASURED = -999.0


def build(train):
    """Read all events of ``MiniBooNE_PID.txt`` into one part: dense, with labels -1 and +1."""
    with open_content(train) as stream:
        try:
            signal, background = map(int, stream.readline(1000).split())
        except ValueError as error:
            raise DataError(f"{train}, line 1: two numbers must count the signal and background events") from error
        try:
            X = np.loadtxt(stream, comments=None, ndmin=2)
        except ValueError as error:
            raise DataError(f"{train}, below line 1: {error}") from error
    if len(X) != signal + background:
        raise DataError(f"{train}: line 1 says {signal} + {background} events; there are {len(X)}")
    unmeasured = X == _UNMEASURED
    for column in np.flatnonzero(unmeasured.any(axis=0)):
        measured = X[~unmeasured[:, column], column]
        X[unmeasured[:, column], column] = measured.min() if len(measured) else 0.0
    facts = {"events_with_unmeasured_values": int(unmeasured.any(axis=1).sum())}
    return Built(X, np.where(np.arange(len(X)) < signal, 1, -1), facts=facts)
