"""Draw the tables and figures of one paper."""

from fwsvm_papers.pipeline.artefacts import read_inputs, write
from fwsvm_papers.pipeline.scripts import logging_to

with logging_to(snakemake.log[0]):
    inputs = read_inputs(dict(snakemake.input.items()))
    for artefact_id in snakemake.params.artefacts:
        write(artefact_id, inputs, *snakemake.params.folders, snakemake.params.formats)
