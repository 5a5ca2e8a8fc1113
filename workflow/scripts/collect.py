"""Put all runs into one table and the jobs' provenance into one file; run the papers' significance tests."""

from pathlib import Path

from fwsvm.base.result_files import read_whole_json, write_atomically
from fwsvm.pipeline.job import job, write_json
from fwsvm.runs.records import collect, write_runs
from fwsvm.studies.benchmark.significance import test_protocols

with job(snakemake.log[0]):
    records = [read_whole_json(path) for path in snakemake.input.provenance]
    runs = collect(snakemake.input.runs, [sum(job["rows"] for job in jobs.values()) for jobs in records])
    jobs = {name: job for jobs in records for name, job in jobs.items()}
    facts = {"config_hash": snakemake.params.config, "jobs": jobs}
    if snakemake.params.cores and Path(snakemake.params.cores).is_file():
        facts["side_by_side"] = read_whole_json(snakemake.params.cores)
    write_json(facts, snakemake.output.provenance)
    write_atomically(snakemake.output.tests, test_protocols(runs).to_csv(sep="\t", index=False).encode())
    write_runs(runs, snakemake.output.runs)
