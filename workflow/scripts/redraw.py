"""Draw one table or figure again."""

from fwsvm.experiments.job import job
from fwsvm.render.inputs import read_inputs
from fwsvm.render.registry import write

with job(snakemake.log[0]):
    inputs = read_inputs({name: path for name, path in snakemake.input.items() if name != "listing"})
    write(snakemake.wildcards.artefact, inputs, *snakemake.params.folders, snakemake.params.formats)
