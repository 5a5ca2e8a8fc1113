"""Train one method on one data set under one selection, all repetitions."""

from pathlib import Path

import pandas as pd

from fwsvm.analysis.records import write_runs
from fwsvm.datasets.storage import open_prepared
from fwsvm.experiments.benchmark import run_benchmark
from fwsvm.experiments.job import job, provenance, read_json, write_json

with job(snakemake.log[0]):
    names, settings = snakemake.wildcards, snakemake.params.settings
    prepared = open_prepared(Path(snakemake.input.data).parent)
    parameters = read_json(snakemake.input.parameters)
    rows = run_benchmark(prepared, parameters, names.method, names.selection, settings)
    write_json(provenance(settings, prepared.meta), snakemake.output.provenance)
    write_runs(pd.DataFrame(rows), snakemake.output.runs)
