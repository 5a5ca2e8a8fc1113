"""The ladder, a study of how much of the speed-up over CVM remains when the inferred settings are
changed step by step.
"""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import (
    Experiment,
    Job,
    benchmark_datasets,
    section_of,
    training_settings,
)
from fwsvm_papers.runs.protocols import LIBCVM_PATIENCE
from fwsvm_papers.studies.benchmark.groups import ADULT, WEB

AUTO = "auto"
"""Our default method. In the ladder, it searches all points in every step."""

LIBCVM_INNER = {"inner_tolerance": 1e-3, "inner_fixed": False, "inner_steps": None}
"""The settings with which LibCVM solves inner problems (the QPs over the coreset): the tolerance,
whether the tolerance is fixed, and the maximum number of steps. A tolerance that is not fixed is
halved whenever a smaller one is needed.
"""

AS_PRINTED, AUTHORS, FIRST, TEXT = "printed", "authors_program", "as_run", "as_printed"
INNER, PATIENCE, PATIENT = "inner", "only_patience", "patient"
"""Names of rungs. A rung is a comparison of the methods with CVM.

The first rung has the papers' numbers. The second has the numbers of the authors' program on
another machine. The third and the fourth have our benchmark: with the inferred settings, and with
the settings of the papers' text. On each of the next three rungs, some of the inferred settings are
replaced by those of LibCVM: the inner tolerance, the patience, or both.

The rungs on which the methods search all points have names such as ``gap 0.01``.
"""

RUNGS = {
    AS_PRINTED: "printed",
    AUTHORS: "the authors' program, on another machine",
    FIRST: "our runs, inferred settings",
    TEXT: "our runs, settings of the papers' text",
    INNER: "only CVM's inner tolerance as in LibCVM",
    PATIENCE: f"only the patience as in LibCVM, {LIBCVM_PATIENCE} samples",
    PATIENT: f"both as in LibCVM: inner tolerance and {LIBCVM_PATIENCE} samples",
}
"""Maps each rung to a text, in the order of the rungs. The function `rung_words` also returns texts
for the rungs with gaps.
"""


ALL, ONE_VOTE, WITHOUT = "all sets", "one vote per series", "without stand-ins"
OTHERS = "others"
SELECTIONS = (ALL, ONE_VOTE, WITHOUT, WEB.name, ADULT.name, OTHERS)
"""Selections of data sets over which medians are taken. In the selection `ONE_VOTE`, the median
over Web counts like one data set, and so does the median over Adult.
"""

_FAMILIES = {name: of.name for of in (WEB, ADULT) for name in of.datasets}


def family_of(dataset: str) -> str:
    """Return the name of the nested series to which a data set belongs, or `OTHERS`."""
    return _FAMILIES.get(dataset, OTHERS)


def rung_words(rung: str) -> str:
    return RUNGS.get(rung) or f"all points, to a gap of {rung.removeprefix('gap ')}"


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    section = config["ladder"]
    return [
        Job("ladder", section["protocol"], dataset, method)
        for dataset in benchmark_datasets(config, datasets)
        for method in (*section["methods"], AUTO)
    ]


def settings(config: dict, job: Job) -> dict:
    """Return the settings of a job. Among them are its variants. A variant is a dict with settings
    that replace those of the protocol, such as LibCVM's patience.

    The seeds are the same as in the benchmark.
    """
    inner = LIBCVM_INNER if job.method == "cvm" else {}
    sampled = [{"patience": LIBCVM_PATIENCE}] if job.method != AUTO else []
    if job.method == "cvm":
        sampled = [{}, *sampled]
    start = {"start_alternates": config["protocols"][job.protocol].get("start_alternates")}
    full = {
        "selection": {"name": "full", "sampled": False, **start},
        "stop": "relative",
    }
    gaps = [{**full, "eps": gap} for gap in sorted(config["ladder"]["relative_gaps"], reverse=True)]
    variants = [{**variant, **inner} for variant in sampled]
    if job.method == "cvm":
        variants += _with_authors_inner(config, job)
    variants += [{**variant, **inner} for variant in gaps]
    return training_settings(config, job, variants) | {"seeds_of": "benchmark"}


def _with_authors_inner(config: dict, job: Job) -> list[dict]:
    """Return further variants for CVM.

    The first variant has all inner settings of the protocol, and LibCVM's patience. In each of the
    other variants, which only the data sets in `authors_inner` have, one inner setting is that of
    LibCVM. These runs take long, so they have their own time limit. If the inner settings of the
    protocol are those of LibCVM, there are no such variants.
    """
    protocol, section = config["protocols"][job.protocol], section_of(config, job)["authors_inner"]
    if not any(protocol.get(name) for name in ("inner_fixed", "inner_steps")):
        return []
    own = {name: section[name] for name in ("repetitions", "time_limit")}
    variants = [{"patience": LIBCVM_PATIENCE, **own}]
    if job.dataset in section["datasets"]:
        variants += [{name: value, **own} for name, value in LIBCVM_INNER.items()]
    return variants


_DRAWN = f"{__name__}.artefacts"
_FIGURES = f"{__name__}.figures"

EXPERIMENTS = {
    "ladder": Experiment(jobs, settings, "fwsvm_papers.studies.benchmark.training", tuned="params")
}

ARTEFACTS = {
    "beyond-ladder": figure(_FIGURES, "ladder_chart", "runs descriptions"),
    "beyond-ladder-methods": figure(_FIGURES, "methods_chart", "runs descriptions"),
    "beyond-ladder-table": table(_DRAWN, "ladder_table", "runs descriptions"),
    "beyond-ladder-families": table(_DRAWN, "families_table", "runs descriptions"),
    "beyond-ladder-inner": table(_DRAWN, "inner_table", "runs"),
    "beyond-equal": table(_DRAWN, "equal_gap_table", "runs"),
}
