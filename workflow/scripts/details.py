"""Put what the jobs of a study show besides their runs into one file."""

from fwsvm.pipeline.job import job, write_json
from fwsvm.runs.details import read_details

with job(snakemake.log[0]):
    write_json([entry for path in snakemake.input for entry in read_details(path)], snakemake.output[0])
