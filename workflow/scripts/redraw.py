"""Draw one table or figure again."""

from fwsvm.pipeline.artefacts import write
from fwsvm.pipeline.inputs import read_inputs
from fwsvm.pipeline.job import job

with job(snakemake.log[0]):
    inputs = read_inputs({name: path for name, path in snakemake.input.items() if name != "listing"})
    write(snakemake.wildcards.artefact, inputs, *snakemake.params.folders, snakemake.params.formats)
