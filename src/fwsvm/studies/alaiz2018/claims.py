"""Judge the claims of alaiz2018, which compare M-FW with the SVM on several data sets and kernels."""

import numpy as np
import pandas as pd

from fwsvm.claims.evidence import Sample, of_sets
from fwsvm.claims.judging import MOST, bound, claim, lowest, no_difference, share
from fwsvm.statistics.tests import wilcoxon_signed_rank
from fwsvm.studies.alaiz2018 import sparsity

_ABSENT = "study alaiz2018 has no comparison of the models"
_NO_STARTS = "study alaiz2018 has no runs from several starts"


@claim("M-FW has no more SVs than the SVM and is as accurate", artefacts="table3 table4")
def sparser(evidence):
    return bound(model_ratio(evidence, "support_vectors"), "<=", 1), no_difference(loss_p_value(evidence), 0.05)


@claim("M-FW needs fewer iterations", artefacts="table3 table4")
def iterations(evidence):
    return bound(model_ratio(evidence, "iterations"), "<", 1)


@claim("M-FW's accuracy is nearly optimal over a much wider range of C", artefacts="table2 fig3")
def stable_c(evidence):
    return bound(width_ratio(evidence), ">", 1, chosen=True)


@claim("with C fixed beforehand M-FW stays accurate and is the sparsest", artefacts="table3 table4")
def fixed_c(evidence):
    return share(fixed_sparsity(evidence), ">", 1, MOST), share(fixed_loss(evidence), ">=", 0.05, MOST)


@claim(
    "support sets overlap least between starts on the easiest sets (iris, mushrooms), accuracy hardly varies",
    artefacts="table5",
)
def init(evidence):
    overlap, accuracy_range = of_starts(evidence)
    return lowest(overlap, ["iris-setosa", "mushrooms"]), bound(accuracy_range, "<", 1, "max", chosen=True)


def _details(evidence):
    return evidence.details.get("alaiz2018", ())


def _means(evidence, measure, models=("mfw", "svm")) -> pd.DataFrame:
    """Return the means of a measure: a row per data set and kernel that all models ran on, a column per model."""
    table = sparsity.model_runs(evidence.runs, _details(evidence))
    if table.empty or not set(models) <= set(table["model"]):
        return pd.DataFrame(columns=list(models))
    means = table.astype({measure: float}).pivot_table(index=["dataset", "kernel"], columns="model", values=measure)
    return means[list(models)].dropna()


def _keyed(values) -> dict:
    return {("", " ".join(key)): value for key, value in values.items()}


def _pairs(table) -> str:
    if table.empty:
        return ""
    return f"{len(table)} pairs of data set and kernel, {of_sets(table.index.get_level_values(0).nunique())}"


def model_ratio(evidence, measure) -> Sample:
    """Divide the mean of a measure of M-FW by that of the SVM, for each data set and kernel."""
    means = _means(evidence, measure)
    name = f"{measure.replace('_', ' ')} of M-FW over those of the SVM"
    return Sample(name, "ratio", _keyed(means["mfw"] / means["svm"]), _pairs(means), absent=_ABSENT)


def loss_p_value(evidence) -> Sample:
    """Test for a loss of accuracy of M-FW against the SVM, over all data sets and kernels (one-sided)."""
    name, means = "Wilcoxon test of a loss of accuracy of M-FW", _means(evidence, "accuracy")
    if len(means) < 2:
        absent = _ABSENT if means.empty else f"a test needs two data sets, not {len(means)}"
        return Sample(name, "p", {}, absent=absent)
    test = wilcoxon_signed_rank(means["mfw"], means["svm"], "less")
    basis = f"median loss {(means['svm'] - means['mfw']).median():.2f} points"
    # Equal accuracies show no loss, even with few pairs.
    smallest = test.p_smallest if test.n_zeros < test.n else 0.0
    return Sample(name, "p", {("", ""): test.p_value}, basis, smallest=smallest)


def width_ratio(evidence) -> Sample:
    """Count the neighbouring C near the best accuracy, and divide M-FW's number by the SVM's where that is not 0."""
    paths = sparsity.path_summary(evidence.runs, _details(evidence))
    table = sparsity.path_widths(paths)
    if len(table):
        table = table.pivot_table(index=["dataset", "kernel"], columns="model", values="width", dropna=False)
    name = "number of neighbouring C with an accuracy within 1 point of the best, M-FW's over the SVM's,"
    if not {"mfw", "svm"} <= set(table.columns):
        return Sample(name, "ratio", {}, absent="study alaiz2018 has no paths over C of both models")
    step = min(np.diff(np.unique(np.log2(paths["C"].astype(float)))), default=1.0)
    counts = table[["mfw", "svm"]].fillna(-step) / step + 1  # The count is 0 if the model is never near the best.
    near = counts[counts["svm"] > 0]
    parts = [f"{' '.join(key)}: {row['mfw']:.0f} over {row['svm']:.0f}" for key, row in counts.iterrows()]
    absent = "no path on which the SVM is near the best"
    return Sample(name, "ratio", _keyed(near["mfw"] / near["svm"]), ", ".join(parts), absent=absent)


def fixed_sparsity(evidence) -> Sample:
    """Divide the support vectors of the sparser of SVM and M-FW by those of M-FW with fixed C."""
    sizes = _means(evidence, "support_vectors", tuple(sparsity.MODELS))
    ratio = sizes.drop(columns="mfw_fixed").min(axis=1) / sizes["mfw_fixed"]
    name = "support vectors of the sparser of SVM and M-FW over those of M-FW with fixed C"
    ties = f"level with another on {int((ratio == 1).sum())}"
    absent = "study alaiz2018 has no runs of all three models"
    return Sample(name, "ratio", _keyed(ratio), ties, _pairs(sizes), absent=absent)


def fixed_loss(evidence) -> Sample:
    """Test M-FW with fixed C against the SVM, on each data set with enough partitions for a test at 5 %."""
    table, values = sparsity.model_runs(evidence.runs, _details(evidence)), {}
    for key in _means(evidence, "support_vectors", tuple(sparsity.MODELS)).index:
        own = table[(table["dataset"] == key[0]) & (table["kernel"] == key[1])]
        pairs = own.pivot_table(index="partition", columns="model", values="accuracy")[["mfw_fixed", "svm"]].dropna()
        if len(pairs) > 1:
            test = wilcoxon_signed_rank(pairs["mfw_fixed"], pairs["svm"], "less")
            if test.p_smallest <= sparsity.LEVEL or test.p_value >= 1:
                values[key] = test.p_value
    name = "p of a loss of accuracy of M-FW with fixed C over the partitions"
    absent = "too few partitions for a test at 5 %"
    return Sample(name, "p", _keyed(values), f"{len(values)} could be tested", absent=absent)


def of_starts(evidence) -> tuple[Sample, Sample]:
    """Return the mean overlap of M-FW's support sets over all starts and the range of its accuracies, per data set."""
    found = sparsity.start_summary(evidence.runs, _details(evidence))
    overlap = {("", row.dataset): row.overlap_mean for row in found.itertuples()}
    ranges = {("", row.dataset): row.accuracy_max - row.accuracy_min for row in found.itertuples()}
    return (
        Sample("overlap of support sets over all starts", "percent", overlap, of_sets(len(found)), absent=_NO_STARTS),
        Sample("range of the accuracy over all starts", "percent", ranges, absent=_NO_STARTS),
    )
