"""Claims of alaiz2018, evaluated on the runs of its study; numbers are medians over data sets and kernels."""

from __future__ import annotations

import numpy as np

from fwsvm.claims.verdict import StudyClaims, also, evaluates, judged, not_run, of_sets
from fwsvm.statistics.tests import wilcoxon_signed_rank
from fwsvm.studies.alaiz2018 import sparsity

CLAIMS = StudyClaims(__package__)

EASIEST = ("iris-setosa", "mushrooms")
SPREAD = 1.0
_ABSENT = "study alaiz2018 has no comparison of the models"


def _details(evidence):
    return evidence.details.get("alaiz2018", ())


def _comparison(evidence):
    """Runs of the three models on the small sets, and their means by (data set, kernel) and model."""
    table = sparsity.model_runs(evidence.runs, _details(evidence))
    if table.empty:
        return table, None
    means = table.groupby(["dataset", "kernel", "model"])[list(sparsity.MEASURES)].mean().astype(float).unstack()
    return table, means


def _pairs(means):
    """Number of data sets with a kernel each, in words."""
    return f"{len(means)} pairs of data set and kernel, {of_sets(means.index.get_level_values(0).nunique())}"


def _both(means, measure, first="mfw", second="svm"):
    if means is None or not {first, second} <= set(means[measure].columns):
        return None
    found = means[measure][[first, second]].dropna()
    return found if len(found) else None


@evaluates("alaiz2018-sparser")
def sparser(claim, evidence):
    """Ratio of support vectors M-FW / SVM, and a one-sided Wilcoxon test of the loss in accuracy."""
    _, means = _comparison(evidence)
    sizes, accuracy = _both(means, "support_vectors"), _both(means, "accuracy")
    if sizes is None or accuracy is None:
        return not_run(_ABSENT)
    ratio = (sizes["mfw"] / sizes["svm"]).median()
    if len(accuracy) < 2:
        return not_run(f"a test needs two data sets, not {len(accuracy)}")
    test = wilcoxon_signed_rank(accuracy["mfw"], accuracy["svm"], "less")
    if test.p_smallest > sparsity.LEVEL and (accuracy["mfw"] != accuracy["svm"]).any():
        return not_run(f"{len(accuracy)} pairs cannot be significant at 5 %")
    loss = (accuracy["svm"] - accuracy["mfw"]).median()
    ours = f"ratio {ratio:.3g}, p of a loss {test.p_value:.3g}"
    reason = f"median loss of accuracy {loss:.2f} points; {_pairs(sizes)}"
    return judged(ratio <= 1 and test.p_value >= sparsity.LEVEL, ours, reason, (ratio, test.p_value))


@evaluates("alaiz2018-iterations")
def fewer_iterations(claim, evidence):
    """Ratio of iterations M-FW / SVM."""
    _, means = _comparison(evidence)
    found = _both(means, "iterations")
    if found is None:
        return not_run(_ABSENT)
    ratio = (found["mfw"] / found["svm"]).median()
    return judged(ratio < 1, f"ratio {ratio:.3g}", _pairs(found), (ratio,))


@evaluates("alaiz2018-stable-c")
def stable_in_c(claim, evidence):
    """Width of the range of C that is within 1 point of the best accuracy, M-FW over SVM."""
    widths = sparsity.path_widths(sparsity.path_summary(evidence.runs, _details(evidence)))
    wide = widths.pivot_table(index=["dataset", "kernel"], columns="model", values="width") if len(widths) else None
    if wide is None or not {"mfw", "svm"} <= set(wide.columns) or wide.dropna().empty:
        return not_run("study alaiz2018 has no paths over C of both models")
    wide = wide.dropna()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.nanmedian(wide["mfw"] / wide["svm"]))
    parts = [f"{dataset} {kernel}: {row['mfw']:g} over {row['svm']:g}" for (dataset, kernel), row in wide.iterrows()]
    return judged(ratio > 1, f"median ratio {ratio:.3g}", f"log2 C, {'; '.join(parts)}", (ratio,))


@evaluates("alaiz2018-fixed-c")
def fixed_c(claim, evidence):
    """On how many sets M-FW with fixed C is the sparsest of three (ties do not count) and loses no accuracy."""
    table, means = _comparison(evidence)
    sizes = None if means is None else means["support_vectors"]
    if sizes is None or not set(sparsity.MODELS) <= set(sizes.columns) or sizes.dropna().empty:
        return not_run("study alaiz2018 has no runs of all three models")
    sizes = sizes.dropna()
    others = sizes.drop(columns="mfw_fixed").min(axis=1)
    sparsest, equal = int((sizes["mfw_fixed"] < others).sum()), int((sizes["mfw_fixed"] == others).sum())
    kept = tested = 0
    for key in sizes.index:
        own = table[(table["dataset"] == key[0]) & (table["kernel"] == key[1])]
        pairs = own.pivot_table(index="partition", columns="model", values="accuracy")[["mfw_fixed", "svm"]].dropna()
        if len(pairs) < 2:
            continue
        test = wilcoxon_signed_rank(pairs["mfw_fixed"], pairs["svm"], "less")
        if test.p_smallest <= sparsity.LEVEL or test.p_value >= 1:
            tested += 1
            kept += test.p_value >= sparsity.LEVEL
    if not tested:
        return not_run("too few partitions for a test at 5 %")
    ours = (
        f"sparsest on {sparsest} of {len(sizes)}, level with another on {equal}; "
        f"no significant loss on {kept} of {tested} that could be tested"
    )
    return judged(sparsest > len(sizes) / 2 and kept > tested / 2, ours, _pairs(sizes), (sparsest, kept))


@evaluates("alaiz2018-init")
def initial_point(claim, evidence):
    """Overlap of the support sets over all starts, and the spread of the accuracy."""
    found = sparsity.start_summary(evidence.runs, _details(evidence))
    if found.empty:
        return not_run("study alaiz2018 has no runs from several starts")
    order = found.sort_values("overlap_mean")["dataset"].tolist()
    if not set(EASIEST) <= set(order) or len(order) < 3:
        return not_run(f"needs {' and '.join(EASIEST)} and another set; have {', '.join(order)}")
    spread = found["accuracy_max"] - found["accuracy_min"]
    widest = found.loc[spread.idxmax(), "dataset"]
    holds = set(order[:2]) == set(EASIEST) and bool((spread < SPREAD).all())
    ours = f"lowest overlap: {order[0]}, {order[1]}; spread up to {spread.max():.2f} points"
    return judged(holds, ours, also(f"widest spread on {widest}", of_sets(len(found))), (spread.max(),))
