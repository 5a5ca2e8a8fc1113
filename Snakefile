# Reproduction of Frank-Wolfe kernel SVM training: data -> tuning -> training -> tests -> tables and
# figures. `snakemake --cores 8` runs everything in config/paper.yaml; `--configfile
# config/demo.yaml` needs no network.


configfile: "config/paper.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/tune.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/render.smk"


onstart:
    logger.info(None, extra={"event": "stages", "jobs_by_rule": jobs_by_rule})
    cores_are_separate()  # measure now, while no job is running
    remove_leftovers(RESULTS, FIGURES)  # Snakemake has locked these folders
    # Snakemake 9 checks all ready jobs every second, to limit how fast jobs start. After fifty jobs
    # this takes half of a core (its pull request 3744). Only a cluster's queue needs the limit.
    if workflow.local_exec and not workflow.remote_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    if jobs_by_rule()["report"]:
        # Not at the top, since this import loads the modules that draw and train.
        from fwsvm_papers.commands.summary import overview

        print_all_letters()
        print(overview(RESULTS, FIGURES), flush=True)


rule all:
    default_target: True
    input:
        lambda wildcards: files.all_prepared_files(),
        files.artefact_files(),
        f"{RESULTS}/runs.tsv",
        f"{RESULTS}/provenance.json",
        f"{RESULTS}/site/index.html",
