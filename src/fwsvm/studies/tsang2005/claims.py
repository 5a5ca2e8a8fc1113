"""Claims of tsang2005, evaluated on the runs of its study.

Where a claim is about one curve, it is judged at the setting (kernel width and C) at which CVM's error on its largest
training set is lowest: speed and accuracy at the same setting.
"""

from __future__ import annotations

from fwsvm.claims.verdict import StudyClaims, also, evaluates, judged, not_run
from fwsvm.studies.tsang2005 import scaling

CLAIMS = StudyClaims(__package__)

CHECKERBOARD, FOREST = ("checkerboard-1m",), ("covtype",)
ADULT = tuple(f"a{i}a" for i in range(1, 10))
LIBSVM = ("libsvm_l1", "libsvm_l2")
_NAMES = {CHECKERBOARD: "checkerboard-1m", FOREST: "covtype", ADULT: "Adult"}
_LARGE = 100_000
_SECONDS = f"no run of CVM at m = 1,000,000 on {CHECKERBOARD[0]}"


def _series(evidence, datasets):
    return scaling.series_runs(evidence.runs, datasets)


def best_setting(runs):
    """Rows of `scaling.curves` of all methods at CVM's best setting; empty where CVM has none."""
    table = scaling.curves(runs)
    cvm = table[(table["method"] == "cvm") & table["error"].notna()]
    if cvm.empty:
        return table.iloc[:0]
    at_largest = cvm[cvm["task_size"] == cvm["task_size"].max()].sort_values(["error", "time"], kind="stable")
    best = at_largest.iloc[0]
    return table[(table["C"] == best["C"]) & (table["gamma_rule"] == best["gamma_rule"])]


def _at_setting_of(best, table):
    """Rows of a table at the setting that all rows of `best` share; none where there are none."""
    if best.empty or not len(table):
        return table.iloc[:0]
    setting = best.iloc[0]
    return table[(table["C"] == setting["C"]) & (table["gamma_rule"] == setting["gamma_rule"])]


def _named(rows):
    return f"C = {rows['C'].iloc[0]:g}, {rows['gamma_rule'].iloc[0]}"


@evaluates("tsang2005-1m-seconds")
def seconds_for_a_million(claim, evidence):
    """Time at m = 1e6, at a setting whose error is within 1 point of the best at 1e5."""
    runs = _series(evidence, CHECKERBOARD)
    largest, best = scaling.at_size(runs, "cvm", 1_000_000), scaling.best_error(runs, _LARGE)
    if largest.empty:
        return not_run(_SECONDS)
    if best != best:
        return not_run(f"no errors at m = 100,000 on {CHECKERBOARD[0]}")
    accurate = largest[largest["error"] <= best + 1].sort_values("time", kind="stable")
    if accurate.empty:
        fastest = largest.sort_values("time", kind="stable").iloc[0]
        reason = f"no setting is within 1 point of the best error at 1e5, {best:.2f} %; here {fastest['error']:.2f} %"
        return judged(False, f"{fastest['time']:.3g} s", reason, (fastest["time"],))
    row = accurate.iloc[0]
    reason = f"C = {row['C']:g}, {row['gamma_rule']}; error {row['error']:.2f} %, best at 1e5 {best:.2f} %"
    return judged(row["time"] < claim.value, f"{row['time']:.3g} s", reason, (row["time"],))


@evaluates("tsang2005-constant-time")
def constant_time(claim, evidence):
    """Slope of log time over log m on the checkerboard."""
    return _flat(evidence, CHECKERBOARD, "time", 0.2)


@evaluates("tsang2005-constant-size")
def constant_size(claim, evidence):
    """Slope of log support vectors over log m on the checkerboard."""
    return _flat(evidence, CHECKERBOARD, "support_vectors", 0.1)


@evaluates("tsang2005-forest-plateau")
def forest_plateau(claim, evidence):
    """Slope of log time over log m on forest."""
    return _flat(evidence, FOREST, "time", 0.3)


def _flat(evidence, datasets, quantity, below):
    runs = _series(evidence, datasets)
    slopes = scaling.slopes(runs, "cvm", quantity, _LARGE)
    best = best_setting(runs)
    here = _at_setting_of(best, slopes)
    if here.empty:
        return not_run(f"CVM has fewer than two sizes with m >= 100,000 on {_NAMES[datasets]}")
    row = here.iloc[0]
    others = f"below {below:g} at {int((slopes['slope'] < below).sum())} of {len(slopes)} settings"
    reason = also(f"{_named(best)}, {row['sizes']} sizes from {row['smallest']:,} to {row['largest']:,}", others)
    return judged(row["slope"] < below, f"slope {row['slope']:.2f}", reason, (row["slope"],))


@evaluates("tsang2005-small-libsvm")
def libsvm_on_few_points(claim, evidence):
    """The faster of LIBSVM's two machines against CVM at every m below 1e4."""
    best = best_setting(_series(evidence, CHECKERBOARD))
    times = best[best["task_size"] < claim.value].pivot_table(index="task_size", columns="method", values="time")
    machines = [name for name in LIBSVM if name in times]
    if "cvm" not in times or not machines:
        return not_run(f"no times of CVM and LIBSVM below 10,000 points on {CHECKERBOARD[0]}")
    times = times.assign(libsvm=times[machines].min(axis=1)).dropna(subset=["cvm", "libsvm"])
    if times.empty:
        return not_run("CVM and LIBSVM share no size below 10,000 points")
    faster = int((times["libsvm"] < times["cvm"]).sum())
    ratio = times["cvm"] / times["libsvm"]
    span = f"CVM / LIBSVM {ratio.min():.3g} to {ratio.max():.3g}"
    reason = f"{_named(best)}; the faster of {len(machines)} LIBSVM machines; {span}"
    return judged(faster == len(times), f"faster at {faster} of {len(times)} sizes", reason, ratio)


@evaluates("tsang2005-fewer-svs")
def fewer_support_vectors(claim, evidence):
    """Support vectors of LIBSVM L1 and L2 over those of CVM, for every m from 1e5 on."""
    best = best_setting(_series(evidence, CHECKERBOARD))
    large = best[best["task_size"] >= _LARGE]
    sizes = large.pivot_table(index="task_size", columns="method", values="support_vectors")
    machines = [name for name in LIBSVM if name in sizes]
    if "cvm" not in sizes or not machines:
        return not_run(f"no models of CVM and LIBSVM at m >= 100,000 on {CHECKERBOARD[0]}")
    ratios = sizes[machines].div(sizes["cvm"], axis=0).stack().dropna()
    if ratios.empty:
        return not_run("CVM and LIBSVM share no size m >= 100,000")
    reason = f"{_named(best)}; LIBSVM / CVM, {len(ratios)} pairs at {ratios.index.get_level_values(0).nunique()} sizes"
    return judged(
        ratios.min() >= 2, f"{ratios.min():.3g}× to {ratios.max():.3g}×", reason, (ratios.min(), ratios.max())
    )


@evaluates("tsang2005-accuracy")
def as_accurate(claim, evidence):
    """Error of CVM minus that of the better LIBSVM machine, at every m run by both, at CVM's best setting."""
    parts, worst, told = [], [], []
    for datasets, name in _NAMES.items():
        runs = _series(evidence, datasets)
        best = best_setting(runs)
        found = _at_setting_of(best, scaling.error_differences(runs, "cvm", LIBSVM))
        if len(found):
            worst.append(float(found["difference"].max()))
            parts.append(f"{name} {worst[-1]:+.2f}")
            told.append(f"{name}: {len(found)} sizes, {_named(best)}")
    if not parts:
        return not_run("no sizes run by both CVM and LIBSVM")
    left = f"{len(parts)} of {len(_NAMES)} series" if len(parts) < len(_NAMES) else ""
    return judged(max(worst) <= 0.5, f"at most {', '.join(parts)} points", also(*told, left), worst)
