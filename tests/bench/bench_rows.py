"""Made-up rows of a full benchmark, for the tests of its report and figure."""

from fwsvm.bench.libcvm import anchors
from fwsvm.bench.runner import Bench, Record

SETS = ("a7a", "w8a", "ijcnn1", "letter", "pendigits", "usps", "shuttle", "reuters", "mnist (3, 8)")
SVC_PACE = 2.0


def peer_rows(name, C, svc_s, swap_s, swap2o_s):
    common = {"case": name, "m": 1000, "C": C, "peer": "SVC", "peer_s": svc_s, "peer_accuracy": 0.9}
    common |= {"accuracy": 0.91, "support_vectors": 70, "peer_support_vectors": 60, "relative_gap": 1e-2}
    common |= {"stop_reason": "converged", "certify_s": 0.01}
    times = {"swap": swap_s, "swap2o": swap2o_s}
    return [{**common, "method": method, "seconds": s, "ratio": svc_s / s} for method, s in times.items()]


def kernel_row(case, operation, dtype, times_bound, **more):
    row = {"case": case, "operation": operation, "dtype": dtype, "kernel_path": "dense-loop", "seconds": 1e-4}
    return row | {
        "ns_per_value": 1.5,
        "bound_s": 1e-4,
        "limit": "memory",
        "times_bound": times_bound,
        "times_bus": times_bound,
        **more,
    }


def growth_row(case, method, m, seconds):
    row = {"case": case, "method": method, "selection": "full", "m": m, "C": 64, "seconds": seconds, "peak_mb": 90.0}
    return row | {"stop_reason": "converged", "cache_mb": 200}


def full_record(path):
    """A record as a full run leaves it; SVC takes `SVC_PACE` times the seconds it took beside LibCVM."""
    record = Record(path, Bench(quick=False))
    table = anchors()
    record.add("limits", {}, [{"case": "memory read", "unit": "GB/s", "float64": 20.0, "float32": 20.0}])
    for case, m, d in (("50000 x 22", 50_000, 22), ("1000000 x 2", 1_000_000, 2), ("w8a 49749 x 300", 49_749, 300)):
        for dtype, times in (("float64", 1.1), ("float32", 1.25)):
            record.add("kernels", {"n": m, "t": dtype}, [kernel_row(case, "column", dtype, times, m=m, features=d)])
    record.add("kernels", {"block": 1}, [kernel_row("d = 22", "block", "float32", 2.2, m=20_000, features=22)])
    for place, name in enumerate(SETS):
        for C in (1, 64, 1024):
            then = table[(table["dataset"] == name) & (table["C"] == C)]["svc_seconds"]
            svc_s = SVC_PACE * (float(then.iloc[0]) if len(then) else 1.0)
            record.add(
                "peers", {"p": name, "C": C}, peer_rows(name, C, svc_s, svc_s / (1 + place), svc_s / (2 + place))
            )
    for number, anchor in enumerate(table.to_dict("records")):
        row = {"case": anchor["dataset"], "C": anchor["C"], "cache_mb": anchor["cache_mb"], "method": "cvm"}
        row |= {"gamma_over_beta": anchor["gamma_over_beta"], "peer_s": anchor["seconds"], "stop_reason": "converged"}
        row |= {"peer_is_lower_bound": anchor["is_lower_bound"], "seconds": anchor["seconds"] / (1 + number % 4)}
        record.add("libcvm", {"cell": number}, [row])
    ends = {"svc": "converged", "fcfw": "converged", "swap2o": "time_limit", "intelex": "not installed: x"}
    for method, seconds in (("svc", 1.0), ("fcfw", 0.5), ("swap2o", 20.0), ("intelex", None)):
        row = {"case": "a4a", "C": 64, "gamma_over_beta": 0.5, "threads": 1, "eps": 1e-2, "method": method}
        row |= {"seconds": seconds, "cold_s": seconds, "ratio": seconds and 1.0 / seconds}
        record.add("race", {"m": method}, [row | {"stop_reason": ends[method]}])
    for m in (1000, 10_000, 100_000, 1_000_000):
        rows = [growth_row("checkerboard", "cvm", m, 0.2), growth_row("checkerboard", "swap", m, 1e-4 * m)]
        record.add("growth", {"m": m}, [*rows, growth_row("a9a", "svc", m, 1e-9 * m**2)])
    memory = {"case": "a7a", "m": 1, "method": "swap", "selection": "full", "cache_mb": 200, "C": 1}
    rows = [{**memory, "peak_mb": 243.0, "allowed_mb": 270.0, "times_allowed": 0.9, "seconds": 4.0}]
    record.add("memory", {"a": 1}, [*rows, {**memory, "case": "kdd99-10pc (largest pair)", "stop_reason": "failed: x"}])
    return record
