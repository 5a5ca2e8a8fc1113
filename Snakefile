# Reproduction of Frank-Wolfe kernel SVM training: data -> tuning -> training -> tests -> tables and figures.
# `snakemake --cores 8` runs everything in config/paper.yaml; `--configfile config/demo.yaml` needs no network.


from fwsvm.pipeline.codes import keep_codes
from snakemake_logger_plugin_fwsvm import count_with


configfile: "config/paper.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/tune.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/render.smk"


onstart:
    count_with(jobs_by_rule)
    keep_codes(RESULTS)
    cores_are_separate()  # measured now, if at all: nothing else is running yet
    # Snakemake 9 limits how fast it starts jobs by looking at all that are ready once a second, and every job that ends
    # starts another such series of looks: half of a core after fifty jobs (its pull request 3744). Here nothing is to
    # be limited; in a cluster's queue it is.
    if workflow.local_exec and not workflow.remote_exec:
        workflow.scheduler.job_rate_limiter = None


rule all:
    default_target: True
    input:
        lambda wildcards: files.all_prepared_files(),
        REMADE,
        files.listings(),
        f"{RESULTS}/runs.tsv",
        f"{RESULTS}/provenance.json",


# All tables and figures of one paper, by its name; `claims`, `summary`, and `beyond`: what no paper has.
for paper in papers():

    rule:
        name:
            paper
        input:
            files.listings(paper),
