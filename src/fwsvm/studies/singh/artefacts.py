"""Figures and tables of singh (MFW on two circles), and its radius update with the wrong sign, followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fwsvm import published
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, copied, is_missing, listing, significant
from fwsvm.runs.table import LIMIT_REASONS
from fwsvm.studies.benchmark.protocol import missing_sets, protocol, repetitions
from fwsvm.studies.singh import figures as draw
from fwsvm.studies.singh.plan import CIRCLES
from fwsvm.studies.singh.sentences import (
    capital,
    final_sentence,
    listing_sentence,
    percent,
    rate_sentence,
    speed_sentence,
    steps_sentence,
)

SIGN_ERROR_SETS = (*CIRCLES, "a1a")
STUDY = "singh"

Details = Sequence[Mapping]
Missing = Mapping[str, str] | None

_FIRST_DRAW = "Shown is the first draw of the circles."
_KEPT = "Of the steps, evenly and logarithmically spaced ones are drawn."


def fig1(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """The data and the learnt decision function (singh fig. 1)."""
    sets = _with(runs, singh, "data")
    if not sets:
        raise NotDrawableError("singh-fig1", needs("the study singh", CIRCLES, missing))
    said = []
    for entry in sets:
        draw_ = entry["draws"][0]
        said.append(
            f"{entry['dataset']}: {percent(draw_['train_accuracy'])} of the {entry['m']} training points and "
            f"{percent(draw_['test_accuracy'])} of the test points on the right side"
        )
    return _chart(
        draw.data_chart(sets),
        "Two noisy circles and the decision function that MFW learns from the training part; left: filled marks are "
        "training points, hollow ones test points; right: decision function over its largest absolute value, black "
        f"line: its zero, ringed: support vectors. {_FIRST_DRAW} {capital('; '.join(said))}.",
        runs, missing,
    )  # fmt: skip


def fig2(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Convergence of the dual objective (singh fig. 2)."""
    sets = _with(runs, singh, "steps")
    if not sets:
        raise NotDrawableError("singh-fig2", needs("the study singh", CIRCLES, missing))
    said = []
    for entry in sets:
        steps = entry["steps"]
        fall = "never rises" if not steps["rises"] else f"rises at {steps['rises']} steps"
        excess = np.array(steps["objective"]) - steps["optimum"]
        said.append(
            f"{entry['dataset']}: it {fall}, and ends {significant(100 * excess[-1] / steps['optimum'], 2)} % above "
            f"the optimum; {rate_sentence(steps['iteration'], excess)}"
        )
    return _chart(
        draw.convergence_chart(sets, "objective"),
        "Distance of the dual objective a'Qa from its optimum (found with SWAP-2o to a gap of 1e-10) against the "
        f"steps of MFW. {_FIRST_DRAW} {_KEPT} The paper: monotone, linear, but slow near the optimum. "
        f"Here: {'; '.join(said)}.",
        runs, missing,
    )  # fmt: skip


def fig3(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Convergence of the iterates (singh fig. 3)."""
    sets = _with(runs, singh, "steps")
    if not sets:
        raise NotDrawableError("singh-fig3", needs("the study singh", CIRCLES, missing))
    said = []
    for entry in sets:
        place, distance = entry["steps"]["iteration"], np.array(entry["steps"]["distance"])
        said.append(
            f"{entry['dataset']}: from {distance[0]:.2g} to {distance[-1]:.2g}; {rate_sentence(place, distance)}; "
            f"{speed_sentence(place, distance)}"
        )
    return _chart(
        draw.convergence_chart(sets, "distance"),
        "Euclidean distance of MFW's weights from the optimal ones (found with SWAP-2o to a gap of 1e-10) against the "
        f"steps. {_FIRST_DRAW} {_KEPT} The paper: linear, slow in the beginning and faster later. "
        f"Here: {'; '.join(said)}.",
        runs, missing,
    )  # fmt: skip


def fig4(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Step sizes, away steps negative, and the size of the coreset (singh fig. 4)."""
    sets = _with(runs, singh, "steps")
    if not sets:
        raise NotDrawableError("singh-fig4", needs("the study singh", CIRCLES, missing))
    said = []
    for entry in sets:
        seen = entry["draws"][0]
        final = entry["steps"]["active_size"][-1]
        away = seen["away_steps"]
        where = f", the first at step {seen['first_away']}" if away else ""
        said.append(
            f"{entry['dataset']}: {away} of {seen['iterations']} steps are away steps{where}; the coreset grows to "
            f"{seen['largest_coreset']} and ends with {final}"
        )
    return _chart(
        draw.steps_chart(sets),
        "Step sizes (away steps negative; the axis is linear between -1e-5 and 1e-5) and size of the coreset "
        f"(points with weight) after each step of MFW. {_FIRST_DRAW} {_KEPT} The paper: one away step, the last "
        f"step; the coreset only grows, to 14. Here: {'; '.join(said)}. {listing_sentence(singh)}",
        runs, missing,
    )  # fmt: skip


def fig5(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Accuracy, precision, recall and F1 per step (singh fig. 5)."""
    sets = _with(runs, singh, "steps")
    if not sets:
        raise NotDrawableError("singh-fig5", needs("the study singh", CIRCLES, missing))
    said = [
        f"{entry['dataset']}: {listing(final_sentence(entry['steps'], part) for part in ('train', 'test'))}"
        for entry in sets
    ]
    return _chart(
        draw.metrics_chart(sets),
        "Accuracy, precision, recall and F1 of the inner circle (class +1) after each step of MFW. "
        f"There is no precision where no point is put into it. {_FIRST_DRAW} {_KEPT} The paper: in the end all "
        f"points of both parts are classified correctly. Here, at the last step, {'; '.join(said)}.",
        runs, missing,
    )  # fmt: skip


def fig6(sketches: Mapping, missing: Missing = None) -> Chart:
    """Sketches of the hard margin and of the hinge loss (singh fig. 6)."""
    return draw.sketch_chart(sketches["margin"])


def signerror(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """The radius of singh Listing 3 (frandi2013 Alg. 3) with its update as printed and as it should be."""
    sets = _with(runs, singh, "radius")
    if not sets:
        raise NotDrawableError("singh-signerror", needs("the study singh", SIGN_ERROR_SETS, missing))
    said = []
    for entry in sets:
        printed, right = entry["radius"]["printed"], entry["radius"]["corrected"]
        end = "ends" if printed["stop_reason"] == "converged" else "is still running"
        last = "has not ended" if right["stop_reason"] == "iteration_limit" else "ends"
        drift = right["printed_radius2"][-1] / right["true_radius2"][-1]
        said.append(
            f"{entry['dataset']}: as printed it {end} after {steps_sentence(printed)} with relative gap "
            f"{significant(printed['final_gap'], 2)}; corrected it {last} after {steps_sentence(right)} with "
            f"{significant(right['final_gap'], 2)}, where the printed updates would have made the squared radius "
            f"{significant(drift, 3)} times the true one"
        )
    penalties = listing(sorted({f"{entry['C']:g}" for entry in sets}), "or")
    caption = (
        "The listing's squared radius after an away step of length l: printed is (1 + l) r^2 (1 - l (d - 1)), right is "
        "(1 + l) r^2 (1 + l (d - 1)). Top: the true squared radius over the steps of the corrected listing, the one "
        "that the printed updates give over the same steps, and the largest a ball can have (dotted: the diagonal D "
        "of the matrix); cross: where the listing as printed ends. Bottom: relative gap of both. The listing is "
        f"replayed from MFW's start (first draw, C = {penalties}). {capital('; '.join(said))}."
    )
    rows = _rows(runs)
    parts = [caption, protocol(rows), missing_sets(SIGN_ERROR_SETS, [e["dataset"] for e in sets], missing, "the study")]
    chart = draw.radius_chart(sets)
    return Chart(chart.figure, " ".join([*parts, f"{capital(repetitions(rows))}."]), chart.frame)


def table1(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Table:
    """Physical cost, beside the printed (singh sec. 4.2)."""
    sets = [entry for entry in _with(runs, singh, "draws") if entry["dataset"] in CIRCLES]
    if not sets:
        raise NotDrawableError("singh-table1", needs("the study singh", CIRCLES, missing))
    notes = Footnotes()
    sections, frame = [], []
    for entry in sets:
        own = _rows(runs)
        own = own[own["dataset"] == entry["dataset"]]
        size = len(entry["draws"])
        heading = f"{entry['dataset']}: {entry['m']} training points, {size} draw{'s' if size > 1 else ''} of the data"
        rows = []
        for name, unit, ours, listed, printed in _costs(own, entry):
            marks = (
                (notes.mark("some runs ended at their limit"),) if own["stop_reason"].isin(LIMIT_REASONS).any() else ()
            )
            rows.append(
                (
                    Cell(name),
                    Cell(unit),
                    Cell(_span(ours, unit), marks),
                    Cell(_span(listed, unit)),
                    Cell(NOTHING if printed is None else copied(printed)),
                )
            )
            frame.append(
                {"dataset": entry["dataset"], "quantity": name, "unit": unit, "printed": printed}
                | {f"mfw_{k}": v for k, v in _statistics(ours).items()}
                | {f"listing_{k}": v for k, v in _statistics(listed).items()}
            )
        sections.append(Section(heading, tuple(rows)))
    header = (("", "quantity"), ("", "unit"), ("ours", "MFW"), ("ours", "listing as printed"), ("", "printed"))
    rows = _rows(runs)
    circles = rows[rows["dataset"].isin(CIRCLES)]
    caption = (
        "Physical cost of MFW on two circles: median and range over draws of the data (the first is the "
        "catalogue's). The kernel block holds the values between the coreset and all training points, at 8 bytes "
        "each (1 KB = 1000 bytes). “Listing as printed” is a replay of singh Listing 3 from the same start with its "
        f"radius update as it stands (see singh-signerror), not timed. {listing_sentence(singh)} {protocol(circles)} "
        f"{capital(repetitions(circles))}. {missing_sets(CIRCLES, [e['dataset'] for e in sets], missing, 'the study')}"
    )
    return Table(pd.DataFrame(frame), header, tuple(sections), caption, notes.listed(), align="llrrr")


def _costs(rows, entry):
    """(quantity, unit, our values, values of the listing as printed, printed value)."""
    draws = entry["draws"]
    printed = published.load("singh_cost").set_index("train_size")
    told = printed.loc[entry["m"]] if entry["m"] in printed.index else pd.Series(dtype=float)

    def of(key):
        return [draw_[key] for draw_ in draws]

    def listed(key):
        return [draw_["listing"][key] for draw_ in draws]

    yield "training time", "ms", 1e3 * rows["train_cpu_s"].astype(float), [], 1e3 * told.get("seconds", np.nan)
    yield "largest kernel block", "KB", np.array(of("block_bytes")) / 1e3, [], told.get("block_kb")
    yield "largest coreset", "points", of("largest_coreset"), [], told.get("core_vectors")
    yield (
        "support vectors",
        "points",
        rows["support_vectors"].astype(float),
        listed("coreset"),
        told.get("core_vectors"),
    )
    yield "steps", "", of("iterations"), listed("steps"), None
    yield "away steps", "", of("away_steps"), listed("away_steps"), told.get("away_steps")
    yield "first away step", "", of("first_away"), listed("first_away"), None
    for part in ("train", "test"):
        key = f"{part}_accuracy"
        name = {"train": "training accuracy", "test": "test accuracy"}[part]
        yield name, "%", 100 * np.array(of(key)), 100 * np.array(listed(key)), told.get("accuracy")
    yield "relative gap", "", rows["relative_gap"].astype(float), listed("final_gap"), None


def _statistics(values):
    known = [float(value) for value in values if not is_missing(value)]
    if not known:
        return {"median": np.nan, "min": np.nan, "max": np.nan}
    return {"median": float(np.median(known)), "min": min(known), "max": max(known)}


def _span(values, unit):
    found = _statistics(values)
    if is_missing(found["median"]):
        return NOTHING
    middle = _number(found["median"], unit)
    if found["min"] == found["max"]:
        return middle
    return f"{middle} ({_number(found['min'], unit)} to {_number(found['max'], unit)})"


def _number(value, unit):
    if is_missing(value):
        return NOTHING
    value = float(value)
    return f"{value:.0f}" if value == round(value) else significant(value, 4 if unit == "%" else 3)


def _with(runs, details, key):
    """Jobs of the study that have this and are among the runs, in the fixed order of the data sets."""
    order = {name: place for place, name in enumerate(SIGN_ERROR_SETS)}
    there = set(_rows(runs)["dataset"].dropna())
    found = [entry for entry in details if entry.get(key) and entry["dataset"] in there]
    return sorted(found, key=lambda entry: (order.get(entry["dataset"], len(order)), entry["dataset"]))


def _rows(runs):
    return runs[(runs["experiment"] == STUDY).fillna(False)]


def _chart(chart, caption, runs, missing):
    rows = _rows(runs)
    rows = rows[rows["dataset"].isin(CIRCLES)]
    said = [caption, protocol(rows), f"{capital(repetitions(rows))}."]
    said.append(missing_sets(CIRCLES, rows["dataset"].dropna(), missing, "the study"))
    return Chart(chart.figure, " ".join(said), chart.frame)
