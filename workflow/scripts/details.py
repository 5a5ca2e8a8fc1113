"""Put the details of all jobs of a study into one file."""

from fwsvm_papers.pipeline.job import job, write_json
from fwsvm_papers.result_files import read_whole_json

with job(snakemake.log[0]):
    write_json(
        [entry for path in snakemake.input for entry in read_whole_json(path, list)],
        snakemake.output[0],
    )
