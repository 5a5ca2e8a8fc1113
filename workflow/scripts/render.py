"""Draw the tables and figures of one paper."""

from fwsvm.experiments.job import job
from fwsvm.render.inputs import read_inputs
from fwsvm.render.listing import draw_paper

with job(snakemake.log[0]):
    inputs = read_inputs(dict(snakemake.input.items()))
    draw_paper(
        snakemake.wildcards.paper, inputs, *snakemake.params.folders, snakemake.params.formats, snakemake.output[0]
    )
