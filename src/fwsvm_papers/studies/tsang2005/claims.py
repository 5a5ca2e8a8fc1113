"""Judge the claims of tsang2005.

A claim about one curve uses the kernel width and C at which CVM has the lowest error on the largest set it finished.
"""

import pandas as pd

from fwsvm_papers.claims.evidence import Sample
from fwsvm_papers.claims.judging import EASY_SECONDS, bound, claim, share, slope
from fwsvm_papers.reporting.style import method_label
from fwsvm_papers.reporting.text import listing
from fwsvm_papers.studies.tsang2005 import LIBSVM, scaling

SERIES = {"checkerboard": ("checkerboard-1m",), "forest": ("covtype",), "Adult": tuple(f"a{i}a" for i in range(1, 10))}
LARGE = 100_000  # The paper says that CVM's time and model size are constant above this number of points.


@claim("CVM trains on a checkerboard of a million points in under 13 s", "13 s", "fig2", easy=EASY_SECONDS)
def _1m_seconds(evidence):
    return bound(seconds(evidence, 1_000_000), "<", 13, "max")


ONE_CURVE = "the paper shows one curve; ours has the C and width at which CVM's error on the largest set is lowest"


@claim("CVM's time on the checkerboard does not grow with m once m is large", artefacts="fig2", note=ONE_CURVE)
def constant_time(evidence):
    return slope(growth(evidence, "checkerboard", "time"), 0.2)


@claim("CVM's number of SVs on the checkerboard does not grow with m once m is large", artefacts="fig2", note=ONE_CURVE)
def constant_size(evidence):
    return slope(growth(evidence, "checkerboard", "support_vectors"), 0.1)


@claim("below 10,000 points, LIBSVM is faster than CVM on the checkerboard", "10,000 points", "fig2")
def small_libsvm(evidence):
    return share(time_over_libsvm(evidence, 10_000), ">", 1)


@claim("CVM has far fewer SVs than LIBSVM on large checkerboards", artefacts="fig2")
def fewer_svs(evidence):
    return bound(size_over_cvm(evidence), ">=", 2, "min", chosen=True)


@claim("CVM is as accurate as LIBSVM on checkerboard, forest and Adult", artefacts="fig2 fig3 fig4")
def accuracy(evidence):
    return bound(error_over_libsvm(evidence), "<=", 0.5, "max", chosen=True)


@claim("on forest, CVM's time and space become constant after about 100,000 points", "100,000 points", "fig3")
def forest_plateau(evidence):
    return slope(growth(evidence, "forest", "time"), 0.3)


def _runs(evidence, series) -> pd.DataFrame:
    return scaling.series_runs(evidence.runs, SERIES[series])


def _at_best_setting(runs, table) -> tuple[pd.DataFrame, str]:
    """Return the table's rows at CVM's best setting, and that setting in words. Return no rows if no error is known."""
    cvm = scaling.curves(runs)
    cvm = cvm[(cvm["method"] == "cvm") & cvm["error"].notna()]
    if cvm.empty:
        return table.iloc[:0], ""
    best = cvm[cvm["task_size"] == cvm["task_size"].max()].sort_values(["error", "time"], kind="stable").iloc[0]
    chosen = table[(table["C"] == best["C"]) & (table["gamma_rule"] == best["gamma_rule"])]
    return chosen, f"C = {best['C']:g}, {best['gamma_rule']}"


def growth(evidence, series, measure) -> Sample:
    """Return CVM's time or number of support vectors at each training set size of at least `LARGE`."""
    name = f"CVM's {measure.replace('_', ' ')} on {series} with at least {LARGE:,} points"
    runs = _runs(evidence, series)
    rows, setting = _at_best_setting(runs, scaling.curves(runs))
    rows = rows[(rows["method"] == "cvm") & (rows["task_size"] >= LARGE) & (rows[measure] > 0)]
    if len(rows) < 2:
        few = f"CVM finished fewer than two sizes with m >= {LARGE:,} on {series}"
        return Sample(name, "number", {}, absent=f"no runs on {listing(SERIES[series])}" if runs.empty else few)
    every = scaling.slopes(runs, "cvm", measure, LARGE)
    keys = [("CVM", f"{size:,.0f}") for size in rows["task_size"]]
    values, sizes = dict(zip(keys, rows[measure], strict=True)), rows["task_size"]
    of_them = ", the setting with CVM's lowest error" if len(every) > 1 else ", the only setting"
    basis = f"{setting}{of_them}, {len(rows)} sizes from {sizes.min():,.0f} to {sizes.max():,.0f}"
    slopes = f"slopes of {every.min():.2f} to {every.max():.2f} at {len(every)} settings" if len(every) > 1 else ""
    return Sample(name, "number", values, basis, slopes, sizes=sizes)


def seconds(evidence, size):
    """Return CVM's mean time (s) on `size` checkerboard points at each setting. Another claim judges the accuracy."""
    runs = _runs(evidence, "checkerboard")
    done, tried = scaling.at_size(runs, "cvm", size), len(runs[["C", "gamma_rule"]].drop_duplicates())
    values = {
        ("CVM", f"C = {row.C:g}, {row.gamma_rule}, error {row.error:.2f} %"): row.time for row in done.itertuples()
    }
    basis = [f"means of {done['n'].min()} draws; the slowest of {len(done)} settings counts"] if len(done) else []
    basis += [f"{tried - len(done)} of {tried} settings hit a limit at or below this size"] if len(done) < tried else []
    best = done.nsmallest(1, "error")
    basis += [f"{row.time:.3g} s at the lowest error ({row.error:.2f} %)" for row in best.itertuples()]
    absent = f"no run of CVM with {size:,} points of checkerboard-1m"
    return Sample(f"CVM's time for {size:,} points", "seconds", values, *basis, absent=absent)


def time_over_libsvm(evidence, below_size):
    """Divide CVM's time by the faster LIBSVM method's, at CVM's best setting and every size below `below_size`."""
    runs = _runs(evidence, "checkerboard")
    rows, setting = _at_best_setting(runs, scaling.curves(runs))
    times = rows[rows["task_size"] < below_size].pivot_table(index="task_size", columns="method", values="time")
    times = times.reindex(columns=["cvm", *LIBSVM])
    ratios = (times["cvm"] / times[list(LIBSVM)].min(axis=1)).dropna()
    values = {("", f"{size:,.0f}"): value for size, value in ratios.items()}
    name = f"ratio of CVM's time to that of the faster LIBSVM method (below {below_size:,} points)"
    absent = f"no size below {below_size:,} points at which both CVM and LIBSVM have times on checkerboard-1m"
    return Sample(name, "ratio", values, setting, absent=absent)


def size_over_cvm(evidence):
    """Divide each LIBSVM model's number of support vectors by that of CVM, at each setting and each size >= `LARGE`."""
    rows = scaling.curves(_runs(evidence, "checkerboard"))
    rows = rows[(rows["task_size"] >= LARGE) & (rows["support_vectors"] > 0)]
    keys = ["C", "gamma_rule", "task_size"]
    counts = rows.pivot_table("support_vectors", keys, "method").reindex(columns=["cvm", *LIBSVM])
    ratios = counts[list(LIBSVM)].div(counts["cvm"], axis=0).melt(ignore_index=False).dropna()
    values = {
        (method_label(name), f"{size:,.0f} points, C = {C:g}, {width}"): ratio
        for (C, width, size), name, ratio in ratios.itertuples()
    }
    name = f"ratio of LIBSVM's number of support vectors to CVM's (at least {LARGE:,} points)"
    absent = f"no setting with models of both CVM and LIBSVM at the same m >= {LARGE:,} on checkerboard-1m"
    places = f"at {listing(place for _, place in sorted(values))}"
    return Sample(name, "ratio", dict(sorted(values.items())), places, absent=absent)


def error_over_libsvm(evidence) -> Sample:
    """Subtract the error of the better LIBSVM method from CVM's, at CVM's best setting, on each series and size."""
    values, basis = {}, []
    for series in SERIES:
        runs = _runs(evidence, series)
        found, setting = _at_best_setting(runs, scaling.error_differences(runs, "cvm", LIBSVM))
        values |= {(series, f"{row.task_size:,.0f}"): row.difference for row in found.itertuples()}
        basis += [f"{series}: {len(found)} sizes, {setting}"] if len(found) else []
    left = f"{len(basis)} of {len(SERIES)} series" if len(basis) < len(SERIES) else ""
    absent = "no training set size that both CVM and LIBSVM finished"
    return Sample("CVM's error minus that of the better LIBSVM method", "points", values, *basis, left, absent=absent)
