"""Generated data sets. Each takes the number of points and a `numpy.random.Generator`, and returns X, y.

The points come in the order they are drawn: the first m of a larger checkerboard are the checkerboard of
size m from the same generator state, so that sets of growing size are nested.
"""

import inspect

import numpy as np

from fwsvm.base.errors import ConfigError


def checkerboard(m, rng, cells=4):
    """Uniform points on the board [0, cells]^2, classes -1 and +1 alternating from cell to cell (+1 at the origin).

    tsang2005 sec. 5.1 uses the 4 x 4 board of Lee and Mangasarian (2001); the scale of the board does not matter
    with the average-distance kernel width.
    """
    X = rng.uniform(0.0, cells, size=(m, 2))
    y = np.where(np.floor(X).sum(axis=1) % 2 == 0, 1, -1).astype(np.int64)
    return X, y


def two_circles(m, rng, inner_radius=0.5, outer_radius=1.0, noise=0.1):
    """Points in turn on the outer (-1) and the inner circle (+1) about the origin, with Gaussian noise.

    The report (singh sec. 4) shows the set in a figure only. Radii and noise are inferred: with them its
    settings (m = 300, gamma^2 = 1/2, C = 1000) separate the training points with a coreset of about ten
    (14 printed), and m = 3000 needs many times more (70 printed). Less noise keeps the coreset as small at
    m = 3000, more makes the circles overlap at m = 300.
    """
    y = np.where(np.arange(m) % 2 == 0, -1, 1).astype(np.int64)
    radius = np.where(y == 1, inner_radius, outer_radius)
    angle = rng.uniform(0.0, 2.0 * np.pi, size=m)
    circles = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return circles + rng.normal(0.0, noise, size=(m, 2)), y


GENERATORS = {"checkerboard": checkerboard, "two_circles": two_circles}


def parameters_of(generator):
    """Names of the settings a generator takes besides the number of points and the random generator."""
    return list(inspect.signature(GENERATORS[generator]).parameters)[2:]


def generate(generator, m, rng, parameters):
    """Draw `m` points from a generator by name."""
    try:
        return GENERATORS[generator](m, rng, **parameters)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"generator {generator}: parameters {parameters} cannot be used: {error}") from error
