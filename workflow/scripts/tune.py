"""Tune sigma^2 and C of one data set."""

from pathlib import Path

from fwsvm.datasets.storage import open_prepared
from fwsvm.experiments.job import job, write_json
from fwsvm.experiments.tune import tune

with job(snakemake.log[0]):
    prepared = open_prepared(Path(snakemake.input.data).parent)
    write_json(tune(prepared, snakemake.params.settings), snakemake.output[0])
