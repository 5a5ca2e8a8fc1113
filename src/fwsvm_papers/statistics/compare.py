"""Functions that compare the algorithms in a table of results by rank tests over the data sets, and
that write the result as plain text.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from fwsvm_papers.statistics.effects import hodges_lehmann
from fwsvm_papers.statistics.tests import (
    EXACT_LIMIT,
    LEVELS,
    friedman_iman_davenport,
    holm,
    mean_ranks,
    wilcoxon_signed_rank,
)

_NOT_SIGNIFICANT = f"no significant difference at {100 * LEVELS[-1]:g} %"


def compare_table(frame: pd.DataFrame, lower_is_better: bool) -> dict:
    """Test whether the algorithms of a table differ. Friedman's test is for all algorithms
    together, and a Wilcoxon test is for each pair.

    The table has a row per data set and a column per algorithm. Rows with missing values are
    omitted. If the table cannot be used, for example because no row is complete, a ValueError is
    raised.

    The result is a dict for JSON. With fewer than three columns or fewer than two complete rows,
    the entry `friedman` is None. An infinite `f_statistic` is replaced by None.

    The entry `pairs` has a dict for each pair of algorithms. `p_smallest` is the smallest two-sided
    p-value that is possible with the pair's number of non-zero differences. `shift` is the
    Hodges-Lehmann estimate of the first algorithm's values minus the second algorithm's values. Its
    95 % interval is from `shift_low` to `shift_high`. If there are too few rows, both ends are
    None. With more than `EXACT_LIMIT` rows, the estimate and both ends are None.
    """
    _check(frame)
    complete = frame.dropna().astype(np.float64)
    if complete.empty:
        raise ValueError("frame: no row has a value in every column")
    complete.columns = [str(column) for column in frame.columns]
    pairs = [
        _compare_pair(complete[first], complete[second], lower_is_better)
        for first, second in itertools.combinations(complete.columns, 2)
    ]
    for pair, adjusted in zip(
        pairs, holm([pair["p_two_sided"] for pair in pairs]).tolist(), strict=True
    ):
        pair["p_holm"] = adjusted
        pair["significant_at"] = smallest_level(adjusted)
    n, k = complete.shape
    return {
        "lower_is_better": bool(lower_is_better),
        "columns": list(complete.columns),
        "n": n,
        "dropped_rows": [str(name) for name in frame.index[frame.isna().any(axis=1)]],
        "mean_ranks": dict(
            zip(complete.columns, mean_ranks(complete, lower_is_better), strict=True)
        ),
        "medians": complete.median().to_dict(),
        "friedman": _compare_all(complete, lower_is_better) if n >= 2 and k >= 3 else None,
        "pairs": pairs,
    }


def smallest_level(p_value: float) -> float | None:
    """Return the smallest of the `LEVELS` that are at least `p_value`, or None if there is no such
    level.
    """
    return next((level for level in LEVELS if p_value <= level), None)


def format_comparison(result: dict) -> str:
    """Return the result of `compare_table` as plain text. The text has a conclusion in words for
    every pair.
    """
    direction = "lower is better" if result["lower_is_better"] else "higher is better"
    lines = [f"{len(result['columns'])} columns compared on {result['n']} rows; {direction}."]
    if result["dropped_rows"]:
        lines.append(
            f"Rows left out because of missing values: {', '.join(result['dropped_rows'])}."
        )
    ranks, medians = result["mean_ranks"], result["medians"]
    ranking = [
        [name, f"{ranks[name]:.3f}", f"{medians[name]:.6g}"]
        for name in sorted(ranks, key=ranks.get)
    ]
    lines += ["", *_aligned([["Column", "Mean rank (1 = best)", "Median"], *ranking], left=1)]
    if result["friedman"]:
        lines += [
            "",
            "Do the columns differ at all? Friedman test in the F form of Iman and Davenport",
        ]
        lines += _friedman_lines(result["friedman"])
    is_exact = [pair["method"] == "exact" for pair in result["pairs"]]
    how = "exact" if all(is_exact) else "exact for some pairs, and normal approximation for others"
    if not any(is_exact):
        how = "normal approximation"
    lines += [
        "",
        (
            f"Which pairs differ? Wilcoxon signed-rank tests: {how}, mid-ranks for ties, Pratt's"
            " rule for zeros"
        ),
    ]
    header = [
        "A",
        "B",
        "A wins",
        "ties",
        "B wins",
        "W",
        "p two-sided",
        "Holm",
        "p A better",
        "p B better",
    ]
    lines += _aligned([header, *map(_pair_line, result["pairs"])], left=2)
    lines += [
        "  (W: the smaller sum of ranks; p two-sided: probability of at most this W if A and B are"
        " equally good)"
    ]
    lines += ["", "In words (two-sided, with Holm's correction for the number of pairs)"]
    least = len(result["pairs"]) * min(pair["p_smallest"] for pair in result["pairs"])
    lines += [f"  {_pair_words(pair, least)}" for pair in result["pairs"]]
    shift = "  {first} - {second}: {shift:+.3g} ({shift_low:+.3g} to {shift_high:+.3g})"
    shifts = [shift.format(**pair) for pair in result["pairs"] if pair["shift_low"] is not None]
    if shifts:
        lines += [
            "",
            "How large are the differences? Hodges-Lehmann estimates with 95 % intervals",
            *shifts,
        ]
    return "\n".join(lines)


def _check(frame: pd.DataFrame) -> None:
    # As in the result, names are compared as texts: 1 and "1" are the same name.
    for what, labels in (("column", frame.columns.map(str)), ("row", frame.index.map(str))):
        if labels.has_duplicates:
            repeated = labels[labels.duplicated()][0]
            raise ValueError(f"frame: {what} name {str(repeated)!r} occurs more than once")
    if frame.shape[1] < 2:
        raise ValueError(
            f"frame: at least two columns are needed for a comparison, got {frame.shape[1]}"
        )


def _compare_pair(x: pd.Series, y: pd.Series, lower_is_better: bool) -> dict:
    test = wilcoxon_signed_rank(x, y)
    p_values = (test.p_less, test.p_greater) if lower_is_better else (test.p_greater, test.p_less)
    y_wins, x_wins = test.n_plus, test.n - test.n_zeros - test.n_plus
    x_smaller = test.w_plus < test.w_minus
    shift = hodges_lehmann(x - y) if len(x) <= EXACT_LIMIT else None
    bounded = shift if shift is not None and math.isfinite(shift.low) else None
    return {
        "first": x.name,
        "second": y.name,
        "better": (
            None
            if test.w_plus == test.w_minus
            else (x.name if x_smaller == lower_is_better else y.name)
        ),
        "first_better": x_wins if lower_is_better else y_wins,
        "second_better": y_wins if lower_is_better else x_wins,
        "n_zeros": test.n_zeros,
        "statistic": test.statistic,
        "w_plus": test.w_plus,
        "w_minus": test.w_minus,
        "p_two_sided": test.p_value,
        "p_first_better": p_values[0],
        "p_second_better": p_values[1],
        "p_smallest": test.p_smallest,
        "shift": shift.value if shift else None,
        "shift_low": bounded.low if bounded else None,
        "shift_high": bounded.high if bounded else None,
        "method": test.method,
    }


def _compare_all(complete: pd.DataFrame, lower_is_better: bool) -> dict:
    test = friedman_iman_davenport(complete, lower_is_better)
    found = {
        name: getattr(test, name)
        for name in ("f_statistic", "chi_square", "df1", "df2", "p_value", "p_smallest")
    }
    found["f_statistic"] = test.f_statistic if math.isfinite(test.f_statistic) else None
    return found | {"significant_at": smallest_level(test.p_decisive)}


def _friedman_lines(test: dict) -> Iterator[str]:
    f_statistic = "infinite" if test["f_statistic"] is None else f"{test['f_statistic']:.3f}"
    level = test["significant_at"]
    words = f"the differences are significant at {_percent(level)}" if level else _NOT_SIGNIFICANT
    yield f"  F({test['df1']}, {test['df2']}) = {f_statistic}, p = {test['p_value']:.4g}: {words}"
    if test["p_value"] < test["p_smallest"]:
        yield (
            f"  (judged by p = {test['p_smallest']:.4g}, the smallest that is possible with these"
            " rows)"
        )


def _pair_line(pair: dict) -> list[str]:
    counts = [str(pair[key]) for key in ("first_better", "n_zeros", "second_better")]
    p_keys = ("p_two_sided", "p_holm", "p_first_better", "p_second_better")
    p_values = [f"{pair[key]:.4g}" for key in p_keys]
    return [pair["first"], pair["second"], *counts, f"{pair['statistic']:g}", *p_values]


def _pair_words(pair: dict, least: float) -> str:
    """Return a text with the conclusion about one pair.

    `least` is the smallest p-value that any pair can have after Holm's correction. It can be
    above 1.
    """
    first, second = pair["first"], pair["second"]
    if pair["significant_at"]:
        other = second if pair["better"] == first else first
        return (
            f"{pair['better']} is better than {other}: significant at"
            f" {_percent(pair['significant_at'])}"
        )
    if not pair["first_better"] and not pair["second_better"]:
        return f"{first} and {second} are equal in every row"
    least = min(1.0, max(least, pair["p_smallest"]))
    if least > LEVELS[-1]:
        return (
            f"{first} and {second}: too few rows differ for a significant result (p cannot fall"
            f" below {least:.3g})"
        )
    return f"{first} and {second}: {_NOT_SIGNIFICANT}"


def _percent(level: float) -> str:
    """Return a text such as "1, 5 and 10 %" with all significance levels that a result reaches.
    `level` is the smallest of these levels.
    """
    *others, last = [f"{100 * reached:g}" for reached in LEVELS if reached >= level]
    return f"{', '.join(others)} and {last} %" if others else f"{last} %"


def _aligned(rows: Sequence[Sequence[str]], left: int) -> Iterator[str]:
    """Yield the rows of a table as indented lines with aligned columns.

    The first `left` columns are aligned to the left. The other columns are aligned to the right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        names = [cell.ljust(width) for cell, width in zip(row[:left], widths[:left], strict=True)]
        numbers = [cell.rjust(width) for cell, width in zip(row[left:], widths[left:], strict=True)]
        yield "  " + "  ".join(names + numbers)
