"""Generated data sets. Each takes the number of points and a `numpy.random.Generator`, and returns X, y.

The points come in the order they are drawn: the first m of a larger checkerboard are the checkerboard of
size m from the same generator state, so that sets of growing size are nested.
"""

import inspect
import os

import numpy as np

from fwsvm.base.errors import ConfigError


def checkerboard(m, rng, cells=4):
    """Uniform points on a square board, classes alternating from cell to cell.

    tsang2005 sec. 5.1 uses the 4 x 4 board of Lee and Mangasarian (2001); the scale of the board is
    immaterial with the average-distance kernel width.

    Parameters
    ----------
    m : int
        Number of points.
    rng : numpy.random.Generator
    cells : int
        Cells along each side; the board is [0, cells]^2.

    Returns
    -------
    X : ndarray of shape (m, 2)
    y : int64 ndarray of shape (m,), values -1 and +1; the cell at the origin is +1
    """
    X = rng.uniform(0.0, cells, size=(m, 2))
    y = np.where(np.floor(X).sum(axis=1) % 2 == 0, 1, -1).astype(np.int64)
    return X, y


def two_circles(m, rng, inner_radius=0.5, outer_radius=1.0, noise=0.1):
    """Points on two circles about the origin, with Gaussian noise on both coordinates.

    The report (singh sec. 4) shows the set in a figure only. Radii and noise are inferred: with them its
    settings (m = 300, gamma^2 = 1/2, C = 1000) separate the training points with a coreset of about ten
    (14 printed), and m = 3000 needs many times more (70 printed). Less noise keeps the coreset as small at
    m = 3000, more makes the circles overlap at m = 300.

    Parameters
    ----------
    m : int
        Number of points; the circles take turns, so that their numbers differ by one at most.
    rng : numpy.random.Generator
    inner_radius, outer_radius : float
    noise : float
        Standard deviation of the noise.

    Returns
    -------
    X : ndarray of shape (m, 2)
    y : int64 ndarray of shape (m,), -1 on the outer and +1 on the inner circle
    """
    y = np.where(np.arange(m) % 2 == 0, -1, 1).astype(np.int64)
    radius = np.where(y == 1, inner_radius, outer_radius)
    angle = rng.uniform(0.0, 2.0 * np.pi, size=m)
    circles = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return circles + rng.normal(0.0, noise, size=(m, 2)), y


BYTES_PER_POINT = 72
"""Memory a generator takes for a point while it draws: nine numbers."""

GENERATORS = {"checkerboard": checkerboard, "two_circles": two_circles}


def parameters_of(generator):
    """Names of the settings a generator takes beside the number of points and the random generator."""
    return list(inspect.signature(GENERATORS[generator]).parameters)[2:]


def generate(generator, m, rng, parameters):
    """Draw `m` points from a generator by name.

    Raises
    ------
    ConfigError
        A parameter has a value the generator cannot use, or the points do not fit into this machine's memory.
    """
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if m * BYTES_PER_POINT > memory:
        needed = f"{m:,} points take about {m * BYTES_PER_POINT / 1e9:,.0f} GB while they are drawn"
        what = f"this machine has {memory / 1e9:,.0f} GB; at most {memory // BYTES_PER_POINT:,} points fit"
        raise ConfigError(f"generator {generator}: {needed}; {what}")
    try:
        return GENERATORS[generator](m, rng, **parameters)
    except (TypeError, ValueError) as error:
        what = f"generator {generator}: parameters {parameters} cannot be used: {error}"
        raise ConfigError(what) from error
