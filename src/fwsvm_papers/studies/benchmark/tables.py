"""The tables of the benchmark. Each table has a row per data set, with our numbers next to the
paper's numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from fwsvm_papers.reporting import text
from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.style import method_label
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.runs.comparison import Bound, comparison
from fwsvm_papers.runs.table import protocols_of
from fwsvm_papers.studies.benchmark import numbers, protocol
from fwsvm_papers.studies.benchmark.groups import FRANDI2013
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.registry import load_printed

LIMIT_NOTE = (
    "At least one run ended at its time or iteration limit. The model of this run is unfinished,"
    " and its time is a lower bound."
)
CONSTANT_NOTE = "The accuracy is not above that of always predicting the majority class."
DISTANT_NOTE = "The accuracy differs from the printed one by more than 1 percentage point."
BUSY_NOTE = "All runs of this entry were timed on a busy machine."
TOLERANCE = 1.0

FEATURES = {
    "m": "train_size",
    "t": "test_size",
    "K": "classes",
    "m_max": "max_pair_size",
    "m_min": "min_pair_size",
    "n": "features",
}
"""Maps the paper's symbols for data set sizes to the columns of our copy of frandi2013 table 1."""


def benchmark_table(
    runs: pd.DataFrame, descriptions: Details = (), missing: Missing = None, *, measure: str
) -> Table:
    """Return the table of training times or of accuracies, as `measure` says.

    The table of accuracies also has the gain of each method over the majority class, in per cent of
    CVM's gain.
    """
    runs = numbers.drawable_runs(runs, numbers.BENCHMARK)
    methods = numbers.methods_shown(runs, FRANDI2013)
    runs = runs[runs["method"].isin(methods)]
    is_time = measure == "train_cpu_s"
    table = numbers.beside_printed(runs, measure, methods)
    table["ratio"] = table["printed_mean"] / table["mean"]
    table["difference"] = table["mean"] - table["printed_mean"]
    values, printed = ["mean", "std", "n", "at_limit", "disturbed"], ["printed_mean", "printed_std"]
    if is_time:
        frame = numbers.widen(table, [*values, "only_disturbed", "requested"], [*printed, "ratio"])
    else:
        majority = numbers.majority_accuracies(descriptions)
        keys = ["protocol", "dataset", "method"]
        compared = comparison(runs, majority, methods)
        table = table.merge(compared[[*keys, "majority", "kept"]], on=keys, how="left")
        frame = numbers.widen(table, [*values, "kept"], [*printed, "difference"])
        frame.insert(2, "majority", frame["dataset"].map(majority))
    order = numbers.datasets_in_order(runs["dataset"].dropna())
    tuned = {
        name: numbers.parameters(runs[(runs["protocol"] == name).fillna(False)], order)
        for name in protocols_of(runs)
    }
    frame = frame.join(pd.concat(tuned), on=["protocol", "dataset"])

    columns = [Column("data set", lambda row: row["dataset"], align="l")]
    if not is_time:
        columns.append(Column("majority class", lambda row: text.fixed(row["majority"], ".2f")))
    of_method = _time_columns if is_time else _accuracy_columns
    columns += [column for method in methods for column in of_method(method)]
    if is_time:
        columns += [
            Column(method_label(name), partial(_millions, name), "million values")
            for name in methods
        ]
    notes = text.joined(
        protocol.disturbed_runs(runs) if is_time else "",
        protocol.missing_sets(
            load_printed("frandi2013_accuracy")["dataset"], runs["dataset"].dropna(), missing
        ),
    )
    return ours_beside_printed(
        frame, columns, "protocol", partial(protocol.protocol_heading, runs), notes
    )


def _accuracy_notes(
    limited: bool, difference: float, mean: float, majority: float
) -> Iterator[str]:
    if limited:
        yield LIMIT_NOTE
    if abs(difference) > TOLERANCE:
        yield DISTANT_NOTE
    if mean <= majority:
        yield CONSTANT_NOTE


def _time(mean: float, std: float, n: int, limited: bool) -> str:
    if limited:
        return Bound.AT_LEAST.before(text.seconds(mean, float("nan")))
    return text.seconds(mean, std, n)


def _millions(method: str, row: Mapping) -> str:
    return text.significant(row[f"{method}_requested"] / 1e6, 3)


def _ratio(value: float, limited: bool) -> str:
    shown = text.significant(value, 2)
    return Bound.AT_MOST.before(shown) if limited and not text.is_missing(value) else shown


def _accuracy_columns(method: str) -> Iterator[Column]:
    label, mean, limited = method_label(method), f"{method}_mean", f"{method}_at_limit"

    def notes(row: Mapping) -> Iterator[str]:
        return _accuracy_notes(
            row[limited], row.get(f"{method}_difference", 0), row[mean], row["majority"]
        )

    yield Column(
        "ours", partial(_ours, method, text.accuracy), label, notes, partial(_is_best, method, max)
    )
    if method in FRANDI2013:
        yield Column("printed", partial(_printed, method, text.printed_accuracy), label)
    if method != "cvm":
        yield Column(
            "gain kept (%)",
            lambda row: text.fixed(row[f"{method}_kept"], ".0f").replace("-", "−"),
            label,
        )


def _time_columns(method: str) -> Iterator[Column]:
    label, limited = method_label(method), f"{method}_at_limit"

    yield Column(
        "ours",
        lambda row: _ours(method, partial(_time, limited=row[limited]), row),
        label,
        notes=lambda row: [BUSY_NOTE] if row[f"{method}_only_disturbed"] is True else [],
        bold=partial(_is_best, method, min),
    )
    if method in FRANDI2013:
        yield Column("printed", partial(_printed, method, text.printed_seconds), label)
        yield Column(
            "printed / ours", lambda row: _ratio(row[f"{method}_ratio"], row[limited]), label
        )


def _ours(method: str, write: Callable[..., str], row: Mapping) -> str:
    return write(row[f"{method}_mean"], row[f"{method}_std"], row[f"{method}_n"])


def _printed(method: str, write: Callable[..., str], row: Mapping) -> str:
    return write(row[f"{method}_printed_mean"], row[f"{method}_printed_std"])


def _is_best(method: str, best: Callable, row: Mapping) -> bool:
    """Return whether a method of frandi2013 is faster (or more accurate) than the paper's other
    methods by more than two standard errors of the difference.

    A method with a run that ended at a limit is never the best.
    """
    if method not in FRANDI2013 or row[f"{method}_at_limit"]:
        return False
    known = [name for name in FRANDI2013 if not text.is_missing(row[f"{name}_mean"])]
    mean, squared = ({name: row[f"{name}_{key}"] for name in known} for key in ("mean", "std"))
    squared = {name: value**2 / row[f"{name}_n"] for name, value in squared.items()}
    if method not in known or mean[method] != best(mean.values()):
        return False
    others = [name for name in known if name != method]
    return bool(others) and all(
        abs(mean[one] - mean[method]) > 2 * (squared[one] + squared[method]) ** 0.5
        for one in others
    )


def features_table(descriptions: Details, missing: Missing = None) -> Table:
    """Return the table of the sizes of the prepared data sets.

    If the paper states a different size, the paper's size is in brackets.
    """
    require(descriptions, "needs descriptions of data sets, and there are none")
    printed = load_printed("frandi2013_datasets").set_index("dataset")
    described = {row["dataset"]: row for row in descriptions}
    order = numbers.datasets_in_order(described, "frandi2013_datasets")
    theirs = printed.reindex(order)
    frame = pd.DataFrame({"dataset": order, "name_in_paper": theirs["name_in_paper"].to_list()})
    for letter, column in FEATURES.items():
        frame[letter] = pd.array([described[name].get(letter) for name in order], dtype="Int64")
        frame[f"{letter}_printed"] = theirs[column].astype("Int64").array

    def size(letter: str, row: Mapping) -> str:
        ours, theirs = text.whole(row[letter]), text.whole(row[f"{letter}_printed"])
        if ours == text.NOTHING or theirs in (text.NOTHING, ours):
            return theirs if ours == text.NOTHING else ours
        return f"{ours} ({theirs})"

    def reason(letter: str, row: Mapping) -> list[str]:
        if "(" not in size(letter, row):
            return []
        known = (described[row["dataset"]].get("differs") or {}).get(letter)
        return [f"This number differs from the printed one{f': {known}' if known else ''}."]

    names = frame["name_in_paper"].fillna(frame["dataset"]).set_axis(frame["dataset"])
    columns = [Column("data set", lambda row: names[row["dataset"]], align="l")]
    columns += [
        Column(letter, partial(size, letter), notes=partial(reason, letter)) for letter in FEATURES
    ]
    return ours_beside_printed(
        frame, columns, notes=protocol.missing_sets(printed.index, described, missing)
    )


def poly_table(
    runs: pd.DataFrame, descriptions: Details, missing: Missing = None, *, methods: Sequence[str]
) -> Table:
    """Return the table of accuracies and times with the polynomial kernel (frandi2013 table 8). The
    table has a row per data set and method.
    """
    runs = numbers.drawable_runs(
        runs[runs["method"].isin(list(methods)).fillna(False)], numbers.POLY
    )
    order = numbers.datasets_in_order(runs["dataset"].dropna(), "frandi2013_poly")
    keys = ["protocol", "dataset", "method", "at_limit", "disturbed"]
    parts = []
    for name, measure in (("accuracy", "test_accuracy"), ("seconds", "train_cpu_s")):
        table = numbers.beside_printed(runs, measure, methods, order, numbers.POLY).set_index(keys)
        parts.append(
            table[["mean", "std", "n", "printed_mean", "printed_std"]].add_prefix(f"{name}_")
        )
    frame = pd.concat(parts, axis=1).reset_index().rename(columns={"accuracy_n": "n"})
    frame["accuracy_difference"] = frame["accuracy_mean"] - frame["accuracy_printed_mean"]
    frame["seconds_ratio"] = frame["seconds_printed_mean"] / frame["seconds_mean"]
    frame["majority"] = (
        frame["dataset"].map(numbers.majority_accuracies(descriptions)).astype(float)
    )

    def remarks(row: Mapping) -> Iterator[str]:
        return _accuracy_notes(
            row["at_limit"], row["accuracy_difference"], row["accuracy_mean"], row["majority"]
        )

    points, cpu = "accuracy (%)", "time (CPU s)"
    columns = [
        Column("data set", lambda row: row["dataset"], align="l"),
        Column("method", lambda row: method_label(row["method"]), align="l"),
        Column(
            "ours",
            lambda row: text.accuracy(row["accuracy_mean"], row["accuracy_std"], row["n"]),
            points,
            remarks,
        ),
        Column("printed", partial(_printed, "accuracy", text.printed_accuracy), points),
        Column("majority class", lambda row: text.fixed(row["majority"], ".2f"), points),
        Column(
            "ours", lambda row: _ours("seconds", partial(_time, limited=row["at_limit"]), row), cpu
        ),
        Column(
            "printed", partial(_printed, "seconds", partial(text.printed_seconds, digits=3)), cpu
        ),
        Column("printed / ours", lambda row: _ratio(row["seconds_ratio"], row["at_limit"]), cpu),
    ]
    expected = dict.fromkeys(load_printed("frandi2013_poly")["dataset"])
    absent = protocol.missing_sets(expected, runs["dataset"].dropna(), missing)
    notes = text.joined(protocol.disturbed_runs(runs), absent)
    return ours_beside_printed(
        frame, columns, "protocol", partial(protocol.protocol_heading, runs), notes
    )
