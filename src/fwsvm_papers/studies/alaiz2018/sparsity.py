"""The measures by which M-FW is compared with the SVM: accuracy, sparsity, iterations and stability
(alaiz2018 sec. 5).
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import pandas as pd

from fwsvm_papers.runs import ENDED_REASONS
from fwsvm_papers.statistics.tests import wilcoxon_signed_rank
from fwsvm_papers.studies.alaiz2018 import EXPERIMENT, MODELS
from fwsvm_papers.studies.benchmark.protocol import Details

MEASURES = ("accuracy", "support_vectors", "iterations")
"""The measures: test accuracy in per cent, number of support vectors, and number of iterations."""

COMPARED = (
    "australian",
    "breast-cancer",
    "diabetes",
    "german",
    "heart",
    "ionosphere",
    "iris-setosa",
    "mushrooms",
    "sonar",
)
LARGER = ("ijcnn1", "magic")
LARGEST = ("miniboone",)
KERNELS = {"linear": "linear kernel", "rbf": "RBF kernel"}

LEVEL = 0.05
# a relative difference between two accuracies that is smaller than this is a rounding error
_ROUNDING = 1e-12
_KEYS = ["dataset", "kernel", "model"]


def study_runs(runs: pd.DataFrame, init: str = "random_point") -> pd.DataFrame:
    """Return the runs of the study whose column `init` equals the argument `init`. The runs for
    alaiz2018 table 5 start from different points, and their `init` is "each_point".

    Runs without a partition, which are those for alaiz2018 fig. 4, are left out. The table has two
    further columns: `accuracy` (per cent), and `at_limit`, which says whether the run ended at a
    limit.
    """
    mask = (runs["experiment"] == EXPERIMENT) & (runs["init"] == init) & runs["partition"].notna()
    chosen = runs[mask.fillna(False).astype(bool)]
    return chosen.assign(
        accuracy=100 * chosen["test_accuracy"], at_limit=chosen["stop_reason"].isin(ENDED_REASONS)
    )


def model_runs(runs: pd.DataFrame, details: Details, part: str = "comparison") -> pd.DataFrame:
    """Return the runs of each model at its chosen C, with a further column `model`. The values of C
    are those in the `part` of the details, which is "comparison" or "c_path".

    Models with the same method and C have the same runs.
    """
    chosen, names = study_runs(runs), ["dataset", "kernel", "method", "C"]
    rows = [
        (entry["dataset"], kernel, MODELS[model], C, model)
        for entry in details
        if part in entry
        for kernel, tuned in entry[part]["tuned"].items()
        for model, C in tuned["C"].items()
    ]
    return (
        pd.DataFrame(rows, columns=[*names, "model"])
        .astype(chosen[names].dtypes)
        .merge(chosen, on=names)
    )


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table sorted by data set and kernel.

    Data sets are in the order of the paper, and other data sets come last. The linear kernel comes
    first.
    """
    if table.empty:
        return table
    orders = {
        "dataset": [*COMPARED, *LARGEST, *LARGER, *table["dataset"].unique()],
        "kernel": list(KERNELS),
    }
    by = [name for name in orders if name in table]
    return table.sort_values(
        by, key=lambda column: column.map(orders[column.name].index), ignore_index=True
    )


def model_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with means, standard deviations and ranks over the partitions. There is a row
    for each data set, kernel and model. The argument is a result of `model_runs`.

    For a single partition, the standard deviation is 0.
    """
    rows = []
    for (dataset, kernel), group in table.groupby(["dataset", "kernel"], sort=False):
        ranks = {}
        for measure in MEASURES:
            paired = (
                group.pivot_table(measure, index="partition", columns="model")
                .dropna()
                .astype(float)
            )
            values = {name: paired[name].to_numpy() for name in group["model"].unique()}
            ranks[measure] = wilcoxon_ranks(values, lower_is_better=measure != "accuracy")
        for name, of_model in group.groupby("model", sort=False):
            row = {"dataset": dataset, "kernel": kernel, "model": name, "C": of_model["C"].iloc[0]}
            for measure in MEASURES:
                row |= _statistics(of_model, measure, "mean", "std") | {
                    f"{measure}_rank": ranks[measure][name]
                }
            rows.append(
                {**row, "partitions": len(of_model), "at_limit": int(of_model["at_limit"].sum())}
            )
    return pd.DataFrame(rows)


def _statistics(runs: pd.DataFrame, measure: str, *names: str) -> dict[str, float]:
    found = runs[measure].astype(float).agg(list(names)).fillna({"std": 0.0})
    return found.add_prefix(f"{measure}_").to_dict()


def wilcoxon_ranks(values: dict, lower_is_better: bool) -> dict:
    """Return the rank of each model. The models are ranked by their means. `values` maps each model
    to its values on the partitions.

    A model gets the rank of the preceding model, unless it differs significantly from the best
    model with that rank (alaiz2018 table 3).
    """
    if not values or not len(next(iter(values.values()))):
        return dict.fromkeys(values, 1)
    sign = 1 if lower_is_better else -1
    order = sorted(values, key=lambda name: sign * float(np.mean(values[name])))
    ranks, leader = {order[0]: 1}, order[0]
    for place, name in enumerate(order[1:], start=2):
        if wilcoxon_signed_rank(values[leader], values[name]).p_value < LEVEL:
            ranks[name], leader = place, name
        else:
            ranks[name] = ranks[leader]
    return {name: ranks[name] for name in values}


def relative_to_svm(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a table with M-FW's means as percentages of the SVM's means. For the accuracy, the
    table also has the differences of the means (alaiz2018 table 4).
    """
    if summary.empty:
        return summary
    is_svm = summary["model"] == "svm"
    both = summary[~is_svm].merge(summary[is_svm], on=["dataset", "kernel"], suffixes=("", "_svm"))
    for measure in MEASURES:
        both[f"{measure}_percent"] = 100 * both[f"{measure}_mean"] / both[f"{measure}_mean_svm"]
    both["accuracy_difference"] = both["accuracy_mean"] - both["accuracy_mean_svm"]
    return both[[*_KEYS, *(f"{measure}_percent" for measure in MEASURES), "accuracy_difference"]]


def path_summary(runs: pd.DataFrame, details: Details) -> pd.DataFrame:
    """Return a table with the mean and the range of each measure over the partitions (alaiz2018
    fig. 3).

    There is a row for each data set, kernel, model and C.
    """
    chosen = study_runs(runs)
    chosen = chosen[
        chosen["dataset"].isin([entry["dataset"] for entry in details if "c_path" in entry])
    ]
    chosen = chosen.assign(
        model=chosen["method"].map({MODELS[model]: model for model in ("svm", "mfw")})
    )
    groups = chosen.astype(dict.fromkeys(MEASURES, float)).groupby([*_KEYS, "C"])
    columns = {
        f"{measure}_{name}": (measure, name)
        for measure in MEASURES
        for name in ("mean", "min", "max")
    }
    found = groups.agg(
        **columns, partitions=("at_limit", "size"), at_limit=("at_limit", "sum")
    ).reset_index()
    return found.sort_values("model", ascending=False, kind="stable", ignore_index=True)


def path_widths(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the `stable_width` of the SVM and of M-FW for each data set and kernel.

    The best accuracy, to which `stable_width` compares the other accuracies, is the highest
    accuracy of the two models.
    """
    best = summary.groupby(["dataset", "kernel"])["accuracy_mean"].transform("max")
    rows = [
        (*keys, stable_width(path["C"], path["accuracy_mean"], best=path["best"].iloc[0]))
        for keys, path in summary.assign(best=best).groupby(_KEYS, sort=False)
    ]
    return pd.DataFrame(rows, columns=[*_KEYS, "width"])


def stable_width(C: Sequence[float], accuracy: Sequence[float], best: float) -> float:
    """Return the length (in log2 C) of the longest range of C in which the model is accurate.

    In this range, no accuracy is more than 1 percentage point below `best`. The length is NaN if
    there is no C with such an accuracy.
    """
    order = np.argsort(C)
    exponents = np.log2(np.asarray(C, dtype=float))[order]
    values = np.asarray(accuracy, dtype=float)[order]
    least = best - 1.0
    near = values >= least - _ROUNDING * abs(least)
    ranges = [
        exponents[list(places)]
        for is_near, places in groupby(range(len(near)), near.__getitem__)
        if is_near
    ]
    return max((float(np.ptp(found)) for found in ranges), default=np.nan)


def start_summary(runs: pd.DataFrame, details: Details) -> pd.DataFrame:
    """Return a table that summarises M-FW's runs from all starts, as in alaiz2018 table 5.

    It has the overlap of the support vectors, and statistics of each measure.
    """
    chosen, rows = study_runs(runs, "each_point"), []
    for entry in details:
        starts = entry.get("starts")
        of_set = chosen[chosen["dataset"] == entry["dataset"]]
        if not starts or of_set.empty:
            continue
        row = {"dataset": entry["dataset"], "starts": len(of_set), "points": starts["points"]}
        row |= {f"overlap_{key}": starts["overlap"][key] for key in ("mean", "min", "max")}
        for measure in MEASURES:
            row |= _statistics(of_set, measure, "mean", "min", "max", "std")
        rows.append({**row, "at_limit": int(of_set["at_limit"].sum())})
    return pd.DataFrame(rows)
