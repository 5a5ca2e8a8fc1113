"""Functions that select the runs and methods that are shown, and that put our results next to the
papers' results.
"""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.style import METHODS
from fwsvm_papers.runs.comparison import MEASURES
from fwsvm_papers.runs.protocols import PROTOCOLS
from fwsvm_papers.runs.records import conform
from fwsvm_papers.runs.table import STATISTICS, of_method, ordered, protocols_of, summarise
from fwsvm_papers.studies.benchmark.groups import FRANDI2013, NANCULEF2014
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.registry import load_printed

BENCHMARK, POLY, C_PATH, STOPPING, LADDER = "benchmark", "poly", "c_path", "stopping", "ladder"
"""Names of experiments in the column ``experiment``."""

NEAR = 0.5
"""Accuracies that differ by at most this number of percentage points count as equal."""

_AUTHORS = {"requested": "kernel_values", "computed": "computed_values"}
_PRINTED_TABLES = {"test_accuracy": "frandi2013_accuracy", "train_cpu_s": "frandi2013_time"}


def experiment_runs(
    runs: pd.DataFrame, experiment: str, datasets: Iterable[str] | None = None
) -> pd.DataFrame:
    """Return the runs of an experiment, with the column types of the table of runs.

    If `datasets` is given, only the runs on these data sets are returned.
    """
    runs = conform(runs)
    kept = (runs["experiment"] == experiment).fillna(False)
    if datasets is not None:
        kept &= runs["dataset"].isin(list(datasets)).fillna(False)
    return runs[kept].reset_index(drop=True)


def drawable_runs(
    runs: pd.DataFrame,
    experiment: str,
    datasets: Iterable[str] | None = None,
    missing: Missing = None,
) -> pd.DataFrame:
    """Return the same rows as `experiment_runs`, but raise a `NotDrawableError` if there are no
    rows.
    """
    runs = experiment_runs(runs, experiment, datasets)
    what = "the benchmark" if experiment == BENCHMARK else f"the experiment {experiment}"
    require(len(runs), needs(what, datasets or [], missing))
    return runs


def methods_shown(runs: pd.DataFrame, paper: Sequence[str]) -> list[str]:
    """Return a list of methods. The methods of a paper come first. The methods that ran but are in
    neither frandi2013 nor nanculef2014 follow.
    """
    return [*paper, *ordered(set(runs["method"].dropna()) - set(NANCULEF2014), tuple(METHODS))]


def datasets_in_order(present: Iterable[str], table: str = "frandi2013_accuracy") -> list[str]:
    """Return the data sets in order. Those in a table of a paper come first, in the order of this
    table. All other data sets follow, sorted by name.
    """
    return ordered(present, tuple(dict.fromkeys(load_printed(table)["dataset"])))


def rows_in_order(frame: pd.DataFrame, by: Sequence[str], **first: Iterable[str]) -> pd.DataFrame:
    """Return a table sorted by the columns `by`.

    Data sets are in the order of the papers. Protocols and methods are in the order in which they
    are shown.

    An argument with the name of a column lists the values that come first in this column. Columns
    without such a list are sorted in ascending order.
    """
    of_paper = load_printed("frandi2013_accuracy")["dataset"]
    first = {"dataset": of_paper, "protocol": PROTOCOLS, "method": METHODS} | first

    def places(column: pd.Series) -> pd.Series:
        if column.name not in first:
            return column
        names = ordered(column.dropna(), tuple(first[column.name]))
        return column.map({name: place for place, name in enumerate(names)})

    return frame.sort_values(list(by), key=places, kind="stable", ignore_index=True)


def beside_printed(
    runs: pd.DataFrame,
    measure: str,
    methods: Sequence[str],
    datasets: Iterable[str] | None = None,
    experiment: str = BENCHMARK,
) -> pd.DataFrame:
    """Return a table with one measure of our runs, next to the printed values of this measure. The
    table has a row per protocol, data set and method.
    """
    summary = summarise(runs)
    datasets = datasets_in_order(runs["dataset"].dropna()) if datasets is None else list(datasets)
    printed = printed_numbers(measure, experiment).reindex(datasets)
    nothing = pd.Series(np.nan, datasets)
    blocks = {}
    for protocol, method in product(protocols_of(runs), methods):
        rows = of_method(summary, protocol, method).reindex(datasets)
        numbers = {name: rows[f"{measure}_{name}"].astype(float) for name in STATISTICS}
        counts = {"n": numbers["n"], "at_limit": rows["at_limit"], "disturbed": rows["disturbed"]}
        numbers |= {name: count.fillna(0).astype(int) for name, count in counts.items()}
        numbers["only_disturbed"] = rows["disturbed"] == rows["repetitions"]
        numbers["requested"] = rows["requested_evaluations_mean"].astype(float)
        numbers |= {
            f"printed_{name}": printed.get(f"{method}_{name}", nothing) for name in ("mean", "std")
        }
        blocks[protocol, method] = pd.DataFrame(numbers, index=datasets)
    order = pd.MultiIndex.from_product(
        [protocols_of(runs), datasets, methods], names=["protocol", "dataset", "method"]
    )
    return pd.concat(blocks).swaplevel(1, 2).reindex(order).reset_index()


def printed_numbers(measure: str, experiment: str = BENCHMARK) -> pd.DataFrame:
    """Return a table with the printed ``<method>_mean`` and ``<method>_std`` of each data set. The
    table is empty if the papers print no values of this measure.
    """
    if measure not in _PRINTED_TABLES:
        return pd.DataFrame()
    if experiment != POLY:
        return load_printed(_PRINTED_TABLES[measure]).set_index("dataset")
    table = load_printed("frandi2013_poly")
    column = "accuracy" if measure == "test_accuracy" else "seconds"
    table = table.pivot_table(
        index="dataset", columns="algorithm", values=[f"{column}_mean", f"{column}_std"]
    )
    table.columns = [
        f"{method}_{statistic.removeprefix(f'{column}_')}" for statistic, method in table.columns
    ]
    return table


def printed_means(measure: str, datasets: Iterable[str], methods: Iterable[str]) -> list[float]:
    """Return a list with the printed means of frandi2013. Each mean is for a data set and the
    method at the same place in `methods`. A mean that is not in the paper is NaN.
    """
    rows = printed_numbers(measure).reindex(list(datasets)).to_dict("records")
    return [row.get(f"{method}_mean", np.nan) for row, method in zip(rows, methods, strict=True)]


def printed_rows(datasets: Iterable[str], methods: Iterable[str]) -> pd.DataFrame:
    """Return a table with the mean accuracies and times of frandi2013. The table has a row for each
    pair of data set and method for which the paper prints a time.

    The columns are those that `fwsvm_papers.runs.comparison.against` reads.
    """
    rows = pd.DataFrame(product(datasets, methods), columns=["dataset", "method"])
    for name in ("accuracy", "time"):
        rows[name] = printed_means(MEASURES[name], rows["dataset"], rows["method"])
    return rows.assign(at_limit=False).dropna(subset=["time"])


def authors_rows() -> pd.DataFrame:
    """Return the mean results of the authors' program on another machine. The table has the columns
    of `printed_rows`, numbers of kernel values, and others.
    """
    names = {"train_cpu_s": "time", "accuracy_mean": "accuracy"}
    names |= {f"kernel_values_{kind}": name for kind, name in _AUTHORS.items()}
    return load_printed("cost_authors_code").rename(columns=names).assign(at_limit=False)


def widen(table: pd.DataFrame, values: Sequence[str], beside: Sequence[str] = ()) -> pd.DataFrame:
    """Return a table with a row per protocol and data set, and with columns ``<method>_<value>``.

    The columns that `beside` names are included only for the methods of frandi2013.
    """
    frames = []
    for method, rows in table.set_index(["protocol", "dataset"]).groupby("method", sort=False):
        columns = [*values, *(beside if method in FRANDI2013 else ())]
        frames.append(rows[columns].add_prefix(f"{method}_"))
    return pd.concat(frames, axis=1).reset_index()


def parameters(runs: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    """Return a table with C and the kernel width of each data set. An entry is missing (None or
    NaN) if the runs on a data set have no value or several values.
    """
    columns = ["C", "sigma2", "gamma", "gamma_rule"]
    found = [
        [runs.loc[runs["dataset"] == name, column].dropna().unique() for column in columns]
        for name in datasets
    ]
    rows = [[values[0] if len(values) == 1 else None for values in row] for row in found]
    return pd.DataFrame(rows, columns=columns, index=pd.Index(datasets, name="dataset"))


def majority_accuracies(descriptions: Details) -> dict[str, float]:
    """Return a dict that maps each data set with known classes to the test accuracy (%) of the
    majority prediction.
    """
    found = {}
    for described in descriptions:
        classes = described.get("classes", ())
        if tested := sum(one["test"] for one in classes):
            found[described["dataset"]] = (
                100 * max(classes, key=lambda one: one["train"])["test"] / tested
            )
    return found


def train_sizes(
    datasets: Sequence[str], descriptions: Details, runs: pd.DataFrame | None = None
) -> pd.Series:
    """Return the number of training points of each data set.

    Three sources are tried in this order: the description of the data set, the runs, and
    frandi2013. If none of these sources has the number, it is NaN.
    """
    printed = load_printed("frandi2013_datasets").set_index("dataset")["train_size"]
    sizes = {name: float(printed.get(name, np.nan)) for name in datasets}
    if runs is not None:
        sizes |= runs.groupby("dataset")["task_size"].max().dropna().astype(float).to_dict()
    sizes |= {row["dataset"]: float(row["m"]) for row in descriptions}
    return pd.Series({name: sizes[name] for name in datasets}, dtype=float, name="m")
