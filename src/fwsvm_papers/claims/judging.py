"""Functions that judge the numbers in a `Sample` by a threshold. Each public function returns a
`Verdict`.

A number can be a bound on the true value (`Sample.bounds`). If the true value can lie on both sides
of a threshold, the number is left out. If all numbers are left out, the verdict is "not run".

To find out whether a verdict depends on the thresholds that we chose, these thresholds are
multiplied by `threshold_scale`. A factor, which is the limit of a ratio, is scaled on a logarithmic
scale: its distance from 1 is log(factor), so factor becomes factor ** scale. A factor above 1 stays
above 1, and 1 / factor becomes the reciprocal of the scaled factor.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fwsvm_papers.claims.claim import (
    CHOSEN,
    NOT_CONTRADICTED,
    NOT_REPRODUCED,
    NOT_RUN,
    REPRODUCED,
    SAME_DIRECTION,
    Verdict,
    threshold_scale,
)
from fwsvm_papers.claims.evidence import HIDDEN, Sample, joined
from fwsvm_papers.reporting.text import counted, listing
from fwsvm_papers.runs.comparison import Bound, bounds_of_ratio, ends_of

FACTOR, PRINT_FACTOR = 3, 1.1  # the tolerance factors for our runs and for the papers' tables
EQUIVALENT = 0.95  # smallest probability that counts as practical equality
SLIGHT = 1.5  # a factor above this is "clear" or "significant", and one below it is "slight"
MOST, OFTEN = "most", "often"
# The largest share of exceptions that is allowed if a statement says "very often", or does not say
# how often it is true.
EXCEPTIONS = 0.25
_RELATIONS = {
    ">": ("above", operator.gt),
    ">=": ("at least", operator.ge),
    "<": ("below", operator.lt),
    "<=": ("at most", operator.le),
}


def near(
    sample: Sample,
    printed: float | Mapping[str, float],
    summary: str | None = None,
    needs_all: bool = False,
) -> Verdict:
    """Test whether the values in the sample differ from `printed` by at most a factor.

    If the sample has numbers of our runs, the factor is `FACTOR`. If it has numbers from the
    papers' own tables, the factor is `PRINT_FACTOR`. `printed` is one number, or a dict whose keys
    are methods or data sets. If `summary` is "median" or "max", the median or the maximum of each
    method is tested instead of all values.

    If `needs_all` is true, the verdict is "not run" in two cases: a key of `printed` is missing
    from the sample, or a value is a bound that does not decide the test and no value differs by
    more than the factor.
    """
    which = {None: "", "max": "largest "}.get(summary, f"{summary} ")
    close = (
        f"equal to the printed value, up to a factor of {PRINT_FACTOR} for rounding"
        if sample.of_print
        else f"within a factor of {FACTOR} of the printed value {CHOSEN}"
    )
    threshold = f"{which}{sample.name} is {close}"
    ours = _ranges(sample, summary)
    if isinstance(printed, Mapping):
        of_sets = not set(printed).isdisjoint(ours.index.get_level_values(-1))
        ours = ours.set_axis(ours.index.get_level_values(-1 if of_sets else 0))
        missing = [name for name in printed if name not in ours.index]
        if missing and needs_all:
            return _verdict(sample, threshold, undecided=f"no runs on {', '.join(missing)}")
        printed = np.array([printed[name] for name in ours.index])
    scaled = FACTOR ** threshold_scale()
    factor = PRINT_FACTOR if sample.of_print else scaled
    least, most = printed / factor, printed * factor
    outside = (ours["high"] < least) | (ours["low"] > most)
    known = outside | ((ours["low"] >= least) & (ours["high"] <= most))
    enough = outside.any() or (known.all() if needs_all else known.any())
    if len(ours) and not enough:
        return _verdict(sample, threshold, undecided=joined([HIDDEN, sample.basis]))
    values, ends = ours.loc[known, "value"], ours.loc[known, ["low", "high"]]
    printed = np.broadcast_to(printed, len(ours))[known]
    off = np.maximum(values / printed, printed / values).max() if len(values) else 1.0
    neutral = sample.neutral
    same_side = neutral is not None and all(
        (np.sign(ends[of] - neutral) == np.sign(printed - neutral)).all() for of in ends
    )
    # If a value is very far from the paper's number, the verdict is not "same direction", but "not
    # reproduced". For example, a speed-up of 2 does not support "102 times".
    same_side &= bool(off <= scaled**2)
    up_to = "up to " if len(values) > 1 else ""
    held = not outside.any()
    far = (
        f" (differs from the printed value by a factor of {up_to}{off:.2g})"
        if not held and np.isfinite(off)
        else ""
    )
    found = f"{which.replace(' ', ': ')}{_listed(sample, ours[known])}{far}{_left_out(known)}"
    return _verdict(sample, threshold, held, same_side, found)


def share(
    sample: Sample,
    sign: str,
    limit: float,
    least: float | str = 1,
    each: bool = False,
    chosen: bool = False,
) -> Verdict:
    """Test whether the share of the values that meet the limit is at least `least`. For the sign
    ">", for example, a value meets the limit if it is above `limit`.

    If `least` is `MOST`, the share must be above one half. If `least` is `OFTEN`, the share of
    exceptions must be at most `EXCEPTIONS`, a threshold that we chose ourselves. If `each` is true,
    the share of each method must be large enough. `chosen` is true if we chose the limit ourselves.
    """
    several = not each and len(sample.values.index.unique(level=0)) > 1
    place, noun = ("in", "case") if several else sample.case
    where = {1: f"{place} all {noun}s", MOST: f"{place} more than half of the {noun}s"}.get(least)
    if least == OFTEN:
        where = f"{place} at least {100 * (1 - EXCEPTIONS):g} % of the {noun}s"
        where += "" if chosen else f" {CHOSEN}"
        least = 1 - EXCEPTIONS * threshold_scale()
    where = where or f"{place} at least {100 * least:.3g} % of the {noun}s"
    where += ", for each method" if each else ""
    threshold = _threshold(sample, sign, limit, where, chosen)
    limit = _scaled(sample, limit) if chosen else limit
    ranges = _ranges(sample)
    known, meets = _known(ranges, lambda values: _RELATIONS[sign][1](values, limit))
    if len(known) and not known.any():
        return _verdict(sample, threshold, undecided=joined([HIDDEN, sample.basis]))
    side_known, on_side = _known(ranges, lambda values: _same_side(sample, values, sign, limit))
    held = _groups(meets[known], each)
    enough = all(
        part.mean() > 0.5 if least == MOST else part.mean() >= least for part in held.values()
    )
    sides = _groups(on_side[side_known], each)
    same_side = all(of in sides and sides[of].mean() > 0.5 for of in held)
    parts, last = [], None
    for of, part in held.items():
        total = f" of {counted(len(part), noun)}" if len(part) != last else ""
        parts.append(f"{part.sum()}{total}{f' with {of}' if of else ''}")
        last = len(part)
    ours = f"true {place} {listing(parts)}"
    if len(sample.values) == 1:
        ours += f" ({_written(sample, ranges.iloc[0])})"
    return _verdict(sample, threshold, enough, same_side, f"{ours}{_left_out(known)}")


def bound(
    sample: Sample,
    sign: str,
    limit: float,
    summary: str = "median",
    chosen: bool = False,
    of_one_draw: bool = False,
) -> Verdict:
    """Test whether each method's median, maximum or minimum over the data sets meets the limit.
    `summary` is "median", "max" or "min". `chosen` is true if we chose the limit ourselves.

    If `of_one_draw` is true, the paper's number comes from one random draw. In this case, the
    verdict "not reproduced" becomes "not contradicted" if, for each method, at least one of our
    draws meets the limit.
    """
    ranges, numbers = _ranges(sample), _ranges(sample, summary)
    parts = []
    for of, values in sample.values.groupby(level=0, sort=False):
        text = _written(sample, numbers.loc[of])
        unknown = int((sample.bounds[values.index] == Bound.UNKNOWN).sum())
        if unknown:
            text += f" ({unknown} of {len(values)} values unknown)"
        elif len(values) > 1 and summary in ("max", "min"):
            text += f" ({values.agg(f'idx{summary}')[1]})"
        elif len(values) > 1:
            text += f" (range {sample.write(values.min())} to {sample.write(values.max())})"
        parts.append(f"{of} {text}".strip() if len(numbers) > 1 else text)
    threshold = _threshold(
        sample,
        sign,
        limit,
        "in the median" if summary == "median" else f"{' all '.join(sample.case)}s",
        chosen,
    )
    limit = _scaled(sample, limit) if chosen else limit
    known, held = _known(numbers, lambda values: _RELATIONS[sign][1](values, limit))
    if len(known) and not known.any():
        return _verdict(sample, threshold, undecided=joined([HIDDEN, sample.basis]))
    side_known, on_side = _known(numbers, lambda values: _same_side(sample, values, sign, limit))
    ours = f"{', '.join(parts)}{_left_out(known)}"
    verdict = _verdict(
        sample, threshold, held[known].all(), (side_known & on_side)[known].all(), ours
    )
    meets = _RELATIONS[sign][1](ranges[["low", "high"]], limit).all(axis=1)
    one_draw = meets.groupby(level=0).any().all()
    return _not_contradicted(verdict) if of_one_draw and one_draw else verdict


def within(sample: Sample, printed: float, tolerance: float, of_one_draw: bool = False) -> Verdict:
    """Test whether each method's median differs from the paper's number by at most `tolerance`.

    If `of_one_draw` is true, the paper's number comes from one random draw. In this case, the
    verdict "not reproduced" becomes "not contradicted" if, for each method, the paper's number is
    in the range of our draws.
    """
    groups = sample.values.groupby(level=0, sort=False)
    numbers, lows, highs = groups.median(), groups.min(), groups.max()
    threshold = (
        f"the median of the {sample.name} differs by at most {sample.write(tolerance)} from"
        f" {sample.write(printed)} {CHOSEN}"
    )
    held = (numbers - printed).abs() <= tolerance * threshold_scale()
    parts = [
        f"{of if len(numbers) > 1 else ''} {sample.write(numbers[of])} (range"
        f" {sample.write(lows[of])} to {sample.write(highs[of])})".strip()
        for of in numbers.index
    ]
    verdict = _verdict(sample, threshold, held.all(), ours=", ".join(parts))
    in_range = ((lows <= printed) & (printed <= highs)).all()
    return _not_contradicted(verdict) if of_one_draw and in_range else verdict


def _not_contradicted(verdict: Verdict) -> Verdict:
    weaker = verdict.outcome == NOT_REPRODUCED
    return replace(verdict, outcome=NOT_CONTRADICTED) if weaker else verdict


def slope(sample: Sample, below: float, falling: str = NOT_CONTRADICTED) -> Verdict:
    """Test whether the values are almost constant. This means that they change like a power of the
    training size, with an exponent between `-below` and `below`.

    The exponent is the slope of a linear fit of the logarithms. If the exponent is below `-below`,
    the verdict is `falling`. The default of `falling` is "not contradicted", because a cost that
    falls does not grow.
    """
    threshold = (
        f"{sample.name} changes as a power of the number of points, with an exponent between"
        f" {-below:g} and {below:g} {CHOSEN}"
    )
    below = below * threshold_scale()

    def outcome(exponent: float) -> str:
        if abs(exponent) < below:
            return REPRODUCED
        return falling if exponent < 0 else NOT_REPRODUCED

    return _fitted(
        sample,
        threshold,
        "exponent",
        2,
        lambda m, y: np.polyfit(np.log(m), np.log(y), 1)[0],
        outcome,
    )


def grows(sample: Sample) -> Verdict:
    """Test whether the values always increase with the training size.

    If Spearman's rank correlation is 1, the verdict is "reproduced". If the correlation is positive
    but below 1, the verdict is "same direction".
    """

    def outcome(correlation: float) -> str:
        if correlation > 1 - 1e-9:
            return REPRODUCED
        return SAME_DIRECTION if correlation > 0 else NOT_REPRODUCED

    return _fitted(
        sample,
        f"{sample.name} is larger on each larger training set",
        "rank correlation with the number of points",
        3,
        lambda m, y: pd.Series(m).corr(pd.Series(y), "spearman"),
        outcome,
    )


def _fitted(
    sample: Sample,
    threshold: str,
    name: str,
    fewest: int,
    fit: Callable[[np.ndarray, np.ndarray], float],
    outcome: Callable[[float], str],
) -> Verdict:
    """Return a verdict. Its outcome is `outcome(fit(sizes, values))`, where `sizes` and `values`
    are from the sample.

    Values that are only bounds are left out. If there are fewer than `fewest` other values, the
    outcome is "not run".
    """
    exact = (sample.bounds == Bound.EXACT).to_numpy()
    values = sample.values.to_numpy()[exact]
    if len(values) < fewest:
        few = f"the fit needs {fewest} sizes, but the runs have only {len(values)}; {sample.basis}"
        found = ", ".join(f"{at} {sample.write(value)}" for (_, at), value in sample.values.items())
        return replace(
            _verdict(sample, threshold, undecided=few if found else sample.absent), ours=found
        )
    number = fit(np.asarray(sample.sizes, float)[exact], values)
    left_out = _left_out(pd.Series(exact))
    verdict = _verdict(sample, threshold, ours=f"{name} {number:.2f}{left_out}")
    return replace(verdict, outcome=outcome(number))


def differs(sample: Sample, level: float) -> Verdict:
    """Test whether every p-value is below the significance level `level`.

    If a p-value of one-sided tests is not below the level, but all p-values are below 0.5, the
    verdict is "same direction". Other tests have no direction.
    """
    same_side = sample.neutral is not None and bool((sample.values < sample.neutral).all())
    below = sample.values < level
    return _tested(sample, level, "below", below, same_side, tuple(sample.values))


def no_difference(sample: Sample, level: float) -> Verdict:
    """Test whether all p-values are above the significance level `level`, and all pairs of methods
    are practically equal.

    If a p-value is not above the level, the verdict is "not reproduced", even if all pairs are
    practically equal. Otherwise, if some pairs are not practically equal, the verdict is "not
    contradicted".
    """
    verdict = _tested(sample, level, "above", sample.values > level)
    # For p-values from the papers, practical equality cannot be tested, so this part of the rule is
    # skipped.
    if verdict.outcome == NOT_RUN or sample.of_print:
        return verdict
    if sample.equivalence is None:
        raise ValueError(f"{sample.name}: no probability of practical equality")
    equal = sample.equivalence(threshold_scale())
    outcome = REPRODUCED if min(equal) >= EQUIVALENT else NOT_CONTRADICTED
    if not (sample.values > level).all():
        outcome = NOT_REPRODUCED
    listed = (
        f"the methods are practically equal with probability {equal[0]:.2g}"
        if len(equal) == 1
        else "the pairs are practically equal with the probabilities"
        f" {listing(f'{p:.2g}' for p in equal)}"
    )
    return replace(
        verdict,
        outcome=outcome,
        threshold=(
            f"{verdict.threshold}, and the methods are practically equal with a probability of at"
            f" least {EQUIVALENT:g} {CHOSEN}"
        ),
        ours=f"{verdict.ours}; {listed}",
    )


def _tested(
    sample: Sample,
    level: float,
    side: str,
    held: pd.Series,
    same_side: bool = False,
    p_values: tuple[float, ...] = (),
) -> Verdict:
    too_few = (
        f"the test cannot be significant at {100 * level:g} % ({sample.basis})"
        if sample.smallest > level
        else ""
    )
    threshold = f"{sample.name}: p is {side} {level:g}"
    threshold += " for each pair" if len(sample.values) > 1 else ""
    ours = _p_values(sample, sample.values)
    if sample.without is not None:
        ours += f"; without stand-in data sets {_p_values(sample, sample.without)}"
    return _verdict(sample, threshold, held.all(), same_side, ours, too_few, p_values)


def _p_values(sample: Sample, values: pd.Series) -> str:
    """Return a text with the p-values. If there are several pairs of methods, the text names the
    pairs.
    """
    several = len(values) > 1
    return "p = " + ", ".join(
        f"{sample.write(p)} ({of})" if several else sample.write(p) for (of, _), p in values.items()
    )


def below_one_on(sample: Sample, names: Sequence[str]) -> Verdict:
    """Test whether the ratio is below 1 on all data sets in `names`, and on no other data set. Data
    sets without runs are ignored, and so are those where the true ratio can be on both sides of 1.

    Two lists of data sets are compared: those in `names`, and those with a ratio below 1. If the
    lists differ, but at least half of their data sets are in both, the verdict is "same direction".
    """
    known, below = _known(_ranges(sample), lambda values: values < 1)
    places = sample.values.index.get_level_values(1)[known]
    ours, expected = list(places[below[known]]), set(names) & set(places)
    ran = not set(names).isdisjoint(sample.values.index.get_level_values(1))
    on = f"on {listing(names)}, and on no other data set that we ran"
    threshold = _threshold(sample, "<", 1, on, False)
    shares_half = 2 * len(expected & set(ours)) >= len(expected | set(ours))
    undecided = ""
    if len(known) and not expected:
        undecided = joined([HIDDEN, sample.basis]) if ran else f"no runs on {', '.join(names)}"
    ours_in_words = f"below {sample.write(1)} on {len(ours)} of {len(places)} data sets"
    ours_in_words += f": {listing(ours)}{_left_out(known)}" if ours else _left_out(known)
    return _verdict(sample, threshold, set(ours) == expected, shares_half, ours_in_words, undecided)


def lowest(sample: Sample, names: Sequence[str]) -> Verdict:
    """Test whether the data sets in `names` have the lowest values. The order among these data sets
    does not matter.
    """
    values = sample.values.droplevel(0).sort_values(kind="stable")
    first, undecided = values.index[: len(names)], ""
    if len(values) and (not set(names) <= set(values.index) or len(values) == len(names)):
        undecided = (
            f"needs runs on {', '.join(names)} and another data set; has {', '.join(values.index)}"
        )
    ranges = _ranges(sample).droplevel(0)
    named = ranges.index.isin(list(names))
    may_be = ranges.loc[named, "low"].max() <= ranges.loc[~named, "high"].min()
    must_be = ranges.loc[named, "high"].max() <= ranges.loc[~named, "low"].min()
    if not undecided and may_be and not must_be:
        undecided = joined([HIDDEN, sample.basis])
    threshold, ours = (f"{sample.name} is lowest on {listing(of)}" for of in (names, first))
    return _verdict(sample, threshold, set(first) == set(names), ours=ours, undecided=undecided)


def _verdict(
    sample: Sample,
    threshold: str,
    held: bool = False,
    same_side: bool = False,
    ours: str = "",
    undecided: str = "",
    p_values: tuple[float, ...] = (),
) -> Verdict:
    if undecided or sample.values.empty:
        return Verdict(NOT_RUN, threshold, "", undecided or sample.absent, (sample,))
    outcome = REPRODUCED if held else SAME_DIRECTION if same_side else NOT_REPRODUCED
    return Verdict(outcome, threshold, ours, sample.basis, (sample,), p_values)


def _ranges(sample: Sample, summary: str | None = None) -> pd.DataFrame:
    """Return a table with three columns: the values of the sample, and the smallest and the largest
    number that each true value can be. If `summary` is "median", "max" or "min", the table has this
    statistic of each column, with a row for each method.

    An unknown value counts as infinite. If a result is then infinite, the smallest number that its
    true value can be is returned instead.
    """
    low, high = ends_of(sample.values, sample.bounds)
    unknown = sample.bounds.to_numpy(object) == Bound.UNKNOWN
    values = np.where(unknown, np.inf, sample.values.to_numpy())
    ranges = pd.DataFrame({"value": values, "low": low, "high": high}, low.index)
    ranges = ranges.groupby(level=0, sort=False).agg(summary) if summary else ranges
    values, low = ranges["value"].to_numpy(), ranges["low"].to_numpy()
    ranges["value"] = np.where(np.isfinite(values), values, low)
    return ranges


def _known(
    ranges: pd.DataFrame, test: Callable[[pd.Series], pd.Series]
) -> tuple[pd.Series, pd.Series]:
    """Return two masks. The first is true if `test` has the same result at both ends of a range.
    The second is this result.
    """
    at_low, at_high = test(ranges["low"]), test(ranges["high"])
    return at_low == at_high, at_low


def _groups(values: pd.Series, each: bool) -> dict[str, pd.Series]:
    return dict(list(values.groupby(level=0, sort=False))) if each else {"": values}


def _left_out(known: pd.Series) -> str:
    hidden = int((~known).sum())
    return f"; limits hide the answer in {counted(hidden, 'other case')}" if hidden else ""


def _written(sample: Sample, row: pd.Series) -> str:
    """Return the number in a row of `_ranges` as text, with the sign of its bound."""
    (bound,) = bounds_of_ratio([row["low"] < row["value"]], [row["high"] > row["value"]])
    return bound.before(sample.write(row["value"]))


def _scaled(sample: Sample, limit: float) -> float:
    """Return a limit that we chose, scaled by `threshold_scale`. Limits of ratios are scaled on a
    logarithmic scale.
    """
    return limit ** threshold_scale() if sample.unit == "ratio" else limit * threshold_scale()


def _same_side(sample: Sample, values: pd.Series, sign: str, limit: float) -> pd.Series:
    """Return a mask that is true for the values that meet the weaker of two conditions.

    One condition is that the value meets the limit. The other condition is that the value is on the
    side of `neutral` that the claim states.

    If `neutral` is None, the mask is false for all values.
    """
    if sample.neutral is None:
        return pd.Series(False, values.index)
    is_beyond = (limit > sample.neutral) == (sign[0] == ">")
    return (
        _RELATIONS[sign[0]][1](values, sample.neutral)
        if is_beyond
        else _RELATIONS[sign][1](values, limit)
    )


def _threshold(sample: Sample, sign: str, limit: float, where: str, chosen: bool) -> str:
    written = (
        f"{limit:g} point{'s' * (limit != 1)}" if sample.unit == "points" else sample.write(limit)
    )
    return (
        f"{sample.name} is {_RELATIONS[sign][0]} {written} {where}{f' {CHOSEN}' if chosen else ''}"
    )


def _listed(sample: Sample, ranges: pd.DataFrame) -> str:
    """Return a text with the numbers in rows of `_ranges` and their names. If a name is a tuple,
    only its first part is used.
    """
    names = [name[0] if isinstance(name, tuple) else name for name in ranges.index]
    rows = (row for _, row in ranges.iterrows())
    return ", ".join(
        f"{name} {_written(sample, row)}".strip() for name, row in zip(names, rows, strict=True)
    )
