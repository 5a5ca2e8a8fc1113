"""Compare the methods with CVM: by the papers' numbers, in our runs, and with changed settings."""

from itertools import pairwise, product

import numpy as np
import pandas as pd

from fwsvm_papers.runs.records import conform
from fwsvm_papers.runs.table import order_is_unknown, shown_under, summarise
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark.protocol import Details

PRINTED, FIRST, INNER, PATIENT = "printed", "as_run", "inner", "patient"
"""Cases (rungs): printed numbers, our benchmark, LibCVM's inner tolerance, and runs that also stop
as LibCVM does.

The rungs on which the methods search all points have names such as ``gap 0.01``.
"""

KEPT = 90
"""A method is accurate if it keeps at least this share (%) of CVM's gain over the majority
class.
"""


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
    table = summary[["dataset", "method"]].assign(
        rung=np.select(kinds, [FIRST, gap, PATIENT], INNER),
        **{
            name: summary[f"{measure}_mean"].astype(float)
            for name, measure in numbers.MEASURES.items()
        },
        at_limit=summary["at_limit"] > 0,
        reached=summary["stop_converged"] == summary["repetitions"],
        n=summary["repetitions"],
    )
    again = table[(table["rung"] == FIRST) & (table["method"] != "cvm")].assign(rung=INNER)
    table = pd.concat([_printed(sets, methods), table, again], ignore_index=True)
    gaps = sorted(
        set(table["rung"]) - {PRINTED, FIRST, INNER, PATIENT},
        key=lambda rung: -float(rung.split()[1]),
    )
    for looser, tighter in pairwise(gaps):
        tried = pd.MultiIndex.from_frame(table.loc[table["rung"] == tighter, ["dataset", "method"]])
        left = table[(table["rung"] == looser) & table["at_limit"]]
        left = left[~pd.MultiIndex.from_frame(left[["dataset", "method"]]).isin(tried)]
        table = pd.concat([table, left.assign(rung=tighter)], ignore_index=True)

    cvm = table[table["method"] == "cvm"].set_index(["rung", "dataset"])
    cvm = cvm[["time", "kernel_values", "accuracy", "at_limit"]].add_prefix("cvm_")
    table = table.join(cvm, on=["rung", "dataset"])
    late, cvm_late = table["at_limit"], table["cvm_at_limit"].eq(True)
    table["bound"] = np.select([late & ~cvm_late, cvm_late & ~late], ["upper", "lower"], "")
    table["speedup"] = (table["cvm_time"] / table["time"]).mask(late & cvm_late)
    table["speedup_in_kernel_values"] = (table["cvm_kernel_values"] / table["kernel_values"]).mask(
        late & cvm_late
    )
    table["difference"] = table["accuracy"] - table["cvm_accuracy"]
    majority = table["dataset"].map(numbers.majority_accuracies(descriptions)).astype(float)
    table["kept"] = numbers.gain_kept(table["accuracy"], table["cvm_accuracy"], majority)
    table["unknown"] = (table["method"] != "cvm") & order_is_unknown(table)
    rungs = (PRINTED, FIRST, INNER, PATIENT, *gaps)
    table = numbers.rows_in_order(table, ["rung", "dataset", "method"], rung=rungs)
    columns = [
        "dataset",
        "rung",
        "method",
        *_RATIOS,
        "bound",
        *numbers.MEASURES,
        "at_limit",
        "reached",
        *cvm.columns,
    ]
    return table[[*columns, "n", "unknown"]]


_RATIOS = ("speedup", "speedup_in_kernel_values", "difference", "kept")


def _printed(sets, methods) -> pd.DataFrame:
    """Return the accuracies and times that frandi2013 prints for these methods on these data
    sets.
    """
    table = pd.DataFrame(product(sets, methods), columns=["dataset", "method"]).assign(
        rung=PRINTED, at_limit=False
    )
    for name in ("accuracy", "time"):
        table[name] = numbers.printed_means(
            numbers.MEASURES[name], table["dataset"], table["method"]
        )
    return table.dropna(subset=["time"])


def medians(table: pd.DataFrame) -> pd.DataFrame:
    """Return medians over the data sets per method and rung (see `ladder_numbers`), and how often
    CVM is slower.

    A median that depends on bounds is also a bound: its sign is "≤ " or "≥ ". A ratio of two bounds
    counts as infinity.
    """
    rows = []
    for (rung, method), part in table[table["method"] != "cvm"].groupby(
        ["rung", "method"], sort=False
    ):
        found = {"rung": rung, "method": method, "sets": len(part)}
        both = part["at_limit"] & part["cvm_at_limit"].eq(True)
        for name in _RATIOS[:2]:
            ratios = part[name].mask(both, np.inf)
            median, most = ratios.median(), ratios.mask(part["bound"] == "lower", np.inf).median()
            least = ratios.mask(both | (part["bound"] == "upper"), 0.0).median()
            found |= {
                name: median,
                f"{name}_sign": "≤ " if least < median else "≥ " if most > median else "",
            }
        found |= {name: part[name].median() for name in (*_RATIOS[2:], "relative_gap")}
        unknown = order_is_unknown(part)
        found |= {
            "unknown": int(unknown.sum()),
            "faster": int(((part["speedup"] > 1) & ~unknown).sum()),
        }
        rows.append(found | {"accurate": int((part["kept"] >= KEPT).sum())})
    return (
        pd.DataFrame(rows).replace(np.inf, np.nan).dropna(subset="speedup").reset_index(drop=True)
    )
