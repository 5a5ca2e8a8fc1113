"""Sentences of the captions of singh."""

from __future__ import annotations

import numpy as np

from fwsvm.reporting.text import significant
from fwsvm.studies.singh.plan import CIRCLES


def rate_sentence(place, values):
    """Fit a line to the logarithm over the second half of the steps and say how steep and how straight it is."""
    place, values = np.asarray(place, dtype=float), np.asarray(values, dtype=float)
    late = (place >= place[-1] / 2) & (values > 0)
    if late.sum() < 5:
        return "too few steps for a rate"
    x, y = place[late], np.log10(values[late])
    slope, start = np.polyfit(x, y, 1)
    scatter = np.sum((y - y.mean()) ** 2)
    straight = 1.0 - np.sum((y - start - slope * x) ** 2) / scatter if scatter else 1.0
    falls = 10 ** (-1000 * slope)
    verb = f"falls by a factor of {significant(falls, 3)} per 1000 steps" if falls > 1 else "does not fall"
    kind = "a straight line" if straight > 0.98 else "not quite a straight line"
    return f"over the second half of the steps it {verb} ({kind} on the logarithmic axis, R^2 = {straight:.2f})"


def speed_sentence(place, values):
    """Say whether the rate of the second half of the steps is above that of the first."""
    place, values = np.asarray(place, dtype=float), np.asarray(values, dtype=float)
    middle = np.interp(place[-1] / 2, place, values)
    first, second = np.log(values[0] / middle), np.log(middle / values[-1])
    return f"{'faster' if second > first else 'slower'} in the second half than in the first"


def steps_sentence(run):
    count = run["away_steps"]
    return f"{run['steps']} steps, {count if count else 'none'} of them away,"


def listing_sentence(details):
    """Say where the listing as printed ends on the circles."""
    draws = [draw_ for e in details if e["dataset"] in CIRCLES for draw_ in e.get("draws", [])]
    listed = [draw_["listing"] for draw_ in draws]
    stepped = [run for run in listed if run["away_steps"]]
    if not stepped:
        return "The listing as printed takes no away step on these draws."
    ended = sum(run["away_steps"] == 1 and run["first_away"] == run["steps"] for run in stepped)
    words = (
        f"The listing as printed ends with its first away step on {ended} of {len(listed)} draws, since its wrong sign "
        "makes the radius jump"
    )
    told = ", which is what the paper reports (one away step, the last)" if ended > len(listed) / 2 else ""
    accuracy = [run["train_accuracy"] for run in listed]
    between = f"between {percent(min(accuracy))} and {percent(max(accuracy))}"
    return f"{words}{told}; there it classifies {between} of the training points correctly."


def final_sentence(steps, part):
    accuracy, _, _, f1 = steps[part][-1]
    name = {"train": "training", "test": "test"}[part]
    return f"{name} accuracy {percent(accuracy)}" + ("" if f1 is None else f" (F1 {percent(f1)})")


def percent(value):
    return f"{100 * value:.4g} %"


def capital(sentence):
    return sentence[:1].upper() + sentence[1:]
