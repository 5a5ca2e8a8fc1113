"""Speed-ups over CVM by several measures of cost, against the printed ones (beyond-cost)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.style import method_label
from fwsvm.reporting.tables import Column, Table, ours_beside_printed
from fwsvm.reporting.text import NOTHING, capitalised, significant
from fwsvm.runs import LIMIT_REASONS
from fwsvm.runs.protocols import protocol_words
from fwsvm.runs.table import protocols_of, shown_under, stand_ins
from fwsvm.studies import published
from fwsvm.studies.benchmark.numbers import BENCHMARK, NANCULEF2014, experiment_runs, printed_numbers

AUTHORS = "CPU seconds of their program"

# Column of the runs table -> what it measures.
COSTS = {
    "train_cpu_s": "our CPU seconds",
    "kernel_evaluations": "kernel values computed",
    "requested_evaluations": "kernel values requested",
}
# Data sets that a rank correlation needs.
FEWEST = 4

_METHODS = tuple(name for name in NANCULEF2014 if name != "cvm")


def cost_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """CVM's mean cost over the method's, under each protocol and by every measure of cost, in the benchmark's runs."""
    printed = printed_numbers("train_cpu_s")
    speedups = {name: printed["cvm_mean"] / printed[f"{name}_mean"] for name in _METHODS if f"{name}_mean" in printed}
    blocks = []
    for protocol in protocols_of(runs):
        here = shown_under(runs, protocol, certified=False)
        limited = here["stop_reason"].isin(LIMIT_REASONS).groupby([here["dataset"], here["method"]]).any()
        for cost, words in COSTS.items():
            costs = here.assign(cost=here[cost].astype(float)).dropna(subset=["cost"])
            means = costs.pivot_table(index="dataset", columns="method", values="cost")
            blocks += _block(protocol, words, means, speedups, limited)
    authors = published.load("cost_authors_code").pivot_table(index="dataset", columns="method", values="train_cpu_s")
    blocks += _block("authors", AUTHORS, authors, speedups, None)
    columns = ["protocol", "measure", "method", "dataset", "ours", "printed", "at_limit"]
    return pd.DataFrame(blocks, columns=columns)


def _block(protocol, measure, means, speedups, limited):
    if "cvm" not in means:
        return []
    rows = []
    for method, printed in speedups.items():
        if method not in means:
            continue
        ratios = (means["cvm"] / means[method]).replace([np.inf, 0], np.nan).dropna()
        for dataset in ratios.index.intersection(printed.dropna().index):
            is_bound = limited is not None and bool(limited.get((dataset, method)) or limited.get((dataset, "cvm")))
            rows.append((protocol, measure, method, dataset, ratios[dataset], printed[dataset], is_bound))
    return rows


def agreement(numbers: pd.DataFrame) -> pd.DataFrame:
    """Sum up how well each measure gives the printed speed-ups."""
    rows = []
    for keys, part in numbers[~numbers["at_limit"]].groupby(["protocol", "measure", "method"], sort=False):
        few = len(part) < FEWEST or part["ours"].nunique() < 2
        correlation = np.nan if few else stats.spearmanr(part["ours"], part["printed"]).statistic
        distance = np.log10(part["ours"] / part["printed"]).abs().median()
        medians = part["ours"].median(), part["printed"].median()
        rows.append((*keys, len(part), correlation, distance, *medians))
    names = ["protocol", "measure", "method", "sets", "correlation", "distance", "median", "printed_median"]
    return pd.DataFrame(rows, columns=names)


def cost_table(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Table:
    """Lay out `agreement`: a section per protocol, a row per measure and method."""
    runs = experiment_runs(runs, BENCHMARK)
    if runs.empty:
        raise NotDrawableError(needs("the benchmark", []))
    numbers = cost_numbers(runs)
    found = agreement(numbers)
    if set(found["protocol"]) <= {"authors"}:
        raise NotDrawableError(needs("CVM and FW or MFW on a data set of the papers", []))
    groups = found.groupby(["protocol", "method"])["distance"]
    best = (groups.transform("min") == found["distance"]) & (groups.transform("size") > 1)
    columns = (
        Column("cost", lambda row: row["measure"], align="l"),
        Column("method", lambda row: method_label(row["method"])),
        Column("sets", lambda row: str(row["sets"])),
        Column("ours", lambda row: significant(row["median"], 3), "median speed-up"),
        Column("printed", lambda row: significant(row["printed_median"], 3), "median speed-up"),
        Column(
            "rank correlation",
            lambda row: NOTHING if np.isnan(row["correlation"]) else f"{row['correlation']:.2f}",
            "agreement",
        ),
        Column("median |log10 ratio|", lambda row: f"{row['distance']:.2f}", "agreement", bold=lambda row: row["best"]),
    )
    replaced = len(set(stand_ins(runs)) & set(numbers["dataset"]))
    notes = f"Stand-ins: {replaced} of the data sets." if replaced else ""
    return ours_beside_printed(found.assign(best=best), columns, "protocol", _heading, notes, csv=numbers)


def _heading(protocol: str) -> str:
    return "The program that the authors published" if protocol == "authors" else capitalised(protocol_words(protocol))
