"""Describe the prepared data sets: sizes, classes, average squared distance, source."""

from pathlib import Path

from fwsvm.datasets.describe import describe
from fwsvm.pipeline.healing import open_or_prepare
from fwsvm.pipeline.job import job, write_json

with job(snakemake.log[0]):
    for path in map(Path, snakemake.input):
        name = path.parent.name
        description = describe(open_or_prepare(snakemake.config, name, path.parent))
        description["differs"] = snakemake.params.differs[name]
        write_json(description, Path(snakemake.output[0]) / f"{name}.json")
