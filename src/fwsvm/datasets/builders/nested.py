"""Stand-ins for members of a nested series whose files cannot be had: a6a of Adult; w2a, w3a and w5a of Web.

The training sets of both series are nested: as multisets of rows, a1a is in a2a, and so on up to a9a, and w1a to w8a
likewise; the order of the rows is not kept. A member of known size therefore lies between its neighbours.

Recipe
  training   the rows of the next smaller member at hand, then rows that only the next larger one has, drawn
             without replacement, to the exact size
  test       the rest of the whole series, as it is for the original
"""

import numpy as np
import scipy.sparse

from fwsvm.base.errors import DataError
from fwsvm.datasets.builders.base import Built
from fwsvm.datasets.builders.complement import complement
from fwsvm.datasets.formats import read_libsvm


def build(smaller, larger, whole, *, size, features, seed):
    """A member of a nested series, from its neighbours and the whole series.

    Parameters
    ----------
    smaller, larger, whole : paths
        LIBSVM files of the neighbouring members and of the largest one.
    size : int
        Training points of the member.
    features : int
    seed : int
        Of the draw among the rows that only the larger neighbour has.

    Returns
    -------
    Built
        CSR matrices.

    Raises
    ------
    DataError
        `size` is not between those of the neighbours, or the files are not nested.
    """
    (X, y), (X_larger, y_larger), (X_whole, y_whole) = (
        read_libsvm(path, features) for path in (smaller, larger, whole)
    )
    if not len(y) <= size < len(y_larger):
        raise DataError(f"{smaller}, {larger}: a set of {size} points cannot lie between {len(y)} and {len(y_larger)}")
    others = np.flatnonzero(complement(X_larger, y_larger, X, y, str(smaller), str(larger)))
    chosen = np.sort(np.random.default_rng(seed).choice(others, size - len(y), replace=False))
    X, y = scipy.sparse.vstack([X, X_larger[chosen]], format="csr"), np.concatenate([y, y_larger[chosen]])
    rest = complement(X_whole, y_whole, X, y, str(larger), str(whole))
    return Built(X, y, X_whole[rest], y_whole[rest], facts={"rows_drawn": len(chosen)})
