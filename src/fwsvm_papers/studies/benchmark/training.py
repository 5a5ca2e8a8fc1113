"""A training job, which trains one method on one data set under one protocol, with all variants and
repetitions.
"""

import logging
from collections.abc import Sequence

import numpy as np

from fwsvm.estimators.machine import KernelMachine
from fwsvm.estimators.record import model_columns
from fwsvm_papers.datasets.storage import Features, Prepared
from fwsvm_papers.runs import LIMIT_REASONS, measure
from fwsvm_papers.runs.jobs import Job, tuned_under
from fwsvm_papers.runs.rows import build_model

_LOG = logging.getLogger(__name__)
_WARM_UP_POINTS = 2200  # with so many points, training uses `fwsvm.solvers.coreset_drivers`


def run(prepared: Prepared, tuned: dict, job: Job, settings: dict) -> list[dict]:
    """Train and test for each variant and repetition. Return a list with a row of the table of runs
    for each run.

    Some runs are left out: repetitions of long runs (see `_is_repeated_enough`), repetitions after
    a run that ended at its time limit, and smaller gaps after a run that ended at a limit.
    """
    rows: list[dict] = []
    seeds_of = settings.get("seeds_of", job.experiment)
    tuned = tuned_under(tuned, job.protocol)
    X, y = prepared.X_train, np.asarray(prepared.y_train)
    own = {"sigma2": tuned["sigma2"], "C": tuned["C"]}
    for variant in _one_per_kind(settings["variants"]):
        _warm_up(X, y, job, settings, own | _changes(variant))
    monitor = measure.RunMonitor()
    for variant in settings["variants"]:
        changes = _changes(variant)
        if (
            rows
            and rows[-1]["stop_reason"] in LIMIT_REASONS
            and changes.get("eps", np.inf) < rows[-1]["eps"]
        ):
            # A method that ended at a limit before it reached a larger gap is not run to this gap.
            continue
        parameters = own | changes
        repetitions = variant["repetitions"]
        of_variant: list[dict] = []
        for repetition in range(repetitions):
            if _is_repeated_enough(of_variant, settings["long_runs"]):
                break
            seed = measure.derive_seed(
                settings["seed"], seeds_of, job.dataset, job.method, job.protocol, repetition
            )
            model = build_model(settings, job.method, seed, **parameters)
            _, conditions = monitor.timed(model.fit, X, y)
            row = {
                "experiment": job.experiment,
                "dataset": prepared.meta["name"],
                "task_size": prepared.meta["m"],
                "features": prepared.meta["n"],
                "protocol": job.protocol,
                **model_columns(model, model.pair_solutions_),
                "gamma_rule": tuned["gamma_rule"],
                "sigma2": model.sigma2,
                "C_rule": tuned.get("C_rule") if tuned["C"] == model.C else None,
                "train_cpu_s": model.fit_cpu_s_,
                "train_wall_s": model.fit_wall_s_,
                "timing": settings["timing"],
                "repetition": repetition,
                "seed": seed,
                **conditions(model.fit_cpu_s_, model.fit_wall_s_),
                "test_accuracy": float(model.score(prepared.X_test, np.asarray(prepared.y_test))),
            }
            if (looser := _slower_though_looser(rows, row)) is not None:
                again = build_model(
                    settings, job.method, seed, **{**parameters, "eps": looser["eps"]}
                )
                _, conditions = monitor.timed(again.fit, X, y)
                _keep_shorter(looser, again, conditions(again.fit_cpu_s_, again.fit_wall_s_))
            rows.append(row)
            of_variant.append(row)
            differs = "".join(f" {name}={value}" for name, value in changes.items())
            _LOG.info(
                "%s %s %s %s%s, repetition %d of %d: %.3f s CPU, accuracy %.4f, relative gap %.2g"
                " (%s)",
                job.experiment,
                job.dataset,
                job.method,
                job.protocol,
                differs,
                repetition + 1,
                repetitions,
                row["train_cpu_s"],
                row["test_accuracy"],
                row["relative_gap"],
                row["stop_reason"],
            )
            if row["stop_reason"] == "time_limit":
                break
        for row in _slow_per_step(of_variant):
            again = build_model(settings, job.method, row["seed"], **parameters)
            _, conditions = monitor.timed(again.fit, X, y)
            _keep_shorter(row, again, conditions(again.fit_cpu_s_, again.fit_wall_s_))
    return rows


def _changes(variant: dict) -> dict:
    """Return the settings of a variant that replace those of the job."""
    return {name: value for name, value in variant.items() if name != "repetitions"}


def _is_repeated_enough(rows: Sequence[dict], long_runs: dict) -> bool:
    """Return whether the runs are long and there are enough repetitions, as `long_runs` says."""
    if len(rows) < long_runs["repetitions"]:
        return False
    return float(np.mean([row["train_cpu_s"] for row in rows])) > long_runs["above"]


def _slow_per_step(rows: Sequence[dict]) -> list[dict]:
    """Return the repetitions whose time per step is much longer than the median over the
    repetitions.

    Repetitions use different random samples, so their numbers of steps differ. Undisturbed
    repetitions have nearly equal times per step.
    """
    rows = [row for row in rows if row["iterations"] and row["stop_reason"] != "time_limit"]
    if len(rows) < 2:
        return []
    usual = float(np.median([row["train_cpu_s"] / row["iterations"] for row in rows]))
    return [
        row
        for row in rows
        if row["train_cpu_s"]
        > measure.DISTURBED_RATIO * usual * row["iterations"] + measure.SLACK_S
    ]


def _slower_though_looser(rows: Sequence[dict], row: dict) -> dict | None:
    """Return the row of a run that had a larger gap as its target, but took longer than the run of
    `row`. If there is no such run, return None.

    Only the slowest run with the same repetition and a larger `eps` is considered. A run to a
    larger gap has fewer steps. If it took longer, one of the two times must be wrong.
    """
    same = [
        each
        for each in rows
        if each["repetition"] == row["repetition"] and each["eps"] > row["eps"]
    ]
    slowest = max(same, key=lambda each: each["train_cpu_s"], default=None)
    return slowest if slowest and slowest["train_cpu_s"] > row["train_cpu_s"] else None


def _keep_shorter(row: dict, again: KernelMachine, conditions: dict) -> None:
    """Replace the times in a row by the times of a second fit with the same seed, if the second fit
    took less time.

    The two fits do the same work. If their times differ by more than 25 % plus 0.05 s, the row is
    marked as disturbed.
    """
    before, now = row["train_cpu_s"], again.fit_cpu_s_
    if now < before:
        row |= {"train_cpu_s": now, "train_wall_s": again.fit_wall_s_, **conditions}
    if max(before, now) > measure.DISTURBED_RATIO * min(before, now) + measure.SLACK_S:
        row["disturbed"] = True


def _one_per_kind(variants: Sequence[dict]) -> list[dict]:
    """Return one variant of each kind. Variants of a kind change the same settings.

    If they change `eps`, return the variant with the smallest `eps`, since only small gaps can need
    columns in float64.
    """
    kinds: dict[frozenset, dict] = {}
    for variant in sorted(variants, key=lambda variant: variant.get("eps", 0.0)):
        kinds.setdefault(frozenset(variant), variant)
    return list(kinds.values())


def _warm_up(X: Features, y: np.ndarray, job: Job, settings: dict, parameters: dict) -> None:
    """Load all compiled code before runs are timed.

    The warm-up runs have the settings of the timed runs, except for a short time limit. The first
    one trains on a few points, and the last one on all points. On large data sets, another one
    trains on many points of the two largest classes.
    """
    codes, counts = np.unique(y, return_counts=True)
    largest = codes[np.argsort(counts)[-2:]]
    few = np.concatenate([np.flatnonzero(y == code)[:20] for code in codes[:4]])
    many = np.concatenate([np.flatnonzero(y == code)[: _WARM_UP_POINTS // 2] for code in largest])
    limit = min(measure.WARM_UP_S, parameters.get("time_limit", settings["time_limit"]))
    parts = [(X[rows], y[rows]) for rows in (np.sort(few), np.sort(many)) if 2 * len(rows) < len(y)]
    for part in (*parts, (X, y)):
        build_model(settings, job.method, 0, **parameters | {"time_limit": limit}).fit(*part)
