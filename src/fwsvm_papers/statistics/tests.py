"""Rank tests that compare algorithms over data sets, as in frandi2013 sec. 5.6 and Demsar 2006.

Each data set contributes one value per algorithm. For up to `EXACT_LIMIT` non-zero differences, the
Wilcoxon test in this module is exact, even if there are ties and zeros, for which SciPy's test is
in general not exact. Friedman's test has the F form of Iman and Davenport (1980).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

LEVELS = (0.01, 0.05, 0.10)  # significance levels of the conclusions (frandi2013 table 7)
ALTERNATIVES = ("two-sided", "less", "greater")
EXACT_LIMIT = 1000
"""The largest number of non-zero differences for which the p-value is exact.

The exact method counts subsets of ranks in float64, which can count the subsets of up to 1023
ranks.

For more differences, the normal approximation is used. The relative error of its p-value is 0.3 %
at p = 0.01, and 1 % at p = 0.001.
"""
TIE_TOLERANCE = 1e-12  # values count as equal if their relative difference is at most this


@dataclass(frozen=True)
class WilcoxonResult:
    """The result of a Wilcoxon signed-rank test.

    `w_plus` is the sum of the ranks of positive differences x - y, and `w_minus` is the sum of the
    ranks of negative differences. `statistic` is the smaller of the two sums. `n` is the number of
    pairs. Among the n differences, `n_plus` are positive and `n_zeros` are zero.

    `p_less` and `p_greater` are the p-values of the one-sided tests. `p_value` is the p-value for
    `alternative`. `method` is "exact" or "normal" (see `EXACT_LIMIT`).
    """

    statistic: float
    w_plus: float
    w_minus: float
    n: int
    n_plus: int
    n_zeros: int
    p_value: float
    p_less: float
    p_greater: float
    alternative: str
    method: str

    @property
    def p_smallest(self) -> float:
        """Return the smallest p-value that is possible with this number of non-zero differences.
        For k non-zero differences, it is 2^-k in a one-sided test. In a two-sided test, it is twice
        this number, but at most 1.
        """
        return min(
            1.0, (2 if self.alternative == "two-sided" else 1) * 0.5 ** (self.n - self.n_zeros)
        )


@dataclass(frozen=True)
class FriedmanResult:
    """The result of a Friedman test.

    `p_value` is the upper tail of F(df1, df2). `p_value_doubled` is twice this value, but at most
    1. Table 6 of frandi2013 prints the doubled value.
    """

    f_statistic: float
    chi_square: float
    df1: int
    df2: int
    p_value: float
    p_value_doubled: float
    mean_ranks: tuple
    n: int

    @property
    def p_smallest(self) -> float:
        """Return the probability under H0 that all n rankings of k algorithms agree. It is (k!)^(1
        - n).

        An exact p-value cannot be smaller than this probability. If all rankings agree, the F
        approximation gives the p-value 0.
        """
        return math.exp((1 - self.n) * math.lgamma(len(self.mean_ranks) + 1))

    @property
    def p_decisive(self) -> float:
        """Return the larger of `p_value` and `p_smallest`, from which conclusions are drawn."""
        return max(self.p_value, self.p_smallest)


def wilcoxon_signed_rank(
    x: ArrayLike, y: ArrayLike, alternative: str = "two-sided"
) -> WilcoxonResult:
    """Test paired samples by Wilcoxon's signed-rank test. With at most `EXACT_LIMIT` non-zero
    differences, the p-values are exact, even if there are ties and zeros.

    x and y are arrays of shape (n,), and are compared in float64. The alternative "less" means that
    x tends to be smaller than y.

    Ties get mid-ranks. Differences that are equal up to rounding errors are ties. For example,
    83.52 - 83.56 and 84.06 - 84.10 are ties, although their last bits differ in float64. Zero
    differences are ranked together with the other differences, and then dropped (Pratt 1959). Under
    H0, both signs of a non-zero difference are equally likely. Therefore, the distribution of W+
    can be computed by a subset-sum recursion over the doubled ranks. For more than `EXACT_LIMIT`
    non-zero differences, the normal approximation is used, with conditional variance and continuity
    correction.

    If an argument is wrong, a ValueError is raised.
    """
    if alternative not in ALTERNATIVES:
        raise ValueError(
            f"alternative must be one of {', '.join(ALTERNATIVES)}, got {alternative!r}"
        )
    x, y = finite_array("x", x, 1), finite_array("y", y, 1)
    if len(x) != len(y):
        raise ValueError(f"y has {len(y)} values, but x has {len(x)}: the samples must be paired")

    difference = x - y
    tolerance = TIE_TOLERANCE * np.maximum(np.abs(x), np.abs(y))
    nonzero = np.abs(difference) > tolerance
    doubled = _doubled_ranks(np.where(nonzero, np.abs(difference), 0.0), tolerance)
    plus = int(doubled[nonzero & (difference > 0)].sum())
    minus = int(doubled[nonzero & (difference < 0)].sum())

    exact = np.count_nonzero(nonzero) <= EXACT_LIMIT
    tails = _exact_tails if exact else _normal_tails
    below, up_to = tails(doubled[nonzero], min(plus, minus))
    p_less, p_greater = (
        up_to if side == min(plus, minus) else 1.0 - below for side in (plus, minus)
    )
    p_values = {"two-sided": min(1.0, 2.0 * up_to), "less": p_less, "greater": p_greater}
    return WilcoxonResult(
        statistic=min(plus, minus) / 2,
        w_plus=plus / 2,
        w_minus=minus / 2,
        n=len(x),
        n_plus=int(np.count_nonzero(nonzero & (difference > 0))),
        n_zeros=int(np.count_nonzero(~nonzero)),
        p_value=p_values[alternative],
        p_less=p_less,
        p_greater=p_greater,
        alternative=alternative,
        method="exact" if exact else "normal",
    )


def friedman_iman_davenport(scores: ArrayLike, lower_is_better: bool = False) -> FriedmanResult:
    """Test `scores` by Friedman's rank test in the F form of Iman and Davenport (1980).

    `scores` has a row for each of n data sets, and a column for each of k algorithms.

    The statistic is F = (n - 1) chi2 / (n (k - 1) - chi2), where chi2 is corrected for ties. Its
    distribution under H0 is approximately F(k - 1, (k - 1)(n - 1)). If all data sets rank the
    algorithms alike, F is infinite and p = 0. If all algorithms tie on every data set, F = 0 and p
    = 1. `lower_is_better` has an effect on the mean ranks only. If `scores` is wrong, a ValueError
    is raised.
    """
    doubled = _doubled_score_ranks(scores, lower_is_better)
    n, k = doubled.shape
    if n < 2 or k < 2:
        raise ValueError(
            f"scores must have at least two data sets and two algorithms, got {n} and {k}"
        )

    # With doubled ranks, the sums of squares are exact integers. Without rounding errors, F is
    # infinite only if all rankings agree.
    between = int(((doubled.sum(axis=0) - n * (k + 1)) ** 2).sum())
    total = int(((doubled - (k + 1)) ** 2).sum())
    df1, df2 = k - 1, (k - 1) * (n - 1)
    chi_square = df1 * between / total if total else 0.0
    unexplained = n * total - between
    limit = math.inf if between else 0.0  # either all rankings agree, or all algorithms tie
    f_statistic = (n - 1) * between / unexplained if unexplained else limit
    p_value = float(special.fdtrc(df1, df2, f_statistic))
    return FriedmanResult(
        f_statistic=f_statistic,
        chi_square=chi_square,
        df1=df1,
        df2=df2,
        p_value=p_value,
        p_value_doubled=min(1.0, 2.0 * p_value),
        mean_ranks=tuple((doubled.mean(axis=0) / 2).tolist()),
        n=n,
    )


def mean_ranks(scores: ArrayLike, lower_is_better: bool = False) -> tuple[float, ...]:
    """Return the mean rank of every algorithm over the data sets. `scores` has a row per data set
    and a column per algorithm.

    Rank 1 is the best rank, and ties get mid-ranks.
    """
    return tuple((_doubled_score_ranks(scores, lower_is_better).mean(axis=0) / 2).tolist())


def holm(p_values: ArrayLike) -> np.ndarray:
    """Adjust p-values by Holm's step-down method (1979), and return them in the order of
    `p_values`.
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def finite_array(name: str, values: ArrayLike, dimensions: int) -> np.ndarray:
    """Return `values` as a float64 array of the same shape.

    Raise a ValueError if there are no values, if a value is not finite, or if the array does not
    have `dimensions` dimensions.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimension(s), got {array.ndim}")
    if array.size == 0:
        raise ValueError(f"{name} has no values")
    if not np.isfinite(array).all():
        where = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        raise ValueError(
            f"{name}: every value must be finite; the value at {where} is {array[where]}"
        )
    return array


def _doubled_score_ranks(scores: ArrayLike, lower_is_better: bool) -> np.ndarray:
    table = finite_array("scores", scores, 2)
    return _doubled_ranks(table if lower_is_better else -table, TIE_TOLERANCE * np.abs(table))


def _doubled_ranks(values: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """Return the mid-ranks of the values along the last axis, multiplied by 2 so that they are
    integers.

    `tolerance` has a number for each value. In sorted order, two neighbours tie if they differ by
    at most the larger of the numbers for these two values.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    gaps = np.diff(np.take_along_axis(values, order, axis=-1))
    allowed = np.take_along_axis(tolerance, order, axis=-1)
    apart = gaps > np.maximum(allowed[..., 1:], allowed[..., :-1])
    group = np.zeros(values.shape, dtype=np.int64)
    np.put_along_axis(group, order[..., 1:], np.cumsum(apart, axis=-1), axis=-1)
    return (2 * stats.rankdata(group, axis=-1)).astype(np.int64)


def subset_sums(ranks: Iterable[int], bound: int) -> np.ndarray:
    """Return an array with P(S = 0), ..., P(S = bound), where S is the sum of a random subset of
    `ranks`. There can be at most 1023 ranks, which are positive integers.
    """
    ranks = np.sort(np.asarray(ranks, dtype=np.int64))
    # Without ties, all doubled ranks are even, and so are all sums. Therefore, an array of half the
    # size suffices.
    unit = max(1, int(np.gcd.reduce(ranks)))
    last = int(bound) // unit
    # `counts` has the number of subsets for each sum. Float64 stores numbers up to 2^53 exactly,
    # and rounds larger ones. The numbers are at most 2^1023, so float64 does not overflow.
    counts, spare = np.zeros(last + 1), np.zeros(last + 1)
    counts[0] = 1.0
    largest = 0  # largest sum of a subset of the ranks so far
    for rank in (ranks // unit).tolist():
        largest = min(largest + rank, last)
        spare[:rank] = counts[:rank]
        np.add(
            counts[rank : largest + 1],
            counts[: max(0, largest + 1 - rank)],
            out=spare[rank : largest + 1],
        )
        counts, spare = spare, counts
    mass = np.zeros(int(bound) + 1)
    mass[::unit] = counts * 0.5 ** len(ranks)
    return mass


def _exact_tails(doubled_ranks: np.ndarray, bound: int) -> tuple[float, float]:
    """Return P(S < bound) and P(S <= bound), where S is the sum of a random subset of
    `doubled_ranks`.
    """
    mass = subset_sums(doubled_ranks, bound)
    return float(mass[:bound].sum()), min(1.0, float(mass.sum()))


def _normal_tails(doubled_ranks: np.ndarray, bound: int) -> tuple[float, float]:
    """Return a normal approximation of `_exact_tails`.

    For ranks r, the sum of the ranks in a random subset has the mean sum(r) / 2 and the variance
    sum(r^2) / 4.
    """
    mean, deviation = doubled_ranks.sum() / 2, math.sqrt(float((doubled_ranks**2).sum())) / 2
    below, up_to = (special.ndtr((bound - mean + half) / deviation) for half in (-1.0, 1.0))
    return float(below), float(up_to)
