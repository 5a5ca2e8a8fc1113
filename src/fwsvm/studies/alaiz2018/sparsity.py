"""How sparse, cheap and stable M-FW's machines are beside the plain ones: the measures of alaiz2018 sec. 5.

The study's runs are rows of the runs table; which values of C and which kernel width belong to which of the paper's
models is in the study's details (`fwsvm.studies.alaiz2018.run`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from fwsvm.runs.stop_reasons import ENDED_REASONS
from fwsvm.statistics.tests import wilcoxon_signed_rank
from fwsvm.studies.alaiz2018.models import EXPERIMENT, MODELS

MEASURES = ("accuracy", "support_vectors", "iterations")
"""What the models are compared by: test accuracy in per cent, support vectors, steps until the stopping rule holds."""

LEVEL = 0.05
EACH_POINT = "each_point"
"""The column `init` of runs that differ in the point they start from (alaiz2018 table 5)."""

# Means of accuracies that differ by less, relatively, differ by rounding.
_ROUNDING = 1e-12
_KEYS = ["dataset", "kernel", "model"]


def study_runs(runs: pd.DataFrame, init: str = "random_point") -> pd.DataFrame:
    """Runs of the study on its partitions, with `accuracy` in per cent and `at_limit`.

    Parameters
    ----------
    init : {"random_point", "each_point"}
        The partitions' runs, or those from each starting point.
    """
    mask = (runs["experiment"] == EXPERIMENT) & (runs["init"] == init) & runs["partition"].notna()
    chosen = runs[mask.fillna(False).astype(bool)]
    return chosen.assign(accuracy=100 * chosen["test_accuracy"], at_limit=chosen["stop_reason"].isin(ENDED_REASONS))


def model_runs(runs: pd.DataFrame, details: Sequence[Mapping], part: str = "comparison") -> pd.DataFrame:
    """Runs of the paper's models at their own values of C.

    Parameters
    ----------
    details : list of dict
        Of the study.
    part : {"comparison", "c_path"}
        The small data sets with three models (alaiz2018 table 3), or the larger ones with two (table 2).

    Returns
    -------
    DataFrame
        As `study_runs`, with the column ``model`` of `MODELS`; models with the same C share runs.
    """
    chosen, blocks = study_runs(runs), []
    for entry in details:
        if part not in entry:
            continue
        of_set = chosen[(chosen["dataset"] == entry["dataset"]).fillna(False)]
        for kernel, tuned in entry[part]["tuned"].items():
            for model, C in tuned["C"].items():
                mask = (of_set["kernel"] == kernel) & (of_set["method"] == MODELS[model]) & (of_set["C"] == C)
                blocks.append(of_set[mask.fillna(False)].assign(model=model))
    return pd.concat(blocks, ignore_index=True) if blocks else chosen.iloc[:0].assign(model="")


def model_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Sum up `model_runs` over the partitions.

    Returns
    -------
    DataFrame
        One row per data set, kernel and model in the order of `table`: ``<measure>_mean``, ``_std`` (n - 1; 0 for one
        partition) and ``_rank`` for each of `MEASURES` (see `wilcoxon_ranks`), ``partitions``, ``at_limit`` (runs).
    """
    rows = []
    for (dataset, kernel), group in table.groupby(["dataset", "kernel"], sort=False):
        ranks = {}
        for measure in MEASURES:
            paired = group.pivot_table(measure, index="partition", columns="model").dropna().astype(float)
            values = {name: paired[name].to_numpy() for name in group["model"].unique()}
            ranks[measure] = wilcoxon_ranks(values, lower_is_better=measure != "accuracy")
        for name, of_model in group.groupby("model", sort=False):
            row = {"dataset": dataset, "kernel": kernel, "model": name, "C": of_model["C"].iloc[0]}
            for measure in MEASURES:
                row |= _statistics(of_model, measure, "mean", "std") | {f"{measure}_rank": ranks[measure][name]}
            rows.append({**row, "partitions": len(of_model), "at_limit": int(of_model["at_limit"].sum())})
    return pd.DataFrame(rows)


def _statistics(runs: pd.DataFrame, measure: str, *names: str) -> dict[str, float]:
    """``<measure>_<name>`` over the runs; the standard deviation of one is 0."""
    found = runs[measure].astype(float).agg(list(names)).fillna({"std": 0.0})
    return found.add_prefix(f"{measure}_").to_dict()


def wilcoxon_ranks(values: Mapping[str, Sequence[float]], lower_is_better: bool) -> dict:
    """Rank models by their means; models that do not differ significantly share a rank (alaiz2018 table 3).

    From the best mean on, a model shares the rank of the first of its group unless the two-sided Wilcoxon signed-rank
    test tells it from that one; else it opens a group, and its rank is its place. So few pairs that no p-value can be
    below `LEVEL` give one rank to all.

    Parameters
    ----------
    values : mapping of str to sequence of float
        Model -> one value per partition, paired.
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
    """Each model's means as percentages of the plain SVM's (alaiz2018 table 4).

    Parameters
    ----------
    summary : DataFrame
        Of `model_summary`.

    Returns
    -------
    DataFrame
        One row per data set, kernel and model other than ``svm``: ``<measure>_percent`` and ``accuracy_difference``
        (points).
    """
    columns = [*_KEYS, *(f"{measure}_percent" for measure in MEASURES), "accuracy_difference"]
    if summary.empty:
        return pd.DataFrame(columns=columns)
    is_svm = summary["model"] == "svm"
    both = summary[~is_svm].merge(summary[is_svm], on=["dataset", "kernel"], suffixes=("", "_svm"))
    for measure in MEASURES:
        both[f"{measure}_percent"] = 100 * both[f"{measure}_mean"] / both[f"{measure}_mean_svm"]
    return both.assign(accuracy_difference=both["accuracy_mean"] - both["accuracy_mean_svm"])[columns]


def path_summary(runs: pd.DataFrame, details: Sequence[Mapping]) -> pd.DataFrame:
    """Accuracy, support vectors and iterations against C (alaiz2018 fig. 3).

    Returns
    -------
    DataFrame
        One row per data set, kernel, model (``svm``, ``mfw``) and C: ``<measure>_mean``, ``_min``, ``_max`` over the
        partitions, ``partitions`` and ``at_limit`` (runs).
    """
    datasets = [entry["dataset"] for entry in details if "c_path" in entry]
    chosen = study_runs(runs)
    chosen = chosen[chosen["dataset"].isin(datasets)]
    rows = []
    for dataset in datasets:
        for model in ("svm", "mfw"):
            of_model = chosen[((chosen["dataset"] == dataset) & (chosen["method"] == MODELS[model])).fillna(False)]
            for (kernel, C), group in of_model.groupby(["kernel", "C"]):
                row = {"dataset": dataset, "kernel": kernel, "model": model, "C": C}
                for measure in MEASURES:
                    row |= _statistics(group, measure, "mean", "min", "max")
                rows.append({**row, "partitions": len(group), "at_limit": int(group["at_limit"].sum())})
    return pd.DataFrame(rows)


def path_widths(summary: pd.DataFrame) -> pd.DataFrame:
    """For how wide a range of C each model is within a point of accuracy of the better of the two at its best.

    Parameters
    ----------
    summary : DataFrame
        Of `path_summary`.

    Returns
    -------
    DataFrame
        One row per data set, kernel and model: ``width`` in units of log2 C (`stable_width`).
    """
    rows = []
    if summary.empty:
        return pd.DataFrame(columns=[*_KEYS, "width"])
    for (dataset, kernel), group in summary.groupby(["dataset", "kernel"], sort=False):
        best = group["accuracy_mean"].max()
        for model, path in group.groupby("model", sort=False):
            width = stable_width(path["C"], path["accuracy_mean"], best=best)
            rows.append({"dataset": dataset, "kernel": kernel, "model": model, "width": width})
    return pd.DataFrame(rows)


def stable_width(C: Sequence[float], accuracy: Sequence[float], within: float = 1.0, best: float | None = None):
    """Longest run of neighbouring values of C whose accuracy is within `within` of the best, in log2 C.

    Parameters
    ----------
    C, accuracy : sequences of float, shape (n,)
        In any order.
    within : float
        In the unit of `accuracy`.
    best : float, optional
        By default the largest accuracy.

    Returns
    -------
    float
        log2 of the ratio of the run's ends; 0 for a single value, NaN if there is none.
    """
    order = np.argsort(C)
    exponents, values = np.log2(np.asarray(C, dtype=float))[order], np.asarray(accuracy, dtype=float)[order]
    least = (values.max() if best is None else best) - within
    near = values >= least - _ROUNDING * abs(least)
    longest, first = np.nan, None
    for place, is_near in enumerate(near):
        first = place if is_near and first is None else first if is_near else None
        if first is not None:
            longest = np.fmax(longest, exponents[place] - exponents[first])
    return float(longest)


def support_overlap(supports: Sequence[Sequence[int]]) -> dict:
    """How much the support sets of models have in common (alaiz2018 table 5).

    The overlap of a pair is the support vectors that both share over all that either has, in per cent.

    Parameters
    ----------
    supports : sequence of sequences of int
        Support vectors of each model; at least one model.

    Returns
    -------
    dict
        ``mean``, ``min``, ``max`` over all pairs; 100 for a single model.
    """
    sets = [frozenset(map(int, support)) for support in supports]
    overlaps = [100 * len(a & b) / len(a | b) for a, b in combinations(sets, 2)] or [100.0]
    return {"mean": float(np.mean(overlaps)), "min": float(min(overlaps)), "max": float(max(overlaps))}


def start_summary(runs: pd.DataFrame, details: Sequence[Mapping]) -> pd.DataFrame:
    """How much M-FW depends on the point it starts from (alaiz2018 table 5).

    Returns
    -------
    DataFrame
        One row per data set: ``starts`` and ``points`` (of the training part); ``overlap_mean``, ``_min``, ``_max``
        (per cent, see `support_overlap`); ``<measure>_mean``, ``_min``, ``_max``, ``_std`` (n - 1; 0 for one start)
        over the starts; ``at_limit`` (runs).
    """
    chosen, rows = study_runs(runs, EACH_POINT), []
    for entry in details:
        starts = entry.get("starts")
        of_set = chosen[(chosen["dataset"] == entry["dataset"]).fillna(False)]
        if not starts or of_set.empty:
            continue
        row = {"dataset": entry["dataset"], "starts": len(of_set), "points": starts["points"]}
        row |= {f"overlap_{key}": starts["overlap"][key] for key in ("mean", "min", "max")}
        for measure in MEASURES:
            row |= _statistics(of_set, measure, "mean", "min", "max", "std")
        rows.append({**row, "at_limit": int(of_set["at_limit"].sum())})
    return pd.DataFrame(rows)
