# The checked configuration, where the files are, and what jobs may take.
import os
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from fwsvm.base.code_hash import code_hash
from fwsvm.base.errors import UserError
from fwsvm.base.result_files import read_whole_json
from fwsvm.pipeline import resources, sketches
from fwsvm.pipeline.artefacts import ARTEFACTS
from fwsvm.pipeline.config import check_config, hash_of_settings
from fwsvm.pipeline.healing import set_aside_damaged
from fwsvm.pipeline.layout import WARM_UP_PARTS, Layout
from fwsvm.pipeline.listing import code_of_paper, paper_of, papers
from fwsvm.pipeline.separate_cores import are_separate
from fwsvm.runs.jobs import benchmark_datasets
from fwsvm.studies.benchmark.tuning_plan import KERNELS
from fwsvm.studies.registry import EXPERIMENTS, WITH_DETAILS

SCHEMA = workflow.source_path("../schemas/config.schema.yaml")
try:
    study = check_config(config, SCHEMA, " + ".join(map(str, workflow.configfiles)))
except UserError as error:
    sys.exit(f"error: {error}")


def present():
    """The data sets that are available, in the configuration's order."""
    if not study.remote or is_first_plan():
        return study.datasets
    missing = read_whole_json(checkpoints.inventory.get().output[0])["missing"]
    return [name for name in study.datasets if name not in missing]


files = Layout(study, present)
RESULTS, FIGURES, LOGS = files.results, files.figures, files.logs
# Damaged files of an earlier run, which `all` asks for again: jobs are given whole ones or none.
try:
    REMADE = (
        set_aside_damaged(study, files.results, files.prepared)
        if workflow.is_main_process
        else []
    )
except UserError as error:
    sys.exit(f"error: {error}")


MACHINE_MB = int(0.85e-6 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


wildcard_constraints:
    dataset="[^/]+",
    experiment="|".join(EXPERIMENTS),
    artefact="|".join(ARTEFACTS),
    paper="|".join(papers()),
    parameters="|".join(KERNELS),
    part="|".join(WARM_UP_PARTS),


# Not worth an entry in a cluster's queue, or in want of a network.
localrules:
    all,
    fetch,
    inventory,
    details,
    collect,


# Of the jobs that share an entry in the queue, one at a time is timed.
resource_scopes:
    timed="local",


def is_first_plan():
    """Whether this is a dry run before data were looked for: it shows what follows if all data sets can be had."""
    return workflow.dryrun and not Path(RESULTS, "inventory.json").is_file()


def is_stand_in(dataset):
    """Whether a stand-in took the place of a data set when its files were looked for; once they come, it goes."""
    record = Path(RESULTS, "inventory.json")
    return record.is_file() and dataset in read_whole_json(record).get("stand_ins", [])


def is_exclusive(wildcards):
    """Whether a training job may not share the machine, unless its cores are separate."""
    return EXPERIMENTS[wildcards.experiment].timed and config["timing"] != "shared"


@cache
def cores_are_separate():
    """Whether timed jobs may run on this machine's cores side by side."""
    may_measure = workflow.is_main_process and not workflow.dryrun
    return config["timing"] == "separate" and are_separate(
        files.cores, workflow.cores, may_measure
    )


def raw_files(wildcards):
    """The user's own files of a data set, once those from elsewhere have been fetched."""
    if wildcards.dataset in study.remote:
        if is_first_plan():
            return f"{RESULTS}/fetch/{wildcards.dataset}.json"
        # Fetching again is no reason to prepare again (a changed sum is in the digest), so its record is no input.
        # Nor may it be an `ancient` one: Snakemake would overlook what else has changed for the jobs after it.
        checkpoints.inventory.get()
    return files.local_files(wildcards.dataset)


def redraw_inputs(wildcards):
    """What a single artefact is drawn from; it waits for its paper's listing and is not drawn again when that is."""
    paper = paper_of(wildcards.artefact)
    inputs = files.paper_inputs(paper) | {"listing": files.listing(paper)}
    return {name: ancient(path) for name, path in inputs.items()}


def training_threads(wildcards):
    """All cores of this machine where training must not share it; on a cluster one, of a node of its own."""
    if not workflow.local_exec or workflow.remote_exec or not is_exclusive(wildcards):
        return 1
    return 1 if cores_are_separate() else workflow.cores


def jobs_by_rule():
    """The numbers of this run's jobs, done or not."""
    jobs = {*workflow.dag.needrun_jobs(), *workflow.dag.finished_jobs}
    return Counter(job.rule.name for job in jobs)


def memory(mb):
    """MB that a job asks for; on this machine no more than it has, so that a job that may want more is tried."""
    on_this_machine = workflow.local_exec and not workflow.remote_exec
    return min(mb, MACHINE_MB) if on_this_machine else mb


def if_small(wildcards, group):
    """The group of jobs that are too short for an entry of their own in a cluster's queue."""
    return group if resources.is_small(study, wildcards.dataset) else None


def training_group(wildcards):
    """The same for training jobs; those that are timed want a node of their own, and so share no entry with others."""
    return if_small(wildcards, "timed" if is_exclusive(wildcards) else "train")
