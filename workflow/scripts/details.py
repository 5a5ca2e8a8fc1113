"""Put the details of all jobs of a study into one file."""

from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.result_files import write_json
from fwsvm_papers.runs.batches import finished_jobs

with logging_to(snakemake.log[0]):
    details = [
        {"protocol": done.protocol, "dataset": done.dataset, "method": done.method}
        | cell["details"]
        for done, cell in finished_jobs(snakemake.input)
        if cell["details"]
    ]
    write_json(details, snakemake.output[0])
