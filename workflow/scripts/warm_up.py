"""Compile the solvers into the disk cache, once."""

from pathlib import Path

from fwsvm.pipeline.job import job
from fwsvm.pipeline.warm_up import warm_up

with job(snakemake.log[0]):
    warm_up([snakemake.wildcards.part])
    Path(snakemake.output[0]).touch()
