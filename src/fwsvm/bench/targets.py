"""What the benchmark is to show, checked against its rows."""

from dataclasses import dataclass

import pandas as pd

from fwsvm.bench.libcvm import machine_pace
from fwsvm.bench.race_cells import race_cells
from fwsvm.reporting.text import significant


@dataclass(frozen=True)
class Target:
    """One figure with its limit; `measured` is None where the run has no row for it."""

    statement: str
    limit: float
    measured: float | None
    at_most: bool = True
    unit: str = ""

    @property
    def met(self):
        """Whether the figure keeps its limit; None where it was not measured."""
        if self.measured is None:
            return None
        return bool(self.measured <= self.limit if self.at_most else self.measured >= self.limit)

    def texts(self):
        """Statement, limit, measured value and verdict as a table shows them."""
        sign = "at most" if self.at_most else "at least"
        verdict = {None: "not measured", True: "met", False: "**missed**"}[self.met]
        return self.statement, f"{sign} {self.limit:g}{self.unit}", _text(self.measured, self.unit), verdict


def _text(value, unit):
    return significant(value, 3) + (unit if value is not None else "")


def targets(record):
    """All targets, in the order of the sections.

    Parameters
    ----------
    record : Record

    Returns
    -------
    list of Target
    """
    kernels, peers, growth, memory = (record.rows(name) for name in ("kernels", "peers", "growth", "memory"))
    return [
        *_race(record.rows("race")), *_kernels(kernels), *_peers(peers), *_libcvm(record.rows("libcvm"), peers),
        *_sizes(growth, memory),
    ]  # fmt: skip


def _pick(frame, column, how="max", **keys):
    """Worst (or best) value of a column over the rows with these keys; None where there is none."""
    for key, value in keys.items():
        frame = frame[frame[key] == value] if key in frame else frame[:0]
    values = frame[column].dropna() if column in frame else pd.Series(dtype=float)
    return None if values.empty else float(getattr(values, how)())


def _race(rows):
    cells = race_cells(rows) if len(rows) else pd.DataFrame(columns=["threads"])
    single = cells[cells["threads"] == 1]
    for peer, column, middle, least in (
        ("SVC / auto to equal accuracy", "svc_ratio", 3.0, 1.2),
        ("SVC of scikit-learn-intelex / auto to equal accuracy", "intelex_ratio", 2.0, 0.9),
        ("LIBSVM's L2-SVM / auto to gap 0.001", "libsvm_ratio", 2.0, None),
    ):
        yield Target(f"{peer}, one thread, median of cells", middle, _pick(single, column, "median"), at_most=False)
        if least is not None:
            yield Target(f"{peer}, one thread, smallest cell", least, _pick(single, column, "min"), at_most=False)
    for name in ("ijcnn1", "w8a", "mnist (3, 8)"):
        yield Target(f"{name}, auto to gap 0.001, one thread over two", 1.6, _by_threads(cells, name), at_most=False)


def _by_threads(cells, name):
    """CPU seconds of one thread over wall seconds of two, median over the cells that have both."""
    if "s_0.001" not in cells:
        return None
    own = cells[cells["case"] == name]
    wide = own.pivot_table("s_0.001", ["C", "gamma_over_beta"], "threads")
    ratios = (wide[1] / wide[2]).dropna() if {1, 2} <= set(wide.columns) else pd.Series(dtype=float)
    return None if ratios.empty else float(ratios.median())


def _kernels(rows):
    column = dict(operation="column")
    for m, d in ((50_000, 22), (1_000_000, 2)):
        for dtype in ("float32", "float64"):
            found = _pick(rows, "times_bus", m=m, features=d, kernel_path="dense-loop", dtype=dtype, **column)
            yield Target(f"one column, dense {m} x {d}, {dtype}, over its bound from main memory", 1.3, found)
    w8a = _pick(rows, "seconds", dtype="float32", m=49_749, **column)
    yield Target("one column of w8a, float32", 0.2, None if w8a is None else 1e3 * w8a, unit=" ms")
    block = _pick(rows, "ns_per_value", operation="block", dtype="float32", features=22)
    yield Target("block of 60 x 2000, d = 22, float32, per value", 2.0, block, unit=" ns")


def best_ratios(rows):
    """Ratio SVC / ours of the faster of SWAP and SWAP-2o, one row per data set and C."""
    if rows.empty:
        return pd.DataFrame(columns=["case", "C", "ratio"])
    return rows.groupby(["case", "C"], sort=False)["ratio"].max().reset_index()


def _peers(rows):
    yield Target("a7a, C = 1, SWAP", 5.0, _pick(rows, "seconds", case="a7a", C=1, method="swap"), unit=" s")
    yield Target("w8a, C = 64, SWAP", 12.0, _pick(rows, "seconds", case="w8a", C=64, method="swap"), unit=" s")
    best = best_ratios(rows)
    yield Target("SVC / ours, median over data sets and C", 2.0, _pick(best, "ratio", "median"), at_most=False)
    per_set = best.groupby("case")["ratio"].median().to_frame().reset_index()
    yield Target("SVC / ours, smallest median of a data set", 0.8, _pick(per_set, "ratio", "min"), at_most=False)
    yield Target("SVC / ours, smallest cell", 0.8, _pick(best, "ratio", "min"), at_most=False)


def scaled_to_this_machine(libcvm_rows, peer_rows):
    """Rows of CVM with `scaled_peer_s`, LibCVM's seconds on this machine, and `ratio` to them."""
    pace, _ = machine_pace(peer_rows)
    if libcvm_rows.empty:
        return libcvm_rows
    scaled = libcvm_rows["peer_s"] * pace
    return libcvm_rows.assign(scaled_peer_s=scaled, ratio=scaled / libcvm_rows["seconds"])


def _libcvm(rows, peers):
    rows = scaled_to_this_machine(rows, peers)
    for name in ("a7a", "w8a", "usps", "shuttle"):
        found = _pick(rows, "ratio", case=name, C=1, cache_mb=200)
        yield Target(f"LibCVM / cvm, {name}, C = 1, cache 200 MB", 5.0, found, at_most=False)
    for name, cache_mb in (("a7a", 1500), ("w8a", 2000)):
        found = _pick(rows, "ratio", case=name, C=1, cache_mb=cache_mb)
        yield Target(f"LibCVM / cvm, {name}, C = 1, cache {cache_mb} MB", 2.0, found, at_most=False)
    yield Target("LibCVM / cvm, smallest cell", 1.0, _pick(rows, "ratio", "min"), at_most=False)


def _sizes(growth, memory):
    board = dict(case="checkerboard", method="cvm")
    large, small = (_pick(growth, "seconds", m=m, **board) for m in (1_000_000, 100_000))
    yield Target("checkerboard, 1,000,000 points, C = 1024, cvm", 2.0, large, unit=" s")
    times = large / small if large and small else None
    yield Target("checkerboard, cvm, time at 1,000,000 over time at 100,000 points", 1.5, times)
    a7a = _pick(memory, "times_allowed", case="a7a", cache_mb=200)
    yield Target("a7a, cache 200 MB, peak memory over 1.1 x cache + 50 MB", 1.0, a7a)
    kdd = "kdd99-10pc (largest pair)"
    sampled = _pick(memory, "seconds", case=kdd, selection="sampled_libcvm", method="swap")
    yield Target("kdd99-10pc, largest pair, SWAP, sampled selection", 10.0, sampled, unit=" s")
    full = _pick(memory, "peak_mb", case=kdd, selection="full")
    yield Target("kdd99-10pc, largest pair, full selection, peak memory", 4000.0, full, unit=" MB")
