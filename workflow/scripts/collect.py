"""Put all runs into one table and the jobs' provenance into one file; run the papers'
significance tests.
"""

from pathlib import Path

from fwsvm_papers.pipeline.job import job, write_tables
from fwsvm_papers.result_files import read_whole_json
from fwsvm_papers.runs.records import collect, text_of_runs
from fwsvm_papers.studies.benchmark.significance import test_protocols

with job(snakemake.log[0]):
    records = [read_whole_json(path) for path in snakemake.input.provenance]
    runs = collect(snakemake.input.runs)
    jobs = {name: job for record in records for name, job in record.get("jobs", record).items()}
    facts = {"config_hash": snakemake.params.config, "jobs": jobs}
    if snakemake.params.cores and Path(snakemake.params.cores).is_file():
        facts["side_by_side"] = read_whole_json(snakemake.params.cores)
    tests = test_protocols(runs).to_csv(sep="\t", index=False).encode()
    tables = {snakemake.output.tests: tests, snakemake.output.runs: text_of_runs(runs)}
    write_tables(tables, facts, snakemake.output.provenance)
