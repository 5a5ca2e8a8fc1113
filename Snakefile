# Reproduce papers on Frank-Wolfe training of kernel SVMs. The stages are data, tuning, training,
# significance tests, and tables and figures. `snakemake --cores 8` runs all stages with
# config/paper.yaml. With `--configfile config/demo.yaml`, no network is needed.


configfile: "config/paper.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/tune.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/render.smk"


onstart:
    logger.info(None, extra={"event": "stages", "jobs_by_rule": jobs_by_rule})
    saved, planned = len(files.saved_jobs()), len(files.planned_jobs())
    logger.info(None, extra={"event": "saved", "saved": saved, "planned": planned})
    cores_are_separate()  # measured now, while no job is running
    # Snakemake has locked this folder, so no other run writes into these folders.
    remove_leftovers(RESULTS, FIGURES)
    files.remove_outdated()
    # Snakemake 9 limits how fast jobs start. To do so, it checks all ready jobs every second. After
    # fifty jobs, these checks use half of a core (Snakemake's pull request 3744). Only the queue of
    # a cluster needs the limit, so it is switched off here.
    if workflow.local_exec and not workflow.remote_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    if jobs_by_rule()["report"]:
        # This import is not at the top, because it loads the modules that draw and train.
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
