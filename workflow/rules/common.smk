# The checked configuration, and the names of files that several stages share.
import sys

from fwsvm.errors import UserError
from fwsvm.experiments.config import check_config, hash_of_settings, hash_of_sources
from fwsvm.experiments.job import read_json
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
LOGS = f"{RESULTS}/logs"

SOLVER_CODE = hash_of_sources(
    "column_cache.py",
    "compiled.py",
    "exponential.py",
    "kernel_loops.py",
    "kernels.py",
    "dual.py",
    "solvers",
    "multiclass.py",
    "estimator.py",
    "experiments/benchmark.py",
    "experiments/measure.py",
    "experiments/tune.py",
)
DATA_CODE = hash_of_sources("datasets", "files.py", "unix_compress.py")
ANALYSIS_CODE = hash_of_sources("analysis", "published")
RENDER_CODE = hash_of_sources("render", "analysis", "published")


wildcard_constraints:
    dataset="[^/]+",
    method="[^/]+",
    selection="[^/]+",


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


def job_files(ending):
    """Files of all training jobs on the data sets that are there."""
    folder = f"{RESULTS}/runs/benchmark"
    return lambda wildcards: [
        f"{folder}/{selection}/{dataset}/{method}.{ending}"
        for selection, dataset, method in study.jobs(present())
    ]


def render_inputs(wildcards):
    """Files an artefact is drawn from."""
    files = {
        "inventory": f"{RESULTS}/inventory.json",
        "runs": f"{RESULTS}/runs.tsv",
        "tests": f"{RESULTS}/tests.tsv",
        "descriptions": [f"{RESULTS}/describe/{name}.json" for name in present()],
    }
    return {
        name: files[name]
        for name in ("inventory", *ARTEFACTS[wildcards.artefact].needs)
    }


def training_threads(wildcards):
    """All cores where training must not share the machine, so that one job runs at a time."""
    return workflow.cores if config["timing"] == "exclusive" else 1
