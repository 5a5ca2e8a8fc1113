"""Draw the tables and figures of one paper."""

from fwsvm_papers.pipeline.artefacts import draw_paper, read_inputs
from fwsvm_papers.pipeline.scripts import logging_to

with logging_to(snakemake.log[0]):
    inputs = read_inputs(dict(snakemake.input.items()))
    draw_paper(
        snakemake.wildcards.paper,
        inputs,
        *snakemake.params.folders,
        snakemake.params.formats,
        snakemake.output[0],
    )
