"""Functions that summarise runs over their repetitions, and functions that arrange the results as a
table with a row per data set and a column per method.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

from fwsvm_papers.runs import LIMIT_REASONS, STOP_REASONS
from fwsvm_papers.runs.protocols import PROTOCOLS
from fwsvm_papers.runs.records import conform

MEASURES = (
    "test_accuracy",
    "train_cpu_s",
    "requested_evaluations",
    "kernel_evaluations",
    "support_vectors",
    "relative_gap",
    "iterations",
)
STATISTICS = ("mean", "std", "median", "min", "max", "n")
KEYS = ("experiment", "protocol", "dataset", "method")


def summarise(runs: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return a table of statistics over repetitions, with one row for each combination of values in
    the columns `KEYS` and `by`.

    Statistics of times are over the times that `quiet_times` returns. All other statistics are over
    all runs. For a single run, the standard deviation is missing. Accuracies are in percent. The
    table also has the number of repetitions, and the numbers of runs with each of `STOP_REASONS`,
    of runs that ended at a limit of time or steps (`at_limit`), and of `disturbed` runs.
    """
    runs = conform(runs)
    keys = [*KEYS, *by]
    values = pd.DataFrame({measure: runs[measure].astype(float) for measure in MEASURES})
    values["test_accuracy"] *= 100
    values["train_cpu_s"] = quiet_times(runs, keys)
    for reason in STOP_REASONS:
        values[f"stop_{reason}"] = (runs["stop_reason"] == reason).fillna(False).astype(int)
    values["at_limit"] = sum(values[f"stop_{reason}"] for reason in LIMIT_REASONS)
    values["disturbed"] = runs["disturbed"].fillna(False).astype(int)
    groups = pd.concat([runs[keys], values], axis=1).groupby(keys, dropna=False, sort=False)

    # a list of statistics as one argument of `agg` would take twice as long
    described = pd.concat(
        [
            groups[list(MEASURES)].agg("count" if name == "n" else name).add_suffix(f"_{name}")
            for name in STATISTICS
        ],
        axis=1,
    )
    described = described[[f"{name}_{of}" for name in MEASURES for of in STATISTICS]]
    counts = groups[[*(f"stop_{reason}" for reason in STOP_REASONS), "at_limit", "disturbed"]].sum()
    summary = pd.concat(
        [groups.size().rename("repetitions"), described, counts], axis=1
    ).reset_index()
    rank = {
        protocol: place
        for place, protocol in enumerate(ordered(summary["protocol"].dropna(), PROTOCOLS))
    }
    return summary.sort_values(
        keys,
        key=lambda column: column.map(rank) if column.name == "protocol" else column,
        kind="stable",
        ignore_index=True,
    )


def quiet_times(runs: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """Return the training time of each run, with NaN for disturbed runs.

    A group has all runs with equal values in the columns `keys`. If all runs of a group are
    disturbed, the times of these runs are kept.
    """
    disturbed = runs["disturbed"].fillna(False).astype(bool)
    only = disturbed.groupby([runs[key] for key in keys], dropna=False).transform("all")
    return runs["train_cpu_s"].astype(float).mask(disturbed & ~only)


def of_method(summary: pd.DataFrame, protocol: str, method: str) -> pd.DataFrame:
    """Return the rows of a method under a protocol. The index is the data set."""
    rows = summary[(summary["method"] == method) & (summary["protocol"] == protocol)]
    if rows["dataset"].duplicated().any():
        raise ValueError(
            "summary: several rows have the same data set, method and protocol; select the rows of"
            " one experiment first"
        )
    return rows.set_index("dataset")


def wide(
    summary: pd.DataFrame,
    measure: str,
    protocol: str,
    methods: Sequence[str],
    statistic: str = "mean",
) -> pd.DataFrame:
    """Return one measure of an experiment's summary as a table with a row per data set and a column
    per method. Missing runs give NaN.
    """
    name = f"{measure}_{statistic}"
    # only these columns are kept, since each selection of rows copies all columns
    few = summary[["dataset", "protocol", "method", name]]
    columns = {method: of_method(few, protocol, method)[name].astype(float) for method in methods}
    return (
        pd.DataFrame(columns, columns=list(methods), dtype=float)
        .sort_index()
        .rename_axis("dataset")
    )


def ordered(values: Iterable, first: Sequence) -> list:
    """List the distinct `values`. Values that occur in `first` come first, in the order of `first`.
    All other values follow in sorted order.
    """
    present = set(values)
    return [value for value in first if value in present] + sorted(present - set(first))


def protocols_of(runs: pd.DataFrame) -> list[str]:
    """List the protocols of runs, in order."""
    return ordered(runs["protocol"].dropna(), PROTOCOLS)


def under(runs: pd.DataFrame, protocol: str) -> pd.DataFrame:
    """Return the runs under a protocol."""
    return runs[(runs["protocol"] == protocol).fillna(False)]


def stand_ins(runs: pd.DataFrame) -> list[str]:
    """List the names of the data sets whose runs used a stand-in.
    `fwsvm_papers.datasets.builders.nested` makes stand-ins.
    """
    if "stand_in" not in runs:
        return []
    return sorted(runs.loc[runs["stand_in"].astype("boolean").fillna(False), "dataset"].unique())


def one_protocol(runs: pd.DataFrame, protocol: str | None = None) -> pd.DataFrame:
    """Return the runs that each experiment has under the first protocol of this experiment.

    If `protocol` is given, return the runs under this protocol instead. Omit the experiments whose
    first protocol is `protocol`, because the artefact without a protocol in its name already shows
    their runs.
    """
    kept = []
    for _, rows in runs.groupby("experiment", sort=False):
        headings = protocols_of(rows)
        chosen = (
            headings[:1]
            if protocol is None
            else [name for name in headings[1:] if name == protocol]
        )
        kept += [under(rows, name) for name in chosen]
    return pd.concat(kept) if kept else runs.iloc[:0]
