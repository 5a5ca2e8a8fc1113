"""Claims of nanculef2014, evaluated on the benchmark."""

from __future__ import annotations

from fwsvm.claims.verdict import LABELS, METHODS, StudyClaims, also, evaluates, judged, not_run, of_sets, times, within
from fwsvm.studies.benchmark.evidence import by_p_values, no_times
from fwsvm.studies.benchmark.groups import ADULT, LARGE, MEDIUM, WEB

CLAIMS = StudyClaims(__package__)

OURS = ("fw", "mfw", "swap", "swap2o")
SIMILAR = 2.0
LARGER = 1.5
TENFOLD = 10.0


@evaluates("nanculef2014-swap-w8a")
def swap_on_w8a(claim, evidence):
    """SWAP's speed-up on w8a."""
    return _against_printed(claim, evidence, ("swap",), ("w8a",), "max")


@evaluates("nanculef2014-swap-adult")
def best_on_adult(claim, evidence):
    """Largest speed-up over the Adult sets."""
    return _against_printed(claim, evidence, ("swap", "mfw", "swap2o"), ADULT.datasets, "max")


@evaluates("nanculef2014-adult-median")
def median_on_adult(claim, evidence):
    """Median speed-up over the Adult sets."""
    return _against_printed(claim, evidence, ("swap", "swap2o", "fw"), ADULT.datasets, "median")


@evaluates("nanculef2014-large-median")
def median_on_large(claim, evidence):
    """Median and mean speed-up over the large group; both are to be near the printed number."""
    return _against_printed(claim, evidence, OURS, LARGE.datasets, "median", "mean")


@evaluates("nanculef2014-protein")
def on_protein(claim, evidence):
    """Speed-ups on protein."""
    return _against_printed(claim, evidence, OURS, ("protein",), "max")


def _against_printed(claim, evidence, methods, datasets, *statistics):
    """Compare a statistic of each method's speed-ups with the printed one; methods without runs are left out."""
    holds, parts, numbers, counts = True, [], [], set()
    for method, printed in zip(methods, claim.values, strict=True):
        found = evidence.speedups((method,), datasets)[method]
        if found.empty:
            continue
        values = [float(found.agg(statistic)) for statistic in statistics]
        holds = holds and all(within(value, printed) for value in values)
        parts.append(f"{LABELS[method]} {' / '.join(map(times, values))}")
        numbers += values
        counts.add(len(found))
    if not parts:
        return no_times(("cvm", *methods), datasets)
    left_out = "" if len(parts) == len(methods) else f"{len(parts)} of {len(methods)} methods"
    of = "" if statistics == ("max",) and len(datasets) == 1 else " / ".join(statistics)
    reason = also(of, of_sets(max(counts), len(datasets)), left_out, evidence.at_limit(datasets, ("cvm", *methods)))
    return judged(holds, ", ".join(parts), reason, numbers)


@evaluates("nanculef2014-web-mfw-slower")
def mfw_slower_on_web(claim, evidence):
    """MFW slower than FW on every Web set run."""
    return _everywhere(evidence, WEB.datasets, lambda times_: times_["mfw"] > times_["fw"], "slower")


@evaluates("nanculef2014-adult-mfw-faster")
def mfw_faster_on_adult(claim, evidence):
    """MFW faster than FW on every Adult set run."""
    return _everywhere(evidence, ADULT.datasets, lambda times_: times_["mfw"] < times_["fw"], "faster")


def _everywhere(evidence, datasets, condition, word):
    found = evidence.table("train_cpu_s", ("fw", "mfw"), datasets)
    if found.empty:
        return no_times(("fw", "mfw"), datasets)
    holds = condition(found)
    reason = also(of_sets(len(found), len(datasets)), evidence.at_limit(found.index, ("fw", "mfw")))
    return judged(holds.all(), f"{word} on {int(holds.sum())} of {len(found)}", reason, (holds.sum(), len(found)))


@evaluates("nanculef2014-swap-beats-mfw")
def swap_beats_mfw(claim, evidence):
    """SWAP faster than MFW, one-sided p below 1 %."""
    return by_p_values(claim, evidence, [("time", "swap-mfw")], 0.01)


@evaluates("nanculef2014-swap-beats-fw")
def swap_beats_fw(claim, evidence):
    """SWAP faster than FW, one-sided p below 5 %."""
    return by_p_values(claim, evidence, [("time", "swap-fw")], 0.05)


@evaluates("nanculef2014-same-accuracy")
def same_accuracy(claim, evidence):
    """FW, MFW and SWAP: all two-sided p above 10 %."""
    return by_p_values(claim, evidence, [("accuracy", pair) for pair in ("fw-mfw", "swap-fw", "swap-mfw")], None)


@evaluates("nanculef2014-swap2o-accuracy")
def swap2o_more_accurate(claim, evidence):
    """SWAP-2o more accurate than FW and MFW, both one-sided p below 5 %."""
    return by_p_values(claim, evidence, [("accuracy", "swap2o-fw"), ("accuracy", "swap2o-mfw")], 0.05)


@evaluates("nanculef2014-swap2o-fw-time")
def swap2o_as_fast_as_fw(claim, evidence):
    """SWAP-2o against FW in time, two-sided p above 10 %."""
    return by_p_values(claim, evidence, [("time", "swap2o-fw")], None)


@evaluates("nanculef2014-sizes-similar")
def similar_sizes(claim, evidence):
    """Largest over smallest median model size among the methods run, on the medium and large sets."""
    datasets = (*MEDIUM.datasets, *LARGE.datasets)
    methods = [name for name in METHODS if len(evidence.table("support_vectors", (name,), datasets))]
    if len(methods) < 2:
        return not_run("model sizes of fewer than two methods on the medium and large sets")
    sizes = evidence.table("support_vectors", methods, datasets, "median")
    if sizes.empty:
        return not_run("no medium or large set with all methods")
    ratio = sizes.max(axis=1) / sizes.min(axis=1)
    similar = int((ratio < SIMILAR).sum())
    reason = f"median of largest / smallest {ratio.median():.3g}; {of_sets(len(ratio), len(datasets))}"
    return judged(similar > len(ratio) / 2, f"below 2 on {similar} of {len(ratio)}", reason, (similar, len(ratio)))


@evaluates("nanculef2014-adult-tenfold")
def tenfold_on_adult(claim, evidence):
    """Share of Adult sets on which SWAP and SWAP-2o are more than 10x faster than CVM, and faster than MFW."""
    found = evidence.table("train_cpu_s", ("cvm", "mfw", "swap", "swap2o"), ADULT.datasets)
    if found.empty:
        return no_times(("cvm", "mfw", "swap", "swap2o"), ADULT.datasets)
    slowest = found[["swap", "swap2o"]].max(axis=1)
    tenfold, faster = found["cvm"] / slowest > TENFOLD, slowest < found["mfw"]
    both = int((tenfold & faster).sum())
    reason = (
        f"tenfold on {int(tenfold.sum())}, faster than MFW on {int(faster.sum())}; "
        f"{of_sets(len(found), len(ADULT.datasets))}"
    )
    limits = evidence.at_limit(found.index, found.columns)
    return judged(both == len(found), f"{both} of {len(found)} sets", also(reason, limits), (both, len(found)))


@evaluates("nanculef2014-accuracy-loss")
def relative_loss(claim, evidence):
    """Largest relative loss of accuracy on the medium and large sets; share of Web runs below 0.5 %."""
    worst, web = {}, []
    for method in OURS:
        for group in (MEDIUM, LARGE, WEB):
            table = evidence.table("test_accuracy", ("cvm", method), group.datasets)
            loss = 100 * (table["cvm"] - table[method]) / table["cvm"]
            if group is WEB:
                web += loss.tolist()
            else:
                worst |= {(method, name): value for name, value in loss.items()}
    if not worst or not web:
        missing = "medium or large sets" if not worst else "Web sets"
        return not_run(f"no accuracies of CVM and another method on {missing}")
    most, share = claim.values
    largest = max(worst, key=worst.get)
    below = sum(value < share for value in web) / len(web)
    ours = f"at most {worst[largest]:.2f} %, Web below {share:g} % in {100 * below:.0f} %"
    sets = of_sets(len({name for _, name in worst}), len(MEDIUM.datasets) + len(LARGE.datasets))
    reason = f"worst: {LABELS[largest[0]]} on {largest[1]}; {sets}, {len(web)} on Web"
    return judged(worst[largest] < most and below > 0.5, ours, reason, (worst[largest], below))


@evaluates("nanculef2014-cvm-larger-web")
def larger_models_of_cvm(claim, evidence):
    """Median over Web of CVM's model size over each method's."""
    medians, counts = {}, set()
    for method in OURS:
        sizes = evidence.table("support_vectors", ("cvm", method), WEB.datasets)
        if len(sizes):
            medians[method] = float((sizes["cvm"] / sizes[method]).median())
            counts.add(len(sizes))
    if not medians:
        return not_run(f"no models of CVM and another method on any of {', '.join(WEB.datasets)}")
    ours = ", ".join(f"{LABELS[method]} {times(value)}" for method, value in medians.items())
    holds = all(value > LARGER for value in medians.values())
    return judged(holds, ours, of_sets(max(counts), len(WEB.datasets)), medians.values())


@evaluates("nanculef2014-swap-mfw-large")
def swap_on_large(claim, evidence):
    """Large sets with SWAP faster than MFW; at least as large a share as printed."""
    found = evidence.table("train_cpu_s", ("mfw", "swap"), LARGE.datasets)
    if found.empty:
        return no_times(("mfw", "swap"), LARGE.datasets)
    faster = int((found["swap"] < found["mfw"]).sum())
    holds = faster / len(found) >= claim.value / len(LARGE.datasets)
    reason = also(of_sets(len(found), len(LARGE.datasets)), evidence.at_limit(found.index, ("mfw", "swap")))
    return judged(holds, f"{faster} of {len(found)} sets", reason, (faster, len(found)))
