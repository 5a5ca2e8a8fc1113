"""Claims of singh, evaluated on the draws of its two circles; medians over the draws decide."""

from __future__ import annotations

import numpy as np

from fwsvm.claims.verdict import StudyClaims, evaluates, judged, not_run

CLAIMS = StudyClaims(__package__)

SMALL, LARGE = "two-circles", "two-circles-3000"
_SIZES = {SMALL: 240, LARGE: 2400}


def _rows(evidence, dataset):
    runs = evidence.experiment("singh")
    return runs[(runs["dataset"] == dataset) & (runs["task_size"] == _SIZES[dataset])]


def _draws(evidence, dataset):
    entries = [entry for entry in evidence.details.get("singh", ()) if entry["dataset"] == dataset]
    return [draw for entry in entries if entry["m"] == _SIZES[dataset] for draw in entry["draws"]]


def _absent(dataset):
    return not_run(f"study singh did not run on {dataset} with its {_SIZES[dataset]} training points")


def _span(values, digits=3):
    values = np.asarray(values, dtype=float)
    middle = f"{np.median(values):.{digits}g}"
    return middle if len(values) == 1 else f"{middle} ({values.min():.{digits}g} to {values.max():.{digits}g})"


def _of(rows):
    return f"{len(rows)} draw{'s' if len(rows) != 1 else ''}, median and range"


@evaluates("singh-core-300")
def coreset_of_few(claim, evidence):
    """Final coreset size with 240 training points."""
    rows = _rows(evidence, SMALL)
    if rows.empty:
        return _absent(SMALL)
    sizes = rows["coreset_size"].astype(float)
    return judged(sizes.median() <= claim.value, _span(sizes), _of(rows), sizes)


@evaluates("singh-core-3000")
def support_vectors_of_many(claim, evidence):
    """Support vectors with 2400 training points."""
    rows = _rows(evidence, LARGE)
    if rows.empty:
        return _absent(LARGE)
    sizes = rows["support_vectors"].astype(float)
    return judged(63 <= sizes.median() <= 77, _span(sizes), _of(rows), sizes)


@evaluates("singh-time")
def training_time(claim, evidence):
    """Training time at both sizes."""
    medians, parts, counts = [], [], []
    for dataset in _SIZES:
        rows = _rows(evidence, dataset)
        if rows.empty:
            return _absent(dataset)
        times = rows["train_cpu_s"].astype(float)
        medians.append(times.median())
        counts.append(_of(rows))
        parts.append(f"{_span(1000 * times)} ms")
    holds = all(ours <= printed for ours, printed in zip(medians, claim.values, strict=True))
    return judged(holds, "; ".join(parts), counts[0], medians)


@evaluates("singh-away-last")
def away_steps(claim, evidence):
    """Number and position of the away steps: one, and the last step."""
    draws = _draws(evidence, SMALL)
    if not draws:
        return _absent(SMALL)
    single = sum(draw["away_steps"] == 1 and draw["last_away"] == draw["iterations"] for draw in draws)
    counts = [draw["away_steps"] for draw in draws]
    firsts = [draw["first_away"] for draw in draws if draw["first_away"] is not None]
    steps = [draw["iterations"] for draw in draws]
    reason = f"first at step {_span(firsts, 5)} of {_span(steps, 6)}" if firsts else "none"
    listed = [draw["listing"] for draw in draws if draw.get("listing")]
    ended = sum(run["away_steps"] == 1 and run["first_away"] == run["steps"] for run in listed)
    reason += f"; the printed listing, whose radius update has a wrong sign, ends so on {ended} of {len(listed)} draws"
    return judged(single == len(draws), f"{_span(counts, 5)} away steps", f"{reason}; {_of(draws)}", counts)


@evaluates("singh-accuracy")
def all_correct(claim, evidence):
    """Accuracy on both parts, with 240 training points."""
    draws = _draws(evidence, SMALL)
    if not draws:
        return _absent(SMALL)
    parts = {part: [100 * draw[f"{part}_accuracy"] for draw in draws] for part in ("train", "test")}
    medians = [float(np.median(values)) for values in parts.values()]
    perfect = sum(draw["train_accuracy"] == draw["test_accuracy"] == 1 for draw in draws)
    ours = f"training {_span(parts['train'], 4)} %, test {_span(parts['test'], 4)} %"
    reason = f"both 100 % on {perfect} of {len(draws)} draws; {_of(draws)}"
    return judged(all(value == claim.value for value in medians), ours, reason, medians)
