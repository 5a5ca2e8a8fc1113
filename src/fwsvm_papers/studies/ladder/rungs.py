"""Compare the methods with CVM: by the papers' numbers, in our runs, and with changed settings."""

from itertools import pairwise

import numpy as np
import pandas as pd

from fwsvm_papers.runs.comparison import (
    KEPT,
    MEASURES,
    against,
    means,
    median_with_bound,
    order_is_unknown,
)
from fwsvm_papers.runs.records import conform
from fwsvm_papers.runs.table import shown_under, summarise
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.protocol import Details

PRINTED, FIRST, INNER, PATIENT = "printed", "as_run", "inner", "patient"
"""Cases (rungs): printed numbers, our benchmark, LibCVM's inner tolerance, and runs that also stop
as LibCVM does.

The rungs on which the methods search all points have names such as ``gap 0.01``.
"""

_SHOWN = [name for name in MEASURES if name != "computed_values"]


def ladder_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Compare each method with CVM in a row per rung (printed numbers, or our runs with some
    settings) and data set.

    If a run ends at a limit, its time is a lower bound. The speed-up is then a bound, or NaN if
    both times are bounds.
    """
    ladder = numbers.drawable_runs(runs, numbers.LADDER)
    sets, methods = (list(ladder[name].unique()) for name in ("dataset", "method"))
    first = shown_under(
        numbers.experiment_runs(runs, numbers.BENCHMARK, sets), ladder["protocol"].iloc[0]
    )
    first = first[first["method"].isin(methods)]
    summary = summarise(conform(pd.concat([first, ladder])), by=("selection", "patience", "eps"))
    of_benchmark, full = summary["experiment"] == numbers.BENCHMARK, summary["selection"] == "full"
    kinds = [
        kind.fillna(False).to_numpy(dtype=bool)
        for kind in (of_benchmark, full, summary["patience"] > 1)
    ]
    gap = "gap " + summary["eps"].map("{:g}".format)
    table = means(summary).assign(
        rung=np.select(kinds, [FIRST, gap, PATIENT], INNER),
        reached=summary["stop_converged"] == summary["repetitions"],
    )
    printed = numbers.printed_rows(sets, methods).assign(rung=PRINTED)
    again = table[(table["rung"] == FIRST) & (table["method"] != "cvm")].assign(rung=INNER)
    table = pd.concat([printed, table, again], ignore_index=True)
    gaps = sorted(
        set(table["rung"]) - {PRINTED, FIRST, INNER, PATIENT},
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
    rungs = (PRINTED, FIRST, INNER, PATIENT, *gaps)
    table = numbers.rows_in_order(table, ["rung", "dataset", "method"], rung=rungs)
    columns = [
        "dataset",
        "rung",
        "method",
        *_RATIOS,
        "bound",
        *_SHOWN,
        "at_limit",
        "reached",
        *(f"cvm_{name}" for name in ("time", "kernel_values", "accuracy", "at_limit")),
    ]
    return table[[*columns, "n", "unknown"]]


_RATIOS = ("speedup", "speedup_in_kernel_values", "difference", "kept")


def medians(table: pd.DataFrame) -> pd.DataFrame:
    """Return medians over the data sets per method and rung (see `ladder_numbers`), and how often
    CVM is slower.
    """
    rows = []
    for (rung, method), part in table[table["method"] != "cvm"].groupby(
        ["rung", "method"], sort=False
    ):
        found = {"rung": rung, "method": method, "sets": len(part)}
        for name in _RATIOS[:2]:
            found[name], found[f"{name}_bound"] = median_with_bound(part[name], part["bound"])
        found |= {name: part[name].median() for name in (*_RATIOS[2:], "relative_gap")}
        unknown = order_is_unknown(part)
        found |= {
            "unknown": int(unknown.sum()),
            "faster": int(((part["speedup"] > 1) & ~unknown).sum()),
            "accurate": int((part["kept"] >= KEPT).sum()),
        }
        rows.append(found)
    return pd.DataFrame(rows).dropna(subset="speedup").reset_index(drop=True)
