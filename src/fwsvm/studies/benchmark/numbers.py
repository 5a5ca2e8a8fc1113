"""Runs next to the printed numbers: which rows and methods are shown, and the numbers themselves."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.style import METHODS
from fwsvm.runs.records import conform, ordered
from fwsvm.runs.table import STATISTICS, of_method, protocols_of, summarise
from fwsvm.studies import published
from fwsvm.studies.benchmark.groups import FRANDI2013, NANCULEF2014
from fwsvm.studies.benchmark.protocol import same_or_none

BENCHMARK, POLY, C_PATH, STOPPING = "benchmark", "poly", "c_path", "stopping"
"""The experiments, as the column ``experiment`` names them."""

ONLY_PRINTED = "printed"
"""Stands for a protocol where nothing was run and the printed numbers stand alone."""

NEAR = 0.5
"""Points of accuracy that count as equally accurate."""

_PRINTED = {
    (BENCHMARK, "test_accuracy"): "frandi2013_accuracy",
    (BENCHMARK, "train_cpu_s"): "frandi2013_time",
    (POLY, "test_accuracy"): "frandi2013_poly",
    (POLY, "train_cpu_s"): "frandi2013_poly",
}


def experiment_runs(runs: pd.DataFrame, experiment: str, datasets: Iterable[str] | None = None) -> pd.DataFrame:
    """The rows of an experiment, of all or the given data sets, sorted and with the documented column types."""
    runs = conform(runs)
    kept = (runs["experiment"] == experiment).fillna(False)
    if datasets is not None:
        kept &= runs["dataset"].isin(list(datasets)).fillna(False)
    return runs[kept].reset_index(drop=True)


def drawable_runs(runs: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """The same; raises `NotDrawableError` where there are none."""
    runs = experiment_runs(runs, experiment)
    if runs.empty:
        what = "the benchmark" if experiment == BENCHMARK else f"the experiment {experiment}"
        raise NotDrawableError(needs(what, []))
    return runs


def methods_shown(runs: pd.DataFrame, paper: Sequence[str]) -> list[str]:
    """The paper's methods, then those in `runs` that no paper has, in display order."""
    added = set(runs["method"].dropna()) - set(NANCULEF2014)
    return [*paper, *ordered(added, tuple(METHODS))]


def has_certified(runs: pd.DataFrame) -> bool:
    return bool(((runs["method"] == "cvm") & (runs["protocol"] == "all_points")).fillna(False).any())


def datasets_in_order(present: Iterable[str], table: str = "frandi2013_accuracy") -> list[str]:
    """The data sets of a printed table in its order, then the others by name."""
    return ordered(present, tuple(dict.fromkeys(published.load(table)["dataset"])))


def rows_in_order(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Sort rows by columns: data sets in the papers' order, methods in display order, numbers ascending."""
    orders = {"dataset": datasets_in_order, "method": lambda names: ordered(names, tuple(METHODS))}

    def places(column):
        if column.name not in orders:
            return column
        return column.map({name: place for place, name in enumerate(orders[column.name](column))})

    return frame.sort_values(list(by), key=places, kind="stable", ignore_index=True)


def beside_printed(
    runs: pd.DataFrame,
    measure: str,
    methods: Sequence[str],
    datasets: Sequence[str] | None = None,
    experiment: str = BENCHMARK,
) -> pd.DataFrame:
    """One measure of the runs of an experiment, next to the printed numbers."""
    summary = summarise(runs)
    datasets = datasets_in_order(runs["dataset"].dropna()) if datasets is None else list(datasets)
    printed = printed_numbers(measure, experiment).reindex(datasets)
    blocks = []
    for protocol in protocols_of(runs) or [ONLY_PRINTED]:
        of_protocol = []
        for method in methods:
            rows = of_method(summary, protocol, method).reindex(datasets)
            block = pd.DataFrame({"protocol": protocol, "dataset": datasets, "method": method})
            for statistic in STATISTICS:
                block[statistic] = rows[f"{measure}_{statistic}"].to_numpy(dtype=float, na_value=np.nan)
            for count in ("n", "at_limit", "disturbed"):
                values = block[count] if count == "n" else rows[count]
                block[count] = values.fillna(0).to_numpy(dtype=int)
            for statistic in ("mean", "std"):
                column = printed.get(f"{method}_{statistic}")
                block[f"printed_{statistic}"] = np.nan if column is None else column.to_numpy(dtype=float)
            of_protocol.append(block)
        # By data set, then by method.
        blocks.append(pd.concat(of_protocol).sort_index(kind="stable"))
    return pd.concat(blocks, ignore_index=True)


def printed_numbers(measure: str, experiment: str = BENCHMARK) -> pd.DataFrame:
    """The printed ``<method>_mean`` and ``<method>_std`` by data set; empty where nothing is printed."""
    name = _PRINTED.get((experiment, measure))
    if name is None:
        return pd.DataFrame()
    table = published.load(name)
    if experiment == POLY:
        column = "accuracy" if measure == "test_accuracy" else "seconds"
        table = table.pivot_table(index="dataset", columns="algorithm", values=[f"{column}_mean", f"{column}_std"])
        table.columns = [f"{method}_{statistic.removeprefix(f'{column}_')}" for statistic, method in table.columns]
        return table
    return table.set_index("dataset")


def printed_means(measure: str, datasets: Iterable[str], methods: Iterable[str]) -> list[float]:
    """The printed mean of each pair of data set and method; NaN where nothing is printed."""
    rows = printed_numbers(measure).reindex(list(datasets)).to_dict("records")
    return [row.get(f"{method}_mean", np.nan) for row, method in zip(rows, methods, strict=True)]


def widen(table: pd.DataFrame, values: Sequence[str], beside: Sequence[str] = ()) -> pd.DataFrame:
    """One row per protocol and data set, columns ``<method>_<value>``; `beside` are those of the printed methods."""
    frames = []
    for method in dict.fromkeys(table["method"]):
        columns = [*values, *(beside if method in FRANDI2013 else ())]
        rows = table[table["method"] == method].set_index(["protocol", "dataset"])[columns]
        frames.append(rows.rename(columns={value: f"{method}_{value}" for value in columns}))
    return pd.concat(frames, axis=1).reset_index()


def parameters(runs: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    columns = ["C", "sigma2", "gamma", "gamma_rule"]
    rows = [[same_or_none(runs.loc[runs["dataset"] == name, column]) for column in columns] for name in datasets]
    return pd.DataFrame(rows, columns=columns, index=pd.Index(datasets, name="dataset"))


def by_name(descriptions: Sequence[Mapping]) -> dict[str, Mapping]:
    """Data set to description; a description names its data set as ``dataset`` or as ``name``."""
    return {row["dataset"] if "dataset" in row else row["name"]: row for row in descriptions}


def majority_accuracies(descriptions: Sequence[Mapping]) -> dict[str, float]:
    """Test accuracy (%) of the constant answer, the largest training class, where the classes are known."""
    found = {}
    for name, described in by_name(descriptions).items():
        classes = described.get("classes", ())
        if tested := sum(one["test"] for one in classes):
            found[name] = 100 * max(classes, key=lambda one: one["train"])["test"] / tested
    return found


def gain_kept(accuracy, cvm, majority):
    """Share (%) of CVM's gain over the majority class that a method keeps; NaN where CVM gains nothing."""
    return 100 * (accuracy - majority) / (cvm - majority).where(lambda gain: gain > 0)


def train_sizes(
    datasets: Sequence[str], descriptions: Sequence[Mapping], runs: pd.DataFrame | None = None
) -> pd.Series:
    """The number of training points per data set: as described, else as run, else as printed."""
    printed = published.load("frandi2013_datasets").set_index("dataset")["train_size"]
    sizes = {name: float(printed.get(name, np.nan)) for name in datasets}
    if runs is not None:
        sizes |= runs.groupby("dataset")["task_size"].max().dropna().astype(float).to_dict()
    sizes |= {name: float(row["m"]) for name, row in by_name(descriptions).items()}
    return pd.Series({name: sizes[name] for name in datasets}, dtype=float, name="m")
