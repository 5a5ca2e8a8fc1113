"""The decision values of all pairs of classes, and the votes of the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fwsvm.estimators.pairs import class_pairs
from fwsvm.inputs.ranges import require_finite
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.machine_code.threads import Workers

if TYPE_CHECKING:
    from scipy import sparse

    from fwsvm.kernels.functions import Kernel


def intercepts(dual_coef: np.ndarray, n_classes: int) -> np.ndarray:
    """Compute the bias sum_i y_i a_i of each pair (frandi2013 eq. 13) from the coefficients
    (n_pairs, n_sv). The result is float64 (n_pairs,).

    If all points of a class have the weight 0, the pairs with this class are not trained. The
    coefficients of such a pair are 0, so the decision value of the pair is equal to its bias at all
    points. We choose +1 or -1 as the bias, so that the pair does not vote for the class without
    weight. If both classes of the pair have only points of weight 0, the pair votes for its first
    class. Therefore a class without weight gets fewer votes than a class with weight, and is never
    predicted.
    """
    bias: np.ndarray = dual_coef.sum(axis=1)
    trained = dual_coef.any(axis=1)
    if trained.all():
        return bias
    first, second = np.array(class_pairs(n_classes)).T
    has_weight = np.zeros(n_classes, dtype=bool)
    has_weight[first[trained]] = has_weight[second[trained]] = True
    constant = np.where(has_weight[first] | ~has_weight[second], 1.0, -1.0)
    return np.where(trained, bias, constant)


def decision_values(
    support_vectors: np.ndarray | sparse.csr_matrix,
    coefficients: np.ndarray,
    kernel: Kernel,
    X: np.ndarray | sparse.csr_matrix,
    n_threads: int = 1,
    signs_only: bool = False,
    bias: np.ndarray | None = None,
) -> np.ndarray:
    """Compute the decision values (n, n_pairs) of all pairs (frandi2013 eq. 13). `bias` (n_pairs,)
    has the bias of each pair. By default, it is the sum of the pair's `coefficients`.

    Each kernel value is used by all pairs. If `signs_only` is true, decision values can be as
    inexact as float32 values, but each sign is the one that float64 gives.
    """
    matrix = KernelMatrix(support_vectors, kernel)
    flat = coefficients[:, 0] if coefficients.shape[1] == 1 else coefficients
    sums = matrix.sums(np.arange(matrix.size), flat, Workers(n_threads))
    batches, bias = [], coefficients.sum(axis=0) if bias is None else bias
    # the bound on float32 errors costs as much as the values of about two points
    can_be_inexact = signs_only and X.shape[0] > 2
    for queries in matrix.queries(X):
        error = sums.float32_error(queries) if can_be_inexact else None
        decisions = (
            sums.of(queries, np.float64 if error is None else np.float32).reshape(-1, len(bias))
            + bias
        )
        if error is not None:
            doubt = np.flatnonzero((np.abs(decisions) <= error).any(axis=1))
            decisions[doubt] = sums.at(queries, doubt).reshape(-1, len(bias)) + bias
        batches.append(decisions)
    return require_finite(np.concatenate(batches))


def votes(decisions: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the number of votes of each class, int64 (n, n_classes), from decision values (n,
    n_pairs).

    A pair votes for its positive class if its decision value is > 0.
    """
    wins = decisions > 0
    if n_classes == 2:  # the only pair is (1, 0)
        return np.hstack([~wins, wins]).astype(np.int64)
    counts = np.zeros((len(decisions), n_classes), dtype=np.int64)
    for positive, own in enumerate(_by_positive_class(n_classes)):
        counts[:, positive] += wins[:, own].sum(axis=1)
        counts[:, positive + 1 :] += ~wins[:, own]
    return counts


def class_scores(decisions: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the votes of each class plus a tie-breaker, float64 (n, n_classes).

    The tie-breaker is the sum of the decision values in favour of the class, scaled to a number
    between -1/3 and 1/3. Therefore it only decides between classes with the same number of votes.
    """
    if n_classes == 2:
        confidence = np.hstack([-decisions, decisions])
    else:
        confidence = np.zeros((len(decisions), n_classes))
        for positive, own in enumerate(_by_positive_class(n_classes)):
            # `cumsum` adds one value after the other, so a sum does not depend on the other rows
            terms = np.column_stack([confidence[:, positive], decisions[:, own]])
            confidence[:, positive] = terms.cumsum(axis=1)[:, -1]
            confidence[:, positive + 1 :] -= decisions[:, own]
    return votes(decisions, n_classes) + confidence / (3.0 * (np.abs(confidence) + 1.0))


def _by_positive_class(n_classes: int) -> list[slice]:
    """Return, for each class of at least three, the places of the pairs whose positive class it is.

    The negative classes of these pairs are all later classes, in order (`class_pairs`).
    """
    counts = np.arange(n_classes - 1, -1, -1)
    ends = np.cumsum(counts)
    return [slice(int(end - count), int(end)) for count, end in zip(counts, ends, strict=True)]
