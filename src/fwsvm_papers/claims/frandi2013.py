"""The claims of frandi2013 about the benchmark and the paths over C."""

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm_papers.claims.benchmark import (
    LABELS,
    kernel_comparison,
    leads,
    loss_of_accuracy,
    p_values,
    printed_p,
    printed_speedups,
    ratio,
    spread,
    support_vector_share,
    versus,
)
from fwsvm_papers.claims.claim import Verdict, benchmark_claim
from fwsvm_papers.claims.evidence import Evidence, Sample, of_sets
from fwsvm_papers.claims.judging import (
    FACTOR,
    MOST,
    OFTEN,
    SLIGHT,
    below_one_on,
    differs,
    grows,
    lowest,
    near,
    no_difference,
    share,
    within,
)
from fwsvm_papers.reporting.text import listing
from fwsvm_papers.runs.comparison import Bound, against, means, median_with_bound
from fwsvm_papers.runs.table import summarise, under
from fwsvm_papers.studies.benchmark.groups import ADULT, LARGE, MEDIUM, WEB

SINGLE_SETS = ("protein", *MEDIUM.datasets, *LARGE.datasets)
CHARACTERS = ("letter", "pendigits", "mnist", "usps", "usps-ext")
CVM_MORE_ACCURATE = ("ijcnn1", "reuters", "kdd99-10pc")
SAME_AND_FASTER = ("protein", "kdd99-full")
CVM_WINS = ("pendigits", "usps", "shuttle")
OF_TIMES = printed_speedups()
MFW_ON_WEB = listing(f"{speedup:.1f}" for speedup in OF_TIMES["mfw"][list(WEB.datasets)])
C_PATHS = ("shuttle", "kdd99-10pc", "pendigits", "reuters")


@benchmark_claim(
    "on Web, FW's speed-up over CVM grows monotonically, from {w1a}x (w1a) to {w8a}x (w8a)",
    {"w1a": 12, "w8a": 107},
    "{}×",
    "table3 fig3",
    note=(
        '"the speed-up is monotonically increasing" (sec. 5.3); by the times in the paper\'s Table'
        f" 3, it does not always grow: it is {OF_TIMES['fw']['w1a']:.1f} on w1a and"
        f" {OF_TIMES['fw']['w2a']:.1f} on w2a"
    ),
)
def fw_web(evidence: Evidence, printed: Mapping[str, float]) -> tuple[Verdict, ...]:
    ends = near(ratio(evidence, ["fw"], list(printed)), printed, needs_all=True)
    return grows(ratio(evidence, ["fw"], WEB.datasets)), ends


@benchmark_claim(
    "on Web, MFW's speed-up over CVM grows monotonically, from {w1a}x (w1a) to almost {w8a}x (w8a)",
    {"w1a": 2, "w8a": 10},
    "{}×",
    "table3 fig3",
    note=(
        '"from {w1a} times faster up to almost {w8a} times faster in the case of the MFW method"'
        " (sec. 5.3); by the times in the paper's Table 3, the speed-up does not always grow: from"
        f" w1a to w8a it is {MFW_ON_WEB}"
    ),
)
def mfw_web(evidence: Evidence, printed: Mapping[str, float]) -> tuple[Verdict, ...]:
    ends = near(ratio(evidence, ["mfw"], list(printed)), printed, needs_all=True)
    return grows(ratio(evidence, ["mfw"], WEB.datasets)), ends


@benchmark_claim(
    "on Adult, MFW is always faster than CVM, by up to {}x (a5a)",
    15,
    "{}×",
    "table3 fig4",
    note=(
        '"MFW however runs always faster than CVMs, reaching a speed-up of {}× in the fifth'
        ' version" (sec. 5.4)'
    ),
)
def mfw_adult(evidence: Evidence, printed: int) -> tuple[Verdict, ...]:
    speedup = ratio(evidence, ["mfw"], ADULT.datasets)
    return share(speedup, ">", 1), near(speedup, printed, "max")


@benchmark_claim(
    "on Adult, CVM is faster than FW only on the two smallest sets",
    ("a1a", "a2a"),
    "{}, {}",
    "table3 fig4",
    note=(
        '"faster than FW just in two cases, corresponding to the smallest versions of the sequence"'
        " (sec. 5.4)"
    ),
)
def adult_cvm_wins(evidence: Evidence, printed: Sequence[str]) -> Verdict:
    return below_one_on(ratio(evidence, ["fw"], ADULT.datasets), printed)


@benchmark_claim(
    "FW's speed-up over CVM is {kdd99-10pc}x on kdd99-10pc and {kdd99-full}x on kdd99-full",
    {"kdd99-10pc": 102, "kdd99-full": 25},
    "{}×",
    "table3 fig6",
)
def kdd(evidence: Evidence, printed: Mapping[str, float]) -> Verdict:
    return near(ratio(evidence, ["fw"], list(printed)), printed)


@benchmark_claim(
    "FW and MFW usually lose less than {} % in accuracy compared with CVM",
    1,
    "{} %",
    "table2 fig3 fig4 fig5 fig6",
)
def accuracy_loss(evidence: Evidence, printed: int) -> Verdict:
    return share(loss_of_accuracy(evidence, ["fw", "mfw"]), "<", printed, MOST, each=True)


@benchmark_claim(
    "FW and MFW are faster than CVM (Wilcoxon test, p < {})", 0.01, "p < {}", "table5 table7"
)
def time_significant(evidence: Evidence, level: float) -> Verdict:
    return differs(p_values(evidence, "frandi2013", "time", "fw-cvm", "mfw-cvm"), level)


@benchmark_claim(
    "CVM is more accurate than FW and than MFW (Wilcoxon test, p < {})",
    0.01,
    "p < {}",
    "table6 table7",
)
def accuracy_significant(evidence: Evidence, level: float) -> Verdict:
    return differs(p_values(evidence, "frandi2013", "accuracy", "fw-cvm", "mfw-cvm"), level)


@benchmark_claim(
    "the training times of FW and MFW do not differ significantly",
    printed_p("frandi2013", "time", "fw-mfw"),
    "p = {:g}",
    "table5 table7",
)
def fw_mfw_time(evidence: Evidence, _printed: float) -> Verdict:
    return no_difference(p_values(evidence, "frandi2013", "time", "fw-mfw"), 0.1)


@benchmark_claim(
    "all algorithms become faster as C grows",
    artefacts="fig7 fig8",
    note='"as C grows all the algorithms become faster" (sec. 5.7)',
)
def c_faster(evidence: Evidence) -> Verdict:
    return share(time_with_c(evidence, C_PATHS), "<", -0.5, chosen=True)


@benchmark_claim(
    "FW and MFW are faster than CVM most of the time, whatever C is",
    artefacts="fig7 fig8",
    note=(
        '"most of time significantly lower than those of CVMs, independently of the value of'
        ' parameter C" (sec. 5.7)'
    ),
)
def c_cvm(evidence: Evidence) -> tuple[Verdict, ...]:
    pairs, medians = speedup_with_c(evidence, C_PATHS)
    return share(pairs, ">", 1, MOST, each=True), share(medians, ">", 1)


@benchmark_claim(
    "on Adult, FW is more accurate than CVM most of the time",
    artefacts="table2 fig4",
    note='"most of the time FW exhibits also better test accuracies than CVMs" (sec. 5.4)',
)
def adult_fw_accuracy(evidence: Evidence) -> Verdict:
    return share(versus(evidence, ["fw"], ["cvm"], ADULT.datasets, "accuracy"), ">", 0, MOST)


@benchmark_claim(
    "times and accuracies of FW and MFW with the polynomial kernel are comparable to those with the"
    " Gaussian kernel",
    artefacts="table8",
    note='"both test accuracies and training times are comparable" (sec. 5.8)',
)
def poly_comparable(evidence: Evidence) -> tuple[Verdict, ...]:
    factors, distances = kernel_comparison(evidence, ["fw", "mfw"])
    return (
        share(factors, "<=", FACTOR, MOST, each=True, chosen=True),
        share(distances, "<=", 1, MOST, each=True, chosen=True),
    )


@benchmark_claim(
    "on Adult, about {} % of the training points are support vectors", 60, "{} %", "fig4"
)
def adult_sv_share(evidence: Evidence, printed: int) -> Verdict:
    shares = support_vector_share(evidence, ["cvm", "fw", "mfw"], ADULT.datasets)
    return within(shares, printed, tolerance=10)


@benchmark_claim(
    "MFW is more accurate than FW (Wilcoxon test)",
    printed_p("frandi2013", "accuracy", "fw-mfw"),
    "p = {:g}",
    "table6 table7",
    note=(
        f"nanculef2014 has p = {printed_p('nanculef2014', 'accuracy', 'fw-mfw'):g} (two-sided) for"
        " this pair, so its statement nanculef2014-same-accuracy contradicts this one"
    ),
)
def mfw_more_accurate(evidence: Evidence, _printed: float) -> Verdict:
    return differs(p_values(evidence, "frandi2013", "accuracy", "fw-mfw"), 0.01)


@benchmark_claim(
    "outside Web and Adult, CVM is faster than FW only on {}, {} and {}",
    CVM_WINS,
    f"{len(CVM_WINS)} sets",
    "table3 fig5 fig6",
    note='"CVMs appear faster than FW just in three problems among the single datasets" (sec. 5.9)',
)
def cvm_wins(evidence: Evidence, printed: Sequence[str]) -> Verdict:
    return below_one_on(ratio(evidence, ["fw"], SINGLE_SETS), printed)


@benchmark_claim(
    "where CVM is faster than MFW, its lead is small; this lead is largest on usps-ext, where FW is"
    " about {FW}x as fast as CVM",
    {"MFW": round(OF_TIMES["mfw"]["usps-ext"], 3), "FW": 3},
    "{}×",
    "table3 fig6",
)
def usps_ext(evidence: Evidence, printed: Mapping[str, float]) -> tuple[Verdict, ...]:
    speedup = ratio(evidence, ["mfw", "fw"], ["usps-ext"])
    return lowest(ratio(evidence, ["mfw"], SINGLE_SETS), ["usps-ext"]), near(speedup, printed)


@benchmark_claim(
    "on Adult, MFW is as accurate as CVM",
    artefacts="table2 fig4",
    note=(
        '"the MFW algorithm is not only faster but also as accurate as CVMs on this classification'
        ' problem" (sec. 5.4)'
    ),
)
def adult_mfw_accuracy(evidence: Evidence) -> Verdict:
    lost = loss_of_accuracy(evidence, ["mfw"], ADULT.datasets)
    return share(lost, "<=", 0.5, OFTEN, chosen=True)


@benchmark_claim(
    "the training times of CVM, FW and MFW differ significantly (Friedman's test, p < {}), and so"
    " do their accuracies",
    0.01,
    "p < {}",
    "table5",
    note=(
        '"we conclude that there are significant differences in terms of time and accuracy among'
        ' the algorithms" (sec. 5.6)'
    ),
)
def multiple_test(evidence: Evidence, level: float) -> tuple[Verdict, ...]:
    return tuple(
        differs(p_values(evidence, "frandi2013", measure, "cvm-fw-mfw"), level)
        for measure in ("time", "accuracy")
    )


@benchmark_claim(
    "CVM, FW and MFW have very similar accuracies on letter, pendigits, mnist, usps and usps-ext",
    artefacts="table2 fig5 fig6",
    note=(
        '"All the methods offer very similar testing performances on all the character recognition'
        ' problems" (sec. 5.9)'
    ),
)
def characters(evidence: Evidence) -> Verdict:
    accuracies = spread(evidence, ["cvm", "fw", "mfw"], CHARACTERS, "accuracy")
    return share(accuracies, "<=", 1, chosen=True)


@benchmark_claim(
    "on ijcnn1, reuters and kdd99-10pc, CVM is more accurate than FW and MFW, but slower",
    artefacts="table2 table3 fig5 fig6",
    note=(
        '"On datasets IJCNN and Reuters, CVM offers more accurate classifiers but employs a larger'
        ' running time compared to FW and MFW. The same can be said about the KDD99-10pc problem"'
        " (sec. 5.9)"
    ),
)
def cvm_more_accurate(evidence: Evidence) -> tuple[Verdict, ...]:
    lost = loss_of_accuracy(evidence, ["fw", "mfw"], CVM_MORE_ACCURATE)
    return share(lost, ">", 0), share(ratio(evidence, ["fw", "mfw"], CVM_MORE_ACCURATE), ">", 1)


@benchmark_claim(
    "FW and MFW are faster and less accurate than CVM most of the time",
    artefacts="table2 table3",
    note='"Most of the time our algorithms run faster and are less accurate" (sec. 5.6)',
)
def faster_less_accurate(evidence: Evidence) -> tuple[Verdict, ...]:
    methods = ["fw", "mfw"]
    return (
        share(ratio(evidence, methods), ">", 1, MOST, each=True),
        share(loss_of_accuracy(evidence, methods), ">", 0, MOST, each=True),
    )


@benchmark_claim(
    "outside Web and Adult, CVM's lead tends to be small where it is faster than FW or MFW",
    artefacts="table3 fig5 fig6",
    note=(
        '"in the cases for which CVMs are faster, the advantage of this algorithm on FW and MFW'
        ' tend to be very small" (sec. 5.5)'
    ),
)
def cvm_leads(evidence: Evidence) -> Verdict:
    return share(
        leads(evidence, ["cvm"], ["fw", "mfw"], SINGLE_SETS), "<=", SLIGHT, MOST, chosen=True
    )


@benchmark_claim(
    "on Adult, FW and MFW are faster than CVM on all but two sets, with very similar accuracies",
    2,
    "all but {} sets",
    "table2 table3 fig4",
    note=(
        '"Both algorithms also outperforms running times of CVM on all but two datasets of the'
        ' Adult collection, with very similar testing accuracies" (sec. 5.9)'
    ),
)
def adult_faster(evidence: Evidence, exceptions: int) -> tuple[Verdict, ...]:
    speedups = ratio(evidence, ["fw", "mfw"], ADULT.datasets)
    accuracies = spread(evidence, ["cvm", "fw", "mfw"], ADULT.datasets, "accuracy")
    least = 1 - exceptions / len(ADULT.datasets)
    return share(speedups, ">", 1, least, each=True), share(accuracies, "<=", 1, chosen=True)


@benchmark_claim(
    "on protein and kdd99-full, FW and MFW have the same accuracy as CVM and need considerably less"
    " time",
    artefacts="table2 table3 fig5 fig6",
    note=(
        '"the two FW methods are clearly advantageous on Protein and KDD99-Full datasets, where'
        " they offer the same accuracy of CVMs along with a considerably improved running"
        ' time" (sec. 5.9)'
    ),
)
def protein_and_kdd(evidence: Evidence) -> tuple[Verdict, ...]:
    accuracies = spread(evidence, ["cvm", "fw", "mfw"], SAME_AND_FASTER, "accuracy")
    speedups = ratio(evidence, ["fw", "mfw"], SAME_AND_FASTER)
    return (
        share(accuracies, "<=", 0.5, chosen=True),
        share(speedups, ">", SLIGHT, chosen=True),
    )


def _paths(evidence: Evidence, datasets: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Return the runs of the paths over C under the protocol of the evidence, and a text. If there
    are no such runs, the text gives the reason. Otherwise, the text is empty.
    """
    runs = evidence.experiment("c_path")
    runs = runs[runs["dataset"].isin(datasets)]
    own = under(runs, evidence.protocol)
    if len(own):
        return own, ""
    ran = ", ".join(sorted(set(runs["protocol"].dropna())))
    only = f"the experiment c_path ran only under {ran}"
    return own, only if len(runs) else "the experiment c_path was not run"


def time_with_c(evidence: Evidence, datasets: Sequence[str]) -> Sample:
    """Return, for each method and data set, Spearman's correlation between C and the mean time. If
    a run ended at a limit, the time at its C counts as the longest of all times. A pair of method
    and data set is omitted if it has times at fewer than 3 values of C, or if all times are equal.
    """
    name, cost = "rank correlation of training time with C", f"{evidence.cost}_mean"
    runs, absent = _paths(evidence, datasets)
    if absent:
        return Sample(name, "number", {}, absent=absent)
    values = {}
    for (dataset, method), rows in summarise(runs, by=("C",)).groupby(["dataset", "method"]):
        rows = rows.dropna(subset=[cost])
        seconds = rows[cost].mask(rows["at_limit"] > 0, rows[cost].max())
        if (
            len(seconds) >= 3 and seconds.min() < seconds.max()
        ):  # with equal times, the correlation is undefined
            values[method, dataset] = float(rows["C"].corr(seconds, "spearman"))
    basis = of_sets(runs["dataset"].nunique(), len(datasets))
    return Sample(
        name,
        "number",
        values,
        basis,
        neutral=0.0,
        absent="no data set has three values of C",
        timed=True,
    )


def speedup_with_c(evidence: Evidence, datasets: Sequence[str]) -> tuple[Sample, Sample]:
    """Return two samples. The first has, for each path and C, CVM's mean time divided by the mean
    time of FW or MFW. The second has, for each C, the medians of these ratios over the paths.
    """
    runs, absent = _paths(evidence, datasets)
    shown = pd.DataFrame(columns=["method", "dataset", "C", "speedup", "bound"])
    if not absent:
        table = against("cvm", means(summarise(runs, by=("C",))), ["dataset", "C"])
        table["speedup"] = table[evidence.speedup]
        table = table[table["method"] != "cvm"]
        shown = table[table["speedup"].notna() | (table["bound"] == Bound.UNKNOWN)]
    pairs, bounds, medians, bounds_of_medians = {}, {}, {}, {}
    for row in shown.itertuples():
        place = LABELS[row.method], f"{row.dataset}, C = {row.C:g}"
        pairs[place], bounds[place] = row.speedup, row.bound
    for (method, C), rows in shown.groupby(["method", "C"]):
        place = LABELS[method], f"C = {C:g}"
        found = median_with_bound(rows["speedup"], rows["bound"])
        medians[place], bounds_of_medians[place] = found
    basis = of_sets(shown["dataset"].nunique(), len(datasets))
    absent = absent or "no data set has times of CVM and of FW or MFW over C"
    return (
        Sample(
            "speed-up over CVM on each data set and at each C",
            "ratio",
            pairs,
            basis,
            absent=absent,
            timed=True,
            bounds=bounds,
        ),
        Sample(
            "median speed-up over CVM on the data sets at each C",
            "ratio",
            medians,
            basis,
            absent=absent,
            timed=True,
            bounds=bounds_of_medians,
        ),
    )
