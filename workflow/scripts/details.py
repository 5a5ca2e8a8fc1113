"""Put what the jobs of a study show besides their runs into one file."""

from fwsvm.experiments.job import job, read_json, write_json

with job(snakemake.log[0]):
    write_json([entry for path in snakemake.input for entry in read_json(path)], snakemake.output[0])
