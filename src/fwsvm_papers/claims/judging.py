"""Functions that judge the numbers in a `Sample` by a threshold. Each public function returns a
`Verdict`.
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
from fwsvm_papers.claims.evidence import Sample
from fwsvm_papers.reporting.text import counted, listing

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
    are methods or data sets.
    """
    which = {None: "", "max": "largest "}.get(summary, f"{summary} ")
    threshold = f"{which}{sample.name} is within a factor of {FACTOR} of the printed value {CHOSEN}"
    ours = sample.values.groupby(level=0, sort=False).agg(summary) if summary else sample.values
    if isinstance(printed, Mapping):
        of_sets = not set(printed).isdisjoint(ours.index.get_level_values(-1))
        ours = ours.set_axis(ours.index.get_level_values(-1 if of_sets else 0))
        missing = [name for name in printed if name not in ours.index]
        if missing and needs_all:
            return _verdict(sample, threshold, undecided=f"no runs on {', '.join(missing)}")
        printed = np.array([printed[name] for name in ours.index])
    values, neutral = ours.to_numpy(), sample.neutral
    factor = PRINT_FACTOR if sample.of_print else FACTOR * threshold_scale()
    off = np.maximum(values / printed, printed / values).max(initial=1.0)
    same_side = (
        neutral is not None and (np.sign(values - neutral) == np.sign(printed - neutral)).all()
    )
    # If a value is very far from the paper's number, the verdict is not "same direction", but "not
    # reproduced". For example, a speed-up of 2 does not support "102 times".
    same_side &= bool(off <= (FACTOR * threshold_scale()) ** 2)
    up_to = "up to " if len(ours) > 1 else ""
    far = (
        f" (differs from the printed value by a factor of {up_to}{off:.2g})"
        if off > factor and np.isfinite(off)
        else ""
    )
    found = f"{which.replace(' ', ': ')}{_listed(sample, ours)}{far}"
    return _verdict(sample, threshold, off <= factor, same_side, found)


def share(
    sample: Sample,
    sign: str,
    limit: float,
    least: float | str = 1,
    each: bool = False,
    chosen: bool = False,
) -> Verdict:
    """Test whether the share of the values that meet the limit is at least `least`.

    If `least` is `MOST`, the share must be above one half. If `least` is `OFTEN`, the share of
    exceptions must be at most `EXCEPTIONS`, a threshold that we chose ourselves.
    """
    groups = dict(list(sample.values.groupby(level=0, sort=False))) if each else {"": sample.values}
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
    limit = limit * threshold_scale() if chosen else limit
    held = {of: _RELATIONS[sign][1](values, limit) for of, values in groups.items()}
    enough = all(
        part.mean() > 0.5 if least == MOST else part.mean() >= least for part in held.values()
    )
    same_side = all(
        _same_side(sample, values, sign, limit).mean() > 0.5 for values in groups.values()
    )
    parts, last = [], None
    for of, part in held.items():
        total = f" of {counted(len(part), noun)}" if len(part) != last else ""
        parts.append(f"{part.sum()}{total}{f' with {of}' if of else ''}")
        last = len(part)
    ours = f"true {place} {listing(parts)}"
    if len(sample.values) == 1:
        ours += f" ({sample.write(sample.values.iloc[0])})"
    return _verdict(sample, threshold, enough, same_side, ours)


def bound(
    sample: Sample,
    sign: str,
    limit: float,
    summary: str = "median",
    chosen: bool = False,
    of_one_draw: bool = False,
) -> Verdict:
    """Test whether each method's median, maximum or minimum over the data sets meets the limit.
    `summary` is "median", "max" or "min".

    If `of_one_draw` is true, the paper's number comes from one random draw. In this case, the
    verdict is "not contradicted" if at least one of our draws meets the limit.
    """
    groups = dict(list(sample.values.groupby(level=0, sort=False)))
    numbers = pd.Series({of: values.agg(summary) for of, values in groups.items()}, dtype=float)
    parts = []
    for of, values in groups.items():
        text = sample.write(numbers[of])
        if len(values) > 1 and summary in ("max", "min"):
            text += f" ({values.agg(f'idx{summary}')[1]})"
        elif len(values) > 1:
            text += f" (range {sample.write(values.min())} to {sample.write(values.max())})"
        parts.append(f"{of} {text}".strip() if len(groups) > 1 else text)
    threshold = _threshold(
        sample,
        sign,
        limit,
        "in the median" if summary == "median" else f"{' all '.join(sample.case)}s",
        chosen,
    )
    limit = limit * threshold_scale() if chosen else limit
    held, same_side = _RELATIONS[sign][1](numbers, limit), _same_side(sample, numbers, sign, limit)
    verdict = _verdict(sample, threshold, held.all(), same_side.all(), ", ".join(parts))
    one_draw = (_RELATIONS[sign][1](values, limit).any() for values in groups.values())
    return _not_contradicted(verdict) if of_one_draw and all(one_draw) else verdict


def within(sample: Sample, printed: float, tolerance: float, of_one_draw: bool = False) -> Verdict:
    """Test whether each method's median differs from the paper's number by at most `tolerance`.

    If `of_one_draw` is true, the paper's number comes from one random draw. In this case, the
    verdict is at least "not contradicted" if the paper's number is in the range of our draws.
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

    If there are fewer than `fewest` values, the outcome is "not run".
    """
    if len(sample.values) < fewest:
        few = (
            f"the fit needs {fewest} sizes, but the runs have only {len(sample.values)};"
            f" {sample.basis}"
        )
        found = ", ".join(f"{at} {sample.write(value)}" for (_, at), value in sample.values.items())
        return replace(
            _verdict(sample, threshold, undecided=few if found else sample.absent), ours=found
        )
    number = fit(np.asarray(sample.sizes, float), sample.values.to_numpy())
    verdict = _verdict(sample, threshold, ours=f"{name} {number:.2f}")
    return replace(verdict, outcome=outcome(number))


def differs(sample: Sample, level: float) -> Verdict:
    """Test whether every p-value is below the significance level `level`.

    If a p-value is not below the level, but all p-values are below 0.5, the verdict is "same
    direction".
    """
    return _tested(
        sample,
        level,
        "below",
        sample.values < level,
        (sample.values < 0.5).all(),
        tuple(sample.values),
    )


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
    sets without runs are ignored.
    """
    places = sample.values.index.get_level_values(1)
    ours, expected = list(places[sample.values < 1]), set(names) & set(places)
    on = f"on {listing(names)}, and on no other data set that we ran"
    threshold = _threshold(sample, "<", 1, on, False)
    shares_half = 2 * len(expected & set(ours)) >= len(expected | set(ours))
    undecided = "" if expected or places.empty else f"no runs on {', '.join(names)}"
    ours_in_words = f"below {sample.write(1)} on {len(ours)} of {len(places)} data sets"
    ours_in_words += f": {listing(ours)}" if ours else ""
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


def _listed(sample: Sample, values: pd.Series) -> str:
    """Return a text with the values and their names. If a name is a tuple, only its first part is
    used.
    """
    names = [name[0] if isinstance(name, tuple) else name for name in values.index]
    return ", ".join(
        f"{name} {sample.write(value)}".strip() for name, value in zip(names, values, strict=True)
    )
