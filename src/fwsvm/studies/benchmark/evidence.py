"""What claims about the benchmark share: missing times, and p-values of its tests."""

from __future__ import annotations

from fwsvm.claims.verdict import LABELS, Verdict, judged, not_run


def no_times(methods, datasets) -> Verdict:
    """Verdict where the benchmark has no times of these methods on any of the data sets."""
    names = " and ".join(LABELS[method] for method in methods)
    return not_run(f"no times of {names} on any of {', '.join(datasets)}")


def by_p_values(claim, evidence, tests, below, paper=None):
    """Judge a claim by the p-values of tests.

    Parameters
    ----------
    tests : sequence of (str, str)
        Measure and comparison.
    below : float or None
        All p-values are to be below this; None: all above 0.1.
    """
    paper = paper or claim.paper
    level = below or 0.1
    found = [evidence.test(paper, *test) for test in tests]
    named = [comparison for _, comparison in tests]
    if any(row is None for row in found):
        lost = [name for name, row in zip(named, found, strict=True) if row is None]
        return not_run(f"no test of {', '.join(lost)} under {evidence.selection}")
    counts = sorted({int(row["n_datasets"]) for row in found})
    sets = f"{' or '.join(map(str, counts))} data sets"
    if any(row["p_smallest"] > level for row in found):
        return not_run(f"{sets} cannot be significant at {100 * level:g} %")
    values = [float(row["p_value"]) for row in found]
    holds = all(value < below for value in values) if below else all(value > level for value in values)
    ours = ", ".join(f"{name} {value:.3g}" for name, value in zip(named, values, strict=True))
    return judged(holds, f"p: {ours}", sets, values)
