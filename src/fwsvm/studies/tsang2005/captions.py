"""What the captions of tsang2005 say about the paper's claims, from the numbers, whichever way they come out."""

from __future__ import annotations

import pandas as pd

from fwsvm.reporting.style import method_label
from fwsvm.reporting.text import listing, significant
from fwsvm.studies.tsang2005.charts import width_words
from fwsvm.studies.tsang2005.scaling import at_size, best_error, curves, error_differences, ratios, slopes

LARGE = 100_000
"""From here on the paper finds time and size of CVM constant."""

SMALL = 10_000
"""Below it, the paper says, LIBSVM is faster."""

FLAT = {"time": 0.2, "support_vectors": 0.1}
"""Slopes over log m below these count as constant."""

PAPER_SECONDS = 13.0
CLOSE = 1.0
SAME = 0.5
"""Points of error: within `CLOSE` of the best the million points count as learnt, within `SAME` errors as equal."""

LIBSVMS = ("libsvm_l1", "libsvm_l2")
_NAMES = {"time": "time", "support_vectors": "number of support vectors"}


def setting_words(row) -> str:
    """Name a setting: ``C = 1024, γ = 2 / β``."""
    return f"C = {row.C:g}, {width_words(row.gamma_rule)}"


def million_words(runs: pd.DataFrame, size: int = 1_000_000) -> str:
    """Say how long CVM takes on a million points, at settings whose error is good (claim tsang2005-1m-seconds)."""
    done = at_size(runs, "cvm", size)
    if done.empty:
        return ""
    best = best_error(runs, LARGE)
    good = done[done["error"] <= best + CLOSE]
    said = f"The paper: CVM trains 1,000,000 points in under {PAPER_SECONDS:g} s; here "
    if good.empty:
        row = next(done.sort_values("error").itertuples())
        return (
            f"{said}no setting of CVM comes within {CLOSE:g} point of the lowest error at {LARGE:,} points "
            f"({best:.2f} %); the closest, {setting_words(row)}, takes {significant(row.time, 3)} s with "
            f"{row.error:.2f} %."
        )
    row = next(good.sort_values("time").itertuples())
    verdict = "" if row.time < PAPER_SECONDS else "not that: "
    others = done.drop(row.Index)
    also = [f"{significant(o.time, 3)} s and {o.error:.2f} % at {setting_words(o)}" for o in others.itertuples()]
    return (
        f"{said}{verdict}{significant(row.time, 3)} s at {setting_words(row)}, error {row.error:.2f} % "
        f"(lowest error of any method at {LARGE:,} points: {best:.2f} %)"
        + (f"; the other settings that ran to their end: {listing(also)}." if also else ".")
    )


def growth_words(runs: pd.DataFrame, from_size: int = LARGE, quantities=("time", "support_vectors")) -> str:
    """Say with which power of m CVM's time and size grow (claims tsang2005-constant-time and -size)."""
    said = []
    for quantity in quantities:
        table = slopes(runs, "cvm", quantity, from_size)
        if table.empty:
            continue
        flat = int((table["slope"] < FLAT[quantity]).sum())
        parts = [f"{round(row.slope, 2) + 0.0:+.2f} at {setting_words(row)}" for row in table.itertuples()]
        said.append(
            f"the {_NAMES[quantity]} of CVM grows as m to the power of {listing(parts)}, which is below "
            f"{FLAT[quantity]:g} and so about constant at {flat} of {len(table)} settings"
        )
    if not said:
        return ""
    since = f"From {from_size:,} points on" if from_size else "Over all sizes"
    return f"{since}, {'; '.join(said)}."


def small_words(runs: pd.DataFrame, below: int = SMALL) -> str:
    """Say how often LIBSVM is faster than CVM on small sets (claim tsang2005-small-libsvm)."""
    parts = []
    for name in LIBSVMS:
        table = ratios(runs, "time", "cvm", name)
        table = table[table["task_size"] < below]
        if len(table):
            faster = int((table["ratio"] > 1).sum())
            parts.append(f"{method_label(name)} in {faster} of {len(table)} cases")
    if not parts:
        return ""
    return f"Below {below:,} points LIBSVM is faster, says the paper; here {listing(parts)} (sizes times settings)."


def size_words(runs: pd.DataFrame, from_size: int = LARGE) -> str:
    """Say how many more support vectors LIBSVM has on large sets (claim tsang2005-fewer-svs)."""
    parts, absent = [], []
    for name in LIBSVMS:
        table = ratios(runs, "support_vectors", name, "cvm")
        table = table[table["task_size"] >= from_size]
        if len(table):
            low, high = table["ratio"].min(), table["ratio"].max()
            span = f"{significant(low, 2)}" if len(table) == 1 else f"{significant(low, 2)} to {significant(high, 2)}"
            parts.append(f"{method_label(name)} has {span} times those of CVM ({len(table)} cases)")
        else:
            absent.append(method_label(name))
    said = f"Support vectors from {from_size:,} points on: {'; '.join(parts)}." if parts else ""
    if absent:
        said += (
            f"{' ' if said else ''}{listing(absent)} ended at an allowance below {from_size:,} points or did not run."
        )
    return said + _largest_comparison(runs) if absent else said


def _largest_comparison(runs: pd.DataFrame) -> str:
    parts = []
    for name in LIBSVMS:
        table = ratios(runs, "support_vectors", name, "cvm")
        if len(table):
            row = table.sort_values(["task_size", "ratio"]).iloc[-1]
            parts.append(f"{method_label(name)} {significant(row['ratio'], 2)} at m = {row['task_size']:,.0f}")
    where = "at the largest size that both ran and the setting where the ratio is largest"
    return f" Support vectors of LIBSVM over CVM's, {where}: {listing(parts)}." if parts else ""


def accuracy_words(runs: pd.DataFrame) -> str:
    """Say whether CVM is as accurate as LIBSVM (claim tsang2005-accuracy)."""
    table = error_differences(runs, "cvm", LIBSVMS)
    if table.empty:
        return ""
    equal = int((table["difference"] <= SAME).sum())
    worst, best = table.loc[table["difference"].idxmax()], table.loc[table["difference"].idxmin()]
    return (
        f"As accurate as LIBSVM, says the paper; here CVM's error is at most {SAME:g} points above the better LIBSVM's "
        f"in {equal} of {len(table)} cases that both ran (differences from {best['difference']:+.2f} points, m = "
        f"{best['task_size']:,.0f}, {setting_words(best)}, to {worst['difference']:+.2f}, m = "
        f"{worst['task_size']:,.0f}, {setting_words(worst)})."
    )


def setting_error_words(runs: pd.DataFrame) -> str:
    """Say which errors CVM reaches under each kernel width, and the best of the others."""
    table = curves(runs).dropna(subset=["error"])
    ours, others = table[table["method"] == "cvm"], table[table["method"] != "cvm"]
    if ours.empty:
        return ""
    parts = [_lowest(rows) for _, rows in ours.groupby("gamma_rule")]
    said = f"Lowest error{'s' if len(parts) > 1 else ''} of CVM: {listing(parts)}"
    if others.empty:
        return f"{said}."
    return (
        f"{said}; of the others: {_lowest(others)} by {method_label(others.loc[others['error'].idxmin(), 'method'])}."
    )


def _lowest(rows: pd.DataFrame) -> str:
    row = rows.loc[rows["error"].idxmin()]
    return f"{row['error']:.2f} % at {setting_words(row)} and m = {row['task_size']:,.0f}"
