# Check the configuration, define the paths of files, and limit the resources of jobs.
import os
import shlex
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from snakemake.utils import update_config

from fwsvm_papers.code_hash import PACKAGES, code_hash
from fwsvm.inputs.errors import UserError, print_all_letters
from fwsvm_papers.result_files import (
    hash_of_settings,
    read_whole_json,
    remove_leftovers,
)
from fwsvm_papers.pipeline import resources
from fwsvm_papers.pipeline.artefacts import (
    code_of_paper,
    code_of_report,
    code_of_sketches,
    papers,
)
from fwsvm_papers.pipeline.config import check_config, load_config
from fwsvm_papers.pipeline.data import (
    WARM_UP_PARTS,
    Layout,
    drop_outdated,
)
from fwsvm_papers.runs.jobs import KERNELS, benchmark_datasets
from fwsvm_papers.studies.registry import EXPERIMENTS, WITH_DETAILS


def end_quietly(kind, error, trace):
    """After Ctrl-C, print one line instead of a traceback."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    elif workflow.is_main_process:
        print(
            "The run was interrupted. The same command continues it.", file=sys.stderr
        )


sys.excepthook = end_quietly

SCHEMA = workflow.source_path("../schemas/config.schema.yaml")
try:
    # Read the files again with stricter rules, since Snakemake accepts duplicate keys, and reads
    # 1e-6 as text.
    update_config(config, load_config(*workflow.config_settings.configfiles))
    of_command = workflow.config_settings.config  # the values of --config
    update_config(config, of_command)
    sources = [*map(str, workflow.configfiles), *(["--config"] if of_command else [])]
    configuration = check_config(config, SCHEMA, " + ".join(sources))
except UserError as error:
    sys.exit(f"error: {error}")


def refuse_what_cannot_run():
    """Stop if Snakemake would fail with a traceback, or if it would run code that differs from the
    sources in this checkout.
    """
    if " " in sys.executable:
        sys.exit(
            f"error: {sys.executable}: Snakemake cannot start a Python interpreter if its "
            "path contains a space; make the environment in a folder without spaces"
        )
    if not os.access(".", os.W_OK):
        sys.exit(f"error: {Path.cwd()}: no permission to write in this folder")
    for installed in PACKAGES:
        folder = Path(workflow.basedir, "src", installed.name)
        here, there = (
            {path.relative_to(root): path.read_bytes() for path in root.rglob("*.py")}
            for root in (folder, installed)
        )
        if here and here != there:
            sys.exit(
                f"error: the installed package {installed} differs from the sources in "
                f"{folder}; install these sources with "
                f"`{sys.executable} -m pip install --no-deps -e {shlex.quote(workflow.basedir)}`"
            )


if workflow.is_main_process:
    refuse_what_cannot_run()


def present():
    """List the available data sets, in the order of the configuration."""
    if not configuration.remote or is_first_plan():
        return configuration.datasets
    missing = read_whole_json(checkpoints.inventory.get().output[0])["missing"]
    return [name for name in configuration.datasets if name not in missing]


files = Layout(configuration, present)
RESULTS, FIGURES, LOGS = files.results, files.figures, files.logs
if workflow.is_main_process:
    drop_outdated(configuration, files.prepared)
    if unused := configuration.without_jobs:
        print(
            f"warning: no experiment of the configuration uses {', '.join(unused)}. The run only"
            " prepares these data sets.",
            file=sys.stderr,
        )
    logger.info(None, extra={"event": "pages", "path": f"{RESULTS}/site/index.html"})


MACHINE_MB = int(0.85e-6 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


wildcard_constraints:
    dataset="[^/]+",
    experiment="|".join(EXPERIMENTS),
    parameters="|".join(KERNELS),
    part="|".join(WARM_UP_PARTS),


# The jobs of these rules do not go through the queue of a cluster. They are too short, or need a
# network.
localrules:
    all,
    fetch,
    inventory,
    details,
    collect,
    report,


def refuse_names_of_rules():
    """Stop with an error if a paper has the name of another rule.

    The rule of a paper has the name of the paper. The ids of its artefacts begin with this name.
    """
    if taken := {"all", *(one.name for one in workflow.rules)} & set(papers()):
        ids = ", ".join(papers()[taken.pop()])
        sys.exit(
            f"error: artefact {ids}: the id begins with the name of a rule of the workflow; "
            "rename the study"
        )


def is_first_plan():
    """Test whether this is a dry run before the first download.

    Such a dry run lists the jobs for all data sets.
    """
    return workflow.dryrun and not Path(RESULTS, "inventory.json").is_file()


def is_stand_in(dataset):
    """Test whether a stand-in replaces this data set, whose files were not available."""
    record = Path(RESULTS, "inventory.json")
    return record.is_file() and dataset in read_whole_json(record).get("stand_ins", [])


def is_exclusive(wildcards):
    """Test whether a training job must run alone unless `cores_are_separate()` is true."""
    return EXPERIMENTS[wildcards.experiment].timed and config["timing"] != "shared"


@cache
def cores_are_separate():
    """Test whether timed jobs can run at the same time on different cores of this computer without
    slowing each other down.
    """
    may_measure = workflow.is_main_process and not workflow.dryrun
    return config["timing"] == "separate" and resources.are_separate(
        files.cores, workflow.cores, may_measure
    )


def raw_files(wildcards):
    """List the local files of a data set. If the data set has remote files, they are fetched first.

    In a dry run before the first download, return the path of the file that records the download.
    """
    if wildcards.dataset in configuration.remote:
        if is_first_plan():
            return f"{RESULTS}/fetch/{wildcards.dataset}.json"
        # The file that records the download is not an input, because a new download does not change
        # the prepared data. (If checksums change, the digest changes.) If this file were an
        # `ancient` input, Snakemake would not notice other changes for the next jobs.
        checkpoints.inventory.get()
    return files.local_files(wildcards.dataset)


def training_threads(wildcards):
    """Return the number of cores of a training job.

    If the job must run alone on this computer, return the number of all cores. Otherwise, return 1.
    On a cluster, a job that must run alone gets its own node.
    """
    if not workflow.local_exec or workflow.remote_exec or not is_exclusive(wildcards):
        return 1
    return 1 if cores_are_separate() else workflow.cores


def jobs_by_rule():
    """Return the number of jobs of each rule, finished or not, for the progress lines."""
    jobs = {*workflow.dag.needrun_jobs(), *workflow.dag.finished_jobs}
    return Counter(job.rule.name for job in jobs)


def memory(mb):
    """Return the memory (MB) that a job requests.

    If there is no cluster, return at most 85 % of the memory of this computer, so that the job can
    start.
    """
    on_this_machine = workflow.local_exec and not workflow.remote_exec
    return min(mb, MACHINE_MB) if on_this_machine else mb
