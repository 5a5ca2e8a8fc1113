"""Claims of frandi2013, evaluated on the benchmark and on the paths over C."""

from __future__ import annotations

import pandas as pd

from fwsvm import published
from fwsvm.claims.verdict import LABELS, StudyClaims, also, evaluates, judged, not_run, of_sets, times, within
from fwsvm.runs.table import CVM_SELECTION, summarise
from fwsvm.studies.benchmark.evidence import by_p_values, no_times
from fwsvm.studies.benchmark.groups import ADULT, WEB

CLAIMS = StudyClaims(__package__)

SINGLE = ("letter", "pendigits", "usps", "reuters", "mnist", "protein", "shuttle", "ijcnn1", "usps-ext", "kdd99-10pc",
          "kdd99-full")  # fmt: skip
CVM_WINS = ("pendigits", "usps", "shuttle")
C_PATH_SETS = ("shuttle", "kdd99-10pc", "pendigits", "reuters")
FALLING = -0.5
METHODS = ("cvm", "fw", "mfw")
_PAPER = "frandi2013"


@evaluates("frandi2013-fw-web", "frandi2013-mfw-web")
def speedup_grows(claim, evidence):
    """Speed-up on Web: does it grow with m, and are the ends within a factor of the printed."""
    method = "fw" if "-fw-" in claim.id else "mfw"
    found = evidence.speedups((method,), WEB.datasets)[method]
    if found.empty:
        return no_times(("cvm", method), WEB.datasets)
    first, last = WEB.datasets[0], WEB.datasets[-1]
    limits = evidence.at_limit(found.index, ("cvm", method))
    if first not in found or last not in found or len(found) < 3:
        return not_run(also(f"needs {first}, {last} and one between; have {', '.join(found.index)}", limits))
    rank = pd.DataFrame({"m": evidence.sizes[found.index], "speed-up": found}).corr("spearman").loc["m", "speed-up"]
    ends = found[first], found[last]
    holds = rank > 0 and all(within(ours, told) for ours, told in zip(ends, claim.values, strict=True))
    reason = f"rank correlation with m {rank:.2f}, {of_sets(len(found), len(WEB.datasets))}"
    return judged(holds, f"{times(ends[0])} to {times(ends[1])}", also(reason, limits), (*ends, rank))


@evaluates("frandi2013-mfw-adult")
def mfw_on_adult(claim, evidence):
    """MFW faster than CVM on every Adult set, by at most about the printed factor."""
    found = evidence.speedups(("mfw",), ADULT.datasets)["mfw"]
    if found.empty:
        return no_times(("cvm", "mfw"), ADULT.datasets)
    wins = int((found > 1).sum())
    holds = wins == len(found) and within(found.max(), claim.value)
    reason = f"faster on {wins} of {len(found)}, most on {found.idxmax()}; {of_sets(len(found), len(ADULT.datasets))}"
    return judged(
        holds, f"up to {times(found.max())}", also(reason, evidence.at_limit(found.index, ("cvm", "mfw"))),
        (found.max(), found.min()),
    )  # fmt: skip


@evaluates("frandi2013-adult-cvm-wins")
def cvm_on_adult(claim, evidence):
    """Number of Adult sets on which CVM is faster than FW, of those run; printed is the number on the same sets."""
    found = evidence.speedups(("fw",), ADULT.datasets)["fw"]
    if found.empty:
        return no_times(("cvm", "fw"), ADULT.datasets)
    won = [name for name in found.index if found[name] < 1]
    table = published.load_means("frandi2013_time").loc[list(found.index)]
    printed = int((table["cvm"] < table["fw"]).sum())
    sets = f"printed {printed} of these; {of_sets(len(found), len(ADULT.datasets))}"
    reason = also(", ".join(won), sets, evidence.at_limit(found.index, ("cvm", "fw")))
    return judged(len(won) == printed, f"{len(won)} of {len(found)} sets", reason, (len(won),))


@evaluates("frandi2013-kdd")
def kdd(claim, evidence):
    """FW's speed-up on the KDD sets."""
    names = ("kdd99-10pc", "kdd99-full")
    found = evidence.speedups(("fw",), names)["fw"]
    if found.empty:
        return no_times(("cvm", "fw"), names)
    printed = dict(zip(names, claim.values, strict=True))
    holds = all(within(found[name], printed[name]) for name in found.index)
    ours = ", ".join(f"{name} {times(found[name])}" for name in found.index)
    reason = also(of_sets(len(found), 2), evidence.at_limit(found.index, ("cvm", "fw")))
    return judged(holds, ours, reason, found)


@evaluates("frandi2013-accuracy-loss")
def accuracy_loss(claim, evidence):
    """Share of data sets on which the loss in accuracy against CVM is below 1 point."""
    parts, shares = [], []
    for method in ("fw", "mfw"):
        table = evidence.table("test_accuracy", ("cvm", method))
        if len(table):
            shares.append(float((table["cvm"] - table[method] < claim.value).mean()))
            parts.append(f"{LABELS[method]} {100 * shares[-1]:.0f} % of {len(table)} sets")
    if len(shares) < 2:
        return not_run("no accuracies of CVM with FW and MFW")
    return judged(min(shares) > 0.5, ", ".join(parts), "data sets with a loss below 1 point", shares)


@evaluates("frandi2013-time-significant", "frandi2013-accuracy-significant")
def cvm_differs(claim, evidence):
    """FW and MFW against CVM, both one-sided p below 1 %."""
    measure = "time" if "time" in claim.id else "accuracy"
    return by_p_values(claim, evidence, [(measure, "fw-cvm"), (measure, "mfw-cvm")], 0.01)


@evaluates("frandi2013-fw-mfw-time")
def same_time(claim, evidence):
    """FW against MFW, two-sided p above 10 %."""
    return by_p_values(claim, evidence, [("time", "fw-mfw")], None)


@evaluates("frandi2013-mfw-more-accurate")
def mfw_more_accurate(claim, evidence):
    """FW less accurate than MFW, one-sided p below 1 %."""
    return by_p_values(claim, evidence, [("accuracy", "fw-mfw")], 0.01)


@evaluates("frandi2013-cvm-wins")
def cvm_on_single_sets(claim, evidence):
    """The single data sets on which CVM is faster than FW: exactly those of the paper, of the sets run."""
    found = evidence.speedups(("fw",), SINGLE)["fw"]
    if found.empty:
        return no_times(("cvm", "fw"), SINGLE)
    won = [name for name in found.index if found[name] < 1]
    expected = [name for name in CVM_WINS if name in found.index]
    reason = f"printed of these sets: {', '.join(expected) or 'none'}; {of_sets(len(found), len(SINGLE))}"
    limits = evidence.at_limit(found.index, ("cvm", "fw"))
    return judged(set(won) == set(expected), ", ".join(won) or "none", also(reason, limits), (len(won),))


@evaluates("frandi2013-c-faster")
def faster_with_c(claim, evidence):
    """Share of (method, data set) whose time has a rank correlation with C below -0.5; it is to be above one half."""
    runs = evidence.experiment("c_path")
    runs = runs[runs["dataset"].isin(C_PATH_SETS)]
    own = (runs["selection"] == evidence.selection) & (runs["method"] != "cvm")
    if not own.any():
        ran = ", ".join(sorted(set(runs.loc[runs["method"] != "cvm", "selection"].dropna()))) or "nothing"
        return not_run(f"experiment c_path ran under {ran}" if len(runs) else "experiment c_path not run")
    runs = runs[own | ((runs["method"] == "cvm") & (runs["selection"] == CVM_SELECTION))]
    falling, curves = 0, 0
    for _, rows in summarise(runs, by=("C",)).groupby(["dataset", "method"]):
        rows = rows.dropna(subset=["train_cpu_s_mean"])
        if len(rows) < 3:
            continue
        curves += 1
        falling += bool(rows[["C", "train_cpu_s_mean"]].corr("spearman").iloc[0, 1] < FALLING)
    if not curves:
        return not_run("no path over C with three values")
    sets = of_sets(runs["dataset"].nunique(), len(C_PATH_SETS))
    return judged(falling > curves / 2, f"{falling} of {curves} curves", sets, (falling, curves))


@evaluates("frandi2013-adult-sv-share")
def support_vectors_on_adult(claim, evidence):
    """Median share of support vectors over the Adult sets, per method."""
    shares = {}
    for method in METHODS:
        sizes = evidence.table("support_vectors", (method,), ADULT.datasets)[method]
        if len(sizes):
            shares[method] = pd.Series(100 * sizes / evidence.sizes[sizes.index])
    if not shares:
        return not_run(f"no models on any of {', '.join(ADULT.datasets)}")
    medians = {method: float(values.median()) for method, values in shares.items()}
    holds = all(50 <= value <= 70 for value in medians.values())
    ours = ", ".join(f"{LABELS[method]} {value:.0f} %" for method, value in medians.items())
    count = max(map(len, shares.values()))
    return judged(holds, ours, of_sets(count, len(ADULT.datasets)), medians.values())
