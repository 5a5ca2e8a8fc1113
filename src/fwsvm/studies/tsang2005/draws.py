"""Repeat the checkerboard's curves on newly drawn training sets. The runs of tsang2005 itself are repetition 0."""

from dataclasses import replace

import numpy as np

from fwsvm.base.errors import DataError
from fwsvm.datasets.generators import checkerboard
from fwsvm.runs import measure
from fwsvm.studies.tsang2005 import run as study


def run(prepared, job, settings):
    """Train and test on every draw of the checkerboard. The rows of draw k have the repetition k = 1, 2, ..."""
    X, y = np.asarray(prepared.X_test), np.asarray(prepared.y_test)
    if X.shape[1] != 2 or not np.array_equal(np.floor(X).sum(axis=1) % 2 == 0, y == 1):
        raise DataError(f"{job.dataset} is not a checkerboard and cannot be redrawn; remove it from draws.datasets")
    cells = int(np.ceil(X.max()))  # number of squares per side
    rows, large = [], settings["large"]
    for draw in range(1, settings["draws"] + 1):
        sizes = [size for size in settings["sizes"] if draw <= large["draws"] or size <= large["above"]]
        size = min(max(sizes), prepared.meta["m"])
        # Leave out the method's name, so that every method gets the same points.
        seed = measure.derive_seed(settings["seed"], job.experiment, job.dataset, draw)
        X, y = checkerboard(size, np.random.default_rng(seed), cells)
        drawn = replace(
            prepared,
            X_train=X.astype(prepared.X_train.dtype),
            y_train=(y > 0).astype(np.asarray(prepared.y_train).dtype),
            meta={**prepared.meta, "m": size},
        )
        found, _ = study.run(drawn, job, settings | {"seed": seed, "sizes": sizes})
        rows += [row | {"repetition": draw} for row in found]
    return rows
