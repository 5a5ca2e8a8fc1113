"""Train all methods of one experiment on one data set, with all protocols and repetitions."""

from pathlib import Path

from fwsvm_papers.pipeline.scripts import logging_to, open_or_prepare
from fwsvm_papers.result_files import read_whole_json
from fwsvm_papers.runs.job_results import run_jobs, write_batch
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.studies.registry import EXPERIMENTS

with logging_to(snakemake.log[0]):
    jobs = [Job(*name) for name, _ in snakemake.params.jobs]
    settings = [settings for _, settings in snakemake.params.jobs]
    prepared = open_or_prepare(
        snakemake.config, snakemake.wildcards.dataset, Path(snakemake.input.data[0]).parent
    )
    parameters = snakemake.input.get("parameters")
    tuned = read_whole_json(parameters) if parameters else None
    results = f"results/{snakemake.config['profile']}"
    experiment = EXPERIMENTS[snakemake.wildcards.experiment]
    found = run_jobs(experiment, jobs, settings, prepared, tuned, snakemake.params.code, results)
    write_batch(jobs, found, snakemake.output[0])
