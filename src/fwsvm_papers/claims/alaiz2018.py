"""The claims of alaiz2018. They compare M-FW with the SVM on several data sets and kernels."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fwsvm_papers.claims.claim import Verdict, claim
from fwsvm_papers.claims.evidence import Evidence, Sample, of_sets
from fwsvm_papers.claims.judging import MOST, bound, lowest, no_difference, share
from fwsvm_papers.statistics.effects import signed_rank_probabilities
from fwsvm_papers.statistics.tests import wilcoxon_signed_rank
from fwsvm_papers.studies.alaiz2018 import sparsity
from fwsvm_papers.studies.benchmark.significance import REGIONS

_ABSENT = "the study alaiz2018 has no comparison of the models"
_NO_STARTS = "the study alaiz2018 has no runs from several starts"


@claim(
    "M-FW is as accurate as the SVM and has no more support vectors than the SVM",
    artefacts="table3 table4",
)
def sparser(evidence: Evidence) -> tuple[Verdict, ...]:
    return bound(model_ratio(evidence, "support_vectors"), "<=", 1), no_difference(
        loss_p_value(evidence), 0.05
    )


@claim("M-FW needs fewer iterations than the SVM", artefacts="table3 table4")
def iterations(evidence: Evidence) -> Verdict:
    return bound(model_ratio(evidence, "iterations"), "<", 1)


@claim(
    "M-FW's accuracy is nearly optimal over a much wider range of C than the SVM's",
    artefacts="table2 fig3",
)
def stable_c(evidence: Evidence) -> Verdict:
    return bound(width_ratio(evidence), ">=", 2, chosen=True)


@claim(
    "if C is fixed in advance, M-FW remains accurate, and has fewer support vectors and iterations"
    " than the SVM",
    artefacts="table3 table4",
)
def fixed_c(evidence: Evidence) -> tuple[Verdict, ...]:
    sizes, steps = (
        model_ratio(evidence, name, "mfw_fixed") for name in ("support_vectors", "iterations")
    )
    return (
        share(sizes, "<", 1, MOST),
        share(steps, "<", 1, MOST),
        no_difference(loss_p_value(evidence, "mfw_fixed"), 0.05),
    )


@claim(
    "M-FW's support vectors from different starts overlap least on the easiest data sets, iris and"
    " mushrooms; the accuracies from different starts do not differ noticeably from those on"
    " different partitions of the data",
    artefacts="table3 table5",
)
def init(evidence: Evidence) -> tuple[Verdict, ...]:
    overlap, deviation, distance = of_starts(evidence)
    easiest = lowest(overlap, ["iris-setosa", "mushrooms"])
    return easiest, share(deviation, "<=", 1), bound(distance, "<=", 2, "max", chosen=True)


def _details(evidence: Evidence) -> Sequence[Mapping]:
    return evidence.details.get("alaiz2018", ())


def _means(
    evidence: Evidence, measure: str, models: Sequence[str] = ("mfw", "svm")
) -> pd.DataFrame:
    """Return the means of a measure, with a column for each model. There is a row for each pair of
    data set and kernel on which all `models` ran.
    """
    table = sparsity.model_runs(evidence.runs, _details(evidence)).astype({measure: float})
    means = table.pivot_table(index=["dataset", "kernel"], columns="model", values=measure)
    return means.reindex(columns=list(models)).dropna()


def _keyed(values: pd.Series) -> dict:
    return {("", " ".join(key)): value for key, value in values.items()}


def _with_fixed_c(model: str) -> str:
    return " with fixed C" if model == "mfw_fixed" else ""


def model_ratio(evidence: Evidence, measure: str, model: str = "mfw") -> Sample:
    """Return the mean of a measure for M-FW divided by the SVM's mean, for each data set and
    kernel.
    """
    means = _means(evidence, measure, (model, "svm"))
    name = (
        f"number of {measure.replace('_', ' ')} of M-FW{_with_fixed_c(model)}, divided by that of"
        " the SVM,"
    )
    basis = (
        of_sets(means.index.get_level_values(0).nunique()),
        f"{len(means)} pairs of data set and kernel",
    )
    return Sample(name, "ratio", _keyed(means[model] / means["svm"]), *basis, absent=_ABSENT)


def loss_p_value(evidence: Evidence, model: str = "mfw") -> Sample:
    """Return the p-value of a one-sided test of whether M-FW is less accurate than the SVM. `model`
    is "mfw", or "mfw_fixed" for M-FW with a fixed C.

    The samples of the test have one value per data set: the mean over the kernels.
    """
    name = f"Wilcoxon test for a loss of accuracy with M-FW{_with_fixed_c(model)}"
    means = _means(evidence, "accuracy", (model, "svm")).groupby(level=0).mean()
    if len(means) < 2:
        absent = _ABSENT if means.empty else f"a test needs two data sets, not {len(means)}"
        return Sample(name, "p", {}, absent=absent)
    test = wilcoxon_signed_rank(means[model], means["svm"], "less")
    losses = means["svm"] - means[model]
    basis = f"median loss of {losses.median():.2f} points"
    # If M-FW and the SVM are equally accurate on all data sets, M-FW is not less accurate. This
    # conclusion needs no minimum number of data sets.
    smallest = test.p_smallest if test.n_zeros < test.n else 0.0
    return Sample(
        name,
        "p",
        {("", ""): test.p_value},
        basis,
        smallest=smallest,
        equivalence=lambda scale: [
            signed_rank_probabilities(losses, scale * REGIONS["accuracy"])[1]
        ],
    )


def width_ratio(evidence: Evidence) -> Sample:
    """For each data set and kernel, count the consecutive values of C at which the accuracy is
    nearly the best. Return the count for M-FW divided by the count for the SVM. Pairs of data set
    and kernel for which the SVM's count is 0 are left out.
    """
    paths = sparsity.path_summary(evidence.runs, _details(evidence))
    table = sparsity.path_widths(paths)
    table = table.pivot_table(
        index=["dataset", "kernel"], columns="model", values="width", dropna=False
    )
    name = (
        "M-FW's number of consecutive values of C with an accuracy within 1 point of the best,"
        " divided by the SVM's number,"
    )
    if not {"mfw", "svm"} <= set(table.columns):
        return Sample(
            name, "ratio", {}, absent="the study alaiz2018 lacks paths over C for M-FW or the SVM"
        )
    step = min(np.diff(np.unique(np.log2(paths["C"].astype(float)))), default=1.0)
    # If the width is missing, no accuracy is near the best accuracy, so the number of values of C
    # is 0.
    counts = table[["mfw", "svm"]].fillna(-step) / step + 1
    near = counts[counts["svm"] > 0]
    parts = [
        f"{' '.join(key)} {row['mfw']:.0f} / {row['svm']:.0f}" for key, row in counts.iterrows()
    ]
    absent = "no path over C on which the SVM's accuracy is near the best"
    basis = f"numbers of values of C (M-FW / SVM): {', '.join(parts)}"
    return Sample(name, "ratio", _keyed(near["mfw"] / near["svm"]), basis, absent=absent)


def of_starts(evidence: Evidence) -> tuple[Sample, Sample, Sample]:
    """Compare M-FW's runs from all starts (alaiz2018 table 5) with its runs on all partitions
    (table 3), for each data set.

    Return three samples. The first is the overlap of the support sets. The second is the standard
    deviation of the accuracy over the starts. The third is the absolute difference between the mean
    accuracy over the starts and the mean accuracy over the partitions. All values of the second and
    third sample are divided by the standard deviation of the accuracy over the partitions.
    """
    details = _details(evidence)
    found = sparsity.start_summary(evidence.runs, details)
    runs = sparsity.model_runs(evidence.runs, details)
    kernels = sparsity.study_runs(evidence.runs, "each_point").groupby("dataset")["kernel"].first()
    overlap, deviation, distance = {}, {}, {}
    for row in found.itertuples():
        own = runs[(runs["dataset"] == row.dataset) & (runs["kernel"] == kernels[row.dataset])]
        overlap["", row.dataset] = row.overlap_mean
        accuracy = own.loc[own["model"] == "mfw", "accuracy"].astype(float)
        # If there is only one partition, or if the accuracies on all partitions are equal, the
        # ratios are undefined.
        if not (spread := accuracy.std()) > 0:
            continue
        deviation["", row.dataset] = row.accuracy_std / spread
        distance["", row.dataset] = abs(row.accuracy_mean - accuracy.mean()) / spread
    sets, by = of_sets(len(found)), ", divided by the standard deviation over the partitions,"
    apart = "distance between the mean accuracy over the starts and that over the partitions"
    return (
        Sample(
            "mean overlap of the support vectors from two starts",
            "percent",
            overlap,
            sets,
            absent=_NO_STARTS,
        ),
        Sample(
            f"standard deviation of the accuracy over the starts{by}",
            "ratio",
            deviation,
            absent=_NO_STARTS,
        ),
        Sample(f"{apart}{by}", "number", distance, absent=_NO_STARTS),
    )
