"""Generators of artificial data sets.

Each generator is a function. Its first two arguments are the number of points and a
`numpy.random.Generator`. It returns the points X and their labels y.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np

from fwsvm.inputs.errors import ConfigError


def checkerboard(m: int, rng: np.random.Generator, cells: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return points that are distributed uniformly on [0, cells]^2, and their labels.

    Neighbouring unit squares have different classes. The square at the origin has the class +1.
    """
    X = rng.uniform(0.0, cells, size=(m, 2))
    y = np.where(np.floor(X).sum(axis=1) % 2 == 0, 1, -1).astype(np.int64)
    return X, y


def two_circles(
    m: int,
    rng: np.random.Generator,
    inner_radius: float = 0.5,
    outer_radius: float = 1.0,
    noise: float = 0.1,
) -> tuple[np.ndarray, np.ndarray]:
    """Return random points on two circles around the origin, with Gaussian noise, and their labels.

    The points are alternately on the outer circle (y = -1) and on the inner circle (y = 1).
    """
    y = np.where(np.arange(m) % 2 == 0, -1, 1).astype(np.int64)
    radius = np.where(y == 1, inner_radius, outer_radius)
    angle = rng.uniform(0.0, 2.0 * np.pi, size=m)
    circles = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return circles + rng.normal(0.0, noise, size=(m, 2)), y


GeneratorName: TypeAlias = Literal["checkerboard", "two_circles"]
GENERATORS: dict[GeneratorName, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "checkerboard": checkerboard,
    "two_circles": two_circles,
}


def generate(
    generator: GeneratorName, m: int, rng: np.random.Generator, parameters: Mapping[str, object]
) -> tuple[np.ndarray, np.ndarray]:
    """Return `m` generated points X (m, d) and their labels y (m,).

    `generator` is the name of a generator, and `parameters` are its keyword arguments.
    """
    try:
        return GENERATORS[generator](m, rng, **parameters)
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"generator {generator}: parameters {parameters} cannot be used: {error}"
        ) from error
