"""Put all runs into one table, and the jobs' provenance into one file."""

from fwsvm.analysis.records import collect, write_runs
from fwsvm.experiments.job import job, read_json, write_json

with job(snakemake.log[0]):
    jobs = {path: read_json(path) for path in snakemake.input.provenance}
    write_json({"config_hash": snakemake.params.config, "jobs": jobs}, snakemake.output.provenance)
    write_runs(collect(snakemake.input.runs), snakemake.output.runs)
