"""The table of the papers' bounds next to observed numbers (artefact beyond-theory-table)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.style import METHODS, method_label
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import significant
from fwsvm_papers.runs.records import conform
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.theory import THEORY
from fwsvm_papers.studies.theory.bounds import BETTER, chance_of_best, most_core_vectors, most_drops
from fwsvm_papers.studies.theory.figures import (
    ALL_POINTS,
    TOP,
    part_frame,
    rule_numbers,
    sample_words,
)
from fwsvm_papers.studies.theory.parts import BALL, RULE, SAMPLES

_EQUALITY = "Squared radius of the ball, compared with D − R*, where D = Q_ii (tsang2005 eq. 6)"
_VERTEX = "Samples whose vertex is among the best 5 % (frandi2013 Theorem 1)"
_CHANCE = "The standard error is 0.003 for 5,000 samples, and 0.01 for 500 samples."
_DROPS = "Drop steps of all runs, compared with T/2 + I/2 (nanculef2014 Prop. 3)"
_HOLE = (
    "The printed proof assumes that a drop step never adds an active point, but a drop step can add"
    " one. docs/theory.md describes a problem on which every step is a drop step."
)
_STARTING_POINTS = {"random_meb": 20, "closest_opposite_pair": 2, "random_point": 1}
# experiments that train on the two largest classes of each data set
_OF_TWO_CLASSES = ("theory", "convergence")
# methods in which each step adds at most one point and drops at most one
_DROPPING = ("mfw", "swap", "swap2o", "pfw")


def bounds_table(
    runs: pd.DataFrame, descriptions: Details, theory: Details, missing: Missing = None
) -> Table:
    """Return the table with a section per bound.

    A row compares a bound with a measured number. If a row is about several runs, it shows the run
    with the largest ratio of the measured number to the bound.
    """
    require(theory, needs(f"the experiment {THEORY}", [], missing))
    parts = [*_of_rule(theory), *_of_samples(theory), *_of_ball(theory)]
    frame = pd.DataFrame([*parts, *_of_drops(runs, descriptions)])
    frame["share"] = frame["measured"] / frame["bound"]
    columns = [
        Column("", lambda row: row["what"], notes=_notes, align="l"),
        Column("bound", lambda row: _number(row, "bound")),
        Column("measured", lambda row: _number(row, "measured")),
        Column("measured / bound", lambda row: significant(row["share"], 3)),
        Column("runs or samples", lambda row: f"{row['runs']:,}"),
    ]
    return ours_beside_printed(frame, columns, "statement")


def _number(row: Mapping, name: str) -> str:
    """Return the number in the column `name` as text. Numbers that should be equal are written with
    13 significant digits.
    """
    value = row[name]
    if row["statement"] == _EQUALITY:
        return f"{value:.13g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _notes(row: Mapping) -> list[str]:
    notes = {_DROPS: _HOLE, _VERTEX: _CHANCE}
    return [notes[row["statement"]]] if row["statement"] in notes else []


def _of_rule(theory: Details) -> list[dict]:
    if not any(entry.get(RULE) for entry in theory):
        return []
    frame, found = rule_numbers(theory), []
    frame = frame[~frame["at_limit"]]
    smallest = frame[frame["eps"] == frame["eps"].min()]
    for search, words in ((ALL_POINTS, "on all points"), (None, "on one sample")):
        chosen = smallest[(smallest["search"] == ALL_POINTS) == (search == ALL_POINTS)]
        for name, rows in chosen.groupby("dataset", sort=False):
            worst = rows.loc[rows["ratio"].idxmax()]
            found.append(
                {
                    "statement": f"Relative gap if the stopping rule is tested {words},"
                    f" ε = {smallest['eps'].iloc[0]:g} (frandi2013 eq. 36)",
                    "what": f"{name}, {method_label(worst['method'])}",
                    "bound": worst["guarantee"],
                    "measured": worst["relative_gap"],
                    "runs": len(rows),
                }
            )
    cores = frame[(frame["method"] == "cvm") & (frame["search"] == ALL_POINTS)]
    for eps, rows in cores.sort_values("eps", ascending=False).groupby("eps", sort=False):
        worst = rows.loc[rows["coreset_size"].idxmax()]
        found.append(
            {
                "statement": "Points in CVM's coreset, compared with 2/ε (tsang2005 sec. 4.3)",
                "what": f"ε = {eps:g}, {worst['dataset']}",
                "bound": most_core_vectors(eps),
                "measured": float(worst["coreset_size"]),
                "runs": len(rows),
            }
        )
    return found


def _of_samples(theory: Details) -> list[dict]:
    if not any(entry.get(SAMPLES) for entry in theory):
        return []
    place = int((BETTER <= TOP).sum()) - 1
    return [
        {
            "statement": _VERTEX,
            "what": f"{record['dataset']}, {sample_words(record)}",
            "bound": chance_of_best(TOP, record["sample_size"]),
            "measured": record["better"][place] / max(record["steps"], 1),
            "runs": record["steps"],
        }
        for record in part_frame(theory, SAMPLES).to_dict("records")
    ]


def _of_ball(theory: Details) -> list[dict]:
    if not any(entry.get(BALL) for entry in theory):
        return []
    frame = part_frame(theory, BALL)
    statements = {
        "rbf": _EQUALITY,
        "poly": "The same for a polynomial kernel. The Q_ii differ, so the two values can differ",
    }
    return [
        {
            "statement": statement,
            "what": record["dataset"],
            "bound": record["D"] - record["objective"],
            "measured": record["radius2"],
            "runs": 1,
        }
        for kernel, statement in statements.items()
        for record in frame[frame["kernel"] == kernel].to_dict("records")
    ]


def drop_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Return a table with a row per run of a method that drops points. A row has the number of drop
    steps, and the bound on this number.

    Steps are summed over the pairs of classes, and each pair has its own start. The experiments of
    `_OF_TWO_CLASSES` train on two classes of each data set. A data set without a description has
    two classes, since the studies that use such data sets allow no others.
    """
    pairs = {}
    for described in descriptions:
        classes = len(described["classes"])
        pairs[described["dataset"]] = max(classes * (classes - 1) // 2, 1)
    own = conform(runs)
    own = own[own["method"].isin(_DROPPING) & own["drop_steps"].notna()]
    own_pairs = own["dataset"].map(pairs).fillna(1).mask(own["experiment"].isin(_OF_TWO_CLASSES), 1)
    points = own["init"].map(_STARTING_POINTS) * own_pairs
    own = own.assign(start=points).dropna(subset=["start"])
    own["bound"] = most_drops(own["iterations"].astype(float), own["start"].astype(float))
    return own.assign(share=own["drop_steps"].astype(float) / own["bound"])


def _of_drops(runs: pd.DataFrame, descriptions: Details) -> list[dict]:
    frame, found = drop_numbers(runs, descriptions), []
    for method in METHODS:
        rows = frame[frame["method"] == method]
        if len(rows):
            worst = rows.loc[rows["share"].idxmax()]
            found.append(
                {
                    "statement": _DROPS,
                    "what": f"{method_label(method)}, {worst['experiment']} on {worst['dataset']}",
                    "bound": float(worst["bound"]),
                    "measured": float(worst["drop_steps"]),
                    "runs": len(rows),
                }
            )
    return found
