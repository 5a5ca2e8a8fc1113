"""Claims of frandi2013 and what only they are about: the paths over C."""

from __future__ import annotations

from fwsvm.claims.claim import StudyClaims
from fwsvm.claims.quantities import Sample, of_sets, quantity, sample
from fwsvm.runs.table import shown_under, summarise
from fwsvm.studies.benchmark import evidence as benchmark
from fwsvm.studies.benchmark.quantities import time_correlation


@quantity("rank correlation of training time with C, per method and data set", "number", neutral=0.0, of_benchmark=True)
def time_with_c(evidence, sets: benchmark.Sets) -> Sample:
    """Spearman's correlation of C with the mean training time along each path of three values of C or more."""
    runs = evidence.experiment("c_path")
    runs = runs[runs["dataset"].isin(sets)]
    own = (runs["protocol"] == evidence.protocol) & (runs["method"] != "cvm")
    if not own.any():
        ran = ", ".join(sorted(set(runs.loc[runs["method"] != "cvm", "protocol"].dropna()))) or "nothing"
        return sample({}, absent=f"experiment c_path ran under {ran}" if len(runs) else "experiment c_path not run")
    runs = shown_under(runs, evidence.protocol)
    values = {}
    for (dataset, method), rows in summarise(runs, by=("C",)).groupby(["dataset", "method"]):
        rows = rows.dropna(subset=["train_cpu_s_mean"])
        correlation = time_correlation(rows["C"], rows["train_cpu_s_mean"], rows["at_limit"] > 0)
        if correlation is not None:
            values[method, dataset] = correlation
    return sample(values, of_sets(runs["dataset"].nunique(), len(sets)), absent="no path over C with three values")


CLAIMS = StudyClaims(__package__)
