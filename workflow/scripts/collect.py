"""Write a table with all runs, the papers' significance tests on this table, and a file with the
provenance of all jobs.
"""

from pathlib import Path

from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.result_files import read_whole_json, write_tables
from fwsvm_papers.runs.job_results import finished_jobs, name_of, runs_of
from fwsvm_papers.runs.records import text_of_runs
from fwsvm_papers.studies.benchmark.significance import test_protocols

with logging_to(snakemake.log[0]):
    done = finished_jobs(snakemake.input)
    runs = runs_of(done)
    jobs = {name_of(job): one["record"] | {"rows": len(one["rows"])} for job, one in done}
    facts = {"config_hash": snakemake.params.config, "jobs": jobs}
    if snakemake.params.cores and Path(snakemake.params.cores).is_file():
        facts["side_by_side"] = read_whole_json(snakemake.params.cores)
    tests = test_protocols(runs).to_csv(sep="\t", index=False).encode()
    tables = {snakemake.output.tests: tests, snakemake.output.runs: text_of_runs(runs)}
    write_tables(tables, facts, snakemake.output.provenance)
