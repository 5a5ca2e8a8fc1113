# The checked configuration, and the names of files that several stages share.
import sys

from fwsvm.analysis.details import STUDIES
from fwsvm.errors import UserError
from fwsvm.experiments.config import check_config, hash_of_settings, hash_of_sources
from fwsvm.experiments.job import read_json
from fwsvm.experiments.plan import Job, benchmark_datasets
from fwsvm.experiments.registry import EXPERIMENTS
from fwsvm.experiments.tuning_plan import KERNELS
from fwsvm.render.registry import ARTEFACTS, output_paths

SCHEMA = workflow.source_path("../schemas/config.schema.yaml")
try:
    study = check_config(config, SCHEMA, " + ".join(map(str, workflow.configfiles)))
except UserError as error:
    sys.exit(f"error: {error}")

RESULTS = f"results/{config['profile']}"
FIGURES = f"figures/{config['profile']}"
RAW = f"{config['data_dir']}/raw"
PREPARED = f"{config['data_dir']}/prepared/{study.variant}"
DETAILS = f"{RESULTS}/details"
LOGS = f"{RESULTS}/logs"
JOB = "{experiment}/{selection}/{dataset}/{method}"

SOLVER_CODE = hash_of_sources(
    "class_blocks.py",
    "column_cache.py",
    "column_source.py",
    "compiled.py",
    "exponential.py",
    "kernel_loops.py",
    "kernels.py",
    "points.py",
    "threads.py",
    "dual.py",
    "solvers",
    "multiclass.py",
    "estimator.py",
    "experiments/cross_validation.py",
    "experiments/measure.py",
    "experiments/models.py",
    "experiments/training.py",
    "experiments/tune.py",
)
# Modules that only one study has, besides that of its name.
STUDY_PARTS = {
    "alaiz2018": ["experiments/partitions.py", "analysis/sparsity.py"],
    "singh": ["experiments/radius.py"],
}
STUDY_CODE = {
    name: hash_of_sources(
        "baselines",
        "enclosing_ball.py",
        "one_class.py",
        "weighted.py",
        "experiments/two_classes.py",
        f"experiments/{name}.py",
        *STUDY_PARTS.get(name, []),
    )
    for name in STUDIES
    if name in EXPERIMENTS
}
SKETCH_CODE = hash_of_sources(
    "experiments/sketches.py", "experiments/weighted_sketches.py", "weighted.py"
)
DATA_CODE = hash_of_sources("datasets", "files.py", "unix_compress.py")
ANALYSIS_CODE = hash_of_sources("analysis", "published")
RENDER_CODE = hash_of_sources("render", "analysis", "published")


wildcard_constraints:
    dataset="[^/]+",
    experiment="|".join(EXPERIMENTS),
    method="[^/]+",
    parameters="|".join(KERNELS),
    selection="[^/]+",
    study="|".join(STUDIES),


def artefact_files(paper=""):
    """All files of the artefacts of a paper (or of all)."""
    chosen = [name for name in ARTEFACTS if name.startswith(paper)]
    paths = (output_paths(name, RESULTS, FIGURES) for name in chosen)
    return [str(path) for files in paths for path in files]


def raw_files(wildcards):
    """The user's own files of a data set, once those from elsewhere have been fetched."""
    if wildcards.dataset in study.remote:
        # Fetching again is no reason to prepare again (a changed sum is in the digest), so its record is no input.
        # Nor may it be an `ancient` one: Snakemake would overlook what else has changed for the jobs after it.
        checkpoints.inventory.get()
    files = study.raw_files(wildcards.dataset).values()
    return [str(entry.location(RAW)) for entry in files if entry.path]


def present():
    """The data sets that are there, in the configuration's order."""
    if not study.remote:
        return study.datasets
    missing = read_json(checkpoints.inventory.get().output[0])["missing"]
    return [name for name in study.datasets if name not in missing]


def prepared(wildcards):
    """The prepared data set of a job."""
    return f"{PREPARED}/{wildcards.dataset}/meta.json"


def tuned_parameters(wildcards):
    """The tuned parameters of a job's experiment."""
    folder = EXPERIMENTS[wildcards.experiment].PARAMETERS
    return f"{RESULTS}/{folder}/{wildcards.dataset}.json"


def jobs_on_hand(*experiments):
    """The training jobs of these experiments (of all, if none is named) on the data sets that are there."""
    jobs = study.jobs(present())
    return [job for job in jobs if not experiments or job.experiment in experiments]


def job_files(ending):
    """Files of all of them."""
    return lambda wildcards: [job.file(RESULTS, ending) for job in jobs_on_hand()]


def detail_files(wildcards):
    """What the jobs of a study show besides their runs; none where it is not selected."""
    return [f"{DETAILS}/{'/'.join(job)}.json" for job in jobs_on_hand(wildcards.study)]


def render_inputs(wildcards):
    """Files an artefact is drawn from; those of a study's paper wait for no other experiment."""
    files = {
        "inventory": f"{RESULTS}/inventory.json",
        "runs": f"{RESULTS}/runs.tsv",
        "tests": f"{RESULTS}/tests.tsv",
        "sketches": f"{RESULTS}/sketches.json",
        "descriptions": [
            f"{RESULTS}/describe/{name}.json"
            for name in benchmark_datasets(config, present())
        ],
        **{name: f"{RESULTS}/{name}.json" for name in STUDIES},
    }
    paper = wildcards.artefact.split("-")[0]
    if paper in STUDIES:
        files["runs"] = [job.file(RESULTS, "tsv") for job in jobs_on_hand(paper)]
    return {
        name: files[name]
        for name in ("inventory", *ARTEFACTS[wildcards.artefact].needs)
    }


def larger_first(wildcards):
    """Jobs on large data sets start first, so that none of them is left alone at the end."""
    return study.priority(wildcards.dataset)


def before_training_larger_first(wildcards):
    """The same, and all of them before any training job."""
    return 10_000_000 + study.priority(wildcards.dataset)


def training_threads(wildcards):
    """All cores where training must not share the machine, so that one job runs at a time."""
    timed = getattr(EXPERIMENTS[wildcards.experiment], "TIMED", True)
    return workflow.cores if timed and config["timing"] == "exclusive" else 1
