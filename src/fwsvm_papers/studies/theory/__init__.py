"""A study that compares what the papers prove with what is observed in runs.

The subjects are the guarantee of the stopping rule, the size of the coreset, rates of convergence,
drop steps, samples, and the equivalence of the enclosing ball and the L2-SVM.
"""

from collections.abc import Collection, Iterable, Mapping

from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, Job, capped
from fwsvm_papers.runs.protocols import solver_settings, tuning_rule
from fwsvm_papers.studies.theory.parts import BALL, GROWTH, PARTS, RATES, RULE, SAMPLES

THEORY = "theory"


def jobs(config: dict, datasets: Collection[str]) -> list[Job]:
    """Return a list with a job for each of the `datasets` that a part of the study uses.

    A job runs all parts on its data set, with several methods.
    """
    section = config[THEORY]
    names = dict.fromkeys(name for part in PARTS for name in section[part]["datasets"])
    return [Job(THEORY, section["protocol"], name, "fw") for name in names if name in datasets]


def settings(config: dict, job: Job) -> dict:
    """Return the settings of a job. They include a dict for each part that uses the data set of the
    job.
    """
    section, benchmark = config[THEORY], config["benchmark"]
    rule = tuning_rule(config, job.protocol, job.dataset)
    chosen = {
        "width_factor": rule["width_factor"],
        "C": float(rule.get("C", section["C"])),
        **{name: benchmark[name] for name in ("init", "cache_mb", "max_iterations")},
        "inner_tolerance": benchmark["inner_tolerance"],
        "time_limit": capped(section["time_limit"], config, job.dataset, "time_limit", job.method),
        "seed": config["seed"],
        "timing": config["timing"],
    }
    for part in PARTS:
        if job.dataset in section[part]["datasets"]:
            chosen[part] = {key: value for key, value in section[part].items() if key != "datasets"}
    if RULE in chosen:
        chosen[RULE]["sampled"] = _of_protocol(config, job.protocol, section[RULE]["methods"])
    if SAMPLES in chosen:
        chosen[SAMPLES]["sampled"] = {
            name: _of_protocol(config, name, ["fw"])["fw"] for name in section[SAMPLES]["protocols"]
        }
    return chosen | {"runs": _number_of_runs(chosen)}


def _of_protocol(config: Mapping, protocol: str, methods: Iterable[str]) -> dict[str, dict]:
    """Return a dict that maps each method to its settings under a protocol that draws samples."""
    return {method: solver_settings(config["protocols"][protocol], method) for method in methods}


def _number_of_runs(chosen: Mapping) -> int:
    """Return the number of runs of a job.

    The part `ball` has four runs, because the ball and the L2-SVM are each solved with two kernels.
    """
    runs = 0
    if RULE in chosen:
        runs += 2 * len(chosen[RULE]["methods"]) * len(chosen[RULE]["eps"])
    if GROWTH in chosen:
        runs += len(chosen[GROWTH]["sizes"]) * len(chosen[GROWTH]["eps"])
    if RATES in chosen:
        runs += 1 + len(chosen[RATES]["methods"])
    if SAMPLES in chosen:
        runs += len(chosen[SAMPLES]["protocols"]) * chosen[SAMPLES]["repetitions"]
    return runs + (4 if BALL in chosen else 0)


EXPERIMENTS = {THEORY: Experiment(jobs, settings, f"{__name__}.run", has_details=True, timed=False)}

_FIGURES = f"{__name__}.figures"

ARTEFACTS = {
    "beyond-theory-rule": figure(_FIGURES, "rule_chart", "theory"),
    "beyond-theory-steps": figure(_FIGURES, "steps_chart", "theory"),
    "beyond-theory-rates": figure(_FIGURES, "rates_chart", "theory"),
    "beyond-theory-samples": figure(_FIGURES, "samples_chart", "theory"),
    "beyond-theory-table": table(
        f"{__name__}.bounds_table", "bounds_table", "runs descriptions theory"
    ),
}
