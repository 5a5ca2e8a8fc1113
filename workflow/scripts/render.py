"""Draw one table or figure."""

from fwsvm.experiments.job import job
from fwsvm.render.inputs import read_inputs
from fwsvm.render.registry import write

with job(snakemake.log[0]):
    inputs = read_inputs(dict(snakemake.input.items()))
    write(snakemake.wildcards.artefact, inputs, *snakemake.params.folders)
