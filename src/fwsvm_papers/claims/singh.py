"""The claims of singh about random points on two circles.

A draw is one set of random points on the two circles.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fwsvm_papers.claims.claim import EASY_SECONDS, Verdict, claim
from fwsvm_papers.claims.evidence import Evidence, Sample
from fwsvm_papers.claims.judging import bound, share, within
from fwsvm_papers.reporting.text import counted, listing
from fwsvm_papers.studies.registry import load_printed

PRINTED = load_printed("singh_cost").set_index("train_size")
# The names and the numbers of training points of the two data sets.
SMALL, LARGE = zip(("two-circles", "two-circles-3000"), PRINTED.index, strict=True)
_ABSENT = "the study singh did not run on {} with {} training points"


@claim(
    f"on two circles with {SMALL[1]} training points, MFW needs at most {{}} core vectors",
    int(PRINTED["core_vectors"][SMALL[1]]),
    "{} core vectors",
    "table1 fig4",
)
def core_300(evidence: Evidence, printed: int) -> Verdict:
    return bound(coreset(evidence, SMALL, printed), "<=", printed)


@claim(
    f"on two circles with {LARGE[1]} training points, MFW's largest kernel matrix has {{}} columns",
    int(PRINTED["core_vectors"][LARGE[1]]),
    "{} columns",
    "table1",
)
def core_3000(evidence: Evidence, printed: int) -> Verdict:
    return within(coreset(evidence, LARGE, printed), printed, tolerance=7, of_one_draw=True)


@claim(
    "training takes {} s for 300 points and {} s for 3000 points",
    tuple(PRINTED["seconds"]),
    "{} s",
    "table1",
    easy=EASY_SECONDS,
)
def time(evidence: Evidence, printed: Sequence[float]) -> list[Verdict]:
    return [
        bound(times(evidence, of), "<=", seconds)
        for of, seconds in zip((SMALL, LARGE), printed, strict=True)
    ]


@claim(
    "MFW takes an away step only in the last iteration",
    int(PRINTED["away_steps"][SMALL[1]]),
    "{} away step",
    "fig4 signerror",
)
def away_last(evidence: Evidence, printed: int) -> Verdict:
    return share(last_away_share(evidence), ">=", 1 / printed)


@claim(
    "the model classifies all training and test points correctly",
    int(PRINTED["accuracy"][SMALL[1]]),
    "{} %",
    "fig1 fig5",
    note=(
        '"correctly able to classify all the points in both, training and test sets" (sec. 4.3,'
        " for one draw of the points)"
    ),
)
def accuracy(evidence: Evidence, printed: int) -> Verdict:
    return bound(accuracies(evidence), ">=", printed, of_one_draw=True)


@claim(
    "MFW's dual objective decreases monotonically",
    artefacts="fig2",
    note='"the dual objective monotonically decreases" (sec. 4.1)',
)
def objective(evidence: Evidence) -> Verdict:
    steps = _first_draw(evidence)
    name = "number of steps of MFW that raise the dual objective"
    return share(_of_first_draw(name, {("", "rises"): steps["rises"]} if steps else {}), "<=", 0)


@claim(
    "MFW's step sizes become smaller",
    artefacts="fig4",
    note='"the step sizes became smaller as we optimized" (sec. 4.1)',
)
def step_sizes(evidence: Evidence) -> Verdict:
    return share(_trend(evidence, {"step size": "step_size"}), "<", -0.5, chosen=True)


@claim(
    "MFW's coreset never becomes smaller",
    artefacts="fig4",
    note='"the coreset size only increased over the optimization routine" (sec. 4.1)',
)
def coreset_grows(evidence: Evidence) -> Verdict:
    steps = _first_draw(evidence)
    kept = np.diff(steps["active_size"]) >= 0 if steps else []
    values = {("", "steps"): np.mean(kept)} if len(kept) else {}
    name = (
        "share of the recorded steps whose coreset is at least as large as that of the one before"
    )
    return share(_of_first_draw(name, values), ">=", 1)


@claim(
    "the model's accuracy on the training and test points improves during training",
    artefacts="fig5",
    note=(
        '"the performance improves as we step through time, there is some variability from step to'
        ' step" (sec. 4.3)'
    ),
)
def improves(evidence: Evidence) -> Verdict:
    parts = {"training accuracy": "train", "test accuracy": "test"}
    return share(_trend(evidence, parts), ">", 0.5, chosen=True)


@claim(
    "the training and the test accuracy are similar",
    artefacts="fig5",
    note='"the performance on both sets is similar" (sec. 4.3, for one draw of the points)',
)
def similar(evidence: Evidence) -> Verdict:
    return bound(accuracy_difference(evidence), "<=", 1, chosen=True, of_one_draw=True)


def _first_draw(evidence: Evidence) -> dict:
    """Return the dict that was recorded during training on the first draw, or an empty dict if
    nothing was recorded.
    """
    entries = evidence.details.get("singh", ())
    return next(
        (
            entry["steps"]
            for entry in entries
            if (entry["dataset"], entry["m"]) == SMALL and "steps" in entry
        ),
        {},
    )


def _of_first_draw(name: str, values: dict[tuple, float], neutral: float | None = None) -> Sample:
    basis = "the first draw of the points, which the figure shows"
    return Sample(name, "number", values, basis, absent=_ABSENT.format(*SMALL), neutral=neutral)


def _trend(evidence: Evidence, quantities: Mapping[str, str]) -> Sample:
    """Return Spearman's correlation of each quantity with the number of steps, in the first draw.
    `quantities` maps the names of the quantities to their keys in the recorded steps.
    """
    steps, values = _first_draw(evidence), {}
    for name, key in quantities.items() if steps else ():
        # The accuracy is the first of the recorded measures of the classifier.
        numbers = [of[0] if isinstance(of, list) else of for of in steps[key]]
        values["", name] = pd.Series(numbers, dtype=float).corr(
            pd.Series(steps["iteration"], dtype=float), "spearman"
        )
    name = f"rank correlation of {listing(quantities)} with the number of steps"
    return _of_first_draw(name, values, neutral=0.0)


def times(evidence: Evidence, of: tuple[str, int]) -> Sample:
    """Return the training time (s) of each draw.

    `of` is the pair (name of the data set, number of training points).
    """
    dataset, points = of
    runs = evidence.experiment("singh")
    runs = runs[(runs["dataset"] == dataset) & (runs["task_size"] == points)]
    values = {
        (dataset, place): value for place, value in enumerate(runs["train_cpu_s"].astype(float))
    }
    draws = f"{counted(len(values), 'draw')} of the points"
    return Sample(
        f"training time on {dataset}", "seconds", values, draws, absent=_ABSENT.format(*of)
    )


def _draws(evidence: Evidence, of: tuple[str, int] = SMALL) -> list[dict]:
    entries = [
        entry for entry in evidence.details.get("singh", ()) if (entry["dataset"], entry["m"]) == of
    ]
    return [draw for entry in entries for draw in entry["draws"]]


def coreset(evidence: Evidence, of: tuple[str, int], printed: int) -> Sample:
    """Return the size of the largest coreset of each draw. The kernel matrix in the paper has one
    column for each point of the coreset.
    """
    sizes = [draw["largest_coreset"] for draw in _draws(evidence, of)]
    values = {(of[0], place): size for place, size in enumerate(sizes)}
    small = sum(size <= printed for size in sizes)
    basis = f"at most {printed} in {small} of {len(sizes)} draws of the points"
    first = [f"{size} in the first draw, which the figure shows" for size in sizes[:1]]
    return Sample(
        f"largest coreset on {of[0]}", "number", values, basis, *first, absent=_ABSENT.format(*of)
    )


def last_away_share(evidence: Evidence) -> Sample:
    """Return, for each draw, the share of all away steps that is taken in the last iteration. If
    the last step is an away step, the share is 1 / (number of away steps). Otherwise, it is 0.
    """
    draws, name = _draws(evidence), "share of all away steps that is taken in the last iteration"
    if not draws:
        return Sample(name, "number", {}, absent=_ABSENT.format(*SMALL))
    values = {
        ("", place): (draw["last_away"] == draw["iterations"]) / max(draw["away_steps"], 1)
        for place, draw in enumerate(draws)
    }
    firsts = [draw["first_away"] for draw in draws if draw["first_away"] is not None]
    first = f", the first at step {np.median(firsts):.0f}" if firsts else ""
    away, steps = (np.median([draw[key] for draw in draws]) for key in ("away_steps", "iterations"))
    listed = [draw["listing"] for draw in draws if draw.get("listing")]
    ended = sum(run["away_steps"] == 1 and run["first_away"] == run["steps"] for run in listed)
    medians = f"in the median, {away:.0f} of {steps:.0f} steps are away steps{first}"
    wrong = (
        "the algorithm as printed, which has a wrong sign, ends with its only away step in"
        f" {ended} of {len(listed)} draws"
    )
    basis = f"{counted(len(draws), 'draw')} of the points"
    return Sample(name, "number", values, basis, medians, wrong, case=("in", "draw"))


def accuracy_difference(evidence: Evidence) -> Sample:
    """Return the absolute difference between the training accuracy and the test accuracy of each
    draw, in percentage points.
    """
    draws = _draws(evidence)
    differences = [100 * abs(draw["train_accuracy"] - draw["test_accuracy"]) for draw in draws]
    return Sample(
        "distance between training and test accuracy",
        "points",
        {("", place): difference for place, difference in enumerate(differences)},
        f"{counted(len(draws), 'draw')} of the points",
        absent=_ABSENT.format(*SMALL),
    )


def accuracies(evidence: Evidence) -> Sample:
    """Return the lower of the training accuracy (%) and the test accuracy (%) of each draw."""
    draws = _draws(evidence)
    lower = [100 * min(draw["train_accuracy"], draw["test_accuracy"]) for draw in draws]
    values = {("", place): accuracy for place, accuracy in enumerate(lower)}
    perfect = sum(draw["train_accuracy"] == draw["test_accuracy"] == 1 for draw in draws)
    basis = f"both accuracies are 100 % in {perfect} of {len(draws)} draws of the points"
    first = [
        f"{100 * draw['train_accuracy']:.4g} % and {100 * draw['test_accuracy']:.4g} % in the first"
        " draw, which the figures show"
        for draw in draws[:1]
    ]
    name, absent = "lower of training and test accuracy", _ABSENT.format(*SMALL)
    return Sample(name, "percent", values, basis, *first, absent=absent)
