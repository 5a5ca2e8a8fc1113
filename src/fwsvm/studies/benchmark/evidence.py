"""Quantities of the benchmark that claims are about, and the papers' printed tables as evidence."""

from __future__ import annotations

import functools

import pandas as pd

from fwsvm.claims.evidence import JUDGED_BY, Evidence
from fwsvm.claims.quantities import Sample, interval, of_sets, quantity, sample
from fwsvm.reporting.text import listing
from fwsvm.runs.protocols import CVM_PROTOCOL
from fwsvm.runs.records import conform
from fwsvm.statistics.effects import difference_standard_error, hodges_lehmann, median_ratio
from fwsvm.studies import published
from fwsvm.studies.benchmark.groups import ADULT, LARGE, MEDIUM, OF_THE_PAPERS, WEB
from fwsvm.studies.benchmark.hypotheses import LABELS

_GROUPS = {"Web": WEB, "Adult": ADULT, "medium": MEDIUM, "large": LARGE}
_quantity = functools.partial(quantity, of_benchmark=True)
_MEASURES = {"time": "train_cpu_s", "accuracy": "test_accuracy"}


class Methods(tuple):
    """Names of methods, one or a list; written with their labels."""

    def __new__(cls, given):
        """Check the names."""
        names = [given] if isinstance(given, str) else given
        unknown = [name for name in names if name not in LABELS]
        if unknown:
            raise ValueError(f"unknown method {unknown[0]!r}; known are {', '.join(LABELS)}")
        return super().__new__(cls, names)

    def __str__(self):
        return listing(LABELS[name] for name in self)


class Pairs(tuple):
    """Comparisons of tests, methods joined by hyphens; written with their labels."""

    def __new__(cls, given):
        """Check the names."""
        for pair in given:
            Methods(pair.split("-"))
        return super().__new__(cls, given)

    def __str__(self):
        return ", ".join(pair_label(pair) for pair in self)


def pair_label(pair: str) -> str:
    """Write a comparison: ``FW and CVM``."""
    return str(Methods(pair.split("-")))


class Sets(tuple):
    """Data sets: names of groups (Web, Adult, medium, large) or of single sets; written as they were given."""

    def __new__(cls, given):
        """Check the names and put the members in the place of groups."""
        names = []
        for name in [given] if isinstance(given, str) else given:
            if name not in _GROUPS and name not in OF_THE_PAPERS:
                raise ValueError(f"unknown data set or group {name!r}; groups are {', '.join(_GROUPS)}")
            names += _GROUPS[name].datasets if name in _GROUPS else [name]
        made = super().__new__(cls, names)
        made.given = " and ".join([given] if isinstance(given, str) else given)
        return made

    def __str__(self):
        return self.given


ALL = Sets(("Web", "Adult", "medium", "large", "protein"))
ALL.given = "all sets"


_CVM = Methods("cvm")


def _compared(evidence, measure, methods, over, sets, function, noun, statistic="mean"):
    """Value of `function(over's, method's)` for each method that ran, on each data set."""
    values, sizes, counts = {}, {}, set()
    for method in methods:
        table = evidence.table(measure, (over, method), sets, statistic)
        for name, row in table.iterrows():
            key = LABELS[method], name
            values[key], sizes[key] = function(row[over], row[method]), evidence.sizes[name]
        if len(table):
            counts.add(len(table))
    found = len({of for of, _ in values})
    absent = f"no {noun} of {Methods((over, *methods))} on any of {', '.join(sets)}"
    return sample(
        values,
        of_sets(max(counts, default=0), len(sets)),
        f"{found} of {len(methods)} methods" if found < len(methods) else "",
        evidence.at_limit(sets, (over, *methods)) if measure == "train_cpu_s" else "",
        absent=absent,
        sizes=pd.Series(list(sizes.values()), pd.MultiIndex.from_tuples(sizes)) if sizes else None,
    )


@_quantity("{over}'s training time over that of {methods} on {sets}", "ratio", neutral=1.0)
def speedup(evidence, methods: Methods, sets: Sets = ALL, over: Methods = _CVM) -> Sample:
    """Mean training time of one method over that of others."""
    return _compared(evidence, "train_cpu_s", methods, over[0], sets, lambda a, b: a / b, "times")


@_quantity("{over}'s support vectors over those of {methods} on {sets}", "ratio", neutral=1.0)
def size_ratio(evidence, methods: Methods, sets: Sets = ALL, over: Methods = _CVM) -> Sample:
    """Mean number of support vectors of one method over that of others."""
    return _compared(evidence, "support_vectors", methods, over[0], sets, lambda a, b: a / b, "models")


@_quantity("accuracy of {methods} below CVM's, in points, on {sets}", "points")
def accuracy_loss(evidence, methods: Methods, sets: Sets = ALL) -> Sample:
    """Mean test accuracy of CVM minus that of others."""
    return _loss(evidence, methods, sets, lambda a, b: a - b)


@_quantity("accuracy of {methods} below CVM's, relatively, on {sets}", "percent")
def relative_loss(evidence, methods: Methods, sets: Sets = ALL) -> Sample:
    """Mean test accuracy of CVM minus that of others, in per cent of CVM's."""
    return _loss(evidence, methods, sets, lambda a, b: 100 * (a - b) / a)


def _loss(evidence, methods, sets, function):
    found = _compared(evidence, "test_accuracy", methods, "cvm", sets, function, "accuracies")
    if found.values.empty:
        return found
    worst = found.values.idxmax()
    method = next(name for name in methods if LABELS[name] == worst[0])
    pair = evidence.table("test_accuracy", ("cvm", method), [worst[1]]).iloc[0] / 100
    points = published.load("frandi2013_datasets").set_index("dataset")["test_size"].get(worst[1])
    if pd.isna(points):
        return found
    error = 100 * difference_standard_error(pair["cvm"], pair[method], int(points))
    note = f"standard error of the largest loss, {' on '.join(worst)}: {error:.2f} points"
    return Sample(found.values, f"{found.basis}; {note}", found.absent, found.sizes)


@_quantity("the largest over the smallest median model size among the methods on {sets}", "ratio")
def size_spread(evidence, sets: Sets = ALL) -> Sample:
    """Median number of support vectors of the method with most over that with fewest, of the methods that ran."""
    ran = [name for name in LABELS if len(evidence.table("support_vectors", (name,), sets))]
    table = evidence.table("support_vectors", ran, sets, "median") if len(ran) > 1 else pd.DataFrame()
    values = {("", name): row.max() / row.min() for name, row in table.iterrows()}
    return sample(values, of_sets(len(values), len(sets)), absent="no set with the models of two methods")


@_quantity("support vectors of {methods} per training point on {sets}", "percent")
def support_vector_share(evidence, methods: Methods, sets: Sets = ALL) -> Sample:
    """Mean number of support vectors in per cent of the training points."""
    values = {}
    for method in methods:
        for name, count in evidence.table("support_vectors", (method,), sets)[method].items():
            values[LABELS[method], name] = 100 * count / evidence.sizes[name]
    ran = len({at for _, at in values})
    return sample(values, of_sets(ran, len(sets)), absent=f"no models on any of {', '.join(sets)}")


@_quantity("Wilcoxon test of {measure}, {comparisons}", "p")
def p_value(evidence, paper: str, measure: str, comparisons: Pairs) -> Sample:
    """p-values of a paper's tests, as designed there, over all data sets with results of both methods."""
    found = {name: evidence.test(paper, measure, name) for name in comparisons}
    lost = [name for name, row in found.items() if row is None]
    if lost:
        return sample({}, absent=f"no test of {', '.join(lost)} under {evidence.protocol}")
    keys = {name: (pair_label(name), "") for name in comparisons}
    values = {keys[name]: float(row["p_value"]) for name, row in found.items()}
    counts = sorted({int(row["n_datasets"]) for row in found.values()})
    methods = {name for pair in comparisons for name in pair.split("-")}
    basis = f"{' or '.join(map(str, counts))} data sets"
    limits = evidence.at_limit(evidence.sizes.index, methods) if measure == "time" else ""
    made = sample(values, basis, limits, effect=lambda: _effects(evidence, measure, comparisons))
    smallest = pd.Series([float(row["p_smallest"]) for row in found.values()], made.values.index)
    return Sample(made.values, made.basis, smallest=smallest, effect=made.effect)


def _effects(evidence, measure, comparisons):
    """How large the differences are: medians of time ratios, Hodges-Lehmann estimates of accuracy differences."""
    parts = []
    for comparison in comparisons:
        first, second = comparison.split("-")
        table = evidence.table(_MEASURES[measure], (first, second))
        if table.empty:
            continue
        pair = LABELS[first], LABELS[second]
        if measure == "time":
            found = median_ratio(table[first], table[second])
            parts.append(f"{' / '.join(pair)} {interval(found, '{:.3g}'.format)}")
        else:
            found = hodges_lehmann(table[first] - table[second])
            parts.append(f"{' - '.join(pair)} {interval(found, '{:+.2f}'.format)}")
    name = "median time" if measure == "time" else "shift of accuracy in points"
    return f"{name} {', '.join(parts)}" if parts else ""


def printed_evidence() -> Evidence:
    """The printed tables of frandi2013, and the printed p-values of both papers, as evidence for their own claims."""
    times, accuracies = (published.load_means(f"frandi2013_{name}") for name in ("time", "accuracy"))
    sizes = published.load("frandi2013_datasets").set_index("dataset")["train_size"]
    rows = [
        {
            "experiment": "benchmark", "dataset": dataset, "method": method, "task_size": int(sizes[dataset]),
            "protocol": CVM_PROTOCOL if method == "cvm" else JUDGED_BY[-1], "stop_reason": "converged",
            "train_cpu_s": seconds, "test_accuracy": accuracies.loc[dataset, method] / 100,
        }
        for dataset, of_set in times.iterrows()
        for method, seconds in of_set.items()
    ]  # fmt: skip
    tests = pd.concat(
        [published.load(f"{paper}_tests").assign(paper=paper) for paper in ("frandi2013", "nanculef2014")]
    )
    tests = tests.assign(protocol=JUDGED_BY[-1], n_datasets=len(times), p_smallest=0.0)
    return Evidence(conform(pd.DataFrame(rows)), tests, protocol=JUDGED_BY[-1], printed=True)
