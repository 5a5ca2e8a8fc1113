"""A table of speed-ups over CVM in several measures of cost, compared with the speed-ups in the
papers.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.style import method_label
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import (
    NOTHING,
    capitalised,
    counted,
    fixed,
    is_missing,
    significant,
)
from fwsvm_papers.runs.comparison import Bound, against, comparison, median_with_bound
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.table import protocols_of, stand_ins
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.groups import NANCULEF2014
from fwsvm_papers.studies.benchmark.protocol import Missing

AUTHORS = "CPU seconds of the authors' program"

# Maps a column of speed-ups over CVM to the name of the measure of cost in the table beyond-cost.
COSTS = {
    "speedup": "our CPU seconds",
    "speedup_in_computed_values": "kernel values computed",
    "speedup_in_kernel_values": "kernel values requested",
}
# a rank correlation is computed only for at least this number of data sets
FEWEST = 4


def cost_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a table of speed-ups for every protocol and measure of cost. A speed-up is CVM's mean
    cost divided by the mean cost of another method. The rows with the protocol "authors" have the
    speed-ups of the authors' program. Speed-ups without a printed one in frandi2013 are left out.

    The column `factor` compares this speed-up with the printed speed-up. It is the larger of the
    two divided by the smaller.
    """
    ours, authors = comparison(runs, methods=NANCULEF2014), numbers.authors_rows()
    authors = against("cvm", authors, ["dataset"]).assign(protocol="authors")
    printed = numbers.printed_rows(set(ours["dataset"]) | set(authors["dataset"]), NANCULEF2014)
    printed = against("cvm", printed, ["dataset"]).set_index(["dataset", "method"])["speedup"]
    parts = [
        ours[ours["protocol"] == protocol].assign(ours=ours[ratio], measure=measure)
        for protocol in protocols_of(runs)
        for ratio, measure in COSTS.items()
    ]
    parts.append(authors.assign(ours=authors["speedup"], measure=AUTHORS))
    blocks = []
    for part in parts:
        part = part[part["method"] != "cvm"].join(printed.rename("printed"), ["dataset", "method"])
        blocks.append(numbers.rows_in_order(part, ["method", "dataset"], dataset=()))
    table = pd.concat(blocks, ignore_index=True).replace({"ours": {np.inf: np.nan, 0.0: np.nan}})
    known = table["ours"].notna() | (table["bound"] == Bound.UNKNOWN)
    table = table[known & table["printed"].notna()].reset_index(drop=True)
    table["factor"] = np.exp(np.log(table["ours"] / table["printed"]).abs())
    table["at_limit"] = table["bound"] != Bound.EXACT
    names = ["protocol", "measure", "method", "dataset", "ours", "printed", "factor", "at_limit"]
    return table[[*names, "bound"]]


def agreement(table: pd.DataFrame) -> pd.DataFrame:
    """Compute how well our speed-ups agree with those in the papers.

    The table has a row per protocol, measure of cost and method. Speed-ups that are only bounds are
    left out of correlations and distances.
    """
    rows = []
    for keys, part in table.groupby(["protocol", "measure", "method"], sort=False):
        exact = part[~part["at_limit"]]
        few = len(exact) < FEWEST or exact["ours"].nunique() < 2
        correlation = np.nan if few else stats.spearmanr(exact["ours"], exact["printed"]).statistic
        distance = np.log10(exact["ours"] / exact["printed"]).abs().median()
        medians = *median_with_bound(part["ours"], part["bound"]), part["printed"].median()
        rows.append((*keys, len(part), correlation, distance, *medians))
    names = [
        "protocol",
        "measure",
        "method",
        "sets",
        "correlation",
        "distance",
        "median",
        "bound",
        "printed_median",
    ]
    return pd.DataFrame(rows, columns=names)


def cost_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Return the table of the results of `agreement`. The table has a section per protocol, and a
    row per method and measure of cost.
    """
    runs = numbers.drawable_runs(runs, numbers.BENCHMARK)
    table = cost_numbers(runs)
    found = agreement(table)
    require(
        set(found["protocol"]) - {"authors"},
        needs("CVM and FW (or MFW) on a data set of the papers", []),
    )
    groups = found.groupby(["protocol", "method"])["distance"]
    best = (groups.transform("min") == found["distance"]) & (groups.transform("size") > 1)
    columns = (
        Column("measure of cost", lambda row: row["measure"], align="l"),
        Column("method", lambda row: method_label(row["method"])),
        Column("data sets", lambda row: str(row["sets"])),
        Column("ours", _median, "median speed-up"),
        Column("printed", lambda row: significant(row["printed_median"], 3), "median speed-up"),
        Column("rank correlation", lambda row: fixed(row["correlation"], ".2f"), "agreement"),
        Column(
            "median |log10(ours / printed)|",
            lambda row: fixed(row["distance"], ".2f"),
            "agreement",
            bold=lambda row: row["best"],
        ),
    )
    replaced = len(set(stand_ins(runs)) & set(table["dataset"]))
    notes = f"For {counted(replaced, 'data set')}, we use stand-ins." if replaced else ""
    headings = {protocol: capitalised(protocol_words(protocol)) for protocol in protocols_of(runs)}
    headings["authors"] = "The authors' program (older solver), on another machine"
    return ours_beside_printed(
        found.assign(best=best),
        columns,
        "protocol",
        headings.get,
        notes,
        table.drop(columns="bound"),
    )


def _median(row: Mapping) -> str:
    if is_missing(row["median"]):
        return NOTHING
    return row["bound"].before(significant(row["median"], 3))
