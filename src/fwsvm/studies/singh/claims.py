"""Claims of singh and their quantities: the draws of its two circles."""

from __future__ import annotations

import numpy as np

from fwsvm.claims.claim import StudyClaims
from fwsvm.claims.quantities import Sample, quantity, sample

_POINTS = {"two-circles": 240, "two-circles-3000": 2400}


def _set(name: str) -> str:
    if name not in _POINTS:
        raise ValueError(f"unknown {name!r}; known are {', '.join(_POINTS)}")
    return name


def _absent(dataset):
    return f"study singh did not run on {dataset} with its {_POINTS[dataset]} training points"


def _of_draws(values, *basis, dataset):
    return sample(values, f"{len(values)} draws" if len(values) > 1 else "1 draw", *basis, absent=_absent(dataset))


def _column(evidence, dataset, column):
    runs = evidence.experiment("singh")
    runs = runs[(runs["dataset"] == dataset) & (runs["task_size"] == _POINTS[dataset])]
    values = {(dataset, place): value for place, value in enumerate(runs[column].astype(float))}
    return _of_draws(values, dataset=dataset)


@quantity("size of the final coreset on {dataset}", "number")
def coreset_size(evidence, dataset: _set) -> Sample:
    """Points with weight at the end, per draw."""
    return _column(evidence, dataset, "coreset_size")


@quantity("support vectors on {dataset}", "number")
def support_vectors(evidence, dataset: _set) -> Sample:
    """Support vectors, per draw."""
    return _column(evidence, dataset, "support_vectors")


@quantity("training time on {dataset}", "seconds")
def training_time(evidence, dataset: _set) -> Sample:
    """CPU seconds, per draw."""
    return _column(evidence, dataset, "train_cpu_s")


def _draws(evidence, dataset):
    entries = [entry for entry in evidence.details.get("singh", ()) if entry["dataset"] == dataset]
    return [draw for entry in entries if entry["m"] == _POINTS[dataset] for draw in entry["draws"]]


@quantity("share of the away steps that come last on {dataset}", "number")
def last_away_share(evidence, dataset: _set) -> Sample:
    """1 where the only away step is the last step, 1 / n where it is one of n, 0 where the last step is none."""
    draws = _draws(evidence, dataset)
    values = {
        (dataset, place): (draw["last_away"] == draw["iterations"]) / max(draw["away_steps"], 1)
        for place, draw in enumerate(draws)
    }
    if not draws:
        return _of_draws(values, dataset=dataset)
    firsts = [draw["first_away"] for draw in draws if draw["first_away"] is not None]
    first = f", the first at step {np.median(firsts):.0f}" if firsts else ""
    away, steps = (np.median([draw[name] for draw in draws]) for name in ("away_steps", "iterations"))
    listed = [draw["listing"] for draw in draws if draw.get("listing")]
    ended = sum(run["away_steps"] == 1 and run["first_away"] == run["steps"] for run in listed)
    return _of_draws(
        values,
        f"{away:.0f} away steps of {steps:.0f}{first} (medians)",
        f"the printed listing, whose radius update has a wrong sign, ends so on {ended} of {len(listed)} draws",
        dataset=dataset,
    )


@quantity("training and test accuracy on {dataset}", "percent")
def circle_accuracy(evidence, dataset: _set) -> Sample:
    """Accuracy of both parts, per draw."""
    draws = _draws(evidence, dataset)
    values = {
        (part, place): 100 * draw[f"{part}_accuracy"]
        for part in ("train", "test") for place, draw in enumerate(draws)
    }  # fmt: skip
    perfect = sum(draw["train_accuracy"] == draw["test_accuracy"] == 1 for draw in draws)
    return sample(values, f"both 100 % on {perfect} of {len(draws)} draws", absent=_absent(dataset))


CLAIMS = StudyClaims(__package__)
