"""A Cholesky factor that grows and shrinks by one row at a time, in O(n^2) each.

K = U'U with U upper triangular in the first n rows and columns of a larger array, row by row in memory, so that every
inner loop runs over consecutive numbers.
"""

import numpy as np

from fwsvm.base.compiled import compiled


@compiled
def append(U, n, values, diagonal, least):
    """Add a point: `values` (n,) are its entries of K and are overwritten. Its pivot is at least `least`."""
    for i in range(n):
        x = values[i] / U[i, i]
        values[i] = x
        row = U[i]
        for k in range(i + 1, n):
            values[k] -= x * row[k]
    left = diagonal
    for i in range(n):
        U[i, n] = values[i]
        left -= values[i] * values[i]
    U[n, n] = np.sqrt(max(left, least))


@compiled
def remove(U, n, position, room):
    """Remove the point at `position`; those behind it move up. `room` (n,) is overwritten."""
    for i in range(position):
        row = U[i]
        for k in range(position, n - 1):
            row[k] = row[k + 1]
    for k in range(position + 1, n):
        room[k - 1] = U[position, k]
    for i in range(position, n - 1):
        row = U[i]
        for k in range(i, n - 1):
            row[k] = U[i + 1, k + 1]
        # the removed row is folded into the rows below it by rotations (an update, which is stable)
        length = np.sqrt(row[i] * row[i] + room[i] * room[i])
        c, s = row[i] / length, room[i] / length
        row[i] = length
        for k in range(i + 1, n - 1):
            x = row[k]
            row[k] = c * x + s * room[k]
            room[k] = c * room[k] - s * x


@compiled(reassociate=True)
def solve(U, n, x):
    """x <- K^-1 x, in place, for x (n,)."""
    for i in range(n):
        row = U[i]
        x[i] /= row[i]
        value = x[i]
        for k in range(i + 1, n):
            x[k] -= value * row[k]
    for i in range(n - 1, -1, -1):
        row = U[i]
        total = x[i]
        for k in range(i + 1, n):
            total -= row[k] * x[k]
        x[i] = total / row[i]
