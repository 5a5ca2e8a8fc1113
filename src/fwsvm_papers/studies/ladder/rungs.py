"""Functions that compare the methods with CVM by the printed numbers, by our runs, and by runs with
changed settings.

Each of these comparisons is called a rung.
"""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pandas as pd

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.text import listing
from fwsvm_papers.runs.comparison import (
    KEPT,
    MEASURES,
    Bound,
    against,
    means,
    median_interval,
    median_with_bound,
    order_in_words,
    order_is_unknown,
)
from fwsvm_papers.runs.table import summarise, under
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.groups import ADULT, WEB
from fwsvm_papers.studies.benchmark.groups import ALL as EVERY_SET
from fwsvm_papers.studies.benchmark.protocol import Details
from fwsvm_papers.studies.ladder import (
    ALL,
    AS_PRINTED,
    AUTHORS,
    FIRST,
    INNER,
    LIBCVM_INNER,
    ONE_VOTE,
    OTHERS,
    PATIENCE,
    PATIENT,
    RUNGS,
    TEXT,
    WITHOUT,
    family_of,
)

_SHOWN_MEASURES = [name for name in MEASURES if name != "computed_values"]


def ladder_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Compare each method with CVM, in a table with a row per rung, data set and method.

    If a run ends at a limit, its time is a lower bound. A speed-up is the ratio of two times. If
    one of the two is a lower bound, the speed-up is a bound. If both are lower bounds, the speed-up
    is NaN. A method that ended at a limit before it reached a gap is not run to smaller gaps. In
    this case, its row for the larger gap also counts for the smaller gaps.
    """
    ladder = numbers.drawable_runs(runs, numbers.LADDER)
    sets, methods = (list(ladder[name].unique()) for name in ("dataset", "method"))
    first = ladder["protocol"].iloc[0]
    of_benchmark = {FIRST: first} if first == TEXT else {FIRST: first, TEXT: TEXT}
    parts = [
        _benchmark_means(runs, sets, methods, protocol).assign(rung=rung)
        for rung, protocol in of_benchmark.items()
    ]
    table = pd.concat([*parts, _ladder_means(ladder)])
    table = table[table["rung"].notna()]
    # A method without inner problems has no inner tolerance. If two rungs differ only in CVM's
    # inner tolerance, the runs of such a method therefore count for both rungs.
    for rung, of_cvm in ((FIRST, INNER), (PATIENT, PATIENCE)):
        ran = table.loc[(table["rung"] == of_cvm) & (table["method"] == "cvm"), "dataset"]
        same = (table["rung"] == rung) & (table["method"] != "cvm") & table["dataset"].isin(ran)
        table = pd.concat([table, table[same].assign(rung=of_cvm)])
    authors = numbers.authors_rows()
    authors = authors[authors["dataset"].isin(sets) & authors["method"].isin(methods)]
    of_cvm = authors.loc[authors["method"] == "cvm", "dataset"]
    authors = authors[authors["dataset"].isin(of_cvm)].assign(rung=AUTHORS)
    printed = numbers.printed_rows(sets, methods).assign(rung=AS_PRINTED)
    table = pd.concat([printed, authors, table], ignore_index=True)
    gaps = sorted(
        set(table["rung"]) - set(RUNGS),
        key=lambda rung: -float(rung.split()[1]),
    )
    for looser, tighter in pairwise(gaps):
        tried = pd.MultiIndex.from_frame(table.loc[table["rung"] == tighter, ["dataset", "method"]])
        left = table[(table["rung"] == looser) & table["at_limit"]]
        left = left[~pd.MultiIndex.from_frame(left[["dataset", "method"]]).isin(tried)]
        table = pd.concat([table, left.assign(rung=tighter)], ignore_index=True)

    majority = numbers.majority_accuracies(descriptions)
    table = against("cvm", table, ("rung", "dataset"), majority)
    table["unknown"] = (table["method"] != "cvm") & order_is_unknown(table)
    rungs = (*RUNGS, *gaps)
    table = numbers.rows_in_order(table, ["rung", "dataset", "method"], rung=rungs)
    columns = [
        "dataset",
        "rung",
        "method",
        *_RATIOS,
        "bound",
        *_SHOWN_MEASURES,
        "at_limit",
        "reached",
        *(f"cvm_{name}" for name in ("time", "kernel_values", "accuracy", "at_limit")),
    ]
    return table[[*columns, "n", "unknown"]]


_RATIOS = ("speedup", "speedup_in_kernel_values", "difference", "kept")


def not_run(table: pd.DataFrame) -> str:
    """Return a sentence that names the rungs without a speed-up. If all rungs have one, the
    sentence is empty.
    """
    present = set(table.loc[table["speedup"].notna() & (table["method"] != "cvm"), "rung"])
    absent = [f'"{words}"' for rung, words in RUNGS.items() if rung not in present]
    return f"This run lacks {listing(absent)}." if absent else ""


def _benchmark_means(
    runs: pd.DataFrame, datasets: Iterable[str], methods: list[str], protocol: str
) -> pd.DataFrame:
    """Return the means of the benchmark's runs under a protocol."""
    found = under(numbers.experiment_runs(runs, numbers.BENCHMARK, datasets), protocol)
    summary = summarise(found[found["method"].isin(methods)])
    return means(summary).assign(reached=_all_converged(summary))


def _ladder_means(ladder: pd.DataFrame) -> pd.DataFrame:
    """Return the means of the runs of the experiment `ladder`.

    The column ``rung`` is empty for the runs of CVM in which only one inner setting is that of
    LibCVM, since these runs belong to no rung.
    """
    summary = summarise(ladder, by=("selection", "patience", "eps", *LIBCVM_INNER))
    patient = (summary["patience"] > 1).fillna(False)
    rung = pd.Series(INNER, summary.index, dtype=object).mask(patient, PATIENT)
    no_rung = np.array(None, dtype=object)
    rung = rung.mask(~_has_libcvm_inner(summary), np.where(patient, PATIENCE, no_rung))
    gap = "gap " + summary["eps"].map("{:g}".format)
    rung = rung.mask((summary["selection"] == "full").fillna(False), gap)
    return means(summary).assign(rung=rung, reached=_all_converged(summary))


def _all_converged(summary: pd.DataFrame) -> pd.Series:
    return summary["stop_converged"] == summary["repetitions"]


def _has_libcvm_inner(summary: pd.DataFrame) -> pd.Series:
    """Return for each row whether inner problems are solved as in LibCVM. For a method without
    inner problems, the result is also true.
    """
    same = pd.Series(True, summary.index)
    for name, value in LIBCVM_INNER.items():
        same &= summary[name].isna() | (summary[name] == value).fillna(False)
    return same


def inner_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare CVM under changed inner settings with CVM under the inferred settings.

    The changed settings are those of LibCVM: one of the inner settings, or all three. The table has
    a row per data set and change, and a row per data set for the inferred settings. Only data sets
    with runs in which one inner setting is that of LibCVM are in the table.
    """
    ladder = numbers.drawable_runs(runs, numbers.LADDER)
    ladder = ladder[(ladder["method"] == "cvm") & (ladder["selection"] != "full").fillna(False)]
    ladder = ladder[(ladder["patience"] == 1).fillna(False) & ladder["inner_tolerance"].notna()]
    what = "CVM with one of LibCVM's inner settings in the ladder"
    require(len(ladder), needs(what, []))
    summary = summarise(ladder, by=tuple(LIBCVM_INNER))
    first = _benchmark_means(runs, ladder["dataset"].unique(), ["cvm"], ladder["protocol"].iloc[0])
    first = first.assign(method=AS_AUTHORS)
    same = pd.DataFrame(
        {
            name: summary[name].isna() if value is None else (summary[name] == value).fillna(False)
            for name, value in LIBCVM_INNER.items()
        }
    ).astype(bool)
    changed = np.where(same.all(axis=1), ALL_THREE, same.idxmax(axis=1))
    table = pd.concat([first, means(summary).assign(method=changed)], ignore_index=True)
    split = set(table.loc[table["method"].isin(LIBCVM_INNER), "dataset"])
    require(split, needs(what, []))
    table = against(AS_AUTHORS, table[table["dataset"].isin(split)], ["dataset"])
    table = table.rename(columns={"method": "changed"})
    order = (AS_AUTHORS, *LIBCVM_INNER, ALL_THREE)
    table = numbers.rows_in_order(table, ["dataset", "changed"], changed=order)
    columns = ["dataset", "changed", "time", "kernel_values", "accuracy", "relative_gap"]
    return table[[*columns, "at_limit", "n", "speedup", "speedup_in_kernel_values", "bound"]]


AS_AUTHORS, ALL_THREE = "inferred settings", "all three"


def family_medians(table: pd.DataFrame, stand_ins: Iterable[str]) -> pd.DataFrame:
    """Return a table with the median speed-ups over several selections of data sets, and their 95 %
    intervals.

    The returned table has a row per rung, method, kind of speed-up and selection. The argument
    `table` is a result of `ladder_numbers`.
    """
    table = table[table["method"] != "cvm"].assign(family=table["dataset"].map(family_of))
    rungs = list(dict.fromkeys(table["rung"]))
    keys = ["rung", "method", "dataset"]
    table = numbers.rows_in_order(table, keys, rung=rungs, dataset=EVERY_SET)
    rows = []
    for (rung, method), part in table.groupby(["rung", "method"], sort=False):
        for name in _RATIOS[:2]:
            pairs = part[["dataset", "family", "bound"]].assign(value=part[name])
            pairs = pairs[pairs["value"].notna() | (pairs["bound"] == Bound.UNKNOWN)]
            for variant, chosen in _selections(pairs, set(stand_ins)).items():
                if chosen.empty:
                    continue
                median, bound = median_with_bound(chosen["value"], chosen["bound"])
                low, high = median_interval(chosen["value"], chosen["bound"])
                rows.append(
                    {
                        "rung": rung,
                        "method": method,
                        "measure": name,
                        "over": variant,
                        "sets": len(chosen),
                        "median": median,
                        "bound": bound,
                        "low": low,
                        "high": high,
                        "order": order_in_words(low, high),
                    }
                )
    return pd.DataFrame(rows)


def _selections(pairs: pd.DataFrame, stand_ins: set[str]) -> dict[str, pd.DataFrame]:
    of_series = {name: pairs[pairs["family"] == name] for name in (WEB.name, ADULT.name)}
    votes = [
        dict(zip(("value", "bound"), median_with_bound(part["value"], part["bound"]), strict=True))
        for part in of_series.values()
        if len(part)
    ]
    others = pairs[pairs["family"] == OTHERS]
    return {
        ALL: pairs,
        ONE_VOTE: pd.concat([pd.DataFrame(votes), others], ignore_index=True),
        WITHOUT: pairs[~pairs["dataset"].isin(stand_ins)],
        **of_series,
        OTHERS: others,
    }


def speedup_medians(part: pd.DataFrame) -> dict:
    """Return the medians of the speed-ups in CPU seconds and in requested kernel values, by the
    names of their columns. The key of a median's `Bound` is the name of the column followed by
    ``_bound``.
    """
    found: dict = {}
    for name in _RATIOS[:2]:
        found[name], found[f"{name}_bound"] = median_with_bound(part[name], part["bound"])
    return found


def medians(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of medians over the data sets, with a row per method and rung. The table also
    has numbers of data sets, such as the number of data sets on which CVM is slower. A row without
    a median speed-up is left out. The argument is a result of `ladder_numbers`.
    """
    rows = []
    for (rung, method), part in table[table["method"] != "cvm"].groupby(
        ["rung", "method"], sort=False
    ):
        found = {"rung": rung, "method": method, "sets": len(part)}
        found |= speedup_medians(part)
        found |= {name: part[name].median() for name in (*_RATIOS[2:], "relative_gap")}
        unknown = order_is_unknown(part)
        found |= {
            "unknown": int(unknown.sum()),
            "faster": int(((part["speedup"] > 1) & ~unknown).sum()),
            "accurate": int((part["kept"] >= KEPT).sum()),
            "with_gain": int(part["kept"].notna().sum()),
        }
        if pd.notna(found["speedup"]):
            rows.append(found)
    return pd.DataFrame(rows)
