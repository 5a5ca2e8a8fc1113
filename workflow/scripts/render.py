"""Draw the tables and figures of one paper."""

from fwsvm_papers.pipeline.artefacts import read_inputs, write
from fwsvm_papers.pipeline.job import job

with job(snakemake.log[0]):
    inputs = read_inputs(dict(snakemake.input.items()))
    for artefact_id in snakemake.params.artefacts:
        write(artefact_id, inputs, *snakemake.params.folders, snakemake.params.formats)
