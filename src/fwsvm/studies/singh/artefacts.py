"""Figures and tables of singh (MFW on two circles), and its radius update with the wrong sign, followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, copied, is_missing, listing, significant
from fwsvm.runs.stop_reasons import LIMIT_REASONS
from fwsvm.studies import published
from fwsvm.studies.benchmark.protocol import missing_sets
from fwsvm.studies.singh import figures as draw
from fwsvm.studies.singh.plan import CIRCLES

SIGN_ERROR_SETS = (*CIRCLES, "a1a")
STUDY = "singh"

Details = Sequence[Mapping]
Missing = Mapping[str, str] | None

_FIRST_DRAW = "First draw of the circles."
_LISTING = "Dash-dotted: where the listing as printed ends, by the wrong sign of its radius update."


def fig1(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """The data and the learnt decision function (singh fig. 1)."""
    sets = _with(runs, singh, "data")
    first = [entry["draws"][0] for entry in sets]
    right = listing(f"{percent(seen['test_accuracy'])}" for seen in first)
    sizes = listing(f"{entry['m']:,}" for entry in sets)
    return _chart(
        draw.data_chart, sets, missing,
        f"MFW, trained on {sizes} points of two circles, classifies {right} of the test points correctly. Left: "
        "training points, support vectors ringed. Right: test points on the decision function, which is zero on the "
        f"black line; no colour beyond the outermost point. {_FIRST_DRAW}",
    )  # fmt: skip


def fig2(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Convergence of the dual objective (singh fig. 2)."""
    sets = _with(runs, singh, "steps")
    ends = [100 * (entry["steps"]["objective"][-1] / entry["steps"]["optimum"] - 1) for entry in sets]
    rises = sum(entry["steps"]["rises"] for entry in sets)
    return _chart(
        lambda sets: draw.convergence_chart(sets, "objective"), sets, missing,
        f"MFW's dual objective {'never rises' if not rises else f'rises at {rises} steps'} and ends "
        f"{listing(f'{significant(end, 2)} %' for end in ends)} above the optimum, which SWAP-2o found to a gap of "
        f"1e-10. {_LISTING} {_FIRST_DRAW}",
    )  # fmt: skip


def fig3(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Convergence of the iterates (singh fig. 3)."""
    sets = _with(runs, singh, "steps")
    spans = []
    for entry in sets:
        place, distance = entry["steps"]["iteration"], entry["steps"]["distance"]
        end = np.interp(entry["draws"][0]["listing"]["steps"], place, distance)
        spans.append([significant(value, 2) for value in (distance[0], end, distance[-1])])
    start, middle, last = ([span[place] for span in spans] for place in range(3))
    return _chart(
        lambda sets: draw.convergence_chart(sets, "distance"), sets, missing,
        f"The Euclidean distance of MFW's weights from the optimal ones falls from {listing(start)} to "
        f"{listing(last)}; where the listing as printed ends, by the wrong sign of its radius update (dash-dotted), it "
        "is "
        f"{listing(middle)}. {_FIRST_DRAW}",
    )  # fmt: skip


def fig4(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Step sizes, away steps negative, and the size of the coreset (singh fig. 4)."""
    sets = _with(runs, singh, "steps")
    shares = [100 * seen["away_steps"] / max(seen["iterations"], 1) for entry in sets for seen in entry["draws"]]
    return _chart(
        draw.steps_chart, sets, missing,
        f"{_range(shares)} % of MFW's steps are away steps, where the paper reports one, the last. Lines and steps: "
        f"first draw{_odd_first(sets)}. The first away steps need not be among the recorded ones. Top: "
        "share of away steps so far, estimated from those; middle: their sizes, away steps negative (linear within "
        f"±1e-5). {_LISTING}",
    )  # fmt: skip


def _odd_first(sets):
    """Where the coreset of the first draw, the one whose steps are recorded, is larger or smaller than all others."""
    said = []
    for entry in sets:
        first, *others = (seen["largest_coreset"] for seen in entry["draws"])
        if others and not min(others) <= first <= max(others):
            said.append(f"{first} points at m = {entry['m']:,}, others' {_range(others)}")
    return f" (its largest coreset: {listing(said)})" if said else ""


def _range(values):
    least, largest = (f"{end(values, default=0):.0f}" for end in (min, max))
    return least if least == largest else f"{least} to {largest}"


def fig5(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """Accuracy and F1 per step (singh fig. 5, which has precision and recall too)."""
    sets = _with(runs, singh, "steps")
    ends = [
        "{} (test points: {})".format(*(percent(entry["steps"][part][-1][0]) for part in draw.PARTS)) for entry in sets
    ]
    settled = listing(f"{draw.settled_at(entry['steps']):,} of {entry['draws'][0]['iterations']:,}" for entry in sets)
    return _chart(
        draw.metrics_chart, sets, missing,
        f"Accuracy on the training points stays within {draw.NEAR_END} point of its last value from step {settled} on "
        f"(dotted), and ends at {listing(ends)}; the paper: 100 %. Stairs: means over "
        "windows of steps, one of which begins there; band: range within them on the training points. F1 is that of "
        f"the inner circle. {_FIRST_DRAW}",
    )  # fmt: skip


def fig6(sketches: Mapping, missing: Missing = None) -> Chart:
    """Sketches of the hard margin and of the hinge loss (singh fig. 6)."""
    return draw.sketch_chart(sketches["margin"])


def signerror(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Chart:
    """The radius of singh Listing 3 (frandi2013 Alg. 3) with its update as printed and as it should be."""
    sets = _with(runs, singh, "radius")
    steps = listing(f"{entry['radius']['printed']['steps']:,}" for entry in sets)
    gaps = listing(significant(entry["radius"]["printed"]["final_gap"], 2) for entry in sets)
    numbers = [draw.radius_numbers(entry) for entry in sets]
    ends = listing(significant(max(rows.loc[rows["listing"] == "printed", "excess_percent"].iloc[-1], 0), 2)
                   for rows in numbers)  # fmt: skip
    runs_as_printed = [(entry["dataset"], entry["radius"]["printed"]) for entry in sets]
    parted = [name for name, run in runs_as_printed if run["steps"] > (run["first_away"] or run["steps"])]
    off = f" On {listing(parted)} its first away step does not end it: the cross need not lie on the line."
    order = " (left to right)" if len(sets) > 1 else ""
    return _chart(
        draw.radius_chart, sets, missing,
        "The listing's update after an away step has one sign wrong: with its squared radius "
        f"{ends} % too large{order} no point seems outside, and it ends after {steps} steps at "
        f"relative gaps of {gaps}. Dashed: where the printed update leads over the corrected "
        f"steps{_first_steps(sets)}; 0 before."
        f"{off if parted else ''}",
        SIGN_ERROR_SETS,
    )  # fmt: skip


def _first_steps(sets):
    """How many steps of the corrected listing are shown where it went on."""
    cut = {entry["radius"]["corrected"]["steps"] for entry in sets
           if entry["radius"]["corrected"]["stop_reason"] == "iteration_limit"}  # fmt: skip
    return f" (at most {max(cut):,})" if cut else ""


def table1(runs: pd.DataFrame, singh: Details, missing: Missing = None) -> Table:
    """Physical cost next to the printed one (singh sec. 4.2)."""
    sets = [entry for entry in _with(runs, singh, "draws") if entry["dataset"] in CIRCLES]
    if not sets:
        raise NotDrawableError(needs("the study singh", CIRCLES, missing))
    notes = Footnotes()
    sections, frame = [], []
    for entry in sets:
        own = _rows(runs)
        own = own[own["dataset"] == entry["dataset"]]
        size = len(entry["draws"])
        heading = f"{entry['m']:,} training points, {size} draw{'s' if size > 1 else ''} of the circles"
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
    listed = [draw_["listing"] for entry in sets for draw_ in entry["draws"]]
    ended = sum(run["away_steps"] == 1 and run["first_away"] == run["steps"] for run in listed)
    steps = listing(f"{np.median([one['iterations'] for one in entry['draws']]):,.0f}" for entry in sets)
    absent = missing_sets(CIRCLES, [entry["dataset"] for entry in sets], missing)
    caption = (
        f"MFW takes {steps} steps (median); the listing as printed ends with its first away step on {ended} of "
        f"{len(listed)} draws, and the paper reports one away step, the last. Median and range over draws of the "
        "circles. The kernel block holds the values between the coreset and all training points, 8 bytes each (1 KB = "
        "1000 bytes). The printed "
        f"listing is replayed from the same start, not timed. {absent}"
    ).strip()
    return Table(pd.DataFrame(frame), header, tuple(sections), notes.listed(), caption=caption, align="llrrr")


def _costs(rows, entry):
    """(quantity, unit, our values, values of the listing as printed, printed value)."""
    draws = entry["draws"]
    printed = published.load("singh_cost").set_index("train_size")
    stated = printed.loc[entry["m"]] if entry["m"] in printed.index else pd.Series(dtype=float)

    def of(key):
        return [draw_[key] for draw_ in draws]

    def listed(key):
        return [draw_["listing"][key] for draw_ in draws]

    yield "training time", "ms", 1e3 * rows["train_cpu_s"].astype(float), [], 1e3 * stated.get("seconds", np.nan)
    yield "largest kernel block", "KB", np.array(of("block_bytes")) / 1e3, [], stated.get("block_kb")
    yield "largest coreset", "points", of("largest_coreset"), [], stated.get("core_vectors")
    yield (
        "support vectors",
        "points",
        rows["support_vectors"].astype(float),
        listed("coreset"),
        stated.get("core_vectors"),
    )
    yield "steps", "", of("iterations"), listed("steps"), None
    yield "away steps", "", of("away_steps"), listed("away_steps"), stated.get("away_steps")
    yield "first away step", "", of("first_away"), listed("first_away"), None
    for part in ("train", "test"):
        key = f"{part}_accuracy"
        name = {"train": "training accuracy", "test": "test accuracy"}[part]
        yield name, "%", 100 * np.array(of(key)), 100 * np.array(listed(key)), stated.get("accuracy")
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
    if unit == "%":
        return f"{value:.2f}"
    return f"{value:.0f}" if value == round(value) else significant(value, 3)


def _with(runs, details, key):
    """Jobs of the study that have this and are among the runs, in the fixed order of the data sets."""
    order = {name: place for place, name in enumerate(SIGN_ERROR_SETS)}
    there = set(_rows(runs)["dataset"].dropna())
    found = [entry for entry in details if entry.get(key) and entry["dataset"] in there]
    return sorted(found, key=lambda entry: (order.get(entry["dataset"], len(order)), entry["dataset"]))


def _rows(runs):
    return runs[(runs["experiment"] == STUDY).fillna(False)]


def _chart(drawn, sets, missing, caption, expected=CIRCLES):
    if not sets:
        raise NotDrawableError(needs("the study singh", expected, missing))
    chart = drawn(sets)
    absent = missing_sets(expected, [entry["dataset"] for entry in sets], missing)
    return Chart(chart.figure, chart.frame, caption=f"{caption} {absent}".strip())


def percent(share):
    """Write a share in per cent."""
    return f"{100 * share:.4g} %"
