"""The claims of tsang2005.

A claim about one curve is judged at CVM's best setting of kernel width and C. All settings are
compared on the same training set: the largest set on which CVM finished at every setting. The best
setting is the one with CVM's lowest error on this set.

LIBSVM stands for two methods, which train the L1-SVM and the L2-SVM.
"""

from functools import lru_cache

import numpy as np
import pandas as pd

from fwsvm_papers.claims.claim import EASY_SECONDS, Verdict, claim
from fwsvm_papers.claims.evidence import Evidence, Sample
from fwsvm_papers.claims.judging import bound, grows, share, slope
from fwsvm_papers.reporting.style import method_label
from fwsvm_papers.reporting.text import counted, listing
from fwsvm_papers.runs import ENDED_REASONS
from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.studies.registry import load_printed
from fwsvm_papers.studies.tsang2005 import LIBSVM, scaling

SERIES = {
    "checkerboard": ("checkerboard-1m",),
    "forest": ("covtype",),
    "Adult": tuple(f"a{i}a" for i in range(1, 10)),
}
SMALL = 10_000  # the paper says that LIBSVM is faster if there are fewer points than this
# The paper says that CVM's time and model size are constant if there are more points than this.
LARGE = 100_000


ONE_CURVE = (
    "the paper shows one curve; our curve has the C and kernel width at which CVM's error is lowest"
    " on the largest set on which CVM finished at every C and width"
)


@claim(
    "CVM trains on a million points of the checkerboard in less than {} s",
    int(load_printed("tsang2005_text")["value"][0]),
    "{} s",
    "fig2",
    note=ONE_CURVE,
    easy=EASY_SECONDS,
)
def _1m_seconds(evidence: Evidence, printed: int) -> Verdict:
    return bound(seconds(evidence, 1_000_000), "<", printed, "max")


@claim(
    "CVM's time on the checkerboard is constant once the number of points is large",
    artefacts="fig2",
    note=ONE_CURVE,
)
def constant_time(evidence: Evidence) -> Verdict:
    return slope(growth(evidence, "checkerboard", "time"), 0.2)


@claim(
    "CVM's number of support vectors on the checkerboard is constant once the number of points is"
    " large",
    artefacts="fig2",
    note=ONE_CURVE,
)
def constant_size(evidence: Evidence) -> Verdict:
    return slope(growth(evidence, "checkerboard", "support_vectors"), 0.1)


@claim(
    "below {:,} points, LIBSVM is faster than CVM on the checkerboard",
    SMALL,
    "{:,} points",
    "fig2",
    note=(
        f'"with less than {SMALL // 1000}K patterns, LIBSVM is faster" (sec. 5.1); the paper does'
        " not give C, so the statement must hold at every C that we ran"
    ),
)
def small_libsvm(evidence: Evidence, printed: int) -> Verdict:
    return share(time_over_libsvm(evidence, "checkerboard", printed), ">", 1)


@claim(
    "CVM is slower than LIBSVM on the smaller Adult sets",
    artefacts="fig4",
    note=(
        '"as has been observed in Section 5.1, the CVM is slower than the more sophisticated LIBSVM'
        ' on processing these smaller data sets" (sec. 5.3); we take the sets with fewer than the'
        f" {SMALL:,} points of sec. 5.1"
    ),
)
def adult_libsvm(evidence: Evidence) -> Verdict:
    return share(time_over_libsvm(evidence, "Adult", SMALL), ">", 1)


@claim(
    "almost all core vectors on the checkerboard are support vectors",
    artefacts="fig2",
    note=(
        '"its curve basically overlaps with that of the CVM. Thus, almost all the core vectors are'
        ' useful support vectors" (sec. 5.1)'
    ),
)
def core_vectors(evidence: Evidence) -> Verdict:
    return bound(idle_core_vectors(evidence), "<=", 10, "max", chosen=True)


@claim("CVM has far fewer support vectors than LIBSVM on large checkerboards", artefacts="fig2")
def fewer_svs(evidence: Evidence) -> Verdict:
    return bound(size_over_cvm(evidence), ">=", 2, "min", chosen=True)


@claim(
    "CVM is much faster than LIBSVM on large checkerboards",
    artefacts="fig2",
    note=(
        '"it is much faster and produces far fewer support vectors (which implies faster testing)'
        ' on large data sets" (sec. 5.1); we take the sizes at which we compare support vectors'
    ),
)
def large_faster(evidence: Evidence) -> Verdict:
    return share(speedup_over_libsvm(evidence, "checkerboard", LARGE), ">=", 2, chosen=True)


@claim("CVM is as accurate as LIBSVM on checkerboard, forest and Adult", artefacts="fig2 fig3 fig4")
def accuracy(evidence: Evidence) -> Verdict:
    return bound(error_over_libsvm(evidence), "<=", 0.5, "max", chosen=True)


@claim(
    "on forest, CVM's time and space become constant after about {:,} points",
    LARGE,
    "{:,} points",
    "fig3",
    note=(
        "where the time falls, the relative gap grows, so training ended further from the optimum"
    ),
)
def forest_plateau(evidence: Evidence, printed: int) -> list[Verdict]:
    measures = ("time", "coreset")
    return [slope(growth(evidence, "forest", measure, printed), 0.3) for measure in measures]


@claim(
    "on forest, the number of core vectors grows with the number of points below {:,} points",
    LARGE,
    "{:,} points",
    "fig3",
    note=(
        '"when the training set is small, more training patterns bring in additional information'
        " useful for classification and so the number of core vectors increases with training set"
        f' size. However, after processing around {LARGE // 1000}K patterns [...]" (sec. 5.2)'
    ),
)
def forest_grows(evidence: Evidence, printed: int) -> Verdict:
    return grows(growth(evidence, "forest", "coreset", 0, printed))


@claim(
    "on Adult, CVM's number of core vectors and its time grow with the number of points",
    artefacts="fig4",
    note=(
        '"the number of iterations, the core set size and consequently the CPU time all increase'
        ' with the number of training patterns" (sec. 5.3); each iteration adds one core vector'
    ),
)
def adult_grows(evidence: Evidence) -> list[Verdict]:
    return [grows(growth(evidence, "Adult", measure, 0)) for measure in ("coreset", "time")]


@claim(
    "on {:,} random points of forest, LIBSVM is less accurate than CVM, both for the L1-SVM and for"
    " the L2-SVM",
    LARGE,
    "{:,} points",
    "fig3",
    note=(
        f'"we tried both LIBSVM implementations on a random sample of {LARGE // 1000}K training'
        ' patterns, but their testing accuracies are inferior to that of CVM" (footnote 9)'
    ),
)
def forest_sample(evidence: Evidence, printed: int) -> Verdict:
    return share(error_over_cvm_of_sample(evidence, printed), ">", 0)


def _runs(evidence: Evidence, series: str) -> pd.DataFrame:
    return scaling.series_runs(evidence.runs, SERIES[series])


@lru_cache(maxsize=len(SERIES))
def _curves(evidence: Evidence, series: str) -> pd.DataFrame:
    return scaling.curves(_runs(evidence, series))


def _at_best_setting(curves: pd.DataFrame, table: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the rows of `table` at CVM's best setting, and a text that describes this setting.
    `curves` is a result of `scaling.curves`.

    If there is no size at which CVM finished at every setting, the settings are compared at the
    size at which CVM finished at the largest number of settings. If there are several such sizes,
    the largest is used. If no error is known, return a table without rows, and an empty text.
    """
    cvm = curves[(curves["method"] == "cvm") & curves["error"].notna()]
    if cvm.empty:
        return table.iloc[:0], ""
    finished = cvm.groupby("task_size").size()
    size = finished.index[finished == finished.max()].max()
    at_size = cvm[cvm["task_size"] == size]
    best = at_size.sort_values(["error", "time"], kind="stable").iloc[0]
    chosen = table[(table["C"] == best["C"]) & (table["gamma_rule"] == best["gamma_rule"])]
    return chosen, f"C = {best['C']:g}, gamma = {best['gamma_rule']}"


def growth(
    evidence: Evidence,
    series: str,
    measure: str,
    from_size: int = LARGE,
    below_size: float = np.inf,
) -> Sample:
    """Return the time or the model size of CVM, as `measure` says, at CVM's best setting. The
    sample has a value for each number of training points from `from_size` to just below
    `below_size`.
    """
    of = {"time": "time", "coreset": "number of core vectors"}.get(
        measure, "number of support vectors"
    )
    kinds = [f"at least {from_size:,} points"] if from_size else []
    kinds += [f"fewer than {below_size:,} points"] if below_size < np.inf else []
    name = f"CVM's {of} on {' with '.join([series, *kinds])}"
    runs, curves = _runs(evidence, series), _curves(evidence, series)
    rows, setting = _at_best_setting(curves, curves)
    runs, curves = (table[table["task_size"] < below_size] for table in (runs, curves))
    rows = rows[
        (rows["method"] == "cvm") & rows["task_size"].between(from_size, below_size, "left")
    ]
    rows = rows[rows[measure] > 0]
    if len(rows) < 2:
        few = f"CVM finished at {' of '.join(['fewer than two sizes', *kinds])} on {series}"
        return Sample(
            name,
            "number",
            {},
            absent=f"no runs on {listing(SERIES[series])}" if runs.empty else few,
        )
    every = scaling.slopes(curves, "cvm", measure, from_size)
    keys = [("CVM", f"{size:,.0f}") for size in rows["task_size"]]
    values, sizes = dict(zip(keys, rows[measure], strict=True)), rows["task_size"]
    of_them = ", the setting with CVM's lowest error" if len(every) > 1 else ", the only setting"
    basis = f"{setting}{of_them}, {len(rows)} sizes from {sizes.min():,.0f} to {sizes.max():,.0f}"
    slopes = (
        f"exponents from {every.min():.2f} to {every.max():.2f} at {len(every)} settings"
        if len(every) > 1
        else ""
    )
    return Sample(name, "number", values, basis, slopes, _gaps(runs, rows), sizes=sizes)


def _gaps(runs: pd.DataFrame, rows: pd.DataFrame) -> str:
    """Return a text with two of CVM's mean relative gaps: the gap at the smallest and the gap at
    the largest size in `rows` for which a gap is known. All `rows` have the same setting. If the
    gap is known for fewer than two sizes, return an empty text.
    """
    first = rows.iloc[0]
    of_setting = (runs["C"] == first["C"]) & (runs["gamma_rule"] == first["gamma_rule"])
    own = runs[(runs["method"] == "cvm") & of_setting].dropna(subset=["relative_gap"])
    gaps = own.groupby("task_size")["relative_gap"].mean().reindex(rows["task_size"]).dropna()
    if len(gaps) < 2:
        return ""
    return "relative gap " + ", ".join(
        f"{gaps[m]:.2g} at {m:,.0f} points" for m in (gaps.index[0], gaps.index[-1])
    )


def seconds(evidence: Evidence, size: int) -> Sample:
    """Return CVM's mean time (s) on `size` checkerboard points at CVM's best setting.

    If a run on these or on fewer points ended at a limit, its time is a lower bound. The accuracy
    at this time is the subject of another claim.
    """
    runs, curves = _runs(evidence, "checkerboard"), _curves(evidence, "checkerboard")
    own, setting = _at_best_setting(curves, runs[(runs["method"] == "cvm").fillna(False)])
    own = own[own["task_size"] <= size]
    late = own.loc[own["stop_reason"].isin(ENDED_REASONS), "train_cpu_s"].astype(float)
    done = scaling.at_size(scaling.curves(own), "cvm", size)
    values, bounds, basis = {}, {}, []
    if len(late):
        values["CVM", setting], bounds["CVM", setting] = late.max(), Bound.AT_LEAST
        basis = [f"{setting}, where CVM ended at a limit"]
    elif len(done):
        (row,) = done.itertuples()
        values["CVM", setting] = row.time
        basis = [
            f"{setting}, error {row.error:.2f} %",
            f"mean over {counted(row.n, 'random training set')}",
        ]
    every = scaling.at_size(curves, "cvm", size)
    tried = len(runs[["C", "gamma_rule"]].drop_duplicates())
    if tried > 1 and len(every):
        basis.append(
            f"{every['time'].min():.3g} to {every['time'].max():.3g} s at the {len(every)} of"
            f" {tried} settings at which CVM finished on this size"
        )
    absent = f"no run of CVM with {size:,} points of checkerboard-1m"
    name = f"CVM's mean time for {size:,} points at CVM's best setting"
    return Sample(name, "seconds", values, *basis, absent=absent, bounds=bounds)


def time_over_libsvm(evidence: Evidence, series: str, below_size: int) -> Sample:
    """Return ratios of times, CVM's time divided by the time of the faster LIBSVM method, at every
    setting and every number of points below `below_size`.
    """
    ratios = _relative_times(evidence, series)
    ratios = ratios[ratios.index.get_level_values("task_size") < below_size]
    values = {("", _place(*key)): value for key, value in ratios.items()}
    name = (
        f"below {below_size:,} points, the ratio of CVM's time to that of the faster LIBSVM method"
    )
    sets = listing(SERIES[series])
    absent = (
        f"on {sets} CVM and LIBSVM do not both have a time at any size below {below_size:,} points"
    )
    settings = ratios.index.droplevel("task_size").nunique()
    sizes = ratios.index.get_level_values("task_size").nunique()
    basis = f"{counted(settings, 'setting')} and {counted(sizes, 'size')}"
    exceptions = [at for (_, at), value in values.items() if value <= 1]
    slower = (
        f"LIBSVM is not faster at {'; '.join(exceptions)}"
        if 0 < len(exceptions) < len(values)
        else ""
    )
    return Sample(name, "ratio", values, basis, slower, absent=absent)


def speedup_over_libsvm(evidence: Evidence, series: str, least_size: int) -> Sample:
    """Return the time of the faster LIBSVM method divided by CVM's time. There is a ratio for each
    setting and each training size of at least `least_size` at which CVM finished and LIBSVM has a
    time or a bound on it.

    If a run of a LIBSVM method on these or on fewer points ended at a limit, the time of this run
    is a lower bound on the method's time. If the smaller one of the two times is such a bound, the
    ratio is a lower bound, too.
    """
    runs = _runs(evidence, series)
    table = _curves(evidence, series).set_index(["method", *scaling.SETTING, "task_size"])["time"]
    late = runs[runs["stop_reason"].isin(ENDED_REASONS)]
    values, bounds, settings = {}, {}, set()
    for (_, width, C, size), time in table[table.index.get_level_values(0) == "cvm"].items():
        if size < least_size or np.isnan(time):
            continue
        here = (late["gamma_rule"] == width) & (late["C"] == C) & (late["task_size"] <= size)
        limits = late[here].groupby("method")["train_cpu_s"].max()
        known = {method: table.get((method, width, C, size), np.nan) for method in LIBSVM}
        least = {method: limits.get(method, np.nan) for method in LIBSVM}
        times = pd.Series(known, dtype=float).fillna(pd.Series(least, dtype=float)).dropna()
        if len(times):
            place = ("", _place(C, width, size))
            values[place] = times.min() / time
            is_exact = not np.isnan(known[times.idxmin()])
            bounds[place] = Bound.EXACT if is_exact else Bound.AT_LEAST
            settings.add((width, C))
    return Sample(
        f"with at least {least_size:,} points, the ratio of the time of the faster LIBSVM method to"
        " CVM's",
        "ratio",
        values,
        counted(len(settings), "setting"),
        absent=(
            f"CVM finished at no size of at least {least_size:,} points of"
            f" {listing(SERIES[series])} at which LIBSVM ran"
        ),
        bounds=bounds,
    )


def _relative_times(evidence: Evidence, series: str) -> pd.Series:
    """Return CVM's time divided by the time of the faster LIBSVM method. The index has the setting
    and the number of training points.
    """
    table = _curves(evidence, series)
    times = table.pivot_table("time", ["C", "gamma_rule", "task_size"], "method")
    times = times.reindex(columns=["cvm", *LIBSVM])
    return (times["cvm"] / times[list(LIBSVM)].min(axis=1)).dropna()


def _place(C: float, width: str, size: float) -> str:
    return f"{size:,.0f} points, C = {C:g}, gamma = {width}"


def idle_core_vectors(evidence: Evidence) -> Sample:
    """Return the share (%) of CVM's core vectors that are not support vectors, at each setting and
    each number of checkerboard points.
    """
    table = _curves(evidence, "checkerboard")
    table = table[(table["method"] == "cvm") & (table["coreset"] > 0)]
    values = {
        ("", _place(row.C, row.gamma_rule, row.task_size)): (
            100 * (1 - row.support_vectors / row.coreset)
        )
        for row in table.itertuples()
    }
    settings = len(table[["C", "gamma_rule"]].drop_duplicates())
    basis = f"{counted(len(values), 'mean')} at {counted(settings, 'setting')}"
    absent = "CVM did not finish on checkerboard-1m"
    return Sample(
        "share of CVM's core vectors that are not support vectors",
        "percent",
        values,
        basis,
        absent=absent,
    )


def error_over_cvm_of_sample(evidence: Evidence, size: int) -> Sample:
    """Return the errors of both LIBSVM methods on about `size` points, minus CVM's error on its
    largest training set, at each setting where both LIBSVM methods finished. The number of points
    can differ from `size` by at most 10 %.
    """
    table = _curves(evidence, "forest").dropna(subset=["error"])
    sample = table[(table["task_size"] / size - 1).abs() <= 0.1]
    values, basis = {}, []
    for (C, width), own in table[table["method"] == "cvm"].groupby(["C", "gamma_rule"]):
        theirs = sample[(sample["C"] == C) & (sample["gamma_rule"] == width)]
        if set(LIBSVM) <= set(theirs["method"]):
            largest = own.loc[own["task_size"].idxmax()]
            for row in theirs[theirs["method"].isin(LIBSVM)].itertuples():
                place = _place(C, width, row.task_size)
                values[method_label(row.method), place] = row.error - largest["error"]
            basis.append(
                f"CVM on {largest['task_size']:,.0f} points: error {largest['error']:.2f} %"
            )
    name = f"error of LIBSVM on {size:,} points of forest minus that of CVM"
    absent = (
        f"no finished runs of LIBSVM on about {size:,} points of covtype for both the L1-SVM and"
        " the L2-SVM"
    )
    return Sample(name, "points", values, *basis, neutral=0.0, absent=absent)


def size_over_cvm(evidence: Evidence) -> Sample:
    """Return ratios of model sizes. A ratio is the number of support vectors of a LIBSVM model,
    divided by that of CVM's model. There is a ratio for each LIBSVM method, each setting, and each
    training set of at least `LARGE` points.
    """
    rows = _curves(evidence, "checkerboard")
    rows = rows[(rows["task_size"] >= LARGE) & (rows["support_vectors"] > 0)]
    keys = ["C", "gamma_rule", "task_size"]
    counts = rows.pivot_table("support_vectors", keys, "method").reindex(columns=["cvm", *LIBSVM])
    ratios = counts[list(LIBSVM)].div(counts["cvm"], axis=0).melt(ignore_index=False).dropna()
    values = {
        (method_label(name), _place(C, width, size)): ratio
        for (C, width, size), name, ratio in ratios.itertuples()
    }
    name = (
        f"with at least {LARGE:,} points, the ratio of LIBSVM's number of support vectors to CVM's"
    )
    absent = (
        "no setting at which both CVM and LIBSVM have a model of the same set of at least"
        f" {LARGE:,} points of checkerboard-1m"
    )
    places = f"at {listing(place for _, place in sorted(values))}"
    return Sample(name, "ratio", dict(sorted(values.items())), places, absent=absent)


def error_over_libsvm(evidence: Evidence) -> Sample:
    """Return CVM's error minus the lower of the errors of the two LIBSVM methods, at CVM's best
    setting, for each series and each number of points.
    """
    values: dict[tuple, float] = {}
    basis = []
    for series in SERIES:
        curves = _curves(evidence, series)
        differences = scaling.error_differences(curves, "cvm", LIBSVM)
        found, setting = _at_best_setting(curves, differences)
        values |= {(series, f"{row.task_size:,.0f}"): row.difference for row in found.itertuples()}
        basis += [f"{series}: {len(found)} sizes, {setting}"] if len(found) else []
    left = f"{len(basis)} of {len(SERIES)} series" if len(basis) < len(SERIES) else ""
    absent = "no training set on which both CVM and LIBSVM finished"
    return Sample(
        "CVM's error minus that of the better LIBSVM method",
        "points",
        values,
        *basis,
        left,
        absent=absent,
    )
