"""Describe one prepared data set: sizes, classes, average squared distance, source."""

from pathlib import Path

from fwsvm.datasets.describe import describe
from fwsvm.datasets.storage import open_prepared
from fwsvm.experiments.job import job, write_json

with job(snakemake.log[0]):
    description = describe(open_prepared(Path(snakemake.input[0]).parent))
    write_json({**description, "differs": snakemake.params.differs}, snakemake.output[0])
