# Reproduction of Frank-Wolfe kernel SVM training: data -> tuning -> training -> tests -> tables and figures.
# `snakemake --cores 8` runs everything in config/paper.yaml; `--configfile config/demo.yaml` needs no network.


configfile: "config/paper.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/tune.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/render.smk"


onstart:
    logger.info(None, extra={"event": "stages", "jobs_by_rule": jobs_by_rule})
    cores_are_separate()  # measured now, if at all: nothing else is running yet
    # Without a limit on how fast jobs start, Snakemake 9 needs no check of all ready jobs every second, which took half
    # of a core after fifty jobs (its pull request 3744). A cluster's queue has a limit.
    if workflow.local_exec and not workflow.remote_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    list_skipped(RESULTS)


rule all:
    default_target: True
    input:
        lambda wildcards: files.all_prepared_files(),
        files.listings(),
        f"{RESULTS}/runs.tsv",
        f"{RESULTS}/provenance.json",


refuse_names_of_rules()

# All tables and figures of one paper, by its name; `claims`, `summary`, and `beyond`: what no paper has.
for paper in papers():

    rule:
        name:
            paper
        input:
            files.listings(paper),
