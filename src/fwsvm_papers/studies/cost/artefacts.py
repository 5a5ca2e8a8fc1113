"""Compare measured speed-ups over CVM, for several measures of cost, with the papers' speed-ups."""

import numpy as np
import pandas as pd
from scipy import stats

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.style import method_label
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import capitalised, fixed, significant
from fwsvm_papers.runs import LIMIT_REASONS
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.table import protocols_of, quiet_times, shown_under, stand_ins
from fwsvm_papers.studies.benchmark.numbers import (
    BENCHMARK,
    NANCULEF2014,
    drawable_runs,
    printed_numbers,
)
from fwsvm_papers.studies.benchmark.protocol import Missing
from fwsvm_papers.studies.registry import load_printed

AUTHORS = "CPU seconds of the authors' program"

# Maps a column of the runs table to its name in beyond-cost.
COSTS = {
    "train_cpu_s": "our CPU seconds",
    "kernel_evaluations": "kernel values computed",
    "requested_evaluations": "kernel values requested",
}
# A rank correlation needs at least this many data sets.
FEWEST = 4


def cost_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Divide CVM's mean cost by that of each other method, for every protocol and measure of cost.

    The column `factor` says how far this speed-up is from the printed one, and is at least 1.
    """
    printed = printed_numbers("train_cpu_s").filter(like="_mean")
    printed = _against_cvm(
        printed.rename(columns=lambda name: name.removesuffix("_mean")), "printed"
    )
    costs = []
    for protocol in protocols_of(runs):
        here = shown_under(runs, protocol)
        rows = here[here["stop_reason"].isin(LIMIT_REASONS)]
        ended = set(zip(rows["dataset"], rows["method"], strict=True))
        here = here.assign(train_cpu_s=quiet_times(here, ["dataset", "method"]))
        costs += [
            (protocol, words, here.assign(cost=here[cost].astype(float)), ended)
            for cost, words in COSTS.items()
        ]
    authors = load_printed("cost_authors_code").rename(columns={"train_cpu_s": "cost"})
    blocks = []
    for protocol, measure, rows, ended in [*costs, ("authors", AUTHORS, authors, set())]:
        means = rows.dropna(subset=["cost"]).pivot_table(
            index="dataset", columns="method", values="cost"
        )
        block = _against_cvm(means, "ours").merge(printed, on=["dataset", "method"])
        pairs = zip(block["dataset"], block["method"], strict=True)
        at_limit = [bool({(name, method), (name, "cvm")} & ended) for name, method in pairs]
        blocks.append(
            block.assign(
                protocol=protocol, measure=measure, at_limit=np.array(at_limit, dtype=bool)
            )
        )
    numbers = pd.concat(blocks, ignore_index=True)
    numbers["factor"] = np.exp(np.log(numbers["ours"] / numbers["printed"]).abs())
    return numbers[
        ["protocol", "measure", "method", "dataset", "ours", "printed", "factor", "at_limit"]
    ]


def _against_cvm(costs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Divide CVM's cost by that of each other method; return a row per method and data set."""
    ratios = costs.rdiv(costs.get("cvm", np.nan), axis=0).replace([np.inf, 0], np.nan)
    long = ratios.reindex(columns=list(NANCULEF2014[1:])).melt(
        var_name="method", value_name=name, ignore_index=False
    )
    return long.rename_axis("dataset").reset_index().dropna(subset=[name])


def agreement(numbers: pd.DataFrame) -> pd.DataFrame:
    """Summarise how well each measure of cost reproduces the papers' speed-ups."""
    rows = []
    for keys, part in numbers[~numbers["at_limit"]].groupby(
        ["protocol", "measure", "method"], sort=False
    ):
        few = len(part) < FEWEST or part["ours"].nunique() < 2
        correlation = np.nan if few else stats.spearmanr(part["ours"], part["printed"]).statistic
        distance = np.log10(part["ours"] / part["printed"]).abs().median()
        medians = part["ours"].median(), part["printed"].median()
        rows.append((*keys, len(part), correlation, distance, *medians))
    names = [
        "protocol",
        "measure",
        "method",
        "sets",
        "correlation",
        "distance",
        "median",
        "printed_median",
    ]
    return pd.DataFrame(rows, columns=names)


def cost_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Lay out the results of `agreement`: a section per protocol, a row per method and measure
    of cost.
    """
    runs = drawable_runs(runs, BENCHMARK)
    numbers = cost_numbers(runs)
    found = agreement(numbers)
    require(
        set(found["protocol"]) - {"authors"},
        needs("CVM and FW (or MFW) on a data set of the papers", []),
    )
    groups = found.groupby(["protocol", "method"])["distance"]
    best = (groups.transform("min") == found["distance"]) & (groups.transform("size") > 1)
    columns = (
        Column("cost", lambda row: row["measure"], align="l"),
        Column("method", lambda row: method_label(row["method"])),
        Column("sets", lambda row: str(row["sets"])),
        Column("ours", lambda row: significant(row["median"], 3), "median speed-up"),
        Column("printed", lambda row: significant(row["printed_median"], 3), "median speed-up"),
        Column("rank correlation", lambda row: fixed(row["correlation"], ".2f"), "agreement"),
        Column(
            "median |log10 ratio|",
            lambda row: f"{row['distance']:.2f}",
            "agreement",
            bold=lambda row: row["best"],
        ),
    )
    replaced = len(set(stand_ins(runs)) & set(numbers["dataset"]))
    notes = f"Number of data sets replaced by stand-ins: {replaced}." if replaced else ""
    headings = {protocol: capitalised(protocol_words(protocol)) for protocol in protocols_of(runs)}
    headings["authors"] = "The authors' program (older solver), on another machine"
    return ours_beside_printed(
        found.assign(best=best), columns, "protocol", headings.get, notes, csv=numbers
    )
