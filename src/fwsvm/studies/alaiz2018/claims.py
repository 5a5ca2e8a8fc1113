"""Claims of alaiz2018 and their quantities: M-FW next to the SVM on its data sets and kernels."""

from __future__ import annotations

import numpy as np

from fwsvm.claims.claim import StudyClaims
from fwsvm.claims.quantities import Sample, of_sets, quantity, sample
from fwsvm.statistics.tests import wilcoxon_signed_rank
from fwsvm.studies.alaiz2018 import sparsity

_ABSENT = "study alaiz2018 has no comparison of the models"


def _details(evidence):
    return evidence.details.get("alaiz2018", ())


def _means(evidence, measure, models=("mfw", "svm")):
    """Means of a measure by (data set, kernel), one column per model, rows with all of them; None without such."""
    table = sparsity.model_runs(evidence.runs, _details(evidence))
    if table.empty or not set(models) <= set(table["model"]):
        return None
    means = table.groupby(["dataset", "kernel", "model"])[measure].mean().astype(float).unstack()
    found = means[list(models)].dropna()
    return found if len(found) else None


def _keyed(values, name=""):
    return {(name, " ".join(key)): value for key, value in values.items()}


def _pairs(table):
    return f"{len(table)} pairs of data set and kernel, {of_sets(table.index.get_level_values(0).nunique())}"


@quantity("{measure} of M-FW over the SVM's", "ratio", neutral=1.0)
def model_ratio(evidence, measure: str) -> Sample:
    """Mean of a measure over the partitions, M-FW over SVM, for each data set with a kernel."""
    means = _means(evidence, measure)
    if means is None:
        return sample({}, absent=_ABSENT)
    return sample(_keyed(means["mfw"] / means["svm"]), _pairs(means))


@quantity("Wilcoxon test of a loss of accuracy of M-FW against the SVM", "p")
def loss_p_value(evidence) -> Sample:
    """One-sided p-value of the mean accuracies, for the data sets with a kernel."""
    means = _means(evidence, "accuracy")
    if means is None or len(means) < 2:
        return sample({}, absent=_ABSENT if means is None else f"a test needs two data sets, not {len(means)}")
    test = wilcoxon_signed_rank(means["mfw"], means["svm"], "less")
    made = sample({("", ""): test.p_value}, f"median loss {(means['svm'] - means['mfw']).median():.2f} points")
    # Where no accuracy differs there is no loss, however few the pairs.
    smallest = test.p_smallest if test.n_zeros < test.n else 0.0
    return Sample(made.values, made.basis, smallest=made.values * 0 + smallest)


@quantity("neighbouring values of C with an accuracy within 1 point of the best, M-FW's over the SVM's", "ratio",
          neutral=1.0)  # fmt: skip
def width_ratio(evidence) -> Sample:
    """Ratio of the numbers of values of C, for each path on which the SVM is near the best at all."""
    paths = sparsity.path_summary(evidence.runs, _details(evidence))
    widths = sparsity.path_widths(paths)
    table = widths.set_index(["dataset", "kernel", "model"])["width"].unstack() if len(widths) else widths
    if not {"mfw", "svm"} <= set(table.columns):
        return sample({}, absent="study alaiz2018 has no paths over C of both models")
    step = np.diff(np.unique(np.log2(paths["C"].astype(float)))).min() if paths["C"].nunique() > 1 else 1.0
    counts = table[["mfw", "svm"]].fillna(-step) / step + 1  # a model that is never near has none
    near = counts[counts["svm"] > 0]
    parts = [f"{' '.join(key)}: {row['mfw']:.0f} over {row['svm']:.0f}" for key, row in counts.iterrows()]
    return sample(_keyed(near["mfw"] / near["svm"]), ", ".join(parts), absent="no path on which the SVM is near")


@quantity("support vectors of the sparser of SVM and M-FW over those of M-FW with fixed C", "ratio", neutral=1.0)
def fixed_sparsity(evidence) -> Sample:
    """Above 1 where M-FW with C fixed beforehand is the sparsest of three, for each data set with a kernel."""
    sizes = _means(evidence, "support_vectors", tuple(sparsity.MODELS))
    if sizes is None:
        return sample({}, absent="study alaiz2018 has no runs of all three models")
    ratio = sizes.drop(columns="mfw_fixed").min(axis=1) / sizes["mfw_fixed"]
    return sample(_keyed(ratio), f"level with another on {int((ratio == 1).sum())}", _pairs(sizes))


@quantity("p of a loss of accuracy of M-FW with fixed C over the partitions", "p")
def fixed_loss(evidence) -> Sample:
    """One-sided p-value against the SVM, for each data set with a kernel whose partitions can decide at 5 %."""
    table, values = sparsity.model_runs(evidence.runs, _details(evidence)), {}
    sizes = _means(evidence, "support_vectors", tuple(sparsity.MODELS))
    for key in sizes.index if sizes is not None else ():
        own = table[(table["dataset"] == key[0]) & (table["kernel"] == key[1])]
        pairs = own.pivot_table(index="partition", columns="model", values="accuracy")[["mfw_fixed", "svm"]].dropna()
        if len(pairs) > 1:
            test = wilcoxon_signed_rank(pairs["mfw_fixed"], pairs["svm"], "less")
            if test.p_smallest <= sparsity.LEVEL or test.p_value >= 1:
                values["", " ".join(key)] = test.p_value
    return sample(values, f"{len(values)} could be tested", absent="too few partitions for a test at 5 %")


def _starts(evidence):
    return sparsity.start_summary(evidence.runs, _details(evidence))


@quantity("overlap of M-FW's support sets over all starts", "percent")
def overlap(evidence) -> Sample:
    """Mean overlap in per cent, for each data set."""
    found = _starts(evidence)
    values = {("", row.dataset): row.overlap_mean for row in found.itertuples()}
    return sample(values, of_sets(len(found)), absent="study alaiz2018 has no runs from several starts")


@quantity("range of M-FW's accuracy over all starts", "percent")
def accuracy_range(evidence) -> Sample:
    """Largest minus smallest accuracy in points, for each data set."""
    values = {("", row.dataset): row.accuracy_max - row.accuracy_min for row in _starts(evidence).itertuples()}
    return sample(values, absent="study alaiz2018 has no runs from several starts")


CLAIMS = StudyClaims(__package__)
