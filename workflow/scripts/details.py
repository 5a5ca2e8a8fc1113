"""Put the details of all jobs of a study into one file."""

from fwsvm.base.result_files import read_whole_json
from fwsvm.pipeline.job import job, write_json

with job(snakemake.log[0]):
    write_json([entry for path in snakemake.input for entry in read_whole_json(path, list)], snakemake.output[0])
