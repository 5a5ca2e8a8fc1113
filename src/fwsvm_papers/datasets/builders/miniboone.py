"""The data set MiniBooNE (UCI). It has events of electron neutrinos and events of muon neutrinos,
with 50 measurements per event.

The first line of the file gives the number of signal events and the number of background events.
The signal events (electron neutrinos, class +1) come first. The background events (muon neutrinos,
class -1) follow. The value -999 means "not measured". We replace this value with the smallest
measured value of the feature, because -999 would dominate the scaling. We do not know what
alaiz2018 did with these values, or which points it used for training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.inputs.data_files import open_content
from fwsvm.inputs.errors import DataError
from fwsvm_papers.datasets.storage import Built

if TYPE_CHECKING:
    from pathlib import Path

_UNMEASURED = -999.0


def build(train: str | Path) -> Built:
    """Return all events of ``MiniBooNE_PID.txt`` as a dense array with labels -1 and +1. There is
    no test part.
    """
    with open_content(train) as stream:
        try:
            signal, background = map(int, stream.readline(1000).split())
        except ValueError as error:
            raise DataError(
                f"{train}: line 1 must have the numbers of signal and background events"
            ) from error
        try:
            X = np.loadtxt(stream, comments=None, ndmin=2)
        except ValueError as error:
            raise DataError(
                f"{train}: each line after line 1 must have the same number of numbers; counted"
                f" without line 1: {error}"
            ) from error
    if len(X) != signal + background:
        raise DataError(
            f"{train}: line 1 says {signal} + {background} events; there are {len(X)} events"
        )
    unmeasured = X == _UNMEASURED
    smallest = np.min(X, axis=0, where=~unmeasured, initial=np.inf)
    X = np.where(unmeasured, np.where(np.isfinite(smallest), smallest, 0.0), X)
    facts = {"events_with_unmeasured_values": int(unmeasured.any(axis=1).sum())}
    return Built(X, np.where(np.arange(len(X)) < signal, 1, -1), facts=facts)
