"""Claims of tsang2005 and their quantities: CVM and LIBSVM on the paper's series.

What is about one curve is taken at the setting (kernel width and C) at which CVM's error on its largest training set is
lowest: speed and accuracy at the same setting.
"""

from __future__ import annotations

from fwsvm.claims.claim import StudyClaims
from fwsvm.claims.quantities import Sample, quantity, sample
from fwsvm.reporting.style import method_label
from fwsvm.reporting.text import listing
from fwsvm.studies.tsang2005 import scaling

SERIES = {"checkerboard": ("checkerboard-1m",), "forest": ("covtype",), "Adult": tuple(f"a{i}a" for i in range(1, 10))}
LIBSVM = ("libsvm_l1", "libsvm_l2")


class Series(str):
    """Name of one of `SERIES`."""

    def __new__(cls, name):
        """Check the name."""
        if name not in SERIES:
            raise ValueError(f"unknown series {name!r}; known are {', '.join(SERIES)}")
        return super().__new__(cls, name)


def _runs(evidence, series):
    return scaling.series_runs(evidence.runs, SERIES[series])


def _at_best_setting(runs, table):
    """Rows of a table at CVM's best setting, and its name; no rows where CVM has no error."""
    cvm = scaling.curves(runs)
    cvm = cvm[(cvm["method"] == "cvm") & cvm["error"].notna()]
    if cvm.empty:
        return table.iloc[:0], ""
    best = cvm[cvm["task_size"] == cvm["task_size"].max()].sort_values(["error", "time"], kind="stable").iloc[0]
    chosen = table[(table["C"] == best["C"]) & (table["gamma_rule"] == best["gamma_rule"])]
    return chosen, f"C = {best['C']:g}, {best['gamma_rule']}"


@quantity("CVM's {measure} on {series} from {start:,} points on", "number")
def growth(evidence, series: Series, measure: str, start: int) -> Sample:
    """CVM's time or number of support vectors over the training points."""
    runs = _runs(evidence, series)
    rows, setting = _at_best_setting(runs, scaling.curves(runs))
    rows = rows[(rows["method"] == "cvm") & (rows["task_size"] >= start) & (rows[measure] > 0)]
    if len(rows) < 2:
        few = f"CVM has fewer than two sizes with m >= {start:,} on {series}"
        return sample({}, absent=f"{series} was not run" if runs.empty else few)
    every = scaling.slopes(runs, "cvm", measure, start)["slope"]
    keys = [("CVM", f"{size:,.0f}") for size in rows["task_size"]]
    made = sample(
        dict(zip(keys, rows[measure], strict=True)),
        f"{setting}, {len(rows)} sizes from {rows['task_size'].min():,.0f} to {rows['task_size'].max():,.0f}",
        f"slopes at {len(every)} settings {every.min():.2f} to {every.max():.2f}",
    )
    return Sample(made.values, made.basis, sizes=rows["task_size"].set_axis(made.values.index))


@quantity("CVM's time for {size:,} points of {series}, at an error within {within} point of the best at {reference:,}",
          "seconds")  # fmt: skip
def accurate_seconds(evidence, series: Series, size: int, reference: int, within: float) -> Sample:
    """Time of the fastest setting whose error is near the lowest at a smaller size; NaN if there is none.

    The basis then has the setting that errs least.
    """
    runs = _runs(evidence, series)
    done, best = scaling.at_size(runs, "cvm", size), scaling.best_error(runs, reference)
    if done.empty or best != best:
        what = "run of CVM" if done.empty else "error"
        return sample({}, absent=f"no {what} at m = {size if done.empty else reference:,} on {series}")
    accurate = done[done["error"] <= best + within].sort_values("time", kind="stable")
    row = (done.sort_values("error", kind="stable") if accurate.empty else accurate).iloc[0]
    seconds = float("nan") if accurate.empty else row["time"]
    setting = f"C = {row['C']:g}, gamma = {row['gamma_rule']}"
    near = f"error {row['error']:.2f} %, best {best:.2f} %"
    if accurate.empty:
        setting = f"no setting errs so little ({best:.2f} % at {reference:,} points); the least error: {setting}"
        near = f"{row['time']:.3g} s, error {row['error']:.2f} %"
    return sample({("CVM", size): seconds}, f"{setting}: {near}")


@quantity("CVM's time over the faster LIBSVM machine's on {series} below {below_size:,} points", "ratio", neutral=1.0)
def time_over_libsvm(evidence, series: Series, below_size: int) -> Sample:
    """CVM's time over that of the faster of LIBSVM's two machines, at every size both ran."""
    times, setting = _by_size(evidence, series, "time")
    times = times[times.index < below_size]
    ratios = (times["cvm"] / times[list(LIBSVM)].min(axis=1)).dropna()
    absent = f"no times of CVM and LIBSVM at a size below {below_size:,} points on {series}"
    return sample({("", f"{size:,.0f}"): value for size, value in ratios.items()}, setting, absent=absent)


@quantity("LIBSVM's support vectors over CVM's on {series} from {start:,} points on", "ratio", neutral=1.0)
def size_over_cvm(evidence, series: Series, start: int) -> Sample:
    """Support vectors of each LIBSVM machine over CVM's, at every size and setting where both have a model."""
    keys = ["C", "gamma_rule", "task_size"]
    rows = scaling.curves(_runs(evidence, series))
    rows = rows[(rows["task_size"] >= start) & (rows["support_vectors"] > 0)]
    counts = {name: part.set_index(keys)["support_vectors"] for name, part in rows.groupby("method")}
    values = {}
    for name in set(LIBSVM) & set(counts) if "cvm" in counts else ():
        for (C, width, size), ratio in (counts[name] / counts["cvm"]).dropna().items():
            values[(method_label(name), f"{size:,.0f} points, C = {C:g}, {width}")] = ratio
    absent = f"no models of CVM and LIBSVM at the same setting with m >= {start:,} on {series}"
    return sample(dict(sorted(values.items())), f"at {listing(place for _, place in sorted(values))}", absent=absent)


def _by_size(evidence, series, quantity_):
    runs = _runs(evidence, series)
    rows, setting = _at_best_setting(runs, scaling.curves(runs))
    table = rows.pivot_table(index="task_size", columns="method", values=quantity_)
    return table.reindex(columns=["cvm", *LIBSVM]), setting


@quantity("CVM's error minus the better LIBSVM machine's, at every size both ran", "points")
def error_over_libsvm(evidence) -> Sample:
    """Error of CVM minus that of the better LIBSVM machine, on each series."""
    values, basis = {}, []
    for series in SERIES:
        runs = _runs(evidence, series)
        found, setting = _at_best_setting(runs, scaling.error_differences(runs, "cvm", LIBSVM))
        values |= {(series, f"{row.task_size:,.0f}"): row.difference for row in found.itertuples()}
        basis += [f"{series}: {len(found)} sizes, {setting}"] if len(found) else []
    left = f"{len(basis)} of {len(SERIES)} series" if len(basis) < len(SERIES) else ""
    return sample(values, *basis, left, absent="no sizes run by both CVM and LIBSVM")


CLAIMS = StudyClaims(__package__)
