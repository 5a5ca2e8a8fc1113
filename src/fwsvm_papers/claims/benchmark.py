"""Functions that compute numbers from our runs or from the papers' tables. These numbers are used
to judge the claims about the benchmark.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
import pandas as pd

from fwsvm_papers.claims.evidence import (
    HIDDEN,
    JUDGED_BY,
    Evidence,
    Sample,
    interval,
    joined,
    of_sets,
)
from fwsvm_papers.runs.comparison import (
    Bound,
    bounds_of_ratio,
    ends_of,
    extreme,
    median_with_bound,
)
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.records import conform
from fwsvm_papers.statistics.effects import (
    bootstrap_estimate,
    hodges_lehmann,
    signed_rank_probabilities,
)
from fwsvm_papers.statistics.tests import friedman_iman_davenport
from fwsvm_papers.studies.benchmark.groups import ALL, Group
from fwsvm_papers.studies.benchmark.significance import (
    HYPOTHESES,
    LABELS,
    REGIONS,
    WITHOUT,
    labels,
)
from fwsvm_papers.studies.registry import load_printed, load_printed_means

_NOUNS = {
    "time": "training time",
    "support_vectors": "number of support vectors",
    "accuracy": "accuracy",
}
EACH_SET = "on", "data set"


def ratio(
    evidence: Evidence,
    methods: Sequence[str],
    datasets: Sequence[str] = ALL,
    over: str = "cvm",
    measure: str = "time",
) -> Sample:
    """Return ratios of means of a measure: the mean of the method `over`, divided by the mean of
    each of `methods`.

    The default of `over` is CVM. For times, the ratio is the speed-up over the method `over`.
    """
    if measure == "time":
        name = f"speed-up of {labels(methods)} over {LABELS[over]}"
    else:
        name = f"ratio of {LABELS[over]}'s {_NOUNS[measure]} to that of {labels(methods)}"

    def value(rows: pd.DataFrame) -> pd.Series:
        if measure == "time":
            return rows[evidence.speedup]
        return rows[f"{over}_{measure}"] / rows[measure]

    return _compared(evidence, name, "ratio", measure == "time", methods, datasets, over, value)


def versus(
    evidence: Evidence,
    methods: Sequence[str],
    others: Sequence[str],
    datasets: Sequence[str],
    measure: str,
    of_others: Callable = max,
    decimals: int = 9,
) -> Sample:
    """Compare the largest mean of `methods` with the largest or smallest mean of `others`, on the
    data sets where all of these methods ran. `of_others` is `max` for the largest mean of `others`,
    or `min` for the smallest.

    Accuracies are first rounded to `decimals` decimals, and then compared by differences in
    percentage points. Other measures are compared by ratios.
    """
    table = evidence.table(measure, (*methods, *others), datasets)
    is_accuracy = measure == "accuracy"
    table = table.round(decimals) if is_accuracy else table
    sides, words = ((methods, max), (others, of_others)), {max: "the largest", min: "the smallest"}
    listed = [
        f"{words[pick] if len(of) > 1 else 'the'} {_NOUNS[measure]} of {labels(of)}"
        for of, pick in sides
    ]
    quantity = " minus ".join(listed) if is_accuracy else f"ratio of {' to '.join(listed)}"
    lower_bounds = evidence.are_lower_bounds(measure, table)
    ours, theirs = (
        extreme(table[list(of)], lower_bounds[list(of)], pick.__name__) for of, pick in sides
    )
    values, bounds = _extremes_compared(ours, theirs, is_accuracy)
    return Sample(
        quantity,
        "points" if is_accuracy else "ratio",
        values,
        of_sets(len(values), len(datasets)),
        evidence.at_limit(datasets, (*methods, *others)) if measure == "time" else "",
        absent=_absent((*methods, *others), datasets),
        neutral=0.0,  # equal methods have a difference of 0; a `Sample` of ratios always uses 1
        timed=measure == "time",
        case=EACH_SET,
        bounds=bounds,
    )


def spread(
    evidence: Evidence, methods: Sequence[str], datasets: Sequence[str], measure: str
) -> Sample:
    """Compare the largest mean of the methods with the smallest, on the data sets where all methods
    ran.

    Accuracies are compared by differences in percentage points. Other measures are compared by
    ratios.
    """
    table, is_accuracy = evidence.table(measure, methods, datasets), measure == "accuracy"
    lower_bounds = evidence.are_lower_bounds(measure, table)
    largest, smallest = (extreme(table, lower_bounds, pick) for pick in ("max", "min"))
    values, bounds = _extremes_compared(largest, smallest, is_accuracy)
    quantity = "difference" if is_accuracy else "ratio"
    between = f"{'between' if is_accuracy else 'of'} the largest {'and' if is_accuracy else 'to'}"
    return Sample(
        f"{quantity} {between} the smallest {_NOUNS[measure]} of {labels(methods)}",
        "points" if is_accuracy else "ratio",
        values,
        of_sets(len(values), len(datasets)),
        evidence.at_limit(datasets, methods) if measure == "time" else "",
        absent=_absent(methods, datasets),
        timed=measure == "time",
        case=EACH_SET,
        bounds=bounds,
    )


def _extremes_compared(
    ours: tuple[pd.Series, pd.Series],
    theirs: tuple[pd.Series, pd.Series],
    as_differences: bool,
    series: str = "",
) -> tuple[dict[tuple, float], dict[tuple, Bound]]:
    """Return two dicts for `Sample`: the ratios or differences of two results of `extreme`, and the
    bounds of these ratios or differences. A key is a pair of `series` and a data set.
    """
    (first, first_is_bound), (second, second_is_bound) = ours, theirs
    numbers = (first - second).round(9) if as_differences else first / second
    found = bounds_of_ratio(second_is_bound, first_is_bound)
    places = [(series, name) for name in numbers.index]
    bounds = dict(zip(places, found, strict=True))
    values = {
        place: np.nan if bound is Bound.UNKNOWN else number
        for (place, bound), number in zip(bounds.items(), numbers, strict=True)
    }
    return values, bounds


def loss_of_accuracy(
    evidence: Evidence,
    methods: Sequence[str],
    datasets: Sequence[str] = ALL,
    relative: bool = False,
    decimals: int = 9,
) -> Sample:
    """Return CVM's mean accuracy minus the mean accuracy of each method, in percentage points. If
    `relative` is true, return this difference as a percentage of CVM's accuracy.

    The accuracies are rounded to `decimals` decimals.
    """
    name = f"accuracy lost by {labels(methods)} compared with CVM"
    unit = "percent" if relative else "points"

    def value(rows: pd.DataFrame) -> pd.Series:
        lost = rows["cvm_accuracy"].round(decimals) - rows["accuracy"].round(decimals)
        lost = lost.round(9)
        return 100 * lost / rows["cvm_accuracy"] if relative else lost

    return _compared(evidence, name, unit, False, methods, datasets, "cvm", value)


def _compared(
    evidence: Evidence,
    name: str,
    unit: str,
    timed: bool,
    methods: Sequence[str],
    datasets: Sequence[str],
    over: str,
    value: Callable[[pd.DataFrame], pd.Series],
) -> Sample:
    """Compare the method `over` with each of `methods` on each data set where both ran.

    `value` is a function that computes the numbers of the sample from rows of `Evidence.against`.
    """
    table, values, bounds = evidence.against(over), {}, {}
    ran = zip(table["method"], table.index, strict=True)
    numbers = dict(zip(ran, zip(value(table), table["bound"], strict=True), strict=True))
    for method, dataset in product(methods, datasets):
        if (method, dataset) in numbers:
            number, bound = numbers[method, dataset]
            bound = bound if timed else Bound.EXACT
            if pd.notna(number) or bound is Bound.UNKNOWN:
                place = LABELS[method], dataset
                values[place], bounds[place] = number, bound
    found = len({of for of, _ in values})
    most = max(len({at for of, at in values if of == LABELS[method]}) for method in methods)
    return Sample(
        name,
        unit,
        values,
        of_sets(most, len(datasets)),
        f"{found} of {len(methods)} methods" if found < len(methods) else "",
        evidence.at_limit(datasets, (over, *methods)) if timed else "",
        absent=_absent((over, *methods), datasets),
        sizes=evidence.sizes[[dataset for _, dataset in values]].to_list(),
        of_print=evidence.printed,
        timed=timed,
        case=EACH_SET,
        bounds=bounds,
    )


def _absent(methods: Sequence[str], datasets: Sequence[str]) -> str:
    """Return a text that says that there are no results of these methods on these data sets."""
    places = datasets[0] if len(datasets) == 1 else f"any of {', '.join(datasets)}"
    return f"no results of {labels(methods)} on {places}"


def growth_of_speedup(
    evidence: Evidence, methods: Sequence[str], datasets: Sequence[str]
) -> Sample:
    """Return, for each method, Spearman's correlation between its speed-up over CVM and the number
    of training points. Speed-ups that are only bounds are left out. A method is omitted if it has
    exact speed-ups on fewer than 3 data sets, or if these are all equal.
    """
    speedups, values = ratio(evidence, methods, datasets), {}
    sizes = pd.Series(speedups.sizes, speedups.values.index, dtype=float)
    exact = speedups.values[speedups.bounds == Bound.EXACT]
    for label, of_method in exact.groupby(level=0, sort=False):
        # If all speed-ups are equal, the correlation is undefined.
        if len(of_method) >= 3 and of_method.min() < of_method.max():
            values[label, ""] = float(of_method.corr(sizes[of_method.index], "spearman"))
    return Sample(
        f"rank correlation of the {speedups.name} with the number of training points",
        "number",
        values,
        speedups.basis,
        absent=f"fewer than three of the data sets have a {speedups.name}",
        neutral=0.0,
        timed=True,
    )


def ratio_of_medians(
    evidence: Evidence, methods: Sequence[str], group: Group, other: Group, over: str = "cvm"
) -> Sample:
    """Return each method's median speed-up over the method `over` on the data sets of `group`,
    divided by its median speed-up on the data sets of `other`.
    """
    samples = {of: ratio(evidence, methods, of.datasets, over) for of in (group, other)}
    values, bounds = {}, {}
    for label in (LABELS[method] for method in methods):
        medians = [_median(sample, label) for sample in samples.values()]
        value, bound = _quotient(*medians)
        if pd.notna(value) or bound is Bound.UNKNOWN:
            values[label, ""], bounds[label, ""] = value, bound
    return Sample(
        f"median {samples[group].name} on {group.name}, divided by that on {other.name},",
        "ratio",
        values,
        *(f"{of.name}: {sample.basis}" for of, sample in samples.items()),
        absent=joined(sample.absent for sample in samples.values() if sample.values.empty),
        timed=True,
        bounds=bounds,
    )


def _median(sample: Sample, label: str) -> tuple[float, Bound]:
    """Return the median of a method's numbers in a sample, and the bound of this median."""
    own = sample.values.index.get_level_values(0) == label
    return median_with_bound(sample.values[own], sample.bounds[own])


def _quotient(first: tuple[float, Bound], second: tuple[float, Bound]) -> tuple[float, Bound]:
    """Divide a number by another number. Each argument and the result is a number with its bound.
    If the bound of the result is `UNKNOWN`, the number is NaN. If a number is missing, the result
    is NaN, with the bound `EXACT`.
    """
    if any(pd.isna(number) and bound is not Bound.UNKNOWN for number, bound in (first, second)):
        return np.nan, Bound.EXACT
    turned = {Bound.AT_MOST: Bound.AT_LEAST, Bound.AT_LEAST: Bound.AT_MOST}
    kinds = {first[1], turned.get(second[1], second[1])} - {Bound.EXACT}
    bound = Bound.UNKNOWN if len(kinds) > 1 else next(iter(kinds), Bound.EXACT)
    return np.nan if bound is Bound.UNKNOWN else first[0] / second[0], bound


def leads(
    evidence: Evidence,
    methods: Sequence[str],
    others: Sequence[str],
    datasets: Sequence[str] = ALL,
) -> Sample:
    """Return the speed-ups of each of `methods` over each of `others`. A speed-up is omitted if it
    is at most 1, or if it is only a bound and its true value can be at most 1.
    """
    samples = {other: ratio(evidence, methods, datasets, other) for other in others}
    values, bounds, hidden = {}, {}, False
    for other, sample in samples.items():
        low, high = ends_of(sample.values, sample.bounds)
        hidden |= bool(((low <= 1) & (high > 1)).any())
        for label, dataset in sample.values.index[low > 1]:
            place, found = (label, f"{dataset} ({LABELS[other]})"), (label, dataset)
            values[place], bounds[place] = sample.values[found], sample.bounds[found]
    name = f"speed-up of {labels(methods)} over {labels(others)}, where it is above 1,"
    slower = f"no runs in which {labels(methods)} is faster than {labels(others)}"
    absent = joined(sample.absent for sample in samples.values() if sample.values.empty)
    basis = joined(sample.basis for sample in samples.values())
    return Sample(
        name,
        "ratio",
        values,
        basis,
        absent=joined([HIDDEN, basis]) if hidden else absent or slower,
        timed=True,
        bounds=bounds,
    )


def relative_leads(
    evidence: Evidence,
    methods: Sequence[str],
    others: Sequence[str],
    datasets: Sequence[str] = ALL,
) -> Sample:
    """Return, for each of `methods`, the lead of this method divided by the lead of `others`.

    The lead of a method is a median over its speed-ups over `others`. The lead of `others` is a
    median over their speed-ups over the method. Only speed-ups above 1 are used.
    """
    values, bounds, bases, absent = {}, {}, [], []
    for method in methods:
        ours = leads(evidence, [method], others, datasets)
        theirs = leads(evidence, others, [method], datasets)
        medians = [median_with_bound(side.values, side.bounds) for side in (ours, theirs)]
        quotient, bound = _quotient(*medians)
        if pd.notna(quotient) or bound is Bound.UNKNOWN:
            values[LABELS[method], ""], bounds[LABELS[method], ""] = quotient, bound
        bases.append(ours.basis)
        absent += [sample.absent for sample in (ours, theirs) if sample.values.empty]
    return Sample(
        f"median speed-up of {labels(methods)} over {labels(others)}, where it is above 1, divided"
        " by the median of the opposite speed-up, where that is above 1,",
        "ratio",
        values,
        *bases,
        absent=joined(absent),
        timed=True,
        bounds=bounds,
    )


def kernel_comparison(evidence: Evidence, methods: Sequence[str]) -> tuple[Sample, Sample]:
    """Compare the polynomial kernel with the Gaussian kernel on each data set where a method ran
    with both kernels.

    Return two samples. The first has the factor by which the mean times differ. The second has the
    difference between the mean accuracies in percentage points, without its sign.
    """
    kernels = "poly", "benchmark"
    factors: dict[tuple, float] = {}
    distances: dict[tuple, float] = {}
    bounds: dict[tuple, Bound] = {}
    for method in methods:
        tables = {of: evidence.table("time", (method,), experiment=of) for of in kernels}
        times = _columns(tables, method)
        lower_bounds = _columns(
            {of: evidence.are_lower_bounds("time", table, of) for of, table in tables.items()},
            method,
        )
        slower, faster = (extreme(times, lower_bounds, pick) for pick in ("max", "min"))
        of_method = _extremes_compared(slower, faster, False, LABELS[method])
        factors |= of_method[0]
        bounds |= of_method[1]
        poly, gaussian = (
            evidence.table("accuracy", (method,), experiment=of)[method] for of in kernels
        )
        for name in times.index:
            distances[LABELS[method], name] = abs(poly[name] - gaussian[name])
    sets = {name for _, name in distances}
    between = f"with the polynomial and the Gaussian kernel, for {labels(methods)},"
    timed, absent = {name for _, name in factors}, "no data set has runs with both kernels"
    limits = evidence.at_limit(sets, methods, ("poly", "benchmark"))
    return (
        Sample(
            f"factor between the times {between}",
            "ratio",
            factors,
            of_sets(len(timed)),
            limits,
            absent=absent,
            timed=True,
            case=EACH_SET,
            bounds=bounds,
        ),
        Sample(
            f"difference of the accuracies {between}",
            "points",
            distances,
            of_sets(len(sets)),
            absent=absent,
            case=EACH_SET,
        ),
    )


def _columns(tables: Mapping[str, pd.DataFrame], method: str) -> pd.DataFrame:
    """Return one table with the column `method` of each of the `tables`. Only data sets that occur
    in all of the `tables` are kept.
    """
    columns = {name: table[method] for name, table in tables.items()}
    return pd.concat(columns, axis=1, join="inner")


def size_test(evidence: Evidence, datasets: Sequence[str]) -> Sample:
    """Return the p-value of a test of whether the methods differ in their median numbers of support
    vectors. The test is Friedman's test in the form that the papers use.

    The function `equivalence` of the sample returns the lowest of several probabilities: for each
    pair of methods, the probability that the two methods are practically equal. `REGIONS` has the
    largest difference that counts as practically equal.
    """
    name, sizes = "Friedman's test of the model sizes", "support_vectors"
    ran = [method for method in LABELS if len(evidence.table(sizes, (method,), datasets))]
    table = evidence.table(sizes, ran, datasets, "median") if len(ran) > 1 else pd.DataFrame()
    if len(table) < 2:
        return Sample(name, "p", {}, absent="fewer than two data sets have models from two methods")
    test, logs = friedman_iman_davenport(table), np.log(table)
    spread = bootstrap_estimate(table.max(axis=1) / table.min(axis=1), of_ratios=True)
    pairs = [logs[one] - logs[other] for one, other in combinations(ran, 2)]
    region = REGIONS[sizes]
    return Sample(
        name,
        "p",
        {("", ""): test.p_decisive},
        of_sets(len(table), len(datasets)),
        smallest=test.p_smallest,
        effect=lambda: (
            f"median ratio of the largest to the smallest size {interval(spread, '{:.3g}'.format)}"
        ),
        equivalence=lambda scale: [
            min(signed_rank_probabilities(pair, scale * region)[1] for pair in pairs)
        ],
    )


def support_vector_share(
    evidence: Evidence, methods: Sequence[str], datasets: Sequence[str]
) -> Sample:
    """Return each method's mean number of support vectors as a percentage of the number of training
    points.
    """
    values = {
        (LABELS[method], name): 100 * count / evidence.sizes[name]
        for method in methods
        for name, count in evidence.table("support_vectors", (method,), datasets)[method].items()
    }
    return Sample(
        f"share of support vectors among the training points, for {labels(methods)},",
        "percent",
        values,
        of_sets(len({at for _, at in values}), len(datasets)),
        sizes=[evidence.sizes[name] for _, name in values],
        absent=_absent(methods, datasets),
    )


def p_values(evidence: Evidence, paper: str, measure: str, *pairs: str) -> Sample:
    """Return the p-values of tests of `paper`. They are p-values for our runs, or printed p-values,
    depending on `evidence`.

    `measure` is "time" or "accuracy". Each element of `pairs` names two methods, such as "fw-cvm".
    An element that names more than two methods stands for Friedman's test.
    """
    kind = "Wilcoxon" if all(pair.count("-") == 1 for pair in pairs) else "Friedman's"
    name = f"{kind} test of {measure}"
    found = {pair: evidence.test(paper, measure, pair) for pair in pairs}
    rows = {pair: row for pair, row in found.items() if row is not None}
    if missing := [pair for pair in pairs if pair not in rows]:
        pairs = ", ".join(labels(pair.split("-")) for pair in missing)
        absent = f"no test of {pairs} (protocol: {protocol_words(evidence.protocol)})"
        return Sample(name, "p", {}, absent=absent)
    methods = {method for pair in pairs for method in pair.split("-")}
    sides = {
        test.alternative
        for test in HYPOTHESES
        if (test.paper, test.measure) == (paper, measure) and test.comparison in pairs
    }
    counts = sorted({int(row["n_datasets"]) for row in rows.values()})
    return Sample(
        name,
        "p",
        {(labels(pair.split("-")), ""): float(row["p_value"]) for pair, row in rows.items()},
        f"{' or '.join(map(str, counts))} data sets",
        evidence.at_limit(evidence.sizes.index, methods) if measure == "time" else "",
        smallest=max(float(row["p_smallest"]) for row in rows.values()),
        neutral=0.5 if sides <= {"less", "greater"} else None,  # a one-sided test has a direction
        effect=lambda: _effects(evidence, measure, pairs),
        timed=measure == "time",
        of_print=evidence.printed,
        without=_without_stand_ins(rows),
        equivalence=lambda scale: [
            _equal(evidence, measure, pair.split("-"), scale) for pair in pairs
        ],
    )


def printed_p(paper: str, measure: str, pair: str) -> float:
    """Return the p-value that a paper prints for the test of two methods, such as "fw-cvm"."""
    tests = load_printed(f"{paper}_tests").set_index(["measure", "comparison"])
    return float(tests["p_value"][measure, pair])


def _without_stand_ins(rows: Mapping[str, pd.Series]) -> dict[tuple, float] | None:
    """Return the p-values of the tests in `rows`, repeated without stand-ins, which are data sets
    that replace lost data sets of the papers. If any of these p-values is unknown, return None.
    """
    values = {
        (labels(pair.split("-")), ""): row[WITHOUT["p_value"]]
        for pair, row in rows.items()
        if WITHOUT["p_value"] in row and pd.notna(row[WITHOUT["p_value"]])
    }
    return values if len(values) == len(rows) else None


def _equal(evidence: Evidence, measure: str, pair: Sequence[str], scale: float) -> float:
    """Return the probability that two methods are practically equal, which means that their results
    differ by at most `scale` times the number in `REGIONS`.
    """
    table = evidence.table(measure, pair)
    table = np.log(table) if measure == "time" else table
    return signed_rank_probabilities(table[pair[0]] - table[pair[1]], scale * REGIONS[measure])[1]


def _effects(evidence: Evidence, measure: str, pairs: Iterable[str]) -> str:
    """Return the effect sizes as text. For times, they are median ratios. For accuracies, they are
    Hodges-Lehmann estimates of the differences. If no pair of methods has results, the text is
    empty.
    """
    parts = []
    for first, second in (pair.split("-") for pair in pairs if pair.count("-") == 1):
        table = evidence.table(measure, (first, second))
        if table.empty:
            continue
        labels = LABELS[first], LABELS[second]
        if measure == "time":
            ratio = bootstrap_estimate(table[first] / table[second], of_ratios=True)
            parts.append(f"{' / '.join(labels)} {interval(ratio, '{:.3g}'.format)}")
        else:
            shift = hodges_lehmann(table[first] - table[second])
            parts.append(f"{' - '.join(labels)} {interval(shift, '{:+.2f}'.format)}")
    what = "median ratio of times" if measure == "time" else "difference in accuracy (points)"
    return f"{what} {', '.join(parts)}" if parts else ""


def printed_speedups() -> pd.DataFrame:
    """Return the speed-ups of FW and MFW over CVM that follow from the printed times of frandi2013.
    The table has a row per data set and the columns "fw" and "mfw".
    """
    times = load_printed_means("frandi2013_time")
    return times[["fw", "mfw"]].rdiv(times["cvm"], axis=0)


def printed_evidence() -> Evidence:
    """Return the papers' results as evidence. It has the numbers in the tables of frandi2013, and
    the p-values of frandi2013 and nanculef2014.
    """
    times, accuracies = (load_printed_means(f"frandi2013_{name}") for name in ("time", "accuracy"))
    sizes = load_printed("frandi2013_datasets").set_index("dataset")["train_size"]
    rows = [
        {
            "experiment": "benchmark",
            "dataset": dataset,
            "method": method,
            "task_size": int(sizes[dataset]),
            "protocol": JUDGED_BY[-1],
            "stop_reason": "converged",
            "train_cpu_s": seconds,
            "test_accuracy": accuracies.loc[dataset, method] / 100,
        }
        for dataset, of_set in times.iterrows()
        for method, seconds in of_set.items()
    ]
    rows += [
        {
            "experiment": "poly",
            "dataset": row.dataset,
            "method": row.algorithm,
            "task_size": int(sizes[row.dataset]),
            "protocol": JUDGED_BY[-1],
            "stop_reason": "converged",
            "train_cpu_s": row.seconds_mean,
            "test_accuracy": row.accuracy_mean / 100,
        }
        for row in load_printed("frandi2013_poly").itertuples()
    ]
    papers = ("frandi2013", "nanculef2014")
    tests = pd.concat([load_printed(f"{paper}_tests").assign(paper=paper) for paper in papers])
    tests = tests.assign(protocol=JUDGED_BY[-1], n_datasets=len(times), p_smallest=0.0)
    return Evidence(conform(pd.DataFrame(rows)), tests, protocol=JUDGED_BY[-1], printed=True)


def authors_evidence() -> Evidence:
    """Return the mean results of the authors' program as evidence. The program was timed on some of
    the data sets, on another machine.

    This evidence has no significance tests, because the significance tests of the papers need all
    data sets of the papers.
    """
    sizes = load_printed("frandi2013_datasets").set_index("dataset")["train_size"]
    found = load_printed("cost_authors_code")
    rows = found[["dataset", "method", "train_cpu_s", "C"]].assign(
        experiment="benchmark",
        protocol=JUDGED_BY[0],
        stop_reason="converged",
        task_size=found["dataset"].map(sizes),
        test_accuracy=found["accuracy_mean"] / 100,
        support_vectors=found["support_vectors"].round(),
    )
    return Evidence(conform(rows), protocol=JUDGED_BY[0])
