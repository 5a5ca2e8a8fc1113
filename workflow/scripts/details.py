"""Put the details of all jobs of a study into one file."""

from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.result_files import write_json
from fwsvm_papers.runs.job_results import finished_jobs

with logging_to(snakemake.log[0]):
    details = [
        {"protocol": job.protocol, "dataset": job.dataset, "method": job.method} | result["details"]
        for job, result in finished_jobs(snakemake.input)
        if result["details"]
    ]
    write_json(details, snakemake.output[0])
