# The checked configuration, and the names of files that several stages share.
import sys

from fwsvm.base.code_hash import code_hash
from fwsvm.datasets.storage import prepared_files
from fwsvm.base.errors import UserError
from fwsvm.pipeline.config import check_config, hash_of_settings
from fwsvm.pipeline import sketches
from fwsvm.pipeline.healing import set_aside_damaged
from fwsvm.pipeline.job import read_json
from fwsvm.runs.jobs import benchmark_datasets
from fwsvm.studies.registry import EXPERIMENTS, WITH_DETAILS
from fwsvm.studies.benchmark.tuning_plan import KERNELS
from fwsvm.pipeline.listing import (
    code_of_paper,
    drop_if_incomplete,
    paper_of,
    papers,
)
from fwsvm.pipeline.artefacts import ARTEFACTS

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
# Damaged files of an earlier run, which `all` asks for again: jobs are given whole ones or none.
REMADE = set_aside_damaged(study, RESULTS, PREPARED) if workflow.is_main_process else []
WARM_UP_PARTS = ["dense", "sparse"]
COMPILED = [f"{RESULTS}/warm_up/{part}.txt" for part in WARM_UP_PARTS]

# What each stage's code does: comments, docstrings and layout do not count.
DATA_CODE = code_hash("datasets.prepare")
TUNING_CODE = code_hash("studies.benchmark.tune")
WARM_UP_CODE = code_hash("pipeline.warm_up")
SKETCH_CODE = sketches.code()
ANALYSIS_CODE = code_hash("runs.records", "studies.benchmark.significance")


wildcard_constraints:
    dataset="[^/]+",
    experiment="|".join(EXPERIMENTS),
    artefact="|".join(ARTEFACTS),
    paper="|".join(papers()),
    parameters="|".join(KERNELS),
    part="|".join(WARM_UP_PARTS),


def listings(*chosen):
    """What lists the artefacts of these papers (of all, if none is named)."""
    names = [f"{RESULTS}/artefacts/{paper}.json" for paper in chosen or papers()]
    return list(map(drop_if_incomplete, names))


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


def batch_files(folder, ending, *experiments):
    """Files of the training jobs (of these experiments, or of all) on the data sets that are there."""
    return [
        f"{RESULTS}/{folder}/{experiment}/{dataset}.{ending}"
        for experiment, dataset in study.batches(present())
        if not experiments or experiment in experiments
    ]


def prepared(dataset):
    """Files of a prepared data set, `meta.json` first."""
    return list(map(str, prepared_files(f"{PREPARED}/{dataset}")))


def prepared_data(wildcards):
    """All files of the data sets that are there, so that a lost one is noticed."""
    return [path for name in present() for path in prepared(name)]


def training_inputs(wildcards):
    """The prepared data of a training job, and the tuned parameters of its experiment if it has any."""
    folder = EXPERIMENTS[wildcards.experiment].tuned
    tuned = {"parameters": f"{RESULTS}/{folder}/{wildcards.dataset}.json"}
    return {"data": prepared(wildcards.dataset)} | (tuned if folder else {})


def training_settings(wildcards):
    """What the training jobs of an experiment on a data set need of the configuration, and nothing else."""
    jobs = study.batches().get((wildcards.experiment, wildcards.dataset), [])
    return [[list(job), study.job_settings(job)] for job in jobs]


def inputs_of_paper(paper):
    """Files that a paper's artefacts are drawn from; those of a study's paper wait for no other experiment."""
    files = {
        "inventory": f"{RESULTS}/inventory.json",
        "runs": f"{RESULTS}/runs.tsv",
        "tests": f"{RESULTS}/tests.tsv",
        "sketches": f"{RESULTS}/sketches.json",
        "descriptions": f"{RESULTS}/describe",
        **{name: f"{RESULTS}/{name}.json" for name in WITH_DETAILS},
    }
    if paper in WITH_DETAILS:
        files["runs"] = batch_files("runs", "tsv", paper)
    return {name: files[name] for name in ("inventory", *papers()[paper])}


def redraw_inputs(wildcards):
    """The same for a single artefact, which waits for its paper's listing and is not drawn again when that is."""
    paper = paper_of(wildcards.artefact)
    files = inputs_of_paper(paper) | {"listing": f"{RESULTS}/artefacts/{paper}.json"}
    return {name: ancient(path) for name, path in files.items()}


def larger_first(wildcards):
    """Jobs on large data sets start first, so that none of them is left alone at the end."""
    return study.priority(wildcards.dataset)


def before_training_larger_first(wildcards):
    """The same, and all of them before any training job."""
    return 10_000_000 + study.priority(wildcards.dataset)


def first_larger_first(wildcards):
    """The same, and all of them before any tuning job."""
    return 100_000_000 + study.priority(wildcards.dataset)


def training_threads(wildcards):
    """All cores where training must not share the machine, so that one job runs at a time."""
    timed = EXPERIMENTS[wildcards.experiment].timed
    return workflow.cores if timed and config["timing"] == "exclusive" else 1
