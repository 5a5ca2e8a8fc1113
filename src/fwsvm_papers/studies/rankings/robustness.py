"""A check of whether the conclusions of the papers' statistical tests are robust (artefact
beyond-robustness).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fwsvm_papers.reporting.artefact import require
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import joined, p_value, significant
from fwsvm_papers.runs import LIMIT_REASONS
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.table import protocols_of, quiet_times, under
from fwsvm_papers.statistics.effects import signed_rank_probabilities
from fwsvm_papers.studies.benchmark.groups import ADULT, WEB
from fwsvm_papers.studies.benchmark.numbers import BENCHMARK, drawable_runs
from fwsvm_papers.studies.benchmark.protocol import Missing, missing_sets
from fwsvm_papers.studies.benchmark.significance import (
    CONCLUSION_LEVEL,
    HYPOTHESES,
    REGIONS,
    Hypothesis,
    decide,
)
from fwsvm_papers.studies.benchmark.significance_tables import FRIEDMAN, MEASURES
from fwsvm_papers.studies.registry import load_printed

DRAWS = 500
FIRM = 0.1
"""A conclusion is robust only if it changes in less than this share of the bootstrap draws."""
_UNITS = {name: group.name for group in (WEB, ADULT) for name in group.datasets}


def robustness(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the results of the tests in `HYPOTHESES` on the runs of one protocol. Each test is
    repeated in several ways, for example on random choices of repetitions and of data sets. A test
    with fewer than two data sets is left out.
    """
    runs = runs.assign(
        time=quiet_times(runs, ["dataset", "method"]),
        accuracy=100 * runs["test_accuracy"].astype(float),
        ended=runs["stop_reason"].isin(LIMIT_REASONS),
    )
    ended = (
        runs.pivot_table("ended", "dataset", "method", aggfunc="max")
        .astype("boolean")
        .fillna(False)
        .astype(bool)
    )
    rows = []
    for test in HYPOTHESES:
        methods = test.comparison.split("-")
        own = runs[runs["method"].isin(methods)].dropna(subset=[test.measure])
        table = own.pivot_table(test.measure, "dataset", "method").reindex(columns=methods).dropna()
        if len(table) > 1:
            names = {
                name: getattr(test, name)
                for name in ("paper", "measure", "comparison", "test", "h1")
            }
            bounds = ended.reindex(index=table.index, columns=methods) & (test.measure == "time")
            rows.append(names | _ways(test, table, bounds, own))
    return pd.DataFrame(rows)


def _ways(test: Hypothesis, table: pd.DataFrame, bounds: pd.DataFrame, runs: pd.DataFrame) -> dict:
    rng, n, at = np.random.default_rng(0), len(table), bounds.to_numpy()
    # A cache of p-values. It saves time if there are few data sets or repetitions, since the same
    # random choice then occurs several times.
    found = {}

    def p_of(scores: ArrayLike, bounds: ArrayLike = at) -> float:
        scores, bounds = np.asarray(scores, float), np.asarray(bounds, bool)
        key = scores.tobytes(), bounds.tobytes()
        if key not in found:
            found[key] = decide(test, scores, bounds)[1]
        return found[key]

    def flips(*draw: ArrayLike) -> bool:
        return (p_of(*draw) <= CONCLUSION_LEVEL) != (p <= CONCLUSION_LEVEL)

    def redraw(values: np.ndarray) -> np.ndarray:
        return values[rng.integers(len(values), size=(DRAWS, len(values)))].mean(axis=1)

    p, scores, is_time = p_of(table), table.to_numpy(), test.measure == "time"
    # with times instead of logarithms, the slowest data set would dominate the mean of a series
    logs = np.log(table) if is_time else table
    units = table.index.map(lambda name: _UNITS.get(name, name))
    series = logs.groupby(units).mean(), bounds.groupby(units).any()
    measured = runs.groupby(["dataset", "method"])[test.measure].apply(np.array)
    redrawn = np.array(
        [[redraw(measured[name, method]) for method in table.columns] for name in table.index]
    )
    shares = {
        "repetitions": np.mean([flips(redrawn[:, :, draw]) for draw in range(DRAWS)]),
        "data sets": np.mean(
            [flips(scores[drawn], at[drawn]) for drawn in rng.integers(n, size=(DRAWS, n))]
        ),
    }
    sides = [np.nan] * 3
    if test.test != FRIEDMAN:
        sides = signed_rank_probabilities(logs.iloc[:, 0] - logs.iloc[:, 1], REGIONS[test.measure])
    fails = {"series": flips(*series), "logarithms": flips(logs)} | {
        of: share >= FIRM for of, share in shares.items()
    }
    return {
        "n_datasets": n,
        "p": p,
        "p_smallest": decide(test, scores, at)[0].p_smallest,
        "units": len(series[0]),
        "p_series": p_of(*series),
        "p_log": p_of(logs) if is_time else np.nan,
        **{f"flips_{of.replace(' ', '')}": share for of, share in shares.items()},
        # the method with shorter times or higher accuracies is the better one
        **dict(
            zip(
                ("first_better", "equal", "second_better"),
                sides if is_time else sides[::-1],
                strict=True,
            )
        ),
        "depends_on": ", ".join(of for of, fail in fails.items() if fail),
    }


def robustness_table(runs: pd.DataFrame, missing: Missing = None) -> Table:
    """Return the table of the results of `robustness`. It has a row per test and a section per
    paper.
    """
    runs = drawable_runs(runs, BENCHMARK)
    protocol = protocols_of(runs)[0]
    frame = robustness(under(runs, protocol))
    require(not frame.empty, "needs benchmark runs of two of the papers' methods on two data sets")
    redrawn, bayes = "bootstrap samples that change the conclusion (%)", "probability (%)"
    shares = (
        *(("repetitions", redrawn, "flips_repetitions"), ("data sets", redrawn, "flips_datasets")),
        *(
            (name.replace("_", " "), bayes, name)
            for name in ("first_better", "equal", "second_better")
        ),
    )
    columns = [
        Column("alternative hypothesis", lambda row: row["h1"], align="w"),
        Column("measure", lambda row: MEASURES[row["measure"]].lower(), align="l"),
        Column("p", lambda row: p_value(row["p"])),
        Column(
            "p, each series as one set", lambda row: f"{p_value(row['p_series'])} ({row['units']})"
        ),
        Column("p, logarithms", lambda row: p_value(row["p_log"])),
        *(
            Column(name, lambda row, key=key: significant(100 * row[key], 2), group)
            for name, group, key in shares
        ),
        Column(
            "the conclusion stands",
            _stands,
            align="w",
        ),
    ]
    notes = joined(
        f"Runs have the {protocol_words(protocol)}.",
        missing_sets(
            load_printed("frandi2013_accuracy")["dataset"], runs["dataset"].dropna(), missing
        ),
    )
    csv = frame.drop(columns="p_smallest")
    return ours_beside_printed(frame, columns, "paper", notes=notes, csv=csv)


def _stands(row: Mapping) -> str:
    """Return a text that says whether the conclusion of a test is robust."""
    if row["p_smallest"] > CONCLUSION_LEVEL:
        return f"unknown, since {row['n_datasets']} data sets cannot be significant"
    return f"no, depends on {row['depends_on']}" if row["depends_on"] else "yes"
